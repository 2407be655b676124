#!/bin/sh
# The JSON report has the same contents as the text of the same run: regions of each thread with their
# calls and times, parents, crossed stops, intervals; and it is consistent in itself.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC" python3
compile tree "$srcdir/ctests/programs/tree.c"

cat >compare.py <<'EOF'
import json
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
document = json.load(open(sys.argv[1] + ".json", encoding="utf-8"))
failed = 0


def check(condition, *what):
    global failed
    if not condition:
        failed += 1
        print(*what)


def written(name):
    """A name as the text report writes it."""
    name = name.replace("\\x5c", "\\")
    return "".join(f"\\x{ord(c):02x}" if ord(c) < 32 else c for c in name)


def tables(text):
    """Rows of each thread: {thread: {name: (calls, recurse, wall, max, min)}}"""
    threads = {}
    for part in re.split(r"^Stats for thread ", text, flags=re.M)[1:]:
        lines = part.split("\n")
        width = lines[1].index("Called")
        rows = threads[int(lines[0].rstrip(":"))] = {}
        for line in lines[2:]:
            if not line:
                break
            name, cells = re.fullmatch(r"..\s*(.*?)((?:\s+[-0-9.]+){5})", line).groups()
            check(len(line) > width, "a short line", line)
            check(name not in rows, "twice in the text:", name)
            rows[name] = cells.split()
    return threads


def number(cell):
    return 0.0 if cell == "-" else float(cell)


def told_callers(text):
    """The section on callers: {(region, caller): calls}"""
    told, block = {}, []
    lines = iter(re.split("\n(?:Stats for|Memory used)", text)[0].split("\n"))
    while not next(lines).strip().startswith("Called  "):
        pass
    for line in lines:
        row = re.fullmatch(r"[> ]( *)(\S.*?) +(\d+) +[-\d]+(?: +[-0-9.]+){4}", line)
        if row and row[1] == "":
            block.append((row[2], int(row[3])))
        elif row and row[1] == "  ":
            told.update({(row[2], caller): calls for caller, calls in block})
            check(sum(calls for _, calls in block) == int(row[3]), "callers in the text", line)
            block = []
    return told


def derived_callers(thread):
    """What nodes and edges say: {(region, caller): [calls, seconds, nodes it was started in]}"""
    nodes = {n["id"]: n for n in thread["nodes"]}
    names = {0: None, **{i: n["name"] for i, n in nodes.items()}}
    paths = [(e["to"], e["from"], e["calls"], 0) for e in thread["back_edges"]]
    for i, n in nodes.items():
        back = sum(e["calls"] for e in thread["back_edges"] if e["to"] == i)
        paths.append((i, n["parent"], n["calls"] - back, n["seconds"] + n.get("open_seconds", 0)))
    callers = {}
    for node, parent, calls, seconds in paths:
        c = callers.setdefault((names[node], names[parent]), [0, 0.0, set()])
        c[0] += calls
        c[1] += seconds
        c[2].add(parent)
    return callers


def by_name(nodes):
    sums = {}
    for node in nodes:
        s = sums.setdefault(written(node["name"]), [0, 0, 0.0, 0.0, None])
        s[0] += node["calls"]
        s[1] += node["recurse"]
        s[2] += node["seconds"] + node.get("open_seconds", 0)
        s[3] = max(s[3], node["max"] or 0)
        if node["min"] is not None:
            s[4] = node["min"] if s[4] is None else min(s[4], node["min"])
    return sums


threads = tables(text)
check(document["format"] == "gptl-profile" and document["version"] == 1, "format, version")
check(sorted(threads) == [t["thread"] for t in document["threads"]], "threads", sorted(threads))
check(f"Process   {document['pid']} on {document['host']}\n" in text, "process")
check(document["options"]["output"] == "text,json", "options", document["options"])
check(re.search(r"^Messages  (\d+) error", text, re.M) is not None or document["errors"] == 0, "errors")

for thread in document["threads"]:
    rows = threads[thread["thread"]]
    nodes = {n["id"]: n for n in thread["nodes"]}
    sums = by_name(thread["nodes"])
    check(sorted(rows) == sorted(sums), "names", sorted(rows), sorted(sums))
    for name, row in rows.items():
        s = sums[name]
        check(int(row[0]) == s[0], name, "calls", row[0], s[0])
        check(number(row[1]) == s[1], name, "recurse", row[1], s[1])
        for cell, value in zip(row[2:], s[2:]):
            step = 10.0 ** -len(cell.partition(".")[2])
            step += 1e-9 * len(nodes)  # each node's own rounding
            check(abs(number(cell) - (value or 0)) <= step, name, "seconds", cell, value)

    calls = sum(n["calls"] for n in nodes.values())
    recurse = sum(n["recurse"] for n in nodes.values())
    part = text.split(f"Stats for thread {thread['thread']}:", 1)[1]
    check(f"Total calls           = {calls}\n" in part, "total calls", calls)
    check(f"Total recursive calls = {recurse}\n" in part, "total recursive calls", recurse)

    known = {0}
    for n in thread["nodes"]:
        check(n["parent"] in known, "parent after child", n)
        known.add(n["id"])
        timed = n["calls"] - n["recurse"] + (1 if n.get("open", 0) > 1 else 0)
        if "histogram" in n:
            check(sum(c for _, c in n["histogram"]) == timed, "histogram", n)
            check(n["p50"] <= n["p95"] <= n["p99"], "percentiles", n)
        if n["min"] is not None:
            check(n["min"] <= n["max"] <= n["seconds"] + 1e-9, "extremes", n)
            check(n["min"] <= n["latest"] <= n["max"], "latest", n)
        children = sum(c["seconds"] for c in nodes.values() if c["parent"] == n["id"])
        if not n.get("open") and not thread["crossed"] and not thread["back_edges"]:
            check(children <= n["seconds"] + 1e-6, "children longer than", n)
    for edge in thread["back_edges"]:
        at = edge["from"]
        while at and at != edge["to"]:
            at = nodes[at]["parent"]
        check(at == edge["to"], "edge not to an ancestor", edge)
        check(edge["calls"] <= nodes[edge["to"]]["recurse"], "edge", edge)
    check(sum(c["times"] for c in thread["crossings"]) == thread["crossed"], "crossings")
    if thread["intervals"]:
        sums = {}
        for interval in thread["intervals"]:
            for n in interval["nodes"]:
                s = sums.setdefault(n["node"], [0, 0.0])
                s[0] += n["calls"]
                s[1] += n["seconds"]
        for node, (calls, seconds) in sums.items():
            check(calls == nodes[node]["calls"], "calls in intervals", node, calls)
            check(abs(seconds - nodes[node]["seconds"]) < 1e-6, "seconds in intervals", node)
        check(sorted(sums) == sorted(i for i, n in nodes.items() if n["calls"]), "nodes of intervals")

    check(("callers" in thread) == (document["options"]["dopr_callers"] == "on"), "callers")
    if "callers" not in thread:
        continue
    derived = derived_callers(thread)
    told = told_callers(part.split("Callers of each region", 1)[1])
    for region in thread["callers"]:
        is_open = any(n.get("open") for n in nodes.values() if n["name"] == region["name"])
        for caller in region["callers"]:
            calls, seconds, where = derived.pop((region["name"], caller["name"]))
            names = (written(region["name"]), written(caller["name"] or "(top level)"))
            check(is_open or calls == caller["calls"], "calls", names, calls, caller)
            check(abs(seconds - (caller["seconds"] or 0)) < 1e-6, "seconds", names, seconds, caller)
            check(sorted(caller["from"]) == sorted(where), "from", names, where, caller)
            check(told.pop(names, None) == caller["calls"], "calls in the text", names, caller)
        calls = sum(caller["calls"] for caller in region["callers"])
        wanted = sum(n["calls"] for n in nodes.values() if n["name"] == region["name"])
        check(calls == wanted, "calls of all callers", region["name"], calls, wanted)
    check(not derived and not told, "callers that are missing", derived, told)

print(f"{len(document['threads'])} threads, {failed} differences")
sys.exit(failed != 0)
EOF

# agrees MODE OPTIONS
agrees() {
    echo "== $1 $2"
    rm -f timing.0*
    ends 0 env GPTL_OPTIONS="output=text,json;overhead=off;$2" ./tree "$1" 2>/dev/null
    # The compared columns must be isolated.
    case $2 in
        *histogram*) sed -E '/^Stats for/,/^$/s/( +[-0-9.]+){3}$//' timing.0 >t && mv t timing.0 ;;
    esac
    python3 compare.py timing.0 || fail "text and JSON of $1 $2 differ"
}

agrees '' ''
agrees '' 'utr=placebo'
agrees '' 'utr=gettimeofday;print_method=last_parent'
agrees '' 'histogram=on'
agrees '' 'depthlimit=3'
agrees '' 'memory=1m'
agrees threads 'dopr_threadsort=off'
agrees threads 'histogram=on;dopr_threadsort=off'
agrees '' 'dopr_callers=on'
agrees threads 'dopr_callers=on;dopr_threadsort=off'
agrees open 'dopr_callers=on'
agrees marks ''
agrees marks 'marks=2'
agrees open ''
agrees mistakes ''

# It can fail.
sed 's/"name":"leaf","calls":3/"name":"leaf","calls":4/' timing.0.json >other
! cmp -s other timing.0.json || fail "no region leaf in the JSON report"
mv other timing.0.json
! python3 compare.py timing.0 >/dev/null || fail "the comparison sees no difference"

# Its names are returned unchanged, byte by byte.
cat >names.c <<'EOF'
#include <gptl.h>

int main(void)
{
    static const char *const names[] = {"quote\"",    "back\\slash", "new\nline", "\x01\x1f\x7f",
                                        "caf\xc3\xa9", "bad\xff\xc3", "a\\x41",    "</script>"};
    for (int i = 0; i < 8; i++) {
        GPTLstart(names[i]);
        GPTLstop(names[i]);
    }
    return 0;
}
EOF
compile names names.c
GPTL_OPTIONS=output=json ./names
cat >names.py <<'EOF'
import json
import re


def back(name):
    return re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), name.encode())


nodes = json.load(open("timing.0.json", encoding="utf-8"))["threads"][0]["nodes"]
wanted = [b'quote"', b"back\\slash", b"new\nline", b"\x01\x1f\x7f", b"caf\xc3\xa9", b"bad\xff\xc3",
          b"a\\x41", b"</script>"]
got = [back(n["name"]) for n in nodes]
assert got == wanted, (got, wanted)
EOF
python3 names.py || fail "names differ"
