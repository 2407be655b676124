# shellcheck shell=sh
# Shared functions and requirements of the tests of libgptl_io; read after lib.sh.

. "$srcdir/ctests/programs.sh"
need "$CC" python3
need_plain_build # a sanitizer does not go into programs that are not built with it
need_shared

# shellcheck disable=SC2034 # for the tests
io_library=$builddir/.libs/libgptl_io.so.0
programs=$srcdir/ctests/programs
[ -e "$io_library" ] || skip "built without libgptl_io"

# preloaded LOG COMMAND...: COMMAND with its calls in LOG, without a program in between.
preloaded() {
    # shellcheck disable=SC2089,SC2090 # the quotes are for the library
    (
        LD_PRELOAD=$io_library
        GPTL_IO="path=\"$1\";${io_options:-}"
        export LD_PRELOAD GPTL_IO
        shift
        exec "$@"
    )
}

# recorded COMMAND...: the same in a new ioc.log.
recorded() {
    rm -f ioc.log
    preloaded "$PWD/ioc.log" "$@"
}

# sections: a line for each, see io_count.py.
sections() {
    python3 "$programs/io_count.py" ioc.log
}

# compile_io PROGRAM SOURCE: compile a program without any of our libraries.
# shellcheck disable=SC2086 # compilers and flags are lists of words
compile_io() {
    $CC -std=gnu11 -g -O1 -pthread -o "$1" "$programs/$2" -ldl -lrt || fail "cannot compile $2"
}
