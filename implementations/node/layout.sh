# What `build` and the launchers have to know; they source this file with $here set to this folder.
directory=${WIREPROOF_NODE_BUILD:-${XDG_CACHE_HOME:-$HOME/.cache}/wireproof/node}
node_at_least=20

fail() {
    echo "implementations/node: $1" >&2
    exit 2
}

need_node() {
    command -v node >/dev/null || fail "there is no node on PATH: install Node.js of $node_at_least or later"
}

# A checksum of what is installed: clones share its folder.
sources() {
    (cd "$here" && cat package.json package-lock.json | cksum)
}

# What `build` made is there, and was made from these files; $WIREPROOF_NODE_MODULES tells where.
ready() {
    need_node
    [ -e "$directory/built" ] || fail "the libraries are not installed: run $here/build"
    [ "$(cat "$directory/built")" = "$(sources)" ] || fail "what is installed is of another package.json: run $here/build"
    WIREPROOF_NODE_MODULES=$directory/node_modules
    export WIREPROOF_NODE_MODULES
}

# Become the wrapper of a library: start LIBRARY [ARGUMENT…]
start() {
    library=$1
    shift
    ready
    exec node --max-old-space-size=512 --stack-trace-limit=30 "$here/$library/main.mjs" "$@"
}
