#!/bin/sh
# Threads that concurrently post and complete requests, by every function, lose no byte and count none twice,
# and those of an ended measurement are not counted in the next. The programs implement MPI themselves, so this
# runs under sanitizers as well.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3
case " $mpis " in
    *" mpich "*) ;;
    *) skip "built without MPICH" ;;
esac

# Measurements that end while requests are pending and a thread is inside MPI: the next one uses none of them.
# shellcheck disable=SC2086 # lists of words
link="$builddir/.libs/libgptl_mpi-mpich.so $link" compile cycles "$srcdir/ctests/programs/mpi_cycles.c" \
    -Wno-stringop-overflow $mpich_CPPFLAGS
for options in mpi_files=0 'mpi_files=0;histogram=on;cpu=on;throttle=10' \
    'mpi_matrix=1;mpi_sizes=1;trace=ti;trace.dir=traces'; do
    for preload in '' "$builddir/.libs/libgptl_io.so"; do
        # The run-time library of a sanitizer must be the first one.
        if [ -n "$preload" ] && { [ ! -e "$preload" ] || [ "$sanitize" != no ]; }; then continue; fi
        rm -rf timing.0 traces
        LD_PRELOAD=$preload GPTL_IO='detail=on;path=log' GPTL_OPTIONS=$options ./cycles >out ||
            fail "$options $preload: ended with $?"
        grep -qE '^ +MPI_Irecv +50 .* 5000 ' timing.0 ||
            { cat timing.0; fail "$options $preload: not only the last measurement is in the report"; }
    done
done

# shellcheck disable=SC2086 # lists of words
link="$builddir/.libs/libgptl_mpi-mpich.so $link" compile requests \
    "$srcdir/ctests/programs/mpi_requests.c" $mpich_CPPFLAGS
for _ in 1 2 3; do
    GPTL_OPTIONS='output=json' ./requests >expected || fail "ended with $?"
    python3 - <<'END' >found || fail "cannot read the report"
import json
report = json.load(open("timing.0.json", encoding="utf-8"))
column = [m["name"] for m in report["metrics"]].index("MPI_RECEIVED")
for name in "MPI_Irecv", "MPI_Start":
    print(name, sum(node["metrics"][column] or 0 for thread in report["threads"]
                    for node in thread["nodes"] if node["name"] == name))
END
    diff expected found || fail "the report has (>) what was not received (<)"
done

# Functions that this MPI lacks are not taken from another one.
LD_DEBUG=files ./requests 2>&1 | grep -a 'libmpi.*dynamically loaded' && fail "a second MPI is in the process"
exit 0
