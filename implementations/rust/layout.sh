# What `build` and the launchers have to know; they source this file with $here set to this folder.
directory=${WIREPROOF_RUST_BUILD:-${XDG_CACHE_HOME:-$HOME/.cache}/wireproof/rust}
rust_at_least=$(sed -n 's/^rust-version = "\(.*\)".*/\1/p' "$here/Cargo.toml")

fail() {
    echo "implementations/rust: $1" >&2
    exit 2
}

need_cargo() {
    command -v cargo >/dev/null || fail "there is no cargo on PATH: install Rust of $rust_at_least or later"
    CARGO_TARGET_DIR=$directory/target
    export CARGO_TARGET_DIR
}

# Become the wrapper of a library, which is not older than what it was made from: start LIBRARY [ARGUMENT…]
start() {
    library=$1
    shift
    [ -e "$directory/built" ] || fail "the wrappers are not built: run $here/build"
    [ -z "$(find "$here" \( -name '*.rs' ! -name tests.rs -o -name Cargo.toml \) -newer "$directory/built")" ] ||
        fail "the sources are newer than what is built: run $here/build"
    exec "$directory/target/release/wrapper-$library" "$@"
}
