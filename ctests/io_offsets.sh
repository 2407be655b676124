#!/bin/sh
# libgptl_io: the offset of a read or write is the true one or unknown: if threads, processes,
# duplicates and streams move one offset, in append mode, and for inherited descriptors.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/io_lib.sh"
need_tools

compile_io io_offsets io_offsets.c
cat >compare.py <<'END_OF_PYTHON'
import csv, re, sys
true = {m.end() - m.start(): m.start() for m in re.finditer(rb"<[a-z]+>", open("data", "rb").read())}
rows = [r for r in csv.DictReader(open("dump.csv"))
        if r["file"].endswith("/data") and re.match("p?write|_IO_file_write", r["call"])]
known = [r for r in rows if r["offset"]]
wrong = [r for r in known if true[int(r["result"])] != int(r["offset"])]
print(len(true), "written,", len(rows), "in the log,", len(known), "known,", len(wrong), "wrong")
least = int(sys.argv[1]) * len(rows) / 100
sys.exit(bool(wrong) or len(rows) != len(true) or len(known) < least)
END_OF_PYTHON

# right PERCENT WAY: no offset is wrong, and PERCENT are known.
right() {
    echo "== $2"
    rm -f data counts dump.csv
    recorded ./io_offsets "$2" || fail "$2: the program fails"
    "$gptl" ioc dump --csv ioc.log >dump.csv || fail "gptl ioc dump"
    python3 compare.py "$1" || fail "$2: wrong offsets, or too few"
}

right 100 alone
right 100 hand_over
right 100 streams
right 100 set_append
right 100 start_and_wait
right 99 append
right 0 close_and_open
right 0 append_at
right 0 append_once
for _ in 1 2 3; do
    right 0 threads
    right 0 duplicates
    right 0 processes
    right 0 append_shared
    right 0 append_threads
    right 0 start
done

# A descriptor that a shell passes to its commands is followed through all of them.
rm -f ioc.log
recorded sh -c '{ echo a; /bin/echo b; echo c; seq 3; echo d; } >out'
"$gptl" ioc dump --csv ioc.log | grep '/out' | grep -E ',(write|_IO_file_write),' | cut -d, -f6,8 | sort -t, -n -k2 >got
printf '%s\n' 2,0 2,2 2,4 6,6 2,12 | diff -u - got || fail "a shell's commands"
recorded sh -c '{ echo a; /bin/echo b; echo c; seq 3; echo d; } >>out'
"$gptl" ioc dump --csv ioc.log | grep '/out' | grep -E ',(write|_IO_file_write),' | cut -d, -f6,8 | sort -t, -n -k2 >got
printf '%s\n' 2,14 2,16 2,18 6,20 2,26 | diff -u - got || fail "a shell's commands that append"
