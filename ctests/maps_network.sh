#!/bin/sh
# gptl maps: messages between two ranks of each MPI, added to a profile and measured with it, started by it or by the
# launcher; commands that do not start two ranks.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"
. "$srcdir/ctests/programs.sh"
need python3
need_tools

# sane FILE [SECONDS]: the numbers of its network are ordered and positive; all of them, unless the profile states how
# many sizes are missing. Then the measurement has taken at least SECONDS.
sane() {
    python3 - "$@" <<'END' || fail "$mpi: the network in $1 makes no sense"
import json, sys

network = json.load(open(sys.argv[1]))["network"]
points = network["points"]
sizes = [p["message_bytes"] for p in points]
eager = network["eager_bytes"]
powers = [1 << n for n in range(0, 23, 4)]
wanted = sorted({0, *powers, *[b for b in (eager, eager + 1) if b <= 1 << 22]})
assert sizes[0] == 0 and len(sizes) > 1 and set(sizes) <= set(wanted), sizes
assert network["latency_seconds"] > 0 and network["bytes_per_second"] > 0
missing = network["missing_sizes"]
assert missing >= len(wanted) - len(sizes), (missing, sizes)
if missing > 0:
    assert len(sys.argv) < 3 or int(sys.argv[2]) >= 45, ("sizes are missing although there was time", sys.argv, missing)
    print("time was over: the processors are busy, and there are only messages of", sizes)
    sys.exit(0)
parts = ("send_seconds", "receive_seconds", "exchange_seconds", "stream_seconds", "return_seconds",
         "synchronous_seconds", "reused_seconds", "reused_exchange_seconds", "own_seconds",
         "reduction_seconds", "renew_seconds",
         "bcast_seconds", "bcast_back_seconds", "reduce_seconds", "reduce_back_seconds",
         "allgather_seconds", "alltoall_seconds", "gather_seconds", "scatter_seconds", "allgatherv_seconds",
         "alltoallv_seconds", "allreduce_seconds", "reduce_scatter_seconds", "reduce_scatter_block_seconds",
         "scan_seconds", "exscan_seconds", "ibcast_seconds", "ireduce_seconds", "iallgather_seconds",
         "ialltoall_seconds", "iallreduce_seconds", "iallreduce_busy_seconds")
assert all(p[part] > 0 for p in points for part in parts), points
for part in ("barrier_seconds", "ibarrier_seconds"):
    assert [p["message_bytes"] for p in points if p.get(part, 0) > 0] == [0], points
one_side = [f"{kind}_{side}" for kind in ("pieces24", "list24") for side in ("sent", "received")]
both_sides = ("pieces8", "rows8", "pieces24", "pieces64", "pieces512", "list8", "list24", "uneven8")
for part in [f"{kind}{way}_seconds" for kind in (*both_sides, *one_side) for way in ("", "_exchange")]:
    assert [p["message_bytes"] for p in points if p.get(part, 0) > 0] == [b for b in sizes if b <= 1 << 17], points
# Nothing moves 1 MiB in such a short time; the actual time depends on the load of the machine.
assert points[-1]["seconds"] > 4e-6, points
END
}

# talks: a launcher that prints text itself.
echo '{"format":"gptl-machine","version":1,"name":"m","cores":1}' >given.json
echo 'echo a word; exec "$@"' >talks
for mpi in $mpis; do
    echo "== $mpi"
    mpiexec=$(of "$mpi" MPIEXEC)
    began=$(date +%s)
    "$gptl" maps --quick --network given.json -o "$mpi.json" -- sh ./talks "$mpiexec" -n 2 2>err ||
        { cat err; fail "$mpi: $?"; }
    seconds=$(($(date +%s) - began))
    [ $seconds -le 150 ] || fail "$mpi: messages took $seconds s"
    grep -qx 'a word' err || { cat err; fail "what a script prints is lost"; }
    sane "$mpi.json" $seconds
    "$gptl" maps --show "$mpi.json" | grep -q '^Network: ' || fail "$mpi: no network in the text"
    ends 2 "$gptl" maps --quick --network given.json -o no.json -- "$mpiexec" -n 1 2>err
    grep -q 'messages need two' err || { cat err; fail "$mpi: does not say that one rank is too few"; }
    [ ! -e no.json ] || fail "$mpi: a profile without a network"
done
# A signal keeps the completed sizes, in a profile that states that.
"$gptl" maps -o stopped.json -- "$mpiexec" -n 2 >text 2>err &
process=$!
for _ in $(seq 600); do
    ! grep -q 'measuring messages' err || break
    sleep 0.1
done
sleep 15
kill -TERM $process
status=0
wait $process || status=$?
[ $status = 143 ] || fail "ends with $status, not by SIGTERM: $(cat err)"
if [ -e stopped.json ]; then
    python3 - <<'END' || fail "what was measured of messages before a signal"
import json
machine = json.load(open("stopped.json"))
assert machine["measurement"]["interrupted"], machine["measurement"]
assert machine["network"]["missing_sizes"] > 0 or machine["arithmetic"], machine["network"]
assert len(machine["network"]["points"]) >= 2, machine["network"]
END
    "$gptl" maps --show stopped.json >text || fail "cannot show a part"
else # not one size was whole
    grep -q 'interrupted before the network was measured' err || fail "nothing is said of messages: $(cat err)"
fi
# Ranks that the launcher has already started: the first one writes, and only once. Three of the second MPI, without
# the memory.
alone=
for mpi in $mpis; do
    mpirun "$mpi" ${alone:-2} "$gptl" maps --quick ${alone:+--network given.json} -o "$mpi-rank.json" >text ||
        fail "$mpi: not as a rank"
    sane "$mpi-rank.json"
    if [ -z "$alone" ]; then
        [ "$(grep -c '^Network: ' text)" = 1 ] || { cat text; fail "$mpi: each rank prints"; }
        grep -q '"access":"dependent"' "$mpi-rank.json" || fail "$mpi: no memory beside the network"
    fi
    mpirun "$mpi" 1 "$gptl" maps --quick -o "$mpi-one.json" >text || fail "$mpi: not as the only rank"
    grep -q '"network":null' "$mpi-one.json" || fail "$mpi: one rank has a network"
    alone=3
done
cp "$mpi-rank.json" changed.json
"$gptl" maps --edit "$mpi-rank.json" -o changed.json 'network.latency*=10' || fail "cannot edit the network"
sane changed.json

ends 2 "$gptl" maps --network given.json -- true 2>err
grep -q 'the ranks measured nothing' err || { cat err; fail "true started no ranks"; }
ends 2 "$gptl" maps --network given.json -- ./nothing 2>err
tail -n 1 err >last
one_line last 'cannot start ./nothing'
ends 2 "$gptl" maps --network given.json -- env 2>err
grep -q 'started no ranks' err || { cat err; fail "env started no ranks"; }
ends 2 "$gptl" maps --network given.json 2>err
one_line err 'measured by two ranks'
