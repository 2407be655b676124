#!/bin/sh
# gptl memsig of MPI ranks: one signature per rank, with the command before and after the launcher, merged.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"
need_tools
. "$srcdir/ctests/memsig_lib.sh"

cat >prog.c <<'EOF2'
#include <mpi.h>
#include "memsig_work.h"
int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    work(100000 * (rank + 1));
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum != 1;
}
EOF2
cat >calls.c <<'EOF2'
#include <gptl.h>
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, flag;
    MPI_Comm other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    GPTLstart("step");
    for (int i = 0; i < 20; i++) {
        MPI_Request requests[2];
        int from, to = rank;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Irecv(&from, 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&to, 1, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        GPTLprefix_set("p_");
        MPI_Bcast(&to, 1, MPI_INT, 0, MPI_COMM_WORLD);
        GPTLprefix_unset();
        GPTLdisable();
        MPI_Bcast(&to, 1, MPI_INT, 0, MPI_COMM_WORLD);
        GPTLenable();
    }
    GPTLstop("step");
    MPI_Initialized(&flag);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_free(&other);
    MPI_Finalize();
    return 0;
}
EOF2
for mpi in $mpis; do
    rm -f ./*.json
    compile_mpi "$mpi" "prog.$mpi" prog.c -I"$srcdir/ctests/programs"
    mpirun "$mpi" 2 "$gptl" memsig -o behind.json -- "./prog.$mpi" >out 2>&1 || fail "$(cat out)"
    "$gptl" memsig -o 'before-{rank}.json' -- "$(of "$mpi" MPIEXEC)" -n 2 "./prog.$mpi" >out 2>&1 ||
        fail "$(cat out)"
    "$gptl" memsig merge -o both.json before-0.json before-1.json || fail "merge"
    [ -e behind.0.json ] && [ -e behind.1.json ] || fail "$mpi: no signature of a rank: $(ls)"
    python "" <<'EOF2'
from memsig_sums import Signature
for names in (("behind.0.json", "behind.1.json"), ("before-0.json", "before-1.json")):
    for rank, name in enumerate(names):
        signature = Signature(name)
        assert signature.all["rank"] == rank
        assert signature.sum("stores", "work") == 100000 * (rank + 1)
both = Signature("both.json")
assert both.all["ranks"] == 2 and both.all["rank"] is None
assert both.sum("stores", "work") == 300000
EOF2

    # MPI calls are regions as in the library's reports: local queries only on request.
    # shellcheck disable=SC2046 # words
    compile_mpi "$mpi" "calls.$mpi" calls.c -Wl,--no-as-needed $(linked "$mpi")
    for option in mpi=calls mpi=all; do
        rm -f timing.* calls.json
        GPTL_OPTIONS="output=json;$option" mpirun "$mpi" 2 "./calls.$mpi" >out 2>&1 || fail "$(cat out)"
        GPTL_OPTIONS=$option mpirun "$mpi" 2 "$gptl" memsig -o calls.json -- "./calls.$mpi" >out 2>&1 || fail "$(cat out)"
        "$gptl" memsig merge -o calls.json calls.0.json calls.1.json || fail "merge"
        python "$option" <<'EOF2'
import sys
from memsig_sums import Signature, reported
known = reported(["timing.0.json", "timing.1.json"])
assert known[("step", "MPI_Bcast")] == 40 and known[("step", "MPI_Waitall")] == 40
assert (("MPI_Comm_rank",) in known) == (sys.argv[1] == "mpi=all"), known
Signature("calls.json").has_paths_of(known)
EOF2
    done
done
