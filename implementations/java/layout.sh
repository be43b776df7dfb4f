# What `build`, `wrapper` and those in ../clients have to know; they source this file with $here set.
default_version=$(sed -n 's:.*<kafka.version>\(.*\)</kafka.version>.*:\1:p' "$here/pom.xml")

# The folder in which the wrapper of a version of kafka-clients is built.
directory_of() {
    echo "${WIREPROOF_JAVA_BUILD:-${XDG_CACHE_HOME:-$HOME/.cache}/wireproof/java}/$1"
}

# A checksum of what the wrapper is made from: clones share the folder of what is built.
sources() {
    (cd "$here" && find src pom.xml -type f | LC_ALL=C sort | xargs cat | cksum)
}

# The archive of the classes of a client that runs, with which its JVM starts in half the time.
archive_of() {
    echo "$(directory_of "$1")/client.jsa"
}

fail() {
    echo "implementations/java: $1" >&2
    exit 2
}

# An option of the JVM: which archive of classes it reads or writes. And whether Kafka's tools are on its class path.
sharing=
tools=

# Start a class of what was built: start VERSION CLASS [WORD…]
start() {
    version=$1
    class=$2
    shift 2
    directory=$(directory_of "$version")
    command -v java >/dev/null || fail "there is no java on PATH: install a JDK of 17 or later"
    [ -e "$directory/built" ] || fail "kafka-clients $version is not built: run $here/build $version"
    [ "$(cat "$directory/built")" = "$(sources)" ] ||
        fail "what is built of kafka-clients $version is of other sources: run $here/build $version"

    # A thread dump, and last words of the JVM, must not go to stdout; every exception keeps its stack.
    exec java -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData \
        -XX:+DisplayVMOutputToStderr -XX:+ErrorFileToStderr -XX:-OmitStackTraceInFastThrow \
        ${sharing:+"$sharing"} -cp "${tools:+$directory/tools/*:}$directory/wrapper.jar" "$class" "$@"
}
