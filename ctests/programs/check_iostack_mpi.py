# Compares the logs of programs/iostack_mpi.c with the expectations, and checks the spans below: every
# read and write of a data file is below a call of MPI-IO on that file, in its own process, and the calls
# of a collective write the requested data.
#
#   check_iostack_mpi.py FOLDER RANKS COMM      COMM: "comm" if the layer comm must exist
import collections
import glob
import sys

from iostack_log import COMM, MPI, OPERATIONS, POSIX, READ, WRITE, read

TIED, AMONG = 16, 32
folder, ranks, has_comm = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "comm"
spans, _ = read(glob.glob(folder + "/*.log"))


def is_data(span):
    return span.file.endswith(".data") and span.operation in (READ, WRITE)


for rank in range(ranks):
    wanted = open("expected.%d" % rank).read().splitlines()
    got = []
    for s in sorted((s for s in spans if s.log.rank == rank and s.layer == MPI), key=lambda s: s.begin):
        name = "none/x" if s.file.endswith("none/x") else s.file.split("/")[-1]
        assert s.end, ("never ended", rank, vars(s))
        assert s.above == (0, 0), vars(s)
        got.append("%s %d %d %d %s" % (OPERATIONS[s.operation], s.bytes, s.offset, s.collective, name))
    for i, (a, b) in enumerate(zip(wanted, got)):
        assert a == b, "rank %d, call %d: expected %s, got %s" % (rank, i, a, b)
    assert len(wanted) == len(got), (rank, len(wanted), len(got))

below = collections.Counter()
tied = nposix = ncomm = 0
for s in spans:
    if s.layer == POSIX and is_data(s):
        nposix += 1
        tied += bool(s.flags & TIED)
        assert not s.flags & AMONG, ("among several", vars(s))
        assert s.parent, ("no parent", s.log.rank, vars(s))
        call = s.parent
        assert call.layer == MPI and call.log.rank == s.log.rank, vars(call)
        assert call.file == s.file, (call.file, s.file)
        assert call.operation == s.operation or s.operation == READ, vars(call)
        if s.operation == WRITE and call.operation == WRITE:
            below[(call.key, call.collective) if call.collective else call.id] += s.bytes
    if s.layer == COMM:
        ncomm += 1
        assert s.parent.layer == MPI, vars(s)
asked = collections.Counter()
for s in spans:
    if s.layer == MPI and s.operation == WRITE:
        asked[(s.key, s.collective) if s.collective else s.id] += s.bytes
assert nposix > 0
for call, bytes in asked.items():
    assert below[call] == bytes, ("bytes below", call, below[call], bytes)
members = collections.Counter((s.key, s.collective) for s in spans if s.layer == MPI and s.collective)
assert all(n <= ranks for n in members.values()), members
assert (ncomm > 0) == has_comm or ranks == 1 and not ncomm, ncomm
print("%d spans, %d of posix on data, %d of them tied, %d of comm, %d collectives" % (
    len(spans), nposix, tied, ncomm, len(members)))
