# Compares the logs of programs/iostack_mpi.c with what it expected, and looks at what hangs below: every
# read and write of a data file is under a call of MPI-IO on that file, in its own process, and what the
# calls of a collective write is what they were asked to write.
#
#   check_iostack_mpi.py FOLDER RANKS COMM      COMM: "comm" if the layer comm must be there
import collections
import glob
import sys

from iostack_log import COMM, MPI, POSIX, READ, WRITE, read_log

OPERATIONS = ["none", "read", "write", "open", "close", "sync", "resize", "metadata"]
TIED, AMONG = 16, 32
folder, ranks, has_comm = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "comm"
spans, names = [], {}
for path in glob.glob(folder + "/*.log"):
    header, records, its_names = read_log(path)
    names.update(its_names)
    spans += [(header, s) for s in records]
by_id = {(h.process, s.number): (h, s) for h, s in spans}


def is_data(header, span):
    return names.get(span.file, "").endswith(".data") and span.operation in (READ, WRITE)


for rank in range(ranks):
    wanted = open("expected.%d" % rank).read().splitlines()
    got = []
    for header, s in sorted((x for x in spans if x[0].rank == rank and x[1].layer == MPI),
                            key=lambda x: x[1].begin):
        name = names[s.file]
        name = "none/x" if name.endswith("none/x") else name.split("/")[-1]
        assert s.end, ("never ended", rank, s)
        assert s.parent == (0, 0), s
        got.append("%s %d %d %d %s" % (OPERATIONS[s.operation], s.bytes, s.offset, s.collective, name))
    for i, (a, b) in enumerate(zip(wanted, got)):
        assert a == b, "rank %d, call %d: expected %s, got %s" % (rank, i, a, b)
    assert len(wanted) == len(got), (rank, len(wanted), len(got))

below = collections.Counter()
tied = nposix = ncomm = 0
for header, s in spans:
    if s.layer == POSIX and is_data(header, s):
        nposix += 1
        tied += bool(s.flags & TIED)
        assert not s.flags & AMONG, ("among several", s)
        assert s.parent in by_id, ("no parent", header.rank, s, names[s.file])
        above, call = by_id[s.parent]
        assert call.layer == MPI and above.rank == header.rank, call
        assert call.file == s.file, (names[call.file], names[s.file])
        assert call.operation == s.operation or s.operation == READ, call
        if s.operation == WRITE and call.operation == WRITE:
            below[(call.key, call.collective) if call.collective else s.parent] += s.bytes
    if s.layer == COMM:
        ncomm += 1
        assert by_id[s.parent][1].layer == MPI, s
asked = collections.Counter()
for header, s in spans:
    if s.layer == MPI and s.operation == WRITE:
        asked[(s.key, s.collective) if s.collective else (header.process, s.number)] += s.bytes
assert nposix > 0
for call, bytes in asked.items():
    assert below[call] == bytes, ("bytes below", call, below[call], bytes)
members = collections.Counter((s.key, s.collective) for h, s in spans
                              if s.layer == MPI and s.collective)
assert all(n <= ranks for n in members.values()), members
assert (ncomm > 0) == has_comm or ranks == 1 and not ncomm, ncomm
print("%d spans, %d of posix on data, %d of them tied, %d of comm, %d collectives" % (
    len(spans), nposix, tied, ncomm, len(members)))
