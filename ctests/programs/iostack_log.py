# Makes logs of spans, as doc/iostack-log.md describes them, with any times and any faults.
import struct

MAGIC = b"GPTL-IOSTACK\r\n\x1a\0"
APP, HDF5, PNETCDF, MPI, ADIO, COMM, CLIENT, SERVER, POSIX, DISK = range(1, 11)
READ, WRITE, OPEN = 1, 2, 3
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


# ---- And reads them -------------------------------------------------------------------------

class Header:
    pass


class Span:
    def __init__(self, record, ends):
        (self.kind, self.layer, self.operation, self.flags, self.thread, self.number, process,
         parent, self.begin, self.end, self.bytes, self.offset, self.node, self.file, self.key,
         self.collective) = record
        self.parent = (process, parent)
        own = ends.get(("key", self.key) if self.flags & KEYED else self.number, [])
        own = [e for e in own if e[0] >= self.begin]
        if not self.end and own:
            self.end, bytes = min(own)
            self.bytes = bytes if bytes >= 0 else self.bytes

    def __repr__(self):
        return "Span(%s)" % vars(self)


# The header, the spans, and the names by their hashes; spans that ended apart are joined.
def read_log(path):
    data = open(path, "rb").read()
    header, spans, ends, names = Header(), [], {}, {}
    header.process, header.pid, _, header.rank = struct.unpack_from("<Qqqq", data, 32)
    at = CHUNK
    while at + 64 <= len(data):
        magic, _, size, _ = struct.unpack_from("<8sQQI", data, at)
        if magic != b"ioschunk":
            at += CHUNK
            continue
        for here in range(at + 64, at + size - 95, 96):
            record = struct.unpack_from("<BBBBIQQQQQqqQQQQ", data, here)
            if record[0] == SPAN:
                spans.append(record)
            elif record[0] == END:
                ends.setdefault(("key", record[14]) if record[3] & KEYED else record[5], []).append(
                    (record[9], record[10]))
            elif record[0] == NAME:
                text, more = b"", here
                while len(text) < record[10]:
                    more += 96
                    text += data[more + 8:more + 96]
                names[record[5]] = text[:record[10]].decode(errors="replace")
        at += size
    return header, [Span(r, ends) for r in spans], names
