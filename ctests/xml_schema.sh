#!/bin/sh
# The XML report is well-formed and valid by doc/timing.xsd, and has the contents of the JSON
# report of the same run, for programs with all features of a report and names of any bytes; and
# the schema describes everything that it allows.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC" python3 xmllint
schema=$srcdir/doc/timing.xsd
compile tree "$srcdir/ctests/programs/tree.c"

# validates FILE [OPTION...]
validates() {
    xmllint --noout --schema "$schema" "$@" 2>messages || {
        head -n 20 messages | cut -c1-300
        fail "$1 is not valid"
    }
}

# ---- Against JSON ------------------------------------------------------------

cat >compare.py <<'EOF'
"""compare.py NAME: NAME.xml says what NAME.json says."""
import json
import re
import sys
import xml.etree.ElementTree as ElementTree

failed = 0
lists = {"command", "crossings", "back_edges", "intervals", "callers", "threads", "modules",
         "functions", "metrics", "refused"}
inner = {("interval", "nodes"): "interval_node", ("called", "callers"): "caller"}


def differ(*what):
    global failed
    failed += 1
    if failed < 20:
        print(*(str(w)[:200] for w in what))


def back(name):
    """The bytes that a name stands for, in both formats."""
    name = name.encode("utf-8", "surrogatepass")
    return re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), name)


def tree(elements, parent="0"):
    """Nodes as JSON has them, one after another, each with its parent."""
    nodes, stack = [], [(e, parent) for e in reversed(elements)]
    while stack:
        element, parent = stack.pop()
        element.set("parent", parent)
        nodes.append(element)
        stack += [(e, element.get("id")) for e in reversed(element.findall("node"))]
    return sorted(nodes, key=lambda node: int(node.get("id")))


def same_value(path, value, text):
    if value is None or text is None:
        if value is not text:
            differ(path, value, text)
    elif isinstance(value, bool):
        if text != ("true" if value else "false"):
            differ(path, value, text)
    elif back(value) != back(text):
        differ(path, value, text)


def same_list(path, values, elements):
    if len(values) != len(elements):
        differ(path, "has", len(values), "members and", len(elements), "elements")
    for i, (value, element) in enumerate(zip(values, elements)):
        if isinstance(value, dict):
            same(f"{path}[{i}]", value, element)
        else:
            same_value(f"{path}[{i}]", value, element.get("value"))


def same_child(path, key, value, parent):
    child = parent.find(key)
    if (value is None) != (child is None):
        differ(path, "is missing in one")
    if value is None or child is None:
        return
    if key == "nodes":
        same_list(path, value, tree(child.findall("node")))
    elif key in lists:
        same_list(path, value, list(child))
    elif key == "options":
        options = {o.get("key"): o.get("value") for o in child}
        for name in sorted(set(value) | set(options)):
            same_value(f"{path}.{name}", value.get(name), options.get(name))
    elif key == "histogram":
        buckets = [[b.get("index"), b.get("calls")] for b in child]
        if value != buckets:
            differ(path, value, buckets)
    else:
        same(path, value, child)


def same(path, object, element):
    """All members of the object, and nothing else, are in the element."""
    attributes, children = set(), {"node"} if element.tag == "node" else set()
    for key, value in object.items():
        if (path, key) == ("", "format"):
            if element.tag != value:
                differ("document", element.tag)
        elif (element.tag, key) in inner:
            same_list(f"{path}.{key}", value, list(element))
            children.add(inner[element.tag, key])
        elif key == "metrics" and value and not isinstance(value[0], dict):
            text = " ".join("-" if v is None else v for v in value)
            same_value(f"{path}.metrics", text, element.get("metrics"))
            attributes.add("metrics")
        elif key == "from" and isinstance(value, list):
            same_value(f"{path}.from", " ".join(value), element.get("from"))
            attributes.add("from")
        elif isinstance(value, (dict, list)) or key in ("command", "options", "overhead"):
            same_child(f"{path}.{key}", key, value, element)
            children.add(key)
        else:
            same_value(f"{path}.{key}", value, element.get(key))
            attributes.add(key)
    for key in set(element.keys()) - attributes:
        differ(path, "attribute", key, "is not in JSON")
    for key in {child.tag for child in element} - children:
        differ(path, "element", key, "is not in JSON")


def read_json(path):
    """Numbers stay as they are written."""
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=str, parse_int=str)


same("", read_json(sys.argv[1] + ".json"), ElementTree.parse(sys.argv[1] + ".xml").getroot())
print(failed, "differences")
sys.exit(failed != 0)
EOF

# agrees OPTIONS COMMAND...
agrees() {
    options=$1
    shift
    echo "== $options: $*" | cut -c1-80
    rm -f timing.0*
    ends 0 env GPTL_OPTIONS="output=json,xml;$options" "$@" 2>/dev/null
    validates timing.0.xml
    python3 compare.py timing.0 || fail "XML and JSON differ: $*"
}

agrees '' ./tree
agrees 'cpu=on;histogram=on' ./tree threads
agrees 'overhead=off' ./tree marks
agrees 'marks=2;utr=placebo' ./tree marks
agrees 'subtract=on;dopr_callers=on' ./tree open
agrees 'dopr_callers=on;cpu=on' ./tree threads
agrees 'depthlimit=3' ./tree
agrees 'memory=1m' ./tree mistakes
agrees 'throttle=1;throttle.below=1000000000;throttle.every=2;cpu=on' ./tree threads
agrees '' ./tree "$(printf '\377<&"\001\\x41')"

# It can fail.
sed '0,/calls="[1-9]/s/calls="[1-9]/&0/' timing.0.xml >other
mv other timing.0.xml
validates timing.0.xml
! python3 compare.py timing.0 >/dev/null || fail "the comparison sees no difference"

# ---- Names of any bytes --------------------------------------------------------

cat >names.c <<'EOF'
/* Calls the regions whose names come in, each with a NUL behind it. */
#include <gptl.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    static char text[4 << 20];
    size_t size = fread(text, 1, sizeof text - 1, stdin);
    for (char *name = text; name < text + size; name += strlen(name) + 1) {
        GPTLstart(name);
        GPTLstop(name);
    }
    GPTLstart("first \xff\"<");
    GPTLstart("second \x01]]>");
    GPTLstop("first \xff\"<");
    GPTLstop("second \x01]]>");
    return GPTLmark("a mark\xed\xa0\x80\xef\xbf\xbf &#1;");
}
EOF
compile names names.c
cat >make_names.py <<'EOF'
import random

random.seed(1)
names = [b"", b"]]>", b"<!--", b"-->", b"<![CDATA[", b"&amp;", b"&#1;", b"\\x41", b"\\", b"'\"",
         b" ", b"  two  blanks ", b"\t\n\r\r\n", b"\xed\xa0\x80", b"\xc0\x80", b"&" * 100000,
         b"\xff" * 100000, b"n" * 100000]
names += [bytes([c]) for c in range(1, 256)]
names += [chr(c).encode() for c in (0x80, 0x85, 0x2028, 0xfdd0, 0xfffd, 0xfffe, 0xffff, 0x10000,
                                    0x1fffe, 0x10ffff)]
names += [bytes(random.randint(1, 255) for _ in range(random.randint(1, 40))) for _ in range(2000)]
names += ["".join(chr(random.choice((random.randint(1, 0xd7ff), random.randint(0xe000, 0x10ffff))))
                  for _ in range(9)).encode() for _ in range(1000)]
names = list(dict.fromkeys(names))
open("names.bin", "wb").write(b"".join(name + b"\0" for name in names))
EOF
python3 make_names.py
agrees '' ./names <names.bin
cat >read_names.py <<'EOF'
import re
import xml.etree.ElementTree as ElementTree

nodes = ElementTree.parse("timing.0.xml").findall("threads/thread/nodes/node")
got = [re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), node.get("name").encode())
       for node in nodes]
wanted = [name or b"(empty)" for name in open("names.bin", "rb").read().split(b"\0")[:-1]]
assert len(wanted) > 3000 and got[: len(wanted)] == wanted, "names differ"
EOF
python3 read_names.py || fail "names do not come back"

# ---- Deep trees --------------------------------------------------------------

cat >deep.c <<'EOF'
#include <gptl.h>
#include <stdio.h>

enum { DEPTH = 10000 };

int main(void)
{
    char name[32];
    for (int i = 0; i < DEPTH; i++) {
        snprintf(name, sizeof name, "level %d", i);
        GPTLstart(name);
    }
    for (int i = DEPTH; i-- > 0;) {
        snprintf(name, sizeof name, "level %d", i);
        GPTLstop(name);
    }
    return 0;
}
EOF
compile deep deep.c
echo "== deep"
ends 0 env GPTL_OPTIONS="output=json,xml" ./deep
python3 compare.py timing.0 || fail "XML and JSON differ: deep"
# Versions since 2.12 refuse more than 2048 levels in any case.
xmllint --noout --huge --schema "$schema" timing.0.xml 2>messages ||
    grep -q 'depth' messages || { cat messages; fail "a deep tree is not valid"; }

# ---- Ways to a report ----------------------------------------------------------

for _ in 1 2; do
    GPTL_OPTIONS='output=text,xml;append=on;output.path=twice' ./tree
done
same reports "$(files twice* | tr '\n' ' ')" "twice twice.2.xml twice.xml "
validates twice.xml
validates twice.2.xml
GPTL_OPTIONS='output=xml;output.path=/dev/stdout' ./tree >printed.xml
validates printed.xml

if [ -x "$gptl" ]; then
    cat >killed.c <<'EOF'
#include <gptl.h>
#include <signal.h>

int main(void)
{
    GPTLstart("outer <&>");
    GPTLstart("inner");
    return raise(SIGKILL);
}
EOF
    compile killed killed.c
    ends 137 sh -c 'GPTL_OPTIONS=salvage=on ./killed & wait $!' 2>/dev/null
    ends 0 "$gptl" report --set output=xml gptl-salvage.* >salvaged.xml
    validates salvaged.xml
    grep -q ' salvaged="gptl-salvage\.' salvaged.xml || fail "it does not say whence it comes"
    grep -q '<node id="[0-9]*" name="outer &lt;&amp;&gt;" .* open="1" ' salvaged.xml ||
        fail "no open region"
fi

# ---- The schema ----------------------------------------------------------------

for golden in "$srcdir"/ctests/golden/*.xml; do
    validates "$golden"
done

# refused SED_COMMAND: the whole document with this change is invalid.
whole=$srcdir/ctests/golden/xml_whole.xml
refused() {
    sed "$1" "$whole" >wrong.xml
    ! cmp -s wrong.xml "$whole" || fail "nothing to change: $1"
    ! xmllint --noout --schema "$schema" wrong.xml 2>/dev/null || fail "valid after $1"
}
refused 's/version="1" library/version="2" library/'
refused 's/ seconds="2.5"/ seconds="-2.5"/'
refused 's/ seconds="2.5"/ seconds="null"/'
refused 's/ seconds="2.5"//'
refused 's/ max="2"/ max="2.0000000001"/'
refused 's/ max="2"/ most="2"/'
refused 's/ calls="3"/ calls="3.5"/'
refused 's/ monotonic="true"/ monotonic="yes"/'
refused 's/ cost="9.5e-09"/ cost="inf"/'
refused 's/<node id="4"/<node id="0"/'
refused 's/<node id="4"/<nodes id="4"/'
refused 's/<table .*//'
refused 's/<back_edge /<edge /'
refused 's/^<threads>/&text/'
refused 's/&#10;/\&#1;/'
refused '/^<.gptl-profile>/d'

cat >described.py <<'EOF'
import sys
import xml.etree.ElementTree as ElementTree

space = "{http://www.w3.org/2001/XMLSchema}"
missing = 0
root = ElementTree.parse(sys.argv[1]).getroot()
assert root.get("version") == "1", "the schema has no version"
for part in root.iter():
    if part.tag[len(space):] in ("element", "attribute") or part in list(root)[1:]:
        if not (part.findtext(f"{space}annotation/{space}documentation") or "").strip():
            missing += 1
            print(part.tag[len(space):], part.get("name"), "has no description")
sys.exit(missing != 0)
EOF
python3 described.py "$schema" || fail "the schema does not say what all is"
