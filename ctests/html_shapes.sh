#!/bin/sh
# The HTML report of profiles of unusual shapes: empty, a very deep tree, more
# lanes than the page can show, numbers at their limits.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/html.sh"
need "$CC" chromium chromedriver
need_tools
need_selenium

compile phases "$srcdir/ctests/programs/phases.c"
GPTL_OPTIONS=output=json ./phases || fail "phases ended with $?"
cat >shapes.py <<'EOF'
import copy
import json

document = json.load(open("timing.0.json", encoding="utf-8"))
thread = document["threads"][0]


def node(number, parent, name, seconds, calls=1):
    return {"id": number, "parent": parent, "name": name, "calls": calls, "recurse": 0,
            "seconds": seconds, "max": seconds, "min": seconds, "latest": seconds}


def write(name, *threads):
    document["threads"] = []
    for number, nodes in enumerate(threads):
        one = dict(copy.copy(thread), thread=number, nodes=nodes, back_edges=[], intervals=[])
        document["threads"].append(one)
    json.dump(document, open(name, "w", encoding="utf-8"))


write("empty.json", [])
write("none.json")
write("deep.json", [node(i, i - 1, f"level_{i}", 1 + (20000 - i) * 1e-3) for i in range(1, 20001)])
wide = [node(1, 0, "main", 60.0)] + [node(i, 1, f"part_{i:02}", (50 - i) * 0.01) for i in range(2, 42)]
write("wide.json", *(wide for _ in range(3000)))
write("limits.json", [node(1, 0, "zero", 0.0, 0), node(2, 0, "once", 0.0),
                      node(3, 0, "ages", 9e9, 2**63 - 1), node(4, 3, "longer than its parent", 9.1e9)])
EOF
"$python" shapes.py
for shape in empty none deep wide limits; do
    ends 0 "$gptl" report --html $shape.html $shape.json
done
size=$(wc -c <wide.html)
[ "$size" -lt 6000000 ] || fail "the page of 3000 lanes has $size bytes"
"$python" "$srcdir/ctests/html_shapes.py"
