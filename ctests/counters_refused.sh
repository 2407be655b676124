#!/bin/sh
# Each reason why nothing can be counted is reported once, with a remedy, and the run continues.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/counters_lib.sh"
compile tree "$srcdir/ctests/programs/tree.c"
need_perf_events
$CC -o forbid "$srcdir/ctests/programs/forbid.c" || fail "cannot compile forbid.c"
./forbid EPERM true || skip "no filter of system calls can be had here"

# refused EVENT COMMAND...: the command runs tree; it counts nothing, reports the reason once, and writes the
# profile.
refused() {
    event=$1
    shift
    counted "$event" '' env LD_PRELOAD="$preload" "$@" ./tree
    same "status of $*" "$got" 0
    same "messages of $*" "$(grep -c "^GPTL: counters: $event cannot be counted: " messages)" 1
    same "all messages of $*" "$(wc -l <messages)" 1
    grep -q "^Refused   $event: " timing.0 || fail "$*: the report does not say what was refused"
    grep -q '"calls":[1-9]' timing.0.json || fail "$*: times were not measured"
}

for error in EPERM EACCES; do
    refused perf::PAGE-FAULTS ./forbid $error
    says 'perf_event_open is forbidden here (by a container.s seccomp\|kernel.perf_event_paranoid is'
done
refused perf::PAGE-FAULTS ./forbid ENOSYS
says 'seccomp, of a container say) hides perf_event_open: allow it'
refused perf::PAGE-FAULTS ./forbid ENODEV

# Root can apply a cautious administrator setting to a single process.
echo 4 >four
if unshare -m mount --bind four /proc/sys/kernel/perf_event_paranoid 2>/dev/null; then
    # shellcheck disable=SC2016 # expanded there
    refused perf::PAGE-FAULTS unshare -m sh -c '
        mount --bind four /proc/sys/kernel/perf_event_paranoid
        exec ./forbid EACCES "$@"' sh
    says 'kernel.perf_event_paranoid is 4): set it to 2 or less, as root: sysctl kernel.perf_event'
else
    echo "not tried: perf_event_paranoid, which takes root"
fi

refused rapl:::PACKAGE_ENERGY:PACKAGE0
says 'component rapl'
