#!/usr/bin/env python3
"""Writes traces of trace=ti (doc/trace.md) of patterns with closed formulas.

usage: net_trace.py FOLDER PATTERN RANKS [KEY=VALUE...]
"""
import os
import shutil
import sys

SEND, RECV, SENDRECV, PROBE, WAIT, COLLECTIVE, NEIGHBORS, OTHER, ONESIDED, EPOCH, END, POSTED, MORE, REUSED = (
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 31, 64, 128, 256)
EPOCHS = "fence post start complete exposed lock unlock flush".split()
KINDS = ("barrier bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv alltoallw "
         "reduce allreduce reduce_scatter reduce_scatter_block scan exscan agree").split()


def number(n):
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def signed(n):
    return number(n << 1 if n >= 0 else (-n << 1) - 1)


class Trace:
    """The trace of a rank: of thread 0, until a change of the thread."""

    def __init__(self, folder, rank, ranks, version):
        self.rank, self.ranks = rank, ranks
        self.request = self.latest = self.ns = self.number = 0
        self.chunk = bytearray()
        self.file = open(os.path.join(folder, "trace.%d.ti" % rank), "wb")
        self.file.write(b"gptl-trace %d\nrank %d\nranks %d\nhost test\nstarted 0.0\n\n" % (version, rank, ranks))
        self.add(1, number(1), number(0), number(4), b"main")  # a region

    def add(self, what, *fields):
        self.chunk += number(what) + b"".join(fields)
        if len(self.chunk) > 50000:
            self.flush()

    def flush(self):
        self.file.write((0x4b4e4843).to_bytes(4, "little") + self.number.to_bytes(4, "little") + len(self.chunk).to_bytes(4, "little") + self.chunk)
        self.chunk = bytearray()

    def thread(self, n):
        self.flush()
        self.number = n
        self.add(1, number(1), number(0), number(4), b"main")

    def compute(self, ns, region=1):
        self.ns += ns
        self.add(2, number(region), number(ns))

    def call(self, what, *fields, posted=False):
        if not posted:
            self.add(what, number(0), *fields)
            return None
        self.request += 1
        self.add(what | POSTED, number(0), signed(self.request - self.latest), *fields)
        self.latest = self.request
        return self.request

    def message(self, what, *fields, pieces=(0,), posted=False):
        """PIECES: bytes of each contiguous piece, and of a row and of a block of a list if present."""
        if not any(pieces):
            return self.call(what, *fields, posted=posted)
        told = [p if isinstance(p, tuple) else (p, p, 0) for p in pieces]
        return self.call(what | MORE, *fields, *(f(n) for p in told for f, n in zip((number, number, signed), p)),
                         posted=posted)

    def send(self, to, size, tag=0, mode=0, posted=False, piece=0):
        return self.message(SEND, number(mode), signed(to), number(0), signed(tag), number(size), pieces=(piece,),
                            posted=posted)

    def recv(self, source, size=0, tag=0, posted=False, piece=0):
        return self.message(RECV, signed(source), number(0), signed(tag), number(size), pieces=(piece,), posted=posted)

    def sendrecv(self, to, size, source, tag=0, pieces=(0, 0), reused=0):
        """REUSED: bytes received into memory from which data was sent."""
        fields = [signed(to), number(0), signed(tag), number(size), signed(source), signed(tag), number(0)]
        if reused:
            self.call(SENDRECV | REUSED, *fields, number(reused))
        else:
            self.message(SENDRECV, *fields, pieces=pieces)

    def probe(self, source, size, tag=0):
        self.call(PROBE, signed(source), number(0), signed(tag), number(size))

    def wait(self, *requests, found=None):
        """FOUND: source and tag of a request, or None if it was canceled."""
        fields = [number(len(requests))]
        for request in requests:
            flags = 0
            if found is not None and request in found:
                flags = 2 if found[request] is None else 1
            fields.append(signed((request - self.latest) * 4 + flags))
            self.latest = request
            if flags == 1:
                fields += [signed(found[request][0]), signed(found[request][1])]
        self.call(WAIT, *fields)

    def collective(self, kind, size=0, root=-1, each=(), comm=0, posted=False, renewed=0, reused=0):
        """RENEWED: bytes of memory that the rank newly allocated; REUSED: bytes received into memory from which data
        was sent.
        """
        flags = (MORE if renewed else 0) | (REUSED if reused else 0)
        return self.call(COLLECTIVE | flags, number(KINDS.index(kind)), number(comm), signed(root),
                         number(size), number(len(each)), *[number(n) for n in each],
                         *[number(n) for n in (renewed, reused) if n], posted=posted)

    def communicator(self, number_given, members):
        fields, before = [number(number_given), number(len(members))], -1
        for rank in members:
            fields.append(signed(rank - before - 1))
            before = rank
        self.add(3, *fields, number(0))

    def made(self, communicator, parent, tag=-1):
        self.add(5, number(communicator), number(parent + 1), signed(tag))

    def neighbors(self, to, source):
        self.call(NEIGHBORS, number(0), number(len(to)), *[number(n) for pair in to for n in pair],
                  number(len(source)), *[number(n) for n in source])

    def access(self, target, goes, comes=0, window=0, posted=False):
        return self.call(ONESIDED, number(window), signed(target), number(goes), number(comes), posted=posted)

    def epoch(self, what, *ranks, window=0):
        self.call(EPOCH, number(EPOCHS.index(what)), number(window), number(len(ranks)), *map(number, ranks))

    def end(self):
        self.add(END, number(0), number(self.ns), number(0))
        self.flush()
        self.file.close()


def ring(t, size, steps, ns, reused=0):
    for _ in range(steps):
        t.compute(ns)
        t.sendrecv((t.rank + 1) % t.ranks, size, (t.rank - 1) % t.ranks, reused=reused)


def chain(t, size, steps, ns):
    """A token goes around, one rank after another."""
    for _ in range(steps):
        if t.rank > 0:
            t.recv(t.rank - 1, size)
        t.compute(ns)
        t.send((t.rank + 1) % t.ranks, size)
        if t.rank == 0:
            t.recv(t.ranks - 1, size)


def window(t, size, steps, ns, several=4):
    """Rank 0 sends several messages one after the other, and rank 1 answers."""
    for _ in range(steps):
        t.compute(ns)
        act = t.send if t.rank == 0 else t.recv
        t.wait(*[act(1 - t.rank, size, posted=True) for _ in range(several)])
        act = t.recv if t.rank == 0 else t.send
        act(1 - t.rank, 0, tag=1)


def late(t, size, steps, ns, blocks=0):
    """Rank 0 sends to rank 1, which computes before it waits for the message; if it BLOCKS, until the message is
    done.
    """
    for _ in range(steps):
        act = t.send if t.rank == 0 else t.recv
        request = act(1 - t.rank, size, posted=t.rank == 1 or not blocks)
        t.compute(ns if t.rank == 1 else 0)
        if request is not None:
            t.wait(request)


def columns(t, size, steps, ns, goes=0, comes=0, both=0, row=0, list=0):
    """Noncontiguous data from rank 0 to rank 1 and back; or in both directions at once."""
    goes, comes = ((piece, row or piece, list) if piece else 0 for piece in (goes, comes))
    for _ in range(steps):
        t.compute(ns)
        if both:
            t.sendrecv(1 - t.rank, size, 1 - t.rank, pieces=(goes, comes))
        elif t.rank == 0:
            t.send(1, size, piece=goes)
            t.recv(1, size, piece=comes)
        else:
            t.recv(0, size, piece=comes)
            t.send(0, size, piece=goes)


def unexpected(t, size, steps, ns, mode=0):
    """Rank 1 computes before it receives the message of rank 0."""
    for _ in range(steps):
        if t.rank == 0:
            t.send(1, size, mode=mode)
        else:
            t.compute(ns)
            t.recv(0, size)


def pairwise(t, size, steps, ns):
    for _ in range(steps):
        t.compute(ns)
        for step in range(1, t.ranks):
            t.sendrecv((t.rank + step) % t.ranks, size, (t.rank - step) % t.ranks)


def binomial(t, size, steps, ns):
    """From rank 0 to all."""
    for _ in range(steps):
        t.compute(ns)
        mask = 1
        while mask < t.ranks and not t.rank & mask:
            mask <<= 1
        if t.rank:
            t.recv(t.rank - mask, size)
        mask >>= 1
        while mask:
            if t.rank + mask < t.ranks:
                t.send(t.rank + mask, size)
            mask >>= 1


def doubling(t, size, steps, ns, grows=0):
    for _ in range(steps):
        mask = 1
        while mask < t.ranks:
            t.compute(ns)
            t.sendrecv(t.rank ^ mask, size * (mask if grows else 1), t.rank ^ mask)
            mask <<= 1


def halo(t, size, steps, ns, x=1, y=1, z=1, periodic=0):
    """Irecv of all sides, Isend to all, Waitall: a grid of x * y * z ranks."""
    dims = (x, y, z)
    at = (t.rank % x, t.rank // x % y, t.rank // (x * y))
    peers = []
    for d in range(3):
        for step in (-1, 1):
            other = list(at)
            other[d] += step
            if periodic and dims[d] > 1:
                other[d] %= dims[d]
            if 0 <= other[d] < dims[d] and dims[d] > 1:
                peers.append((other[0] + x * (other[1] + y * other[2]), d, step))
    for _ in range(steps):
        t.compute(ns)
        requests = [t.recv(p, tag=2 * d + (step < 0), posted=True) for p, d, step in peers]
        requests += [t.send(p, size * (d + 1), tag=2 * d + (step > 0), posted=True) for p, d, step in peers]
        t.wait(*requests)


def collectives(t, size, steps, ns, kind="allreduce", root=0, renewed=0, renewals=None, reused=0):
    """RENEWED applies to rank 0, in the first RENEWALS steps, or in all."""
    for step in range(steps):
        t.compute(ns)
        each = [size] * t.ranks if kind in ("allgatherv", "alltoallv", "reduce_scatter") else ()
        rooted = kind in ("bcast", "gather", "scatter", "reduce", "gatherv", "scatterv")
        renews = t.rank == 0 and (renewals is None or step < renewals)
        t.collective(kind, size, root if rooted else -1, each, renewed=renewed if renews else 0, reused=reused)


def behind(t, size, steps, ns, kind="allreduce", polls=0):
    """A collective is posted, tested several times without success, and waited for after a computation."""
    for _ in range(steps):
        request = t.collective(kind, size, posted=True)
        for _ in range(polls):
            t.compute(ns // (polls + 1))
            t.wait()
        t.compute(ns // (polls + 1))
        t.wait(request)


def messy(t, size, steps, ns):
    """One of each record of a trace; the replay ends only if all of it is replayed."""
    next_rank, before = (t.rank + 1) % t.ranks, (t.rank - 1) % t.ranks
    for step in range(steps):
        t.compute(ns)
        wild = t.recv(-1, tag=-1, posted=True)
        never = t.recv(before, tag=7, posted=True)
        sent = [t.send(next_rank, size, tag=step, mode=mode, posted=True) for mode in (2,)]
        t.wait(wild, never, found={wild: (before, step), never: None})
        t.wait(*sent)
        t.send(next_rank, size, tag=7, mode=1, piece=(8, 16, -12))
        t.probe(before, size, tag=7)
        t.probe(before, size, tag=7)
        t.recv(before, size, tag=7, piece=8)
        later = [t.collective("allreduce", size, posted=True), t.collective("barrier", posted=True),
                 t.collective("alltoallv", 0, each=[size] * t.ranks, posted=True)]
        t.wait(*reversed(later))
        t.neighbors([(next_rank, size), (before, size)], [before, next_rank])
    half = [r for r in range(t.ranks) if r % 2 == t.rank % 2]
    t.communicator(1, half)
    for kind in KINDS:
        each = [size] * len(half) if kind in ("allgatherv", "alltoallv", "alltoallw", "reduce_scatter",
                                              "scatterv") else ()
        t.collective(kind, size, len(half) - 1 if kind in (
            "bcast", "gather", "gatherv", "scatter", "scatterv", "reduce") else -1, each, comm=1)


def onesided(t, size, steps, ns, epoch="fence", get=0):
    """Each rank accesses the memory of the next one."""
    next_rank, before = (t.rank + 1) % t.ranks, (t.rank - 1) % t.ranks
    t.communicator(1, list(range(t.ranks)))
    for _ in range(steps):
        if epoch == "group":
            t.epoch("post", before, window=1)
            t.epoch("start", next_rank, window=1)
        elif epoch == "lock":
            t.epoch("lock", next_rank, window=1)
        t.compute(ns)
        request = t.access(next_rank, 0 if get else size, size if get else 0, window=1, posted=epoch == "request")
        if epoch == "group":
            t.epoch("complete", window=1)
            t.epoch("exposed", window=1)
        elif epoch == "lock":
            t.epoch("unlock", next_rank, window=1)
        elif epoch == "request":
            t.wait(request)
        else:
            t.epoch("fence", window=1)


def children(t, size, steps, ns):
    """Create two communicators, in a different order on each rank, and use them in the same order."""
    for comm in 1, 2, 3, 4:
        t.communicator(comm, list(range(t.ranks)))
    for comm in 1, 2:
        t.made(comm, 0)
    for comm in 3, 4:
        t.made(comm, (comm + t.rank) % 2 + 1)
    for comm in (3, 4) if t.rank % 2 == 0 else (4, 3):
        t.collective("barrier", comm=comm)


def threads(t, size, steps, ns):
    """Thread 0 computes NS, and so do three others concurrently."""
    t.compute(ns)
    t.collective("barrier")
    for n in 1, 2, 3:
        t.thread(n)
        t.compute(ns)
    t.ns = ns


def uneven(t, size, steps, ns):
    """Not extensible to a larger job: rank 1 sends to a rank that breaks the pattern of the others."""
    for step in range(steps):
        to = (t.rank + 1) % t.ranks
        if t.rank == 1 and step == steps - 1:
            to = (t.rank + 2) % t.ranks
        t.compute(ns)
        t.send(to, size)
    for step in range(steps):
        t.recv((t.rank - 1) % t.ranks, size)


def make(folder, pattern, ranks, **values):
    values = {"size": 1000, "steps": 1, "ns": 0, **values}
    version = 6 if pattern == "children" else 5 if "polls" in values else 4 if "reused" in values else 3 if "renewed" in values else 2 if pattern == "columns" else 1
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for rank in range(ranks):
        trace = Trace(folder, rank, ranks, version)
        globals()[pattern](trace, **values)
        trace.end()


def main():
    folder, pattern, ranks = sys.argv[1], sys.argv[2], int(sys.argv[3])
    pairs = (word.split("=") for word in sys.argv[4:])
    make(folder, pattern, ranks, **{k: int(v) if v.lstrip("-").isdigit() else v for k, v in pairs})


if __name__ == "__main__":
    main()
