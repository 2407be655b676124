#!/bin/sh
# libgptl_io: a program that makes every recorded call finds each of them in its log, with its
# arguments and result; in detail mode as well. The program behaves the same without the library.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/io_lib.sh"

compile_io io_calls io_calls.c

# run DIRECTORY: leave ioc.log and the list there.
run() {
    mkdir "$1"
    (cd "$1" && recorded ../io_calls </dev/null 2>stderr | cat >expected)
    [ ! -s "$1/stderr" ] || { cat "$1/stderr"; fail "something on stderr"; }
    python3 "$programs/check_io_calls.py" "$1/ioc.log" "$1/expected" \
        "$srcdir/src/posix/calls.def" "$srcdir/src/posix/stdio_calls.def" ||
        fail "$1: the log differs from what was done"
}

run plain
io_options="detail=on"
run detailed
same "lines without a detail" \
    "$(python3 "$programs/ioc_log.py" detailed/ioc.log | grep -c -v -e ' detail=' -e '^==')" 0

mkdir bare && (cd bare && ../io_calls </dev/null | cat >expected)
sed 's/ m[1-8]-......[.a]*//; s/ t-......//' bare/expected >bare.txt
sed 's/ m[1-8]-......[.a]*//; s/ t-......//' plain/expected >plain.txt
grep -v -e '^mmap' -e '^readdir ' bare.txt >bare2.txt
grep -v -e '^mmap' -e '^readdir ' plain.txt >plain2.txt
diff bare2.txt plain2.txt || fail "calls have other results when they are recorded"
