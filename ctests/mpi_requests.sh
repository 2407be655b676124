#!/bin/sh
# Threads that post and complete requests at a time, by every function that does, lose no byte and count
# none twice. The program is its own MPI, so this runs under sanitizers as well.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3
case " $mpis " in
    *" mpich "*) ;;
    *) skip "built without MPICH" ;;
esac

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

# What this MPI lacks is not taken from another one.
LD_DEBUG=files ./requests 2>&1 | grep -a 'libmpi.*dynamically loaded' && fail "a second MPI is in the process"
exit 0
