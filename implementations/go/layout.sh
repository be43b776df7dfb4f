# What `build` and the launchers have to know; they source this file with $here set to this folder.
directory=${WIREPROOF_GO_BUILD:-${XDG_CACHE_HOME:-$HOME/.cache}/wireproof/go}

fail() {
    echo "implementations/go: $1" >&2
    exit 2
}

need_go() {
    go_at_least=$(sed -n 's/^go //p' "$here/go.mod")
    command -v go >/dev/null || fail "there is no go on PATH: install Go of $go_at_least or later"
    CGO_ENABLED=0
    # Without the folder's names in what is built, and without a look at the repository around it. Go keeps what it compiled
    # by these flags: tests with others would compile every library again.
    GOFLAGS='-mod=readonly -trimpath -buildvcs=false'
    export CGO_ENABLED GOFLAGS
}

# A checksum of what the wrappers are made from: clones share the folder of what is built.
sources() {
    (cd "$here" && find . \( -name '*.go' ! -name '*_test.go' -o -name 'go.*' \) -type f | LC_ALL=C sort | xargs cat | cksum)
}

# Whether any source, or a folder of sources, has changed since the build.
newer() {
    [ -n "$(find "$here" \( -name '*.go' ! -name '*_test.go' -o -name 'go.*' -o -type d \) -newer "$directory/built")" ]
}

# Become the wrapper of a library, if it was made from these sources: start LIBRARY [ARGUMENT…]
# A checksum takes longer than the start of a wrapper, and some are started hundreds of times: what this clone has built
# itself is compared by date first.
start() {
    library=$1
    shift
    [ -e "$directory/built" ] || fail "the wrappers are not built: run $here/build"
    { read -r made; read -r by; } <"$directory/built" || by=
    if [ "$by" != "$here" ] || newer; then
        [ "$made" = "$(sources)" ] || fail "what is built is of other sources: run $here/build"
    fi
    exec "$directory/$library" "$@"
}
