# shellcheck shell=sh
# What the tests of counters share; read after lib.sh and programs.sh.

need python3 "$CC"
[ "$have_papi" = yes ] || skip "built without PAPI"
need_plain_build
need_shared

# values JSON NODE...: the values of each node, THREAD:PATH, all on one line; - for none.
cat >values.py <<'END'
import json
import sys

profile = json.load(open(sys.argv[1], encoding="utf-8"))
out = []
for wanted in sys.argv[2:]:
    number, path = wanted.split(":", 1)
    found = "-"
    for thread in profile["threads"]:
        names = {0: ""}
        for node in thread["nodes"]:
            above = names[node["parent"]]
            names[node["id"]] = above + ("/" if above else "") + node["name"]
            if thread["thread"] == int(number) and names[node["id"]] == path:
                found = ",".join("null" if v is None else str(v) for v in node.get("metrics", []))
    out.append(found)
print(" ".join(out))
END
values() {
    python3 values.py "$@"
}

# counted EVENTS OPTIONS COMMAND...: runs it; messages are in the file messages.
counted() {
    options="output=text,json;counters=$1;$2"
    shift 2
    rm -f timing.* gptl-salvage.*
    got=0 # for the tests
    # shellcheck disable=SC2034
    env GPTL_OPTIONS="$options" "$@" 2>messages || got=$?
}

# says PATTERN: a message of the last run does.
says() {
    grep -q -e "$1" messages || {
        cat messages
        fail "no message says: $1"
    }
}

silent() {
    [ ! -s messages ] || {
        cat messages
        fail "messages where none should be"
    }
}
