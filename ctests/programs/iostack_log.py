# Creates logs of spans, as described by doc/iostack-log.md, with any times and any faults.
import struct

MAGIC = b"GPTL-IOSTACK\r\n\x1a\0"
APP, HDF5, PNETCDF, MPI, ADIO, COMM, CLIENT, SERVER, POSIX, DISK = range(1, 11)
READ, WRITE, OPEN, CLOSE = 1, 2, 3, 4
LAYERS = "none app hdf5 pnetcdf mpi adio comm client server posix disk".split()
OPERATIONS = "none read write open close sync resize metadata send receive collective other".split()
SPAN, END, NAME, TEXT, DEVICE = 1, 2, 3, 4, 5
KEYED, UNDER, LEFT, UNMATCHED = 1, 2, 4, 8
WALL = 1_700_000_000_000_000_000
CHUNK = 65536


def fnv(name):
    h = 0xCBF29CE484222325
    for b in name:
        h = ((h ^ b) * 0x100000001B3) & (2**64 - 1)
    return h or 1


class Log:
    """A tick is a nanosecond, and tick 0 is the moment WALL, SKEW nanoseconds late on this host."""

    def __init__(self, layer, process, rank=-1, host="node", skew=0, node="", flags=3, pid=None):
        self.layer, self.process, self.rank, self.host = layer, process, rank, host
        self.skew, self.node, self.flags, self.pid = skew, node, flags, pid or process
        self.records, self.lost, self.last = [], 0, 0

    def id(self, number, operation=WRITE):
        return (self.process, self.layer << 56 | operation << 48 | number)

    def record(self, kind, operation=0, flags=0, number=0, parent=(0, 0), begin=0, end=0, bytes=-1,
               offset=-1, node=0, file=0, key=0, collective=0, layer=None):
        self.last = max(self.last, begin, end)
        self.records.append(struct.pack(
            "<BBBBIQQQQQqqQQQQ", kind, layer or self.layer, operation, flags, 1, number, parent[0],
            parent[1], begin, end, bytes, offset, node, file, key, collective))

    def name(self, text):
        text = text.encode() if isinstance(text, str) else text
        self.record(NAME, number=fnv(text), bytes=len(text))
        for i in range(0, len(text), 88):
            self.records.append(struct.pack("<B7x88s", TEXT, text[i:i + 88]))
        return fnv(text)

    def device(self, when, name, reads, writes, bytes_read, bytes_written, busy=0, process=False):
        self.records.append(struct.pack("<BBBBIQQQQQQ24xQ8x", DEVICE, self.layer, process, 0, 1, reads, writes,
                                        bytes_read, bytes_written, busy, when, name))

    def span(self, number, begin, end, parent=(0, 0), operation=WRITE, **more):
        own = self.id(number, operation)
        self.record(SPAN, operation, number=own[1], parent=parent, begin=begin, end=end, **more)
        return own

    def header(self):
        base = WALL + self.skew
        anchor = struct.pack("<Qqq", 0, 0, base)
        later = struct.pack("<Qqq", self.last, self.last, base + self.last)
        return struct.pack(
            "<16sIIIIQqqqIIQQ24s24s24sd64x256s256s256s", MAGIC, 1, 1000, 96, self.layer,
            self.process, self.pid, 1, self.rank, self.flags, 0, self.lost, 0, anchor, later,
            later, 1e9, self.host.encode(), b"prog", self.node.encode())

    def bytes(self):
        out, per = self.header().ljust(CHUNK, b"\0"), (CHUNK - 64) // 96
        for i in range(0, len(self.records), per):
            part = b"".join(self.records[i:i + per])
            out += struct.pack("<8sQQI36x", b"ioschunk", self.process, CHUNK, self.layer)
            out += part.ljust(CHUNK - 64, b"\0")
        return out

    def write(self, path):
        with open(path, "wb") as file:
            file.write(self.bytes())


# ---- Reading: what gptl iostack does, in the simplest way -----------------------------------------


class Span:
    """A span of a log, with its parent (a Span or None) and its children, in order of time."""

    def __init__(self, fields, log):
        (_, self.layer, self.operation, self.flags, _, number, process, above, self.begin, self.end,
         self.bytes, self.offset, _, file, self.key, self.collective) = fields
        self.id, self.above, self.log = (log.process, number), (process, above), log
        self.file, self.parent, self.children = log.names.get(file, ""), None, []


class ReadLog:
    def __init__(self, path):
        data = open(path, "rb").read()
        assert data[:16] == MAGIC, path
        self.path, self.layer = path, struct.unpack_from("<I", data, 28)[0]
        self.process, _, _, self.rank = struct.unpack_from("<Qqqq", data, 32)
        self.has_ended = struct.unpack_from("<I", data, 64)[0] & 1
        self.rate = struct.unpack_from("<d", data, 160)[0]  # ticks per second
        self.node = data[744:1000].split(b"\0")[0].decode()
        self.records, self.names = [], {}
        for at in range(CHUNK, len(data), CHUNK):
            if data[at:at + 8] == b"ioschunk":
                self.read_chunk(data, at)

    def read_chunk(self, data, at):
        size, i = struct.unpack_from("<Q", data, at + 16)[0], at + 64
        while i + 96 <= at + size:
            fields = struct.unpack_from("<BBBBIQQQQQqqQQQQ", data, i)
            i += 96
            if fields[0] == NAME:
                pieces = (fields[10] + 87) // 88
                text = b"".join(data[i + 96 * k + 8:i + 96 * k + 96] for k in range(pieces))
                self.names[fields[5]] = text[:fields[10]].decode()
                i += 96 * pieces
            elif fields[0] in (SPAN, END):
                self.records.append(fields)


def read(paths):
    """All spans, joined by ids and keys; and the number of ends without a begin."""
    logs, spans, unmatched = [ReadLog(p) for p in paths], {}, 0
    keyed = {}  # events of a key of a layer of a process: (time, span; for an end None and bytes)
    for log in logs:
        for f in log.records:
            key = (log.process, f[1], f[14])
            if f[0] == SPAN:
                span = Span(f, log)
                assert span.id not in spans, "an id is there twice"
                spans[span.id] = span
                if f[3] & KEYED:
                    keyed.setdefault(key, []).append((span.begin, 1, span, -1))
            elif f[3] & KEYED:
                keyed.setdefault(key, []).append((f[9], 0, None, f[10]))
            unmatched += f[0] == END and f[3] & UNMATCHED != 0
    for log in logs:
        for f in log.records:
            if f[0] == END and not f[3] & (KEYED | UNMATCHED):
                span = spans[(f[6] or log.process, f[5])]
                span.end, span.bytes = f[9], f[10] if f[10] >= 0 else span.bytes
    for events in keyed.values():
        current = None
        for when, _, span, moved in sorted(events, key=lambda e: e[:2]):
            if span:
                assert current is None, "a key is in use twice"
                current = span
            elif current:
                current.end, current.bytes = when, moved if moved >= 0 else current.bytes
                current = None
            else:
                unmatched += 1
    for span in spans.values():
        if span.flags & UNDER:
            around = [s for _, _, s, _ in keyed[(span.id[0],) + span.above]
                      if s and s.begin <= span.begin and (s.end == 0 or span.begin <= s.end)]
            assert len(around) == 1, "a key above stands for %d spans" % len(around)
            span.parent = around[0]
        elif span.above != (0, 0):
            span.parent = spans[span.above]
    for span in sorted(spans.values(), key=lambda s: s.begin):
        if span.parent:
            span.parent.children.append(span)
    return list(spans.values()), unmatched
