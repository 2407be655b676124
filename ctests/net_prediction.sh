#!/bin/sh
# From an MPI program to its replay on another machine: a trace, a signature, a prediction by region, and the replay
# of gptl net; with each MPI.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"
need_tools
. "$srcdir/ctests/memsig_lib.sh"
[ "$have_simgrid" = yes ] || skip "built without SimGrid"
PYTHONPATH=$srcdir/ctests:$PYTHONPATH

cat >prog.c <<'EOF2'
#include <gptl.h>
#include <mpi.h>
static volatile double x[100000];
__attribute__((noinline)) static void walk(int n)
{
    for (int i = 0; i < n; i++)
        x[(unsigned)i * 7919u % 100000] += 1;
}
__attribute__((noinline)) static void divide(int n)
{
    for (int i = 0; i < n; i++)
        x[0] = 1 / (x[0] + 1);
}
int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        GPTLstart("step");
        GPTLstart("walk");
        walk(1000000);
        GPTLstop("walk");
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        GPTLstart("divide");
        divide(500000);
        GPTLstop("divide");
        GPTLstop("step");
    }
    MPI_Finalize();
    return sum != 1;
}
EOF2

python "" <<'EOF2'
from predict_files import CACHES, TIMES, curve, machine, unit, write
write("here.json", machine("here", core={}))
# Memory is twice as fast, arithmetic four times.
write("there.json", machine("there", factor=0.5, core={}, arithmetic=[
    unit("add", 0.25, 1e-9), unit("multiply", 0.25, 1e-9), unit("multiply_add", 0.25, 1e-9),
    unit("divide", 2.5, None), unit("divide", 5, None, 4)], instructions_per_second=8e9))
EOF2
for mpi in $mpis; do
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" "prog.$mpi" prog.c $(linked "$mpi")
    rm -rf t
    mkdir t
    GPTL_OPTIONS="output=none;trace=ti;trace.dir=t" mpirun "$mpi" 2 "./prog.$mpi" >out 2>&1 || fail "$mpi: $(cat out)"
    GPTL_OPTIONS=output=none mpirun "$mpi" 2 "$gptl" memsig --machine here.json --machine there.json \
        -o signature.json -- "./prog.$mpi" >out 2>&1 || fail "$mpi: $(cat out)"
    "$gptl" memsig merge -o both.json signature.0.json signature.1.json || fail "$mpi: merge"
    "$gptl" predict --json --base here.json both.json there.json >prediction.json || fail "$mpi: no prediction"
    "$gptl" net t --prediction prediction.json --latency 1us --bandwidth 10GB/s --json >net.json || fail "$mpi: no replay"
    "$gptl" net t --prediction prediction.json --latency 1us --bandwidth 10GB/s >text || fail "$mpi: no replay as text"
    grep -q 'computation as predicted by region' text || { cat text; fail "$mpi: it is not told"; }
    for rank in 0 1; do
        "$gptl" net t --events $rank >events.$rank || fail "$mpi: no events"
    done
    python "" <<'EOF2'
import json
import re

regions = json.load(open("prediction.json"))["regions"]
own = {}
for region in regions:
    path, at = [], region
    while at["parent"] is not None:
        path.insert(0, at["name"])
        at = regions[at["parent"]]
    below = [r for r in regions if r["parent"] == region["id"]]
    seconds, base = (region[k] - sum(r[k] for r in below) for k in ("seconds", "base_seconds"))
    own["/".join(path)] = seconds / base
assert own["step/walk"] < 0.55 and own["step/divide"] < 0.3, own
for rank, told in enumerate(json.load(open("net.json"))["ranks"]):
    expected = known = 0
    for line in open(f"events.{rank}"):
        found = re.match(r"0 compute ns=(\d+)(?: region=(\S+))?", line)
        if found:
            expected += 1e-9 * int(found[1]) * own[found[2] or ""]
            known += 1e-9 * int(found[1]) * (found[2] in ("step/walk", "step/divide"))
    predicted = told["predicted_computation_seconds"]
    assert known > 0.5 * told["measured_computation_seconds"], (known, told)
    assert abs(predicted - expected) < 1e-6 * expected + 1e-8, (predicted, expected, told)
EOF2
done
