# What `build` and `wrapper` both have to know; they source this file with $here set.
default_version=$(sed -n 's:.*<kafka.version>\(.*\)</kafka.version>.*:\1:p' "$here/pom.xml")

# The folder in which the wrapper of a version of kafka-clients is built.
directory_of() {
    echo "${WIREPROOF_JAVA_BUILD:-${XDG_CACHE_HOME:-$HOME/.cache}/wireproof/java}/$1"
}

# A checksum of what the wrapper is made from: clones share the folder of what is built.
sources() {
    (cd "$here" && find src pom.xml -type f | LC_ALL=C sort | xargs cat | cksum)
}

fail() {
    echo "implementations/java: $1" >&2
    exit 2
}
