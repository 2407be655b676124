#!/bin/sh
# gptl memsig of MPI's ranks: a signature of each, before and behind the launcher, merged.
# Takes up to 180 seconds with more ranks than cores.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"
need_tools
. "$srcdir/ctests/memsig_lib.sh"

cat >prog.c <<'EOF2'
#include <mpi.h>
static volatile double x[1000];
__attribute__((noinline)) static void work(int n)
{
    for (int i = 0; i < n; i++)
        x[i % 1000] = i;
}
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
for mpi in $mpis; do
    rm -f ./*.json
    compile_mpi "$mpi" "prog.$mpi" prog.c
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
done
