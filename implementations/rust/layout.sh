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

# A checksum of what the wrappers are made from: clones share the folder of what is built.
sources() {
    (cd "$here" && find . \( -name '*.rs' ! -name tests.rs -o -name Cargo.toml \) -type f | LC_ALL=C sort | xargs cat | cksum)
}

# Become a program, if it was made from these sources: start PROGRAM [ARGUMENT…]
start() {
    program=$1
    shift
    [ -e "$directory/built" ] || fail "the wrappers are not built: run $here/build"
    [ "$(cat "$directory/built")" = "$(sources)" ] || fail "what is built is of other sources: run $here/build"
    exec "$directory/target/release/$program" "$@"
}
