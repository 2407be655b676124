#!/bin/sh
# Kernel events through the real libpapi: first touches of pages are counted exactly, by node and by
# thread, and their ratios to the last digit. Presets are mapped to them.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/counters_lib.sh"
compile events "$srcdir/ctests/programs/events.c"
need_perf_events
{
    cat pmus.out
    echo 'PRESET,PAPI_TOT_INS,NOT_DERIVED,perf::PAGE-FAULTS'
    echo 'PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::TASK-CLOCK'
    echo 'PRESET,PAPI_FP_OPS,NOT_DERIVED,perf::PAGE-FAULTS'
    echo 'PRESET,PAPI_L1_DCA,NOT_DERIVED,perf::PAGE-FAULTS'
} | grep -v '^CPU,perf' >presets.csv
PAPI_CSV_EVENT_FILE=$PWD/presets.csv
export PAPI_CSV_EVENT_FILE

counted perf::PAGE-FAULTS '' env LD_PRELOAD="$preload" ./events
grep -q 'perf_event_paranoid is\|forbidden here\|seccomp' messages && skip "$(head -n 1 messages)"
silent

# ---- Exact -------------------------------------------------------------------

same "nodes, at their first visit" \
    "$(values timing.0.json 0:main/hundred 0:main/sibling 0:main/ten 0:main/ten/three 0:main)" \
    "100 0 130 30 230"

counted PAPI_TOT_INS 'derive=half=PAPI_TOT_INS/200' env LD_PRELOAD="$preload" ./events
same presets "$(values timing.0.json 0:main/hundred 0:main/ten 0:main/sibling)" "100,0.5 130,0.65 0,0"
grep -q '^    hundred .*  100 .*  5.00e-01 ' timing.0 || fail "no such values in the table"
grep -q ' TOT_INS  e6_/_sec      half ' timing.0 || fail "no such columns"

counted GPTL_IPC,PAPI_TOT_INS 'persec=off;narrowprint=off' env LD_PRELOAD="$preload" ./events
silent
cat >ipc.py <<'END'
import json

profile = json.load(open("timing.0.json"))
names = [m["name"] for m in profile["metrics"]]
assert names == ["GPTL_IPC", "PAPI_TOT_INS", "PAPI_TOT_CYC"], names
assert [m["shown"] for m in profile["metrics"]] == [True, True, False]
nodes = [n["metrics"] for n in profile["threads"][0]["nodes"] if n["name"] != "warm up"]
assert len(nodes) == 5, nodes
for ipc, instructions, cycles in nodes:
    assert cycles > 0 and ipc == instructions / cycles, (ipc, instructions, cycles)
END
python3 ipc.py || fail "IPC is not the quotient"
grep -q ' IPC .* TOT_INS' timing.0 || fail "no columns"
! grep -q 'e6_/_sec' timing.0 || fail "a rate though persec is off"

# The second alternative, because PAPI_LST_INS is missing; each event once; no divisor.
counted GPTL_CI,PAPI_FP_OPS '' env LD_PRELOAD="$preload" ./events
silent
same CI "$(values timing.0.json 0:main/hundred 0:main/sibling)" "1,100,100 null,0,0"
grep -q '^    sibling .*  -  *0 ' timing.0 || fail "no - for a quotient of nothing"
counted GPTL_LSTPDCM '' env LD_PRELOAD="$preload" ./events
says 'GPTL_LSTPDCM cannot be counted: PAPI_L[S1]'

# ---- Threads -----------------------------------------------------------------

counted perf::PAGE-FAULTS persec=off env LD_PRELOAD="$preload" ./events threads
silent
cat >threads.py <<'END'
import json

profile = json.load(open("timing.0.json"))
got = sorted((n["name"], n["metrics"][0]) for t in profile["threads"] for n in t["nodes"]
             if n["name"] in ("work", "inside"))
assert got == [("inside", 20 * i) for i in range(1, 5)] + [("work", 30 * i) for i in range(1, 5)], got
END
python3 threads.py || fail "threads are mixed up"
grep -q '^SUM work  *4 .*  300 ' timing.0 || fail "no sum of threads"

# Sets are closed when their threads exit: the number of descriptors does not grow with the number of threads.
counted perf::PAGE-FAULTS '' env LD_PRELOAD="$preload" sh -c 'ulimit -n 64; exec ./events many'
silent
same "threads one after another" "$(values timing.0.json 1:work)" 18000

case ${OPENMP_CFLAGS:-} in
    ?*)
        # shellcheck disable=SC2086 # flags are lists of words
        compile omp "$srcdir/ctests/programs/events.c" $OPENMP_CFLAGS
        counted perf::PAGE-FAULTS '' env LD_PRELOAD="$preload" ./omp omp
        same OpenMP "$(values timing.0.json 1:work 1:work/inside)" "45 30"
        ;;
esac

# ---- On and off, fork, kill --------------------------------------------------

counted perf::PAGE-FAULTS '' env LD_PRELOAD="$preload" ./events disabled
same "what is disabled" "$(values timing.0.json 0:open)" 3

counted perf::PAGE-FAULTS '' env LD_PRELOAD="$preload" ./events fork
# Pages inherited from the parent, such as the stack, are copied when they are written.
child=$(values "$(echo timing.0.*[0-9].json)" 0:child)
[ "$child" -ge 20 ] && [ "$child" -le 24 ] || fail "the child counted $child, not 20 to 24"

counted perf::PAGE-FAULTS salvage=on env LD_PRELOAD="$preload" ./events killed
if [ -x "$gptl" ]; then
    "$gptl" report gptl-salvage.* >salvaged
    grep -q '^    hundred  .* 100 ' salvaged || fail "values did not survive the kill"
fi

# ---- Fortran -----------------------------------------------------------------

if [ "$enable_fortran" = yes ]; then
    cat >pages.f90 <<'END'
! Counters asked for by name in a namelist, and one by its number; values and table of them.
program pages
    use gptl
    use iso_c_binding, only: c_long_long
    implicit none
    integer :: ret, code, thread
    double precision, allocatable :: a(:)
    double precision :: faults, double
    integer(c_long_long) :: values(2)
    call gptlprocess_namelist('nml', 1, ret)
    if (ret /= 0) stop 1
    if (gptlevent_name_to_code('PAPI_TOT_INS', code) /= 0) stop 2
    if (gptlsetoption(code, 1) /= 0) stop 3
    if (gptlinitialize() /= 0) stop 4
    allocate (a(512*102))
    a(1) = 0
    if (gptlstart('pages') /= 0) stop 5
    call touch(a)
    if (gptlstop('pages') /= 0) stop 6
    if (gptlget_eventvalue('pages', 'perf::PAGE-FAULTS', 0, faults) /= 0) stop 7
    if (gptlget_eventvalue('pages', 'double', 0, double) /= 0) stop 8
    if (gptlquerycounters('pages', 0, values) /= 0) stop 9
    !$omp parallel num_threads(2) private(thread)
    if (gptlstart('both') /= 0) stop 10
    if (gptlstop('both') /= 0) stop 11
    !$omp end parallel
    if (sum(a(513:512*100+1:512)) < 5050) stop 13
    print '(2(f6.1),2(1x,i0))', faults, double, values
    if (gptlpr(0) /= 0) stop 12
contains
    subroutine touch(a)
        double precision, intent(inout) :: a(*)
        integer :: i
        do i = 1, 100
            a(512*i + 1) = i
        end do
    end subroutine
end program
END
    # shellcheck disable=SC2086 # flags are lists of words
    compile_fortran pages pages.f90 ${OPENMP_FCFLAGS:-}
    echo "&gptlnl eventlist='perf::PAGE-FAULTS' /" >nml
    rm -f timing.*
    same Fortran "$(GPTL_OPTIONS='derive=double=2*perf::PAGE-FAULTS;overhead=off' \
        LD_PRELOAD="$preload" ./pages | tr -s ' ')" " 100.0 200.0 100 100"
    # PAPI_TOT_INS means page faults here.
    grep -q '^  pages  *1  *-  .* 100 .* 100 .* 2.00e+02' timing.0 || { cat timing.0; fail "no counters in the report"; }
fi
