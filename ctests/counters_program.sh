#!/bin/sh
# Counters in a program that does as it likes: it measures several times with threads that live on,
# asks for names in any thread, and uses PAPI itself before, after and meanwhile, or shuts it down.
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
same "a PAPI that is shut down" "$(measures shut_down)" "main 10 main 10"
says 'a thread counts no events of perf_event: the program has shut PAPI down'

same "no files left" "$(measures few_files)" "main -1"
says 'cannot be counted: .*file descriptor'
same "an event that sends signals" "$(measures kept perf::PAGE-FAULTS:period=1)" "No error"
says ':period=1 cannot be counted: with period= .* signal'
same "a whole processor besides" "$(measures kept perf::PAGE-FAULTS,perf::PAGE-FAULTS:cpu=0)" "No error"
says '^GPTL: counters: perf::PAGE-FAULTS:cpu=0 cannot be counted'
