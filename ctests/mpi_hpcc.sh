#!/bin/sh
# A real program from Debian: the HPC Challenge benchmark computes the same with the library as
# without, and all sent bytes have been received.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"
need hpcc python3
case $mpis in
    *openmpi*) ;;
    *) skip "built without Open MPI, which Debian's hpcc uses" ;;
esac
OPENBLAS_NUM_THREADS=1
export OPENBLAS_NUM_THREADS

# A matrix of 200 x 200 on two processes; the other sizes follow from it.
cat >hpccinf.txt <<'END'
HPLinpack benchmark input file
by libgptl's tests
HPL.out      output file name (if any)
8            device out
1            # of problems sizes (N)
200          Ns
1            # of NBs
40           NBs
0            PMAP process mapping
1            # of process grids (P x Q)
1            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs
1            # of recursive stopping criterium
4            NBMINs
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs
1            # of broadcast
1            BCASTs
1            # of lookahead depth
1            DEPTHs
2            SWAP
64           swapping threshold
0            L1
0            U
1            Equilibration
8            memory alignment in double
# this line is ignored
0            Number of additional problem sizes for PTRANS
100          values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
END

# The benchmark's verdicts, without times, rates and values that depend on them.
results() {
    sed -n '/^Begin of Summary section/,$p' hpccoutf.txt |
        grep -v -e flops -e '[tT]ime' -e GBs -e GUPs -e usec -e GBytes -e 'STREAM_[A-Z][a-z]*=' \
            -e ExeUpdates -e 'MPIRandomAccess.*Errors'
    rm hpccoutf.txt
}

mpirun openmpi 2 hpcc >out 2>&1 || { cat out; fail "hpcc ended with $?"; }
results >plain
[ "$(grep -c -e '^Success=1' -e '^HPL_RnormI=' -e '^MPIFFT_maxErr=' plain)" = 3 ] ||
    fail "hpcc has no results: $(cat plain)"
GPTL_OPTIONS='output=text,json' preloaded openmpi 2 hpcc >out 2>&1 || {
    cat out
    fail "hpcc with the library ended with $?"
}
[ ! -s out ] || { cat out; fail "hpcc with the library says something"; }
results >measured
diff plain measured || fail "hpcc does not compute the same (>)"
grep '^NOTE' timing.0 timing.1 && fail "the report has a note"

python3 - <<'END' || fail "the reports do not agree with each other"
import json
import sys

wrong = 0
total = {}
for rank in 0, 1:
    report = json.load(open(f"timing.{rank}.json", encoding="utf-8"))
    names = [m["name"] for m in report["metrics"]]
    for node in (n for t in report["threads"] for n in t["nodes"] if n.get("metrics")):
        of = total.setdefault(node["name"], [0, 0])
        of[0] += node["metrics"][names.index("MPI_SENT")] or 0
        of[1] += node["metrics"][names.index("MPI_RECEIVED")] or 0
messages = [total[n] for n in ("MPI_Send", "MPI_Isend", "MPI_Recv", "MPI_Irecv", "MPI_Sendrecv")]
sent, received = (sum(column) for column in zip(*messages))
print("messages:", sent, "bytes sent,", received, "received")
wrong |= sent != received or min(map(sum, messages)) == 0
for name in "MPI_Allreduce", "MPI_Alltoall":
    print(name + ":", *total[name])
    wrong |= total[name][0] != total[name][1] or total[name][0] == 0
sys.exit(wrong)
END
