"""check.py all LOG...: the logs have exactly the spans that follow from the calls in truth.*.

Each MPI-IO call has one client request for each piece of the file, or, in two phases, all of its group's calls
together have the bytes of all pieces; each request has one span at each server whose strips it touches; each of these
has one access for each buffer of 256 KiB. Spans are matched by ids only, never by time.

check.py comm LOG...: communication was traced instead, and no layer below.
check.py count LOG...: prints the number of spans, of spans without an end, and of ends without a begin.
check.py rows CSV LOG..., check.py page HTML LOG...: compares outputs of gptl iostack with them.
"""
import csv
import glob
import json
import re
import sys

import iostack_log as logs

STRIP, BUFFER, SMALL, SERVERS = 64 << 10, 256 << 10, 6500, 3
READ, WRITE = logs.READ, logs.WRITE


class Call:
    def __init__(self, line):
        words = line.split()
        self.operation = READ if words[0] == "read" else WRITE
        self.file, self.kind, self.group = words[1], words[2], words[3]
        numbers = [int(w) for w in words[4:]]
        self.pieces = list(zip(numbers[::2], numbers[1::2]))
        self.bytes = sum(n for _, n in self.pieces)


def of(spans, layer):
    return [s for s in spans if s.layer == layer]


def on_server(server, size):
    """Return how many of the first SIZE bytes of a file are on a server."""
    return sum(max(0, min(STRIP, size - at)) for at in range(server * STRIP, size, STRIP * SERVERS))


def same(what, got, wanted):
    assert got == wanted, "%s: %r, not %r" % (what, got, wanted)


def check_times(span):
    assert span.end >= span.begin > 0, "a span has no time"
    for child in span.children:
        if child.layer != logs.COMM:
            same("operation of a child", child.operation, span.operation)
        assert span.begin <= child.begin and child.end <= span.end, "a child is not within its parent"


def check_server(span, offset, size, is_small):
    """A server's part of a request: its place in the server's file, and its accesses."""
    same("place at the server", (span.offset, span.bytes), (offset, size))
    step = SMALL if is_small else BUFFER
    wanted = [(offset + at, min(step, size - at)) for at in range(0, size, step)]
    same("accesses of the disk", sorted((d.offset, d.bytes) for d in span.children), wanted)
    for disk in span.children:
        same("layer", disk.layer, logs.DISK)
        same("server of the disk", disk.log.node, span.log.node)
        same("below the disk", disk.children, [])
        check_times(disk)
    check_times(span)


def check_request(span):
    same("layer", span.layer, logs.CLIENT)
    check_times(span)
    parts = {}
    for i in range(SERVERS):
        begin, end = on_server(i, span.offset), on_server(i, span.offset + span.bytes)
        if end > begin:
            parts["server %d" % i] = (begin, end - begin)
    same("servers", sorted(s.log.node for s in span.children), sorted(parts))
    for server in span.children:
        same("layer", server.layer, logs.SERVER)
        check_server(server, *parts[server.log.node], parts[server.log.node][1] <= SMALL)


def requests_of(call):
    """The requests of a call, one below each span of the driver."""
    requests = []
    for adio in call.children:
        same("layer", adio.layer, logs.ADIO)
        check_times(adio)
        same("requests of the driver", len(adio.children), 1)
        same("rank of the driver", (adio.log.rank, adio.children[0].log.rank), (call.log.rank,) * 2)
        requests += adio.children
    for request in requests:
        check_request(request)
    return [(r.offset, r.bytes) for r in requests]


def merged(pieces):
    out = []
    for at, n in sorted(pieces):
        if out and at <= out[-1][1]:
            out[-1][1] = max(out[-1][1], at + n)
        else:
            out.append([at, at + n])
    return out


def check_calls(spans, truth):
    """Each rank's calls are in order of time, as they are in the truth."""
    together = {}
    for rank, calls in truth.items():
        own = sorted((s for s in of(spans, logs.MPI) if s.log.rank == rank), key=lambda s: s.begin)
        same("calls of rank %d" % rank, len(own), len(calls))
        for span, call in zip(own, calls):
            check_times(span)
            same("operation", span.operation, call.operation)
            same("bytes of a call", span.bytes, call.bytes)
            assert span.file in ("", call.file), span.file
            assert span.parent and span.parent.layer == logs.APP, "a call of no line"
            requests = requests_of(span)
            if call.kind != "t":
                same("requests of a call", requests, call.pieces)
                continue
            key = (call.file, call.group)
            count = sum(k[:2] == key and k[3] == rank for k in together)
            together[key + (count, rank)] = (requests, call.pieces)
    for file, group, count, _ in list(together):
        parts = [v for k, v in together.items() if k[:3] == (file, group, count)]
        same("ranks of a collective", len(parts), len(group.split(",")))
        done = [r for requests, _ in parts for r in requests]
        wanted = [p for _, pieces in parts for p in pieces]
        same("bytes of a collective", merged(done), merged(wanted))
        same("bytes of a collective", sum(n for _, n in done), sum(n for _, n in wanted))


def check_sums(spans, truth):
    """Each layer passes on all bytes that it gets."""
    for operation in READ, WRITE:
        wanted = sum(c.bytes for calls in truth.values() for c in calls if c.operation == operation)
        for layer in logs.MPI, logs.CLIENT, logs.SERVER, logs.DISK:
            got = sum(s.bytes for s in of(spans, layer) if s.operation == operation)
            same("bytes of layer %d" % layer, got, wanted)


def check_communication(spans, truth):
    """Ranges are exchanged in each collective that waits (the spans of others lack a file); there are five more
    exchanges in two phases.
    """
    for rank, calls in truth.items():
        own = sorted((s for s in of(spans, logs.MPI) if s.log.rank == rank), key=lambda s: s.begin)
        same("calls of rank %d" % rank, len(own), len(calls))
        for span, call in zip(own, calls):
            wanted = {"t": 6, "c": 1 if span.file else 0, "i": 0}
            same("communications of a %s" % call.kind, len(of(span.children, logs.COMM)),
                 wanted[call.kind])
            check_times(span)
    same("layers", sorted({s.layer for s in spans}), [logs.APP, logs.MPI, logs.ADIO, logs.COMM])


def check_rows(spans, path):
    """Rows of gptl iostack --by client --csv against the same, counted here."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = {(r["client"], int(r["call"])): r for r in csv.DictReader(file) if r["of"] == "mpi"}
    same("rows", len(rows), len(of(spans, logs.MPI)))
    number = {}
    for span in sorted(of(spans, logs.MPI), key=lambda s: s.begin):
        client = "rank %d" % span.log.rank
        row = rows[client, number.setdefault(client, 0)]
        number[client] += 1
        below, at = [span], 0
        while at < len(below):
            below += below[at].children
            at += 1
        same("accesses", int(row["disk_accesses"]), len(of(below, logs.DISK)))
        same("nodes", int(row["io_nodes"]), len({s.log for s in of(below, logs.SERVER)}))
        same("bytes", int(row["bytes"]), span.bytes)
        same("file", row["file"], span.file)


def check_page(spans, path):
    """The tree of each call in the page: the number of spans of each layer, each below one of the right layer."""
    with open(path, encoding="utf-8") as file:
        data = json.loads(re.search(r'id="data">(.*?)</script>', file.read(), re.S).group(1))
    above = {"adio": "mpi", "client": "adio", "server": "client", "disk": "server"}
    count = {}
    for call in data["calls"]:
        for span in call["spans"]:
            count[span[0]] = count.get(span[0], 0) + 1
            parent = call["spans"][span[3]][0] if span[3] >= 0 else None
            same("layer above %s" % span[0], parent, above.get(span[0]))
            assert 0 <= span[4] <= span[5], "times in the page"
    names = {logs.APP: "app", logs.MPI: "mpi", logs.ADIO: "adio", logs.CLIENT: "client",
             logs.SERVER: "server", logs.DISK: "disk"}
    same("spans of the page", count, {n: len(of(spans, l)) for l, n in names.items()})


def read_truth():
    truth = {}
    for path in glob.glob("truth.*"):
        with open(path, encoding="utf-8") as file:
            truth[int(path.split(".")[1])] = [Call(line) for line in file]
    assert truth and all(truth.values()), "no calls"
    return truth


def main():
    what, paths = sys.argv[1], sys.argv[2:]
    if what in ("rows", "page"):
        (check_rows if what == "rows" else check_page)(logs.read(paths[1:])[0], paths[0])
        return
    spans, unmatched = logs.read(paths)
    if what == "all":
        truth = read_truth()
        check_calls(spans, truth)
        check_sums(spans, truth)
        # No span exists that is not below a call; one priming callback for each flow that writes.
        for span in spans:
            assert span.parent or span.layer == logs.APP, "a span of layer %d has no parent" % span.layer
        flows = sum(s.bytes > SMALL for s in of(spans, logs.SERVER) if s.operation == WRITE)
        same("ends without a begin", unmatched, flows)
        assert any(s.bytes <= SMALL for s in of(spans, logs.SERVER)), "no small requests"
        assert any(len(s.children) > 1 for s in of(spans, logs.SERVER)), "no request of several buffers"
        for log in {s.log for s in spans}:
            assert log.has_ended, "%s did not end in order" % log.path
    elif what == "comm":
        check_communication(spans, read_truth())
    print('"spans":%d,"open":%d,"ends_without_begin":%d,'
          % (len(spans), sum(s.end == 0 for s in spans), unmatched))


main()
