#!/bin/sh
# A region that the program names like an MPI call is another region than that call: each has its own calls, and
# neither is recursion of the other. The first region of the program itself is 100 percent, and GPTLget_regionname(0,
# 0). Prefixes apply to the program's own regions. Also if the linker merges equal strings of the program and the
# library, as with a static library.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"
need_plain_build
need awk python3

cat >kinds.c <<'END'
#include <gptl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(const char *what, int found, int wanted)
{
    if (found != wanted) {
        fprintf(stderr, "%s: %d, not %d\n", what, found, wanted);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    int count = -1, handle = 0, flag;
    char name[64], buffer[32];
    MPI_Init(&argc, &argv);
    GPTLsetoption(GPTLpercent, 1);
    if (GPTLinitialize() || GPTLstart("total"))
        return 1;
    for (int i = 0; i < 3; i++) {
        GPTLstart("MPI_Barrier"); /* a literal */
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        GPTLstop("MPI_Barrier");
        strcpy(buffer, "MPI_Iprobe"); /* bytes */
        GPTLstart(buffer);
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        GPTLstop(buffer);
        GPTLstart_handle("MPI_Wtime", &handle);
        MPI_Wtime();
        GPTLstop_handle("MPI_Wtime", &handle);
        GPTLstartf("MPI_Comm_test_inter  ", 21);
        MPI_Comm_test_inter(MPI_COMM_WORLD, &flag);
        GPTLstopf("MPI_Comm_test_inter  ", 21);
    }
    GPTLprefix_set("a:");
    GPTLstart("MPI_Barrier");
    MPI_Barrier(MPI_COMM_WORLD);
    GPTLstop("MPI_Barrier");
    GPTLprefix_unset();
    GPTLget_count("MPI_Barrier", 0, &count); /* the program's own */
    expect("MPI_Barrier", count, 3);
    GPTLget_count("MPI_Init", 0, &count); /* the call's, the only region of this name */
    expect("MPI_Init", count, 1);
    GPTLget_regionname(0, 0, name, sizeof name);
    expect(name, strcmp(name, "total"), 0);
    GPTLstop("total");
    if (GPTLreset_timer("MPI_Barrier")) /* not that of the calls */
        return 1;
    GPTLget_count("MPI_Barrier", 0, &count);
    expect("after the reset", count, 0);
    GPTLstart("MPI_Barrier");
    GPTLstop("MPI_Barrier");
    GPTLpr(0);
    expect("errors", GPTLnum_errors(), 0);
    MPI_Finalize();
    return 0;
}
END

# FILE: the manual regions and the MPI calls, each with its calls and recursive calls.
cat >counts.py <<'END'
import collections, json, sys
found = collections.Counter()
for thread in json.load(open(sys.argv[1]))["threads"]:
    for node in thread["nodes"]:
        key = node.get("kind", "user"), node["name"]
        found[key] += node["calls"]
        assert node["recurse"] == 0, node
wanted = {("user", "total"): 1, ("user", "MPI_Barrier"): 1, ("user", "a:MPI_Barrier"): 1, ("mpi", "MPI_Barrier"): 7,
          ("user", "MPI_Iprobe"): 3, ("mpi", "MPI_Iprobe"): 3, ("user", "MPI_Wtime"): 3,
          ("user", "MPI_Comm_test_inter"): 3, ("mpi", "MPI_Init"): 1}
for key, calls in wanted.items():
    assert found[key] == calls, (key, found[key], calls)
assert not [name for kind, name in found if kind == "mpi" and ":" in name]
END

# check RUN: the files of RUN.
check() {
    [ -f timing.0 ] && [ -f timing.0.json ] || fail "$mpi, $1: there is no report: $(cat out)"
    python3 counts.py timing.0.json || fail "$mpi, $1: the counts are not right"
    awk '$1 == "total" { for (i = 2; i <= NF; i++) if ($i == "100.00") found = 1 } END { exit !found }' timing.0 ||
        fail "$mpi, $1: total is not 100 percent of the first region: $(cat timing.0)"
    "$builddir/gptl" report --csv timing.0.json >told || fail "$mpi, $1: gptl report fails"
    grep -q '"MPI_Iprobe \[mpi\]",3,3,0,' told && grep -q '"MPI_Iprobe",2,3,0,' told || {
        cat told
        fail "$mpi, $1: gptl report shows both as one"
    }
    rm -f timing.*
}

export GPTL_OPTIONS="output=text,json"
for mpi in $mpis; do
    # shellcheck disable=SC2046 # flags
    compile_mpi "$mpi" kinds kinds.c $(linked "$mpi")
    mpirun "$mpi" 1 ./kinds >out 2>&1 || fail "$mpi: $(cat out)"
    check shared
    for features in utr=clockgettime cpu=on depthlimit=100 histogram=on; do
        GPTL_OPTIONS="output=text,json;$features" mpirun "$mpi" 1 ./kinds >out 2>&1 || fail "$mpi, $features: $(cat out)"
        check "$features"
    done
    if [ -f "$builddir/libgptl_mpi-$mpi.a" ] && [ -f "$builddir/.libs/libgptl.a" ]; then
        # shellcheck disable=SC2046 # flags
        compile_mpi "$mpi" static kinds.c "$builddir/libgptl_mpi-$mpi.a" "$builddir/.libs/libgptl.a" -pthread -ldl \
            $(needed_by "$builddir/.libs/libgptl.so")
        mpirun "$mpi" 1 ./static >out 2>&1 || fail "$mpi, static: $(cat out)"
        check static
    fi
done
