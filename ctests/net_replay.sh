#!/bin/sh
# gptl net: times of patterns with closed formulas, from 2 to 128 ranks; replayed, reported and refused calls; sweeps;
# traces for more ranks.
. "$srcdir/ctests/lib.sh"
need python3
[ "$have_simgrid" = yes ] || skip "built without SimGrid"

machine="--latency 1us --bandwidth 1GB/s"
make_traces() {
    python3 "$srcdir/ctests/programs/net_trace.py" t "$@" || fail "no traces: $*"
}

# net ARGUMENT...: with the machine above; its standard output goes to out.
net() {
    # shellcheck disable=SC2086 # a list of words
    "$builddir/gptl" net t $machine "$@" >out 2>err
}

# takes SECONDS WHAT: the replay predicts SECONDS, within 1 %.
takes() {
    net --json || { cat err; fail "$2: no replay"; }
    python3 - "$1" <<'END' || fail "$2"
import json, sys
found, known = json.load(open("out"))["predicted_seconds"], float(sys.argv[1])
assert abs(found - known) <= 0.01 * known, (found, known)
END
}

python3 "$srcdir/ctests/programs/net_formulas.py" "$builddir/gptl" || fail "a formula"

make_traces onesided 16
net --ranks 32 --scaling weak && fail "one-sided communication is a pattern"
grep -q 'one-sided communication' err || fail "one-sided communication is not named: $(cat err)"

# All kinds of calls.
make_traces messy 5 steps=3
net || { cat err; fail "a trace with all kinds of calls"; }
if grep -q 'left out' out; then fail "a call was left out"; fi
make_traces messy 8 steps=2 size=200000
net || { cat err; fail "a trace with all kinds of large calls"; }

# Communicators are identified by their creation.
make_traces children 2
takes 2e-6 "two barriers on communicators that were made in another order by each rank"

# Times of four threads that compute concurrently are not summed.
make_traces threads 2 ns=3000000000
takes 3 "two ranks of four threads"
python3 - <<'END' || fail "computation of threads is added up: $(cat out)"
import json
for rank in json.load(open("out"))["ranks"]:
    assert abs(rank["measured_computation_seconds"] - 3) < 1e-6, rank
    assert abs(rank["predicted_computation_seconds"] - 3) < 1e-6, rank
END

# Messages progress while ranks compute, even empty ones.
for s in 0 1000 1000000; do
    make_traces late 2 size=$s ns=2000000
    takes 2e-3 "a message of $s bytes while its receiver computes"
done

# The machine's file: the cost of a size is its measured time.
make_traces chain 2 steps=100 size=1000
cat >machine.json <<'END'
{"format":"gptl-machine","version":1,"name":"test","made_from":null,"edits":[],"host":"h","date":"d","processor":"p",
 "cores":2,"line_bytes":64,"caches":[],"rates":[],"arithmetic":[],"instructions_per_second":null,
 "network":{"latency_seconds":2e-6,"bytes_per_second":1e9,
            "points":[{"message_bytes":0,"seconds":2e-6},{"message_bytes":500,"seconds":5e-6},
                      {"message_bytes":1500,"seconds":7e-6}]}}
END
machine="--machine machine.json"
takes 1.2e-3 "a machine with a curve"
net --json --bandwidth 1GB/s || fail "a machine with another bandwidth"
takes_line() { python3 -c 'import json; assert abs(json.load(open("out"))["predicted_seconds"] - 6e-4) < 6e-6'; }
takes_line || fail "a bandwidth that is given is a line: $(cat out)"
machine="--latency 1us --bandwidth 1GB/s"

# The work of ranks: us of a message, of its sender, of its receiver, of an exchange, of each further one, of a rank's
# own part of a collective, of a sum. parts EAGER T SEND RECEIVE EXCHANGE STREAM OWN SUM
parts() {
    python3 - "$@" <<'END'
import json, sys
eager, *us = map(float, sys.argv[1:])
keys = ("seconds", "send_seconds", "receive_seconds", "exchange_seconds", "stream_seconds", "own_seconds", "reduction_seconds")
point = {key: 1e-6 * value for key, value in zip(keys, us)}
json.dump({"format": "gptl-machine", "version": 1, "name": "parts", "cores": 2, "network": {
    "latency_seconds": 1e-5, "bytes_per_second": 1e9, "eager_bytes": int(eager),
    "points": [{"message_bytes": size, **point} for size in (0, 1 << 20)]}}, open("machine.json", "w"))
END
}
machine="--machine machine.json"
parts 1000 10 2 3 11 1.5 4 0.5
make_traces chain 2 steps=100 size=8
takes 2e-3 "the parts of a message are no more than it"
# Sent at 0, 2, 4 and 6 us, arriving 7 us later; then 3 + 1 us for the first one and 1.5 us for each other.
make_traces window 2 steps=10 size=8
takes 255e-6 "messages one after the other"
# A sender of 3.8 us completes them at 3.8, 5.3, 6.8 and 8.3 us, so that the receiver never waits.
parts 1000 10 3.8 3 11 1.5 4 0.5
takes 255e-6 "messages one after the other of a slow sender"
# Sender and receiver together take 5 us per message: the first one arrives 10 us after it was sent, the others at 15,
# 20 and 25.
parts 1000 10 2 3 11 5 4 0.5
takes 350e-6 "messages one after the other whose two ranks wait for each other's memory"
# The same for synchronous messages, as soon as the next one is posted.
parts 4 10 2 3 11 5 4 0.5
takes 350e-6 "messages one after the other of a sender that waits"
parts 1000 10 3.8 3 11 1.5 4 0.5
# The most numbers that a profile can contain for a size, each with its maximum length.
python3 - "$srcdir/postproc/machine/message.def" <<'END'
import json, re, sys
machine = json.load(open("machine.json"))
for point in machine["network"]["points"]:
    for name in re.findall(r"^PART\((\w+)", open(sys.argv[1]).read(), re.M):
        point.setdefault(name, 1e-7 / 3)
json.dump(machine, open("machine.json", "w"))
END
takes 255e-6 "a profile with all that there is"
# The measured receiver part of large messages exceeds their total time.
python3 -c 'import json
machine = json.load(open("machine.json"))
machine["network"]["points"][1]["receive_seconds"] = 12e-6
json.dump(machine, open("machine.json", "w"))'
takes 255e-6 "messages one after the other, when larger ones were measured badly"
make_traces chain 2 steps=100 size=1048576
takes 2e-3 "a message whose receiver seems to do more than all of it"
parts 1000 10 2 3 11 1.5 4 0.5
make_traces collectives 2 kind=allreduce size=8
takes 15.5e-6 "what an allreduce copies, exchanges and adds"
# A nonblocking collective is called and sent in 6 us, then both compute, and the data is received and added in 4.5.
make_traces behind 2 size=8 ns=50000
takes 60.5e-6 "a collective whose rank computes meanwhile"
# Of two halves, the second one is in flight during the next computation if a test has given MPI time to fetch the
# first one.
parts 8000 10 2 3 11 1.5 4 0.5
make_traces behind 2 size=8000 ns=50000
takes 71.5e-6 "a sum in halves whose rank computes meanwhile"
make_traces behind 2 size=8000 ns=50000 polls=1
takes 64e-6 "a sum in halves that its rank asks for in vain"
net --events 0 || fail "no events of such a trace"
grep -q '^0 wait ns=0$' out || { cat out; fail "a test in vain is no event"; }
parts 1000 10 2 3 11 1.5 4 0.5
make_traces behind 8 size=8 ns=50000 polls=1
net --ranks 16 --scaling weak || { cat err; fail "what asks in vain is no pattern"; }
renew() {
    python3 -c 'import json, sys
machine = json.load(open("machine.json"))
for point, us in zip(machine["network"]["points"], sys.argv[1:]):
    point["renew_seconds"] = 1e-6 * float(us)
json.dump(machine, open("machine.json", "w"))' "$@"
}
# Before that the first rank allocates 8 KiB of new memory, in 3 us.
renew 1 257
make_traces collectives 2 kind=allreduce size=8 renewed=8192
takes 18.5e-6 "an allreduce with memory that was given back"
net --events 0 || fail "no events of such a trace"
grep -q ' allreduce .* bytes=8 renewed=8192$' out || { cat out; fail "memory that was given back is no event"; }
# Memory that is allocated repeatedly also has the cost of mapping it; memory that is touched once has its share of a
# MiB. The other rank has copied its part before the first one has its memory.
renew 100 356
make_traces collectives 2 kind=allreduce size=8 renewed=8192 steps=10 renewals=5
takes 645e-6 "allreduces with memory that was given back"
make_traces collectives 2 kind=allreduce size=8 renewed=8192 steps=10 renewals=1
takes 157.8e-6 "allreduces with memory that was not touched before"
renew 1 257
# The receiver of a message allocates its memory when the message arrives, the sender before that.
make_traces collectives 2 kind=reduce size=8
takes 14.5e-6 "a reduction"
make_traces collectives 2 kind=reduce size=8 renewed=8192
takes 17.5e-6 "a reduction whose root gets memory anew"
make_traces collectives 2 kind=reduce size=8 root=1 renewed=8192
takes 17.5e-6 "a reduction whose other rank gets memory anew"
make_traces collectives 4 kind=allreduce size=8 renewed=8192
net --ranks 8 --scaling weak --json || { cat err; fail "such a trace for more ranks"; }
parts 1000 10 2 3 11 1.5 4 0.5
# Data that is received into memory from which data was sent takes 4 us longer, and in an exchange 2.
python3 -c 'import json
machine = json.load(open("machine.json"))
for point in machine["network"]["points"]:
    point["reused_seconds"] = 14e-6
    point["reused_exchange_seconds"] = 13e-6
json.dump(machine, open("machine.json", "w"))'
make_traces collectives 2 kind=bcast size=8 reused=8
takes 18e-6 "a broadcast to memory that was given from"
net --events 1 || fail "no events of such a trace"
grep -q ' bcast .* bytes=8 reused=8$' out || { cat out; fail "memory that was given from is no event"; }
make_traces collectives 2 kind=allreduce size=8 reused=8
takes 17.5e-6 "an allreduce with memory that was given from"
make_traces ring 2 steps=1 size=8 reused=8
takes 13e-6 "an exchange with memory that was given from"
make_traces ring 2 steps=1 size=8
takes 11e-6 "an exchange with other memory"
make_traces ring 4 steps=10 size=8 reused=8
net --ranks 8 --scaling weak --json || { cat err; fail "such a trace for more ranks"; }
parts 1000 10 2 3 11 1.5 4 0.5
# Collectives of two take 3 us more than an exchange and its call, in each step; a broadcast 1 us more than its
# message and its call, and from another root than the first 5 us in addition.
collective() {
    python3 -c 'import json, sys
machine = json.load(open("machine.json"))
for point in machine["network"]["points"]:
    point.update(barrier_seconds=18e-6, alltoall_seconds=18e-6, bcast_seconds=15e-6, bcast_back_seconds=20e-6)
    for kind in sys.argv[1:]:
        point[kind + "_seconds"] = 19e-6
json.dump(machine, open("machine.json", "w"))' "$@"
}
others="gather scatter allgatherv alltoallv allreduce reduce_scatter reduce_scatter_block scan exscan"
# shellcheck disable=SC2086 # a list of words
collective $others
for kind in $others; do
    make_traces collectives 2 kind="$kind" size=8
    takes 19e-6 "$kind of two, as measured"
done
make_traces collectives 2 kind=allreduce size=800
takes 19e-6 "an allreduce of two without halves, as measured"
parts 8000 10 2 3 11 1.5 4 0.5
collective allreduce
make_traces collectives 2 kind=allreduce size=8000
takes 19e-6 "an allreduce of two in halves, as measured"
make_traces collectives 2 kind=barrier
takes 18e-6 "a barrier of two, as measured"
# Nonblocking ones like the others, until they are measured as well.
make_traces behind 2 size=8 kind=alltoall
takes 18e-6 "an alltoall of two that is posted"
python3 -c 'import json
machine = json.load(open("machine.json"))
for point in machine["network"]["points"]:
    point.update(ialltoall_seconds=21e-6)
json.dump(machine, open("machine.json", "w"))'
takes 21e-6 "an alltoall of two that is posted, as measured"
make_traces behind 2 size=8 kind=alltoall ns=50000
takes 66e-6 "one whose message is on its way while its rank computes"
# A sum that takes 40 us, of which a rank works 20 us: it computes in the others.
python3 -c 'import json
machine = json.load(open("machine.json"))
for point in machine["network"]["points"]:
    point.update(iallreduce_seconds=40e-6, iallreduce_busy_seconds=20e-6)
json.dump(machine, open("machine.json", "w"))'
for size in 8 8000; do
    make_traces behind 2 size=$size
    takes 40e-6 "a sum of two that is posted, as measured"
    make_traces behind 2 size=$size ns=10000
    takes 40e-6 "a sum of two that is posted and goes on while its rank computes"
done
make_traces behind 2 size=8 ns=50000
takes 70e-6 "a sum of two that is posted and is not waited for"
make_traces collectives 8 kind=barrier
takes 46e-6 "a barrier of eight: a call and three steps"
make_traces collectives 2 kind=alltoall size=8
takes 18e-6 "an alltoall of two, as measured"
make_traces collectives 4 kind=alltoall size=8
takes 46e-6 "an alltoall of four: a call and three steps"
make_traces collectives 2 kind=bcast size=8
takes 15e-6 "a broadcast to one, as measured"
make_traces collectives 2 kind=bcast size=8 root=1
takes 20e-6 "a broadcast from the second of two, as measured"
# It is received into memory from which data was sent, which takes 4 us longer, unless the root gets it back: one more
# message.
column() {
    python3 -c 'import json, sys
machine = json.load(open("machine.json"))
for point in machine["network"]["points"]:
    point[sys.argv[1]] = float(sys.argv[2])
json.dump(machine, open("machine.json", "w"))' "$@"
}
column reused_seconds 14e-6
column bcast_back_seconds 17e-6
make_traces collectives 2 kind=bcast size=8 root=1 reused=8
takes 21e-6 "such a broadcast to memory that was given from"
column bcast_back_seconds 26e-6
takes 26e-6 "such a broadcast whose root gets it back"
parts 1000 10 2 3 11 1.5 4 0.5
make_traces late 2 size=2000 ns=50000
takes 54e-6 "a network that moves data while its receiver computes"
rank_takes() {
    python3 -c 'import json, sys; r = json.load(open("out"))["ranks"][int(sys.argv[1])]["predicted_seconds"]
assert abs(r - float(sys.argv[2])) < 1e-8, r' "$@" || fail "rank $1: not $2"
}
rank_takes 0 7e-6
parts 1000 10 2 6 11 1.5 4 0.5
takes 57e-6 "a receiver that fetches when it is done computing"
rank_takes 0 57e-6
make_traces unexpected 2 size=2000 ns=50000
takes 56e-6 "a receiver that knows of a message when it comes to ask for it"
# Its sender is notified 2 us later.
column return_seconds 12e-6
takes 58e-6 "a sender that goes on when its receiver has told it so"
rank_takes 1 56e-6
# An isolated message arrives 3 us before its receiver has finished its part.
parts 1000 10 2 3 11 1.5 4 0.5
column return_seconds 12e-6
takes 62e-6 "such a sender whose data is moved"
rank_takes 1 60e-6
parts 1000 10 2 6 11 1.5 4 0.5
column return_seconds 12e-6
make_traces columns 2 size=2000 both=1
takes 11e-6 "an exchange, which has that in it"
# No other message is measured next to it, although its receiver has posted it.
parts 1000 10 2 6 9 1.5 4 0.5
column return_seconds 12e-6
make_traces late 2 size=2000 blocks=1
takes 12e-6 "a sender that waits for a receiver that has posted it"
rank_takes 1 10e-6
# A synchronous message takes 3 us longer, and 5 until its sender is notified; above 1000 bytes the sender waits for
# both.
parts 1000 10 2 6 11 1.5 4 0.5
column synchronous_seconds 13e-6
column return_seconds 15e-6
make_traces unexpected 2 size=8 mode=2
takes 15e-6 "a synchronous message, whose sender waits for the answer"
rank_takes 1 13e-6
make_traces unexpected 2 size=2000 mode=2
takes 18e-6 "a synchronous message whose sender waits anyway"
rank_takes 1 13e-6
parts 1000 10 8 4 11 1.5 4 0.5
make_traces columns 2 size=8 both=1
takes 11e-6 "an exchange, as measured"
make_traces late 2 size=2000 ns=50000
parts 3000 10 2 6 11 1.5 4 0.5
takes 57e-6 "a receiver that fetches a message that has left"
rank_takes 0 2e-6
# Noncontiguous data of 8 bytes per block takes 12 us more in one direction and 15 in both, of 64 bytes 5 and 6; in
# between by the number of blocks. In rows of 64, blocks of 8 bytes take 4 us more than contiguous data, and 8 in both
# directions. In an indexed list of blocks of 8 bytes it is 3 us more, and 2 in both directions; if these have
# different lengths, and 16 bytes, 6 and 5. Half of that belongs to the sender, and half to the receiver; all of it to
# the receiver if the sender waits.
columns() {
    make_traces columns 2 "$@"
    takes "$seconds" "data in pieces: $*"
}
parts 1000 10 2 3 11 1.5 4 0.5
python3 -c 'import json
machine = json.load(open("machine.json"))
for point in machine["network"]["points"]:
    point.update(pieces8_seconds=22e-6, pieces64_seconds=15e-6, pieces8_exchange_seconds=26e-6,
                 rows8_seconds=14e-6, rows8_exchange_seconds=19e-6, pieces64_exchange_seconds=17e-6,
                 list8_seconds=25e-6, list8_exchange_seconds=28e-6, uneven8_seconds=24e-6, uneven8_exchange_seconds=25e-6)
json.dump(machine, open("machine.json", "w"))'
for size in 640 6400; do
    seconds=20e-6 columns size=$size
    seconds=44e-6 columns size=$size goes=8 comes=8
    seconds=30e-6 columns size=$size goes=64 comes=64
    seconds=36e-6 columns size=$size goes=16 comes=16
    seconds=32e-6 columns size=$size goes=8
    seconds=32e-6 columns size=$size comes=8
    seconds=28e-6 columns size=$size goes=8 comes=8 row=512
    seconds=35.87302e-6 columns size=$size goes=8 comes=8 row=16
    seconds=26e-6 columns size=$size both=1 goes=8 comes=8
    seconds=50e-6 columns size=$size goes=8 comes=8 list=8
    seconds=45.5e-6 columns size=$size goes=8 comes=8 list=32
    seconds=28e-6 columns size=$size both=1 goes=8 comes=8 list=8
    seconds=48e-6 columns size=$size goes=16 comes=16 list=-16
    seconds=42e-6 columns size=$size goes=16 comes=16 list=-32
    seconds=25e-6 columns size=$size both=1 goes=16 comes=16 list=-16
done
# With three numbers per block it is 10 us more, and in a list of such blocks 6 us more than that.
cp machine.json without.json
column pieces24_seconds 20e-6
column list24_seconds 26e-6
for size in 640 6400; do
    seconds=44e-6 columns size=$size goes=8 comes=8
    seconds=41e-6 columns size=$size goes=16 comes=16
    seconds=40e-6 columns size=$size goes=24 comes=24
    seconds=36e-6 columns size=$size goes=32 comes=32
    seconds=50e-6 columns size=$size goes=8 comes=8 list=8
    seconds=51.5e-6 columns size=$size goes=16 comes=16 list=16
    seconds=52e-6 columns size=$size goes=24 comes=24 list=24
    seconds=38e-6 columns size=$size goes=48 comes=48 list=48
    seconds=48e-6 columns size=$size goes=16 comes=16 list=-16
done
# Longer blocks than lines are not interpolated between points and lines.
column pieces512_seconds 12e-6
seconds=40e-6 columns size=6400 goes=24 comes=24
seconds=30e-6 columns size=6400 goes=64 comes=64
seconds=26.57143e-6 columns size=6400 goes=128 comes=128
seconds=24e-6 columns size=6400 goes=512 comes=512
seconds=23.25e-6 columns size=6400 goes=4096 comes=4096
column pieces512_seconds 10.2e-6
seconds=20e-6 columns size=6400 goes=4096 comes=4096
mv without.json machine.json
# If a profile contains the time for noncontiguous data on one side only: 75 and 30 % of both, or 50 and 25 % in both
# directions; of lists 40 and 20 %.
python3 -c 'import json
machine = json.load(open("machine.json"))
for point in machine["network"]["points"]:
    point.update(pieces24_seconds=22e-6, pieces24_sent_seconds=19e-6, pieces24_received_seconds=13.6e-6,
                 pieces24_exchange_seconds=26e-6, pieces24_sent_exchange_seconds=18.5e-6,
                 pieces24_received_exchange_seconds=14.75e-6,
                 list24_seconds=25e-6, list24_sent_seconds=16e-6, list24_received_seconds=13e-6)
json.dump(machine, open("machine.json", "w"))'
for size in 640 6400; do
    seconds=44e-6 columns size=$size goes=8 comes=8
    seconds=38e-6 columns size=$size goes=8
    seconds=27.2e-6 columns size=$size comes=8
    seconds=26e-6 columns size=$size both=1 goes=8 comes=8
    seconds=32e-6 columns size=$size goes=8 list=8
    seconds=26e-6 columns size=$size comes=8 list=8
    seconds=31.2e-6 columns size=$size goes=16 list=-16
done
seconds=14.75e-6 columns size=640 both=1 comes=8
seconds=20e-6 columns size=640 both=1 goes=8 # packed before it leaves
seconds=18.5e-6 columns size=6400 both=1 goes=8 # as it is taken
seconds=68e-6 columns size=2097152 goes=8 comes=8 # twice as many pieces as were measured
machine="--latency 1us --bandwidth 1GB/s"
seconds=3.28e-6 columns size=640 goes=8 comes=8

# A user's platform.
make_traces chain 2 steps=100 size=1000
cat >platform.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us"/>
</platform>
END
"$builddir/gptl" net t --platform platform.xml >out || fail "a platform"
grep -q '^all .* 0.000600' out || { cat out; fail "a platform with two links of 1 us"; }
echo '<platform' >broken.xml
if "$builddir/gptl" net t --platform broken.xml >out 2>err; then fail "a platform that is none"; fi
grep -q 'is the platform one of SimGrid' err || { cat err; fail "a platform that is none is not told"; }
[ "$(wc -l <err)" = 1 ] || { cat err; fail "SimGrid reports the platform as well"; }
if "$builddir/gptl" net t --platform absent.xml >out 2>err; then fail "a platform that does not exist"; fi
[ "$(wc -l <err)" = 1 ] || { cat err; fail "SimGrid reports the absent platform as well"; }

# Computation.
make_traces ring 4 steps=10 ns=1000000 size=0
net --cpu 4 --json || fail "another processor"
python3 -c 'import json; r = json.load(open("out"))
assert abs(r["predicted_seconds"] - 2.51e-3) < 1e-8, r
assert all(abs(k["predicted_computation_seconds"] - 2.5e-3) < 1e-9 and k["measured_seconds"] == 0.01 for k in r["ranks"])' ||
    fail "a processor that is 4 times as fast: $(cat out)"
cat >prediction.json <<'END'
{"format":"gptl-prediction","version":1,"ratio":{"to":"x","value":2},
 "regions":[{"id":0,"parent":null,"name":"","seconds":4,"base_seconds":8},
            {"id":1,"parent":0,"name":"main","seconds":1,"base_seconds":5}]}
END
net --prediction prediction.json --json || { cat err; fail "a prediction"; }
python3 -c 'import json; assert abs(json.load(open("out"))["predicted_seconds"] - 2.01e-3) < 1e-8' || fail "a prediction: $(cat out)"
echo '{"format":"gptl-prediction","version":1,"ratio":null,"regions":[]}' >prediction.json
if net --prediction prediction.json; then fail "a prediction of one machine"; fi
grep -q -- '--base' err || { cat err; fail "a prediction of one machine is not told"; }

# Sweeps, and their picture.
net --what-if latency=0.1x,1x,10x cpu=2x --what-if bandwidth=10GB/s --json --output what.png || { cat err; fail "a sweep"; }
python3 -c 'import json; r = json.load(open("out"))["rows"]
assert len(r) == 5 and abs(r[0]["predicted_seconds"] - 1.01e-2) < 1e-7, r
assert [k["times_better"] for k in r[:3]] == [0.1, 1, 10]' || fail "a sweep: $(cat out)"
[ "$(head -c 4 what.png | tail -c 3)" = PNG ] || fail "the picture of a sweep is none"
for wrong in latency latency= latency=x latency=0x cpu=2 speed=2x "bandwidth=1GB/s,"; do
    if net --what-if "$wrong"; then fail "--what-if $wrong is taken"; fi
done
if net --what-if cpu=2x speed=2x; then fail "speed=2x is taken behind another one"; fi

# More ranks: the result equals the recording of a run with that number of ranks. more SCALING RANKS "TRACE..."
# "EXPECTED"
more() {
    # shellcheck disable=SC2086
    make_traces $4
    net --json || { cat err; fail "$4"; }
    known=$(python3 -c 'import json; print(json.load(open("out"))["predicted_seconds"])')
    # shellcheck disable=SC2086
    make_traces $3
    net --ranks "$2" --scaling "$1" --json || { cat err; fail "$3 for $2 ranks"; }
    python3 -c 'import json, sys
found, known = json.load(open("out"))["predicted_seconds"], float(sys.argv[1])
assert abs(found - known) <= 1e-6 * known, (found, known)' "$known" || fail "$3 for $2 ranks is not $4"
}
common="steps=4 ns=1000"
more weak 128 "ring 4 $common" "ring 128 $common"
more weak 16 "halo 4 x=4 $common" "halo 16 x=16 $common"
more strong 16 "halo 4 x=4 steps=4 ns=4000" "halo 16 x=16 $common"
more weak 64 "halo 9 x=3 y=3 $common" "halo 64 x=8 y=8 $common"
more strong 64 "halo 16 x=4 y=4 steps=4 ns=4000 size=2000" "halo 64 x=8 y=8 $common"
more weak 48 "halo 12 x=3 y=4 $common periodic=1" "halo 48 x=6 y=8 $common periodic=1"
more weak 128 "halo 27 x=3 y=3 z=3 $common" "halo 128 x=4 y=4 z=8 $common"
more strong 216 "halo 27 x=3 y=3 z=3 steps=4 ns=8000 size=4000" "halo 216 x=6 y=6 z=6 $common"
more weak 64 "doubling 8 $common" "doubling 64 $common"
more weak 128 "doubling 4 $common grows=1" "doubling 128 $common grows=1"
more strong 64 "doubling 16 steps=4 ns=4000 size=4000" "doubling 64 $common"
more weak 32 "collectives 4 $common" "collectives 32 $common"
more weak 32 "collectives 2 $common kind=allgatherv" "collectives 32 $common kind=allgatherv"
more strong 32 "collectives 4 steps=4 ns=8000 size=64000 kind=alltoall" "collectives 32 $common kind=alltoall"

# refused RANKS TEXT: no traces for RANKS, with this reason.
refused() {
    if net --ranks "$1" --scaling weak; then fail "traces of $1 ranks were made"; fi
    grep -q "$2" err || { cat err; fail "it is not told: $2"; }
}
make_traces uneven 6 steps=5
refused 12 'rank 1, event 5: a message with rank 3'
make_traces pairwise 8
refused 16 'no pattern that is known'
make_traces ring 2
refused 4 'fit any pattern'
make_traces doubling 8
refused 24 'power of two'
make_traces halo 9 x=3 y=3
refused 13 'nothing like a grid of 3 x 3'
refused 8 'not fewer'
make_traces messy 8
refused 16 'rank 0, event'
make_traces ring 4
net --ranks 8 --scaling weak --keep kept || fail "--keep"
[ "$(find kept -name 'trace.*.ti' | wc -l)" = 8 ] || fail "--keep keeps $(echo kept/*)"

# A deadlock is reported, with the waiting ranks.
make_traces chain 4
python3 - <<'END'
data = open("t/trace.2.ti", "rb").read()
head = data.index(b"\n\n") + 2
open("t/trace.2.ti", "wb").write(data[:head])  # killed at once
END
net && fail "a standstill is nothing"
grep -q 'rank 3 in its event 1, receive, rank 2, tag 0' err || { cat err; fail "who waits is not told"; }

# Invalid, truncated and outdated traces.
make_traces ring 3 steps=2000
python3 - <<'END'
import os
data = open("t/trace.1.ti", "rb").read()
os.makedirs("damaged", exist_ok=True)
files = {"empty": b"", "text": b"hello\n", "version": data.replace(b"gptl-trace 1", b"gptl-trace 7", 1),
         "head": data[:20], "rank": data.replace(b"rank 1", b"rank 9", 1),
         "chunk": data[:200] + b"\xff" * 64 + data[264:],
         "other": data.replace(b"ranks 3", b"ranks 2", 1)}
for name, content in files.items():
    open(os.path.join("damaged", name), "wb").write(content)
open("t/cut", "wb").write(data[:len(data) // 2])
END
for name in empty text version head rank chunk other; do
    cp damaged/$name t/trace.1.ti
    status=0
    net || status=$?
    [ $status = 2 ] || fail "damaged ($name): exit status $status"
    grep -q '^gptl net: t/trace.1.ti' err || { cat err; fail "damaged ($name) is not told"; }
done
cp t/cut t/trace.1.ti
"$builddir/gptl" net t --events 1 >out || fail "half a trace cannot be read"
[ "$(grep -c sendrecv out)" -gt 500 ] || fail "half a trace has only $(grep -c sendrecv out)"
rm t/trace.1.ti
if net; then fail "a rank is missing"; fi
grep -q 'trace.1.ti: No such file' err || { cat err; fail "a rank that is missing is not told"; }
rm -rf t
if net; then fail "no traces at all"; fi
grep -q 'GPTL_OPTIONS="trace=ti"' err || { cat err; fail "how traces are made is not told"; }

# Wrong usage.
make_traces ring 2
for wrong in "--latency 1" "--latency x" "--bandwidth 0" "--cpu 0" "--ranks 4" "--scaling weak" "--output p.svg" \
    "--what" "--events 2" "--platform p.xml --latency 1us" "--keep k" "t2" "--machine"; do
    status=0
    # shellcheck disable=SC2086
    "$builddir/gptl" net t $wrong >out 2>err || status=$?
    [ $status = 2 ] || fail "\"$wrong\": exit status $status"
    grep -q '^gptl net: ' err || fail "\"$wrong\" is not told: $(cat err)"
done
if "$builddir/gptl" net t --latency 1us --bandwidth 1GB/s >/dev/full 2>err; then fail "a full disk is nothing"; fi
grep -q 'cannot write' err || fail "a full disk is not told"
"$builddir/gptl" net --help | grep -q 'usage: gptl net' || fail "no help"
