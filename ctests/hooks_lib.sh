# shellcheck shell=sh
# Shared functions of the tests of instrumented programs; read after lib.sh and
# programs.sh. JSON is read with python3, which `./dev setup` installs.

need nm python3

# shellcheck disable=SC2034 # for the tests
hooks=-finstrument-functions
GPTL_OPTIONS="output=text,json"
export GPTL_OPTIONS

cat >tree.py <<'EOF'
"""tree.py REPORT OBJECT...: a line THREAD PATH CALLS for each call path, names from nm."""
import json, os, re, subprocess, sys


def plain(name):
    """Without arguments, also of templates, a type before, and what compilers add."""
    name = name.replace("(anonymous namespace)::", "")
    while re.search(r"<[^<>]*>", name):
        name = re.sub(r"<[^<>]*>", "", name)
    name = re.sub(r"\.(constprop|part|isra|lto_priv)\.[.0-9]*", "", re.sub(r"(?<=.)\(.*", "", name))
    return name.split()[-1]


def symbols(path):
    table = {}
    listed = subprocess.run(["nm", "-C", path], capture_output=True, text=True).stdout
    for line in listed.splitlines():
        m = re.match(r"([0-9a-f]+) [tTwWiu] (.*)", line)
        if m:
            table.setdefault(int(m[1], 16), plain(m[2]))
    return table


def place(report, node):
    """The label of the module and the offset there, where the node is a function."""
    if "function" in node:
        function = report["functions"][node["function"]]
        return report["modules"][function["module"]]["label"], function["offset"]
    m = re.fullmatch(r"(.*)\+0x([0-9a-f]+)", node["name"])
    return (m[1], int(m[2], 16)) if m else (None, 0)


report = json.load(open(sys.argv[1], encoding="utf-8", errors="surrogateescape"))
modules = {os.path.basename(path): symbols(path) for path in sys.argv[2:]}
for thread in report["threads"]:
    paths = {0: ""}
    for node in thread["nodes"]:
        label, offset = place(report, node)
        name = node["name"].replace(" ", "_")
        if label in modules:
            name = modules[label].get(offset, f"{label}+{offset:#x}")
        paths[node["id"]] = paths[node["parent"]] + "/" + name
        print(thread["thread"], paths[node["id"]], node["calls"])
EOF

# tree REPORT OBJECT...: the call paths, sorted.
tree() {
    python3 tree.py "$@" | LC_ALL=C sort
}

# has WHAT REPORT OBJECT... <<lines: the report has exactly these call paths.
has() {
    what=$1
    shift
    sed '/^$/d' | LC_ALL=C sort >wanted
    tree "$@" >found
    diff wanted found >difference || { cat difference; fail "$what: other calls, wanted are those with <"; }
}

# silent COMMAND...: exits with 0, and writes nothing to stderr.
silent() {
    rm -rf timing.*
    ends 0 "$@" 2>stderr
    [ ! -s stderr ] || { cat stderr; fail "it said something: $*"; }
}

# left REPORT: the number of calls that ended without their exit, from the text report.
left() {
    sed -n 's/^\([0-9]*\) calls* of .* left by longjmp .*/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }'
}
