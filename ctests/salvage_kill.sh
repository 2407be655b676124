#!/bin/sh
# A program with several threads is killed at any moment: the output of `gptl report` agrees with the
# program's own count, up to the call that each thread was in.
# shellcheck disable=SC2094 # where report is a subcommand
# shellcheck disable=SC3045 # ulimit -c, which every shell has
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"
need_tools
compile victim "$srcdir/ctests/programs/victim.c"

# killed SIGNAL THREADS MODE SECONDS [OPTION;...]
killed() {
    echo "== $1 $2 threads, $3, after $4 s, $5"
    rm -rf counts left report
    mkdir left
    GPTL_OPTIONS="salvage=on;salvage.dir=$PWD/left;dopr_threadsort=off;$5" ./victim counts "$2" "$3" &
    job=$!
    pid=$(started "$2")
    sleep "$4"
    ahead=$(reads_ahead "$pid")
    kill "-$1" "$pid"
    wait $job || true
    same "read ahead" "$ahead" no
    same "salvage files" "$(find left -type f | wc -l)" 1
    ends 0 "$gptl" report --set dopr_threadsort=off left >report 2>stderr
    [ ! -s stderr ] || { cat stderr; fail "gptl report said something"; }
    grep -q "^NOTE: process $pid had written no report" report || fail "no note"
    agree report "$2" "$3"
}

killed KILL 1 plain 0.05 ''
killed TERM 4 plain 0.2 ''
killed KILL 4 plain 0.13 ''
killed KILL 3 names 0.1 ''
killed KILL 3 names 0.3 ''
killed TERM 2 deep 0.3 ''
killed KILL 3 recursion 0.1 ''
killed KILL 2 paths 1 ''
grep -q '^ *outer_319 *1 ' report || fail "not all of 100,000 paths"
same "paths of a thread" "$(grep -c '102401 paths\|102722 paths' report)" 0
killed KILL 3 plain 0.1 'cpu=on;histogram=on'
killed KILL 3 names 0.1 'cpu=on'
for seconds in 0.05 0.1 0.15 0.2; do
    killed KILL 3 marks $seconds ''
done
killed KILL 3 marks 0.1 'cpu=on;histogram=on'
killed KILL 2 again 0.1 ''
same "calls of the first measurement" "$(all_calls report before)" 0
killed KILL 2 elsewhere 0.1 ''
same "calls before" "$(all_calls report first)" 1
same "bytes written to the program's own files" "$(cat own_* | wc -c)" 0
same "files of the program's own" "$(files own_* | wc -l)" 20
