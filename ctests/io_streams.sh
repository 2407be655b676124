#!/bin/sh
# libgptl_io: for each file that streams read and write, in all forms, the log has the same bytes as
# strace; for files written once, exactly the size of the file.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/io_lib.sh"
need strace
need_tools
strace -o trace true 2>/dev/null || skip "strace may not trace here"
TMPDIR=$PWD
export TMPDIR

compile_io io_streams io_streams.c
for form in $(./io_streams); do
    rm -rf work
    mkdir work
    (cd work && "$gptl" ioc check -- sh -c "../io_streams $form >stdout" >../stdout 2>../stderr) || {
        cat stdout stderr
        fail "$form: the log has other bytes than strace sees"
    }
done

# wrote FORM FILE: its bytes in the log equal its size.
wrote() {
    rm -rf work
    mkdir work
    (cd work && preloaded "$PWD/ioc.log" ../io_streams "$1" >/dev/null)
    "$gptl" ioc summary --csv work/ioc.log >csv
    same "$1: bytes of $2" "$(sed -n "s/^[0-9]*,\([0-9]*\),.*\/$2\$/\1/p" csv)" \
        "$(wc -c <"work/$2" | tr -d ' ')"
}
wrote put_inline out
same "reads" "$(sed -n 's/^\([0-9]*\),.*\/out$/\1/p' csv)" 100000
wrote lines out
wrote wide out
wrote get_out out
wrote get_out other
wrote get_out third
wrote threads out

# Calls of the program on streams are recorded as well, and do not count as file bytes.
ls work/ioc.log >/dev/null
same "stdio calls" "$("$gptl" ioc dump --csv --file out work/ioc.log | grep -c ',fprintf,')" 20000
