"""Logs of I/O calls, as described by doc/ioc-log.md: a writer of constructed logs and a plain reader.

It shares no code with the recorder or with `gptl ioc`, so that tests compare two interpretations of the document. Run
as a program it prints a log, one call per line.
"""
import struct
import sys
import zlib

MAGIC = b"\x89GPTL-ioc\r\n\x1a\n \n\0"
VERSION = 3
TYPES = ["none", "read", "write", "open", "close", "creat", "lseek", "fsync", "ftruncate",
         "stdio_read", "stdio_write", "stdio", "other", "extension", "detail", "start"]
KINDS = [None, "named", "at", "asked", "second", "file", "found", "made", "gone",
         "position", "gap"]
BLOCKS = [None, "process", "calls", "files", "descriptors", "unseen", "paths", "chunk"]
FILE_KINDS = ["unknown", "regular", "directory", "pipe", "socket", "terminal", "device",
              "anonymous"]
FLAGS = {"unlocked": 1, "detailed": 2, "all_kinds": 4, "forked": 8, "before_exec": 16,
         "written_out": 32, "salvaged": 64}
LONG_GAP = (1 << 28) - 1
HEADER = struct.Struct("<16sIIQIIIIqqqQQqqdIIQQQ112x")
assert HEADER.size == 256 and len(MAGIC) == 16


def padded(data, to):
    return data + b"\0" * (-len(data) % to)


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


# ---- Writing ------------------------------------------------------------------------------------

def name_entry(number, text, parent=0):
    text = as_bytes(text)
    return padded(struct.pack("<IIII", number, parent, len(text), 0) + text, 8)


class Section:
    """A process's section; the members may be set before bytes() is called."""

    def __init__(self, host="node1", pid=100, **more):
        self.host, self.pid, self.parent, self.rank = host, pid, 1, -1
        self.flags, self.part, self.lost, self.calls = 0, 0, 0, 0
        self.start_ticks, self.end_ticks = 1_000_000, 2_000_000_000
        self.start_wall, self.end_wall = 1_700_000_000 * 10**9, 1_700_000_002 * 10**9
        self.ticks_per_second, self.unit_shift = 1e9, 4
        self.lock_errno, self.memory, self.version = 0, 1 << 26, VERSION
        self.program, self.directory, self.arguments, self.notes = "/usr/bin/prog", "/home", [], []
        self.files, self.descriptors, self.unseen, self.paths, self.chunks = [], [], [], [], []
        self.names = {}
        self.extra_blocks = []
        for key, value in more.items():
            setattr(self, key, value)

    def file(self, path, base=0, kind="regular", device=1, inode=None, birth=0, size=-1):
        """Names a file, the only one with this path if no inode is given; returns its number."""
        number = len(self.files) + 1
        if inode is None:
            inode = zlib.crc32(as_bytes(path)) + 1 if kind != "unknown" else 0
        self.files.append((number, base, device, inode, birth, size, FILE_KINDS.index(kind),
                           as_bytes(path)))
        return number

    def descriptor(self, fd, file, offset=0, flags=0):
        self.descriptors.append((fd, file, offset, flags, 0))

    def call_number(self, name):
        return self.names.setdefault(name, len(self.names) + 1)

    def chunk(self, thread, at=None):
        """Begin a chunk whose first call is relative to the time AT, in ticks."""
        chunk = Chunk(self, thread, self.start_ticks if at is None else at)
        self.chunks.append(chunk)
        return chunk

    def bytes(self):
        texts = [("host", self.host), ("program", self.program), ("directory", self.directory)]
        texts += [("argument", a) for a in self.arguments] + [("note", n) for n in self.notes]
        process = b"".join(k.encode() + b"=" + as_bytes(v) + b"\0" for k, v in texts)
        blocks = [(1, process)]
        blocks.append((2, b"".join(name_entry(n, t) for t, n in self.names.items())))
        blocks.append((3, b"".join(
            padded(struct.pack("<IIQQQqII", *f[:7], len(f[7])) + f[7], 8) for f in self.files)))
        blocks.append((4, b"".join(struct.pack("<iIqII", *d) for d in self.descriptors)))
        blocks.append((5, b"".join(name_entry(i, t) for i, t in enumerate(self.unseen, 1))))
        blocks.append((6, b"".join(name_entry(n, t, p) for n, p, t in self.paths)))
        blocks += self.extra_blocks
        blocks += [(7, c.bytes()) for c in self.chunks]
        body = b"".join(struct.pack("<IIQ", kind, block_crc(kind, content), len(content)) +
                        padded(content, 16) for kind, content in blocks)
        return self.header(len(blocks), len(body)) + body

    def header(self, nblocks, body_size):
        def pack(crc):
            return HEADER.pack(
                MAGIC, self.version, HEADER.size, HEADER.size + body_size, crc, self.flags, nblocks,
                self.part, self.pid, self.parent, self.rank, self.start_ticks, self.end_ticks,
                self.start_wall, self.end_wall, self.ticks_per_second, self.unit_shift,
                self.lock_errno, self.memory, self.calls, self.lost)
        return pack(zlib.crc32(pack(0)))


def block_crc(kind, content):
    """CRC of a block's head, with 0 for the CRC field, and its content."""
    return zlib.crc32(content, zlib.crc32(struct.pack("<IIQ", kind, 0, len(content))))


class Chunk:
    def __init__(self, section, thread, at):
        self.section, self.records, self.last = section, [], 0
        self.start(thread, at)

    def record(self, kind, bits, fd, data):
        self.records.append(struct.pack("<Iiq", kind | bits << 4, fd, data))

    def start(self, thread, at):
        """The following records belong to THREAD."""
        self.last = at >> self.section.unit_shift
        self.record(15, 0, thread, self.last)

    def extension(self, kind, value=0, fd=0, data=0):
        self.record(13, KINDS.index(kind) | value << 4, fd, data)

    def call(self, kind, at, fd, data, name=None, offset=None, asked=None, second=None, files=(),
             found=None, made=None, gone=None, arg=0, value=0, detail=None):
        """Add a call that returned at AT ticks. DETAIL: (ticks, number of the call path)."""
        unit = at >> self.section.unit_shift
        gap, self.last = unit - self.last, unit
        assert gap >= 0, "records are in order of time"
        self.record(TYPES.index(kind), min(gap, LONG_GAP), fd, data)
        if gap >= LONG_GAP:
            self.extension("gap", data=gap)
        if offset is not None:
            self.extension("at", self.section.call_number(name), arg, offset)
        elif name is not None:
            self.extension("named", self.section.call_number(name), arg, value)
        if asked is not None:
            self.extension("asked", data=asked)
        if second is not None:
            self.extension("second", fd=second[0], data=second[1])
        for i, file in enumerate(files):
            self.extension("file", value=i, data=file)
        if found is not None:
            self.extension("found", fd=fd, data=found)
        if gone is not None:
            self.extension("gone", fd=gone[0], data=gone[1])
        if made is not None:
            self.extension("made", value=made[2], fd=made[0], data=made[1])
        if detail is not None:
            self.record(14, detail[1], self.thread(), detail[0])
        self.section.calls += 1

    def thread(self):
        for record in reversed(self.records):
            head, fd, _ = struct.unpack("<Iiq", record)
            if head & 15 == 15:
                return fd

    def open(self, at, fd, file, flags=0, **more):
        self.call("open", at, fd, file | flags << 32, **more)

    def bytes(self):
        return b"".join(self.records)


# ---- Reading ------------------------------------------------------------------------------------

class Damaged(Exception):
    pass


class Call:
    """One call: type, name, time (seconds since 1970), thread, fd, data, ext[kind]: records."""

    def __init__(self, **members):
        self.__dict__.update(members)

    def one(self, kind):
        """Return the data of its only extension of KIND, or None."""
        return self.ext[kind][0][2] if kind in self.ext else None


class ReadSection:
    """Contents of a section; `damage` lists the unreadable parts."""


def names_of(content):
    at, names = 0, {}
    while at < len(content):
        number, parent, size, _ = struct.unpack_from("<IIII", content, at)
        names[number] = (content[at + 16:at + 16 + size].decode(errors="surrogateescape"), parent)
        at += 16 + size + -size % 8
    return names


def files_of(content):
    at, files = 0, {}
    while at < len(content):
        number, base, device, inode, birth, size, kind, length = struct.unpack_from(
            "<IIQQQqII", content, at)
        files[number] = {
            "path": content[at + 48:at + 48 + length].decode(errors="surrogateescape"),
            "base": base, "device": device, "inode": inode, "birth": birth, "size": size,
            "kind": FILE_KINDS[kind]}
        at += 48 + length + -length % 8
    return files


def full_path(section, number):
    """Joins a relative path and the directory that it starts from."""
    file = section.files.get(number)
    if file is None:
        return f"file {number}"
    if file["path"].startswith("/") or not file["base"]:
        return file["path"]
    return full_path(section, file["base"]).rstrip("/") + "/" + file["path"]


def read_header(data, at):
    if len(data) - at < HEADER.size:
        raise Damaged("the header is cut off")
    fields = HEADER.unpack_from(data, at)
    raw = bytearray(data[at:at + fields[2]])
    raw[32:36] = bytes(4)
    if fields[1] != VERSION:
        raise Damaged(f"version {fields[1]}")
    if fields[2] < HEADER.size or zlib.crc32(raw) != fields[4]:
        raise Damaged("the header's CRC")
    s = ReadSection()
    (_, _, s.header_size, s.size, _, s.flags, s.nblocks, s.part, s.pid, s.parent, s.rank,
     s.start_ticks, s.end_ticks, s.start_wall, s.end_wall, s.ticks_per_second, s.unit_shift,
     s.lock_errno, s.memory, s.ncalls, s.lost) = fields
    return s


def read_section(data, at):
    s = read_header(data, at)
    s.at, s.damage = at, []
    s.texts, s.call_names, s.files, s.descriptors = [], {}, {}, []
    s.unseen, s.paths, s.chunks = [], {}, []
    end, at = at + s.size, at + s.header_size
    for i in range(s.nblocks):
        if at + 16 > min(end, len(data)):
            s.damage.append(f"cut off after {i} of {s.nblocks} blocks")
            break
        kind, crc, size = struct.unpack_from("<IIQ", data, at)
        content = data[at + 16:at + 16 + size]
        at += 16 + size + -size % 16
        if len(content) < size or block_crc(kind, content) != crc:
            s.damage.append(f"block {i}")
            continue
        if kind == 1:
            s.texts = [t.decode(errors="surrogateescape").partition("=")[::2]
                       for t in content.split(b"\0")[:-1]]
        elif kind == 2:
            s.call_names = {n: text for n, (text, _) in names_of(content).items()}
        elif kind == 3:
            s.files = files_of(content)
        elif kind == 4:
            s.descriptors = list(struct.iter_unpack("<iIqII", content))
        elif kind == 5:
            s.unseen = [text for text, _ in names_of(content).values()]
        elif kind == 6:
            s.paths = names_of(content)
        elif kind == 7:
            s.chunks.append(content)
    return s


def calls_of(section):
    """All calls, chunk by chunk."""
    for chunk in section.chunks:
        call, thread, last = None, None, None
        for head, fd, data in struct.iter_unpack("<Iiq", chunk):
            kind, bits = TYPES[head & 15], head >> 4
            if kind == "none":
                break
            if kind == "extension":
                name = KINDS[bits & 15]
                call.ext.setdefault(name, []).append((bits >> 4, fd, data))
                if name in ("named", "at"):
                    call.name = section.call_names[bits >> 4]
                if name == "gap":
                    last = call.unit = call.unit - LONG_GAP + data
            elif kind == "detail":
                call.detail = (data, bits, fd)
            else:
                if call:
                    yield finished(section, call)
                call = None
                if kind == "start":
                    thread, last = fd, data
                    continue
                last += bits
                call = Call(type=kind, name=kind, unit=last, thread=thread, fd=fd, data=data, ext={},
                            detail=None)
        if call:
            yield finished(section, call)


def finished(s, call):
    ticks = (call.unit << s.unit_shift) - s.start_ticks
    call.time = s.start_wall / 1e9 + ticks / s.ticks_per_second
    return call


def read_log(path):
    """All readable sections; `damage` of the list's members has the unreadable parts."""
    with open(path, "rb") as file:
        data = file.read()
    at, sections, lost = 0, [], []
    while True:
        found = data.find(MAGIC, at)
        if found != at and at < len(data):
            lost.append((at, len(data) if found < 0 else found))
        if found < 0:
            return sections, lost
        try:
            section = read_section(data, found)
            sections.append(section)
            at = found + section.size
            if data[at:at + 16] != MAGIC and at != len(data):
                at = found + section.header_size
                following = data.find(MAGIC, at)
                at = len(data) if following < 0 else following
        except Damaged as error:
            lost.append((found, str(error)))
            at = found + 1


def texts(section, key):
    return [value for k, value in section.texts if k == key]


def line_of(section, call):
    words = [f"{call.time:.9f}", str(section.pid), str(call.thread), call.name, f"fd={call.fd}",
             f"data={call.data}"]
    if call.type in ("open", "creat"):
        words.append(f"path={full_path(section, call.data & 0xFFFFFFFF)}")
    for kind, records in call.ext.items():
        for value, fd, data in records:
            words.append(f"{kind}({value},{fd},{data})")
            if kind in ("file", "found", "made"):
                words.append(f"path={full_path(section, data & 0xFFFFFFFF)}")
    if call.detail:
        words.append(f"detail={call.detail}")
    return " ".join(words)


def main():
    for path in sys.argv[1:]:
        sections, lost = read_log(path)
        for s in sections:
            print(f"== pid {s.pid} part {s.part} {texts(s, 'program')} calls {s.ncalls} "
                  f"lost {s.lost} flags {s.flags} notes {texts(s, 'note')} unseen {s.unseen} "
                  f"damage {s.damage}")
            for call in calls_of(s):
                print(line_of(s, call))
        for place in lost:
            print("damaged:", place)


if __name__ == "__main__":
    main()
