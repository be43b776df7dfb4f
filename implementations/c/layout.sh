# What `build` and the launchers have to know; they source this file with $here set to this folder.
directory=${WIREPROOF_C_BUILD:-${XDG_CACHE_HOME:-$HOME/.cache}/wireproof/c}
compiler=${CC:-cc}

fail() {
    echo "implementations/c: $1" >&2
    exit 2
}

# Whether the compiler finds all headers.
has_headers() {
    printf '#include <%s>\n' "$@" | "$compiler" -E -x c - >/dev/null 2>&1
}

need_compiler() {
    command -v "$compiler" >/dev/null || fail "there is no $compiler on PATH: install gcc"
    has_headers librdkafka/rdkafka.h librdkafka/rdkafka_mock.h || fail "there is no librdkafka: apt-get install librdkafka-dev"
    has_headers jansson.h || fail "there is no Jansson: apt-get install libjansson-dev"
}

# compile TARGET SOURCE…
compile() {
    target=$1
    shift
    "$compiler" -std=gnu11 -O2 -Wall -Wextra -Werror -pthread -o "$target" "$@" -lrdkafka -ljansson
}

# A checksum of what the wrappers are made from: clones share the folder of what is built.
sources() {
    (cd "$here" && find . -name '*.[ch]' ! -name 'test_*' -type f | LC_ALL=C sort | xargs cat | cksum)
}

# Become the wrapper of a library, if it was made from these sources: start LIBRARY [ARGUMENT…]
start() {
    library=$1
    shift
    [ -e "$directory/built" ] || fail "the wrapper is not built: run $here/build"
    [ "$(cat "$directory/built")" = "$(sources)" ] || fail "what is built is of other sources: run $here/build"
    exec "$directory/$library" "$@"
}
