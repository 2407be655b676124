# Prints the spans of logs, as doc/iostack-log.md describes them, a line each: layer, operation, rank,
# layer and operation of the parent (- for none), bytes, offset, collective, file; with a tab between.
import struct
import sys

LAYERS = "? app hdf5 pnetcdf mpi adio comm client server posix disk".split()
OPERATIONS = "? read write open close sync resize metadata send receive collective other".split()
spans, names, ended = [], {}, {}


def read(path):
    data = open(path, "rb").read()
    process, = struct.unpack_from("<Q", data, 32)
    rank, = struct.unpack_from("<q", data, 56)
    at = 65536
    while at < len(data):
        if data[at:at + 8] != b"ioschunk":
            at += 65536
            continue
        size, = struct.unpack_from("<Q", data, at + 16)
        i = at + 64
        while i + 96 <= at + size:
            r = struct.unpack_from("<BBBBIQQQQQqqQQQQ", data, i)
            i += 96
            if r[0] == 1:
                spans.append((process, rank, r))
            elif r[0] == 2:
                ended[(r[6] or process, r[5])] = r[10]
            elif r[0] == 3:
                names[r[5]] = data[i:i + 96 * ((r[10] + 87) // 88)]
                text = b"".join(names[r[5]][j + 8:j + 96] for j in range(0, len(names[r[5]]), 96))
                names[r[5]] = text[:r[10]].decode()
        at += size


for path in sys.argv[1:]:
    read(path)


def what(number):
    return LAYERS[number >> 56] + " " + OPERATIONS[number >> 48 & 255]


known = {(process, r[5]) for process, rank, r in spans}
for process, rank, r in sorted(spans, key=lambda s: s[2][8]):
    parent = "-" if r[7] == 0 else what(r[7]) if (r[6], r[7]) in known else "lost"
    bytes = ended.get((process, r[5]), -1)
    print(what(r[5]).replace(" ", "\t"), rank, parent, r[10] if bytes < 0 else bytes, r[11], r[15],
          names.get(r[13], ""), sep="\t")
