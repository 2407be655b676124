#!/bin/sh
# Counters in a difficult program: it measures several times with threads that survive, queries
# names in any thread, uses PAPI itself before, after and during measurement, or shuts it down.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/counters_lib.sh"
compile measures "$srcdir/ctests/programs/measures.c" -lpapi
need_perf_events

# measures WHAT [EVENTS]: the counts of its regions, in a line.
measures() {
    counted "${2:-perf::PAGE-FAULTS}" 'output=none' env LD_PRELOAD="$preload" ./measures "$1" >out
    # shellcheck disable=SC2154 # set by counted
    [ "$got" = 0 ] || fail "measures $1 ends with $got"
    grep -q 'perf_event_paranoid is\|forbidden here\|seccomp' messages && skip "$(head -n 1 messages)"
    paste -s -d' ' out
}

same "measuring anew" "$(measures anew)" \
    "main 10 work 20 main 10 work 20 main 10 work 20 main 10 work 20 main 10 work 20 main 10 work 20 descriptors 0"
silent
same "names in any thread" "$(measures names)" "perf::PAGE-FAULTS perf::PAGE-FAULTS perf::PAGE-FAULTS"
silent

case $(measures before) in
    "host No error "*) ;;
    *) fail "the program's own count is harmed" ;;
esac
says 'perf::PAGE-FAULTS cannot be counted: .*: the program itself counts such events'
case $(measures after) in
    "host No error "*"main 10") ;;
    *) fail "the program cannot count once the measurement is over: $(cat out)" ;;
esac
silent
same "what the program has of PAPI" "$(measures kept)" "No error"
silent
same "files closed under it" "$(measures close_all)" "error 0 main 10"
silent

# The program keeps its files regardless of their descriptors, even if few are available.
# shellcheck disable=SC2016 # expanded where it is set
for files in 40 1024 100000; do
    rm -f timing.*
    env GPTL_OPTIONS='counters=perf::PAGE-FAULTS;output=text,json,xml' LD_PRELOAD="$preload" sh -c '
        ulimit -S -n "$1" 2>/dev/null || ulimit -S -n "$(ulimit -H -n)"
        exec ./measures reopen' sh $files >out 2>messages
    got=$(paste -s -d" " out)
    same "files closed and opened, of $files" "$got" "own 21 error 0 main 10 closed 0"
    says '^GPTL: counters: perf::PAGE-FAULTS cannot be read any more: the program has closed files'
    same messages "$(wc -l <messages)" 1
    grep -q '^ *lost: a thread could not read it, or not any more' timing.0 || fail "the report says nothing"
    grep -q '"lost":true' timing.0.json || fail "JSON says nothing"
    grep -q 'lost="true"' timing.0.xml || fail "XML says nothing"
    fits_schemas
done
# shellcheck disable=SC2012 # numbers
same "files of a program that it becomes" "$(measures exec_ls | wc -w)" "$(ls /proc/self/fd 2>/dev/null | wc -l)"

rm -f timing.*
env GPTL_OPTIONS='counters=perf::PAGE-FAULTS;output=text;overhead=off' LD_PRELOAD="$preload" \
    sh -c 'ulimit -n 40 && exec ./measures crowd' >out 2>messages
same "what is left to a program of many threads" "$(cat out)" "files 4"
says '^GPTL: counters: a thread counts no events of perf_event: Too many open files.* a quarter of them is left'
same messages "$(wc -l <messages)" 1
grep -q '^ *lost: ' timing.0 || fail "the report does not say that some threads count nothing"

same "a PAPI that is shut down" "$(measures shut_down)" "main 10 main 10"
says 'a thread counts no events of perf_event: the program has shut PAPI down'

same "a PAPI that the program starts anew" "$(measures start_anew)" \
    "host 12 main 10 open 0 thread 20 new thread 7 main 10"
says '^GPTL: counters: perf::PAGE-FAULTS cannot be read any more: the program has shut PAPI down, and started it anew'
same messages "$(wc -l <messages)" 1

same "no files left" "$(measures few_files)" "main -1"
says 'cannot be counted: .*file descriptor'
same "an event that sends signals" "$(measures kept perf::PAGE-FAULTS:period=1)" "No error"
says ':period=1 cannot be counted: with period= .* signal'
same "a whole processor besides" "$(measures kept perf::PAGE-FAULTS,perf::PAGE-FAULTS:cpu=0)" "No error"
says '^GPTL: counters: perf::PAGE-FAULTS:cpu=0 cannot be counted'

# Events of a signal handler during a counter reading are dropped and counted; all others are exact.
compile storm "$srcdir/ctests/programs/storm.c"
cat >storm.py <<'END'
import json
import sys

outer, inner, handled = map(int, sys.argv[1:])
thread = json.load(open("timing.0.json"))["threads"][0]
calls = {name: sum(n["calls"] for n in thread["nodes"] if n["name"] == name)
         for name in ("outer", "inner", "handler")}
dropped = thread["dropped"]
assert (calls["outer"], calls["inner"]) == (outer, inner), (calls, outer)
assert calls["handler"] + dropped == handled and calls["handler"] > 0, (calls, dropped, handled)
assert all(v >= 0 for n in thread["nodes"] for v in n.get("metrics", []))
END
for events in perf::PAGE-FAULTS perf::PAGE-FAULTS,perf::TASK-CLOCK; do
    counted "$events" '' env LD_PRELOAD="$preload" timeout 60 ./storm >out
    same "a storm of signals" "$got" 0
    silent
    # shellcheck disable=SC2046 # three numbers
    python3 storm.py $(cat out) || fail "calls are lost in a storm of signals"
done
