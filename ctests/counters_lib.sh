# shellcheck shell=sh
# Shared functions of the counter tests; read after lib.sh and programs.sh.

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

# counted EVENTS OPTIONS COMMAND...: run it; the file messages contains its messages.
counted() {
    options="output=text,json;counters=$1;$2"
    shift 2
    rm -f timing.* gptl-salvage.*
    got=0 # for the tests
    # shellcheck disable=SC2034
    env GPTL_OPTIONS="$options" "$@" 2>messages || got=$?
}

# Kernel events through the real libpapi: preload is the required LD_PRELOAD, and the file pmus.out
# lists the PMUs.
need_perf_events() {
    $CC -o pmus "$srcdir/ctests/programs/pmus.c" -lpapi 2>/dev/null || skip "cannot link with libpapi"
    preload=
    if ! ./pmus >pmus.out; then
        $CC -shared -fPIC -o pmu_here.so "$srcdir/ctests/programs/pmu_here.c" 2>/dev/null ||
            skip "PAPI does not know this processor, and there are no headers of libpfm (libpfm4-dev)"
        preload=$PWD/pmu_here.so
        LD_PRELOAD=$preload ./pmus >pmus.out ||
            skip "PAPI counts nothing, also on a processor that it knows"
    fi
}

# JSON and XML of the last run are valid.
fits_schemas() {
    python3 - "$srcdir/doc/timing.schema.json" <<'END' || fail "JSON is not as its schema says"
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(0)
jsonschema.validate(json.load(open("timing.0.json")), json.load(open(sys.argv[1])))
END
    ! command -v xmllint >/dev/null || xmllint --noout --schema "$srcdir/doc/timing.xsd" timing.0.xml ||
        fail "XML is not as its schema says"
}

# says PATTERN: a message of the last run matches.
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
