#!/bin/sh
# A JSON report read by gptl yields the text, JSON and XML reports that the process itself wrote, byte by byte.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC" python3
need_tools
compile tree "$srcdir/ctests/programs/tree.c"

# alike JSON TEXT [XML]: the reports derived from JSON are the same.
alike() {
    "$gptl" report "$1" >text || fail "gptl report $1"
    diff -u "$2" text >differences || { head -n 20 differences; fail "another text"; }
    "$gptl" report --set output=json "$1" >json || fail "gptl report --set output=json $1"
    cmp "$1" json || fail "another JSON"
    [ $# -lt 3 ] || "$gptl" report --set output=xml "$1" >xml || fail "output=xml"
    [ $# -lt 3 ] || cmp "$3" xml || fail "another XML"
}

# same_reports OPTIONS COMMAND...
same_reports() {
    options=$1
    shift
    echo "== $options: $*" | cut -c1-80
    rm -f timing.0*
    ends 0 env GPTL_OPTIONS="output=text,json,xml;$options" "$@" >out 2>&1
    alike timing.0.json timing.0 timing.0.xml
}

# ---- Programs with all that a report may have ----------------------------------

all='cpu=on;histogram=on;dopr_callers=on;percent=on;subtract=on'
for mode in '' threads marks open mistakes; do
    same_reports '' ./tree "$mode"
    same_reports "$all" ./tree "$mode"
done
same_reports 'print_method=full_tree;dopr_quotes=on;dopr_callers=on' ./tree
same_reports 'print_method=last_parent;dopr_preamble=off' ./tree threads
same_reports 'print_method=first_parent;overhead=off;wall=off;cpu=on' ./tree threads
same_reports 'marks=2;utr=placebo;dopr_collision=off' ./tree marks
same_reports 'utr=gettimeofday;dopr_threadsort=off;dopr_multparent=off' ./tree threads
same_reports 'depthlimit=2' ./tree
same_reports 'memory=1m' ./tree mistakes
same_reports 'dopr_quotes=on;salvage.dir=a; b "c"' ./tree "$(printf '\377<&"\001\\x41 \\u0041')" ''
same_reports '' env SLURM_JOB_ID='a "job"' SLURM_PROCID=7 sh -c './tree && mv timing.7 timing.0 &&
    mv timing.7.json timing.0.json && mv timing.7.xml timing.0.xml'
grep -q '"job":"a \\"job\\"","rank":7,' timing.0.json || fail "no job and rank"


# Short regions that are called often, timed once in several calls.
cat >often.c <<'END'
#include <gptl.h>

int main(void)
{
    for (int i = 0; i < 3; i++) {
        GPTLstart("outer");
        for (int k = 0; k < 20000; k++) {
            GPTLstart("short");
            GPTLstart("shorter");
            GPTLstop("shorter");
            GPTLstop("short");
        }
        GPTLstop("outer");
    }
    return 0;
}
END
compile often often.c
same_reports 'throttle=100' ./often
grep -q '"timed":' timing.0.json || fail "nothing was throttled"
same_reports "throttle=100;$all" ./often

# Counts of the program itself, by PAPI's software-defined events; they need no hardware.
cat >counts.c <<'END'
#include <gptl.h>
#include <pthread.h>
#include <sde_lib.h>

static long long a, b;

static void *work(void *arg)
{
    GPTLstart("work");
    a += 1000;
    for (int i = 0; i < 2000; i++) {
        GPTLstart("short");
        b += 3;
        GPTLstop("short");
    }
    GPTLstop("work");
    return arg;
}

int main(void)
{
    papi_handle_t handle = papi_sde_init("TEST");
    papi_sde_register_counter(handle, "A", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &a);
    papi_sde_register_counter(handle, "B", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &b);
    GPTLinitialize();
    work(NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    GPTLfinalize();
    return 0;
}
END
counters='counters=sde:::TEST::A,sde:::TEST::B,no_such_event;derive=R=sde:::TEST::B/sde:::TEST::A'
if grep -q '^#define HAVE_PAPI' "$builddir/config.h"; then
    compile counts counts.c -lsde -lpapi
    same_reports "$counters" ./counts
    grep -q '"name":"work".*"metrics":\[1000,6000,6\]' timing.0.json || fail "nothing was counted"
    same_reports "$counters;throttle=100;$all" ./counts
fi
# Without PAPI, and everywhere: refused events.
same_reports "$counters" ./tree
grep -q '"name":"no_such_event","why":"' timing.0.json || fail "nothing was refused"

cat >small.in <<'END'
grid        = 32
steps       = 3
time_step   = 1e-4   # s
diffusivity = 1.0
tolerance   = 1e-10
output      = small.pgm
END
OMP_NUM_THREADS=3
export OMP_NUM_THREADS
same_reports "$all" "$builddir/examples/heat" small.in

# Ticks that are not whole nanoseconds, in many nodes of one region; names of any bytes; back edges between nodes,
# where the order matters; and threads that find regions in another order.
cat >many.c <<'END'
#include <gptl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { REGIONS = 40, DEPTH = 12, STEPS = 20000 };

static void *walk(void *seed)
{
    unsigned state = *(unsigned *)seed;
    char names[REGIONS][32];
    int open[DEPTH], depth = 0;
    for (int i = 0; i < REGIONS; i++)
        snprintf(names[i], sizeof names[i], "%c%c region %d", 1 + i * 6, 255 - i * 3, i);
    for (int i = 0; i < STEPS; i++) {
        state = state * 1103515245 + 12345;
        unsigned choice = state >> 16;
        if (depth > 0 && (choice % 5 < 2 || depth == DEPTH))
            GPTLstop(names[open[--depth]]);
        else
            GPTLstart(names[open[depth++] = (int)(choice / 5 % REGIONS)]);
        if (i % (STEPS / 3) == 0 && *(unsigned *)seed == 2)
            GPTLmark("a \"third\"\n");
    }
    while (depth > 1)
        GPTLstop(names[open[--depth]]);
    return NULL;
}

int main(void)
{
    unsigned seeds[] = {1, 2};
    pthread_t thread;
    pthread_create(&thread, NULL, walk, &seeds[0]);
    pthread_join(thread, NULL);
    walk(&seeds[1]);
    return 0;
}
END
compile many many.c
same_reports 'dopr_callers=on;histogram=on' ./many
same_reports 'print_method=full_tree' ./many
[ "$(grep -c '^{"id"' timing.0.json)" -gt 1000 ] || fail "not many nodes"

# The available data of a killed process.
cat >killed.c <<'END'
#include <gptl.h>
#include <signal.h>

int main(void)
{
    GPTLstart("outer");
    GPTLstart("inner");
    return raise(SIGKILL);
}
END
compile killed killed.c
ends 137 sh -c 'GPTL_OPTIONS=salvage=on ./killed & wait $!' 2>/dev/null
ends 0 "$gptl" report gptl-salvage.* >salvaged
ends 0 "$gptl" report --set output=json gptl-salvage.* >salvaged.json
alike salvaged.json salvaged

# With functions.
for golden in "$srcdir"/ctests/golden/json_*.json; do
    ends 0 "$gptl" report --set 'output=json;dopr_callers=off' "$golden" >json
    case $golden in
        *_callers.json) "$gptl" report --set 'output=json;dopr_callers=on' "$golden" >json ;;
    esac
    cmp "$golden" json || fail "another $golden"
done
ends 0 "$gptl" report --set output=xml "$srcdir/ctests/golden/json_functions.json" >xml
cmp "$srcdir/ctests/golden/xml_functions.xml" xml || fail "another xml_functions.xml"

# ---- JSON that other programs have written again ---------------------------------

same_reports "$all" ./tree threads
cat >again.py <<'EOF_PY'
import json
import sys

document = json.load(open("timing.0.json", encoding="utf-8"))


def in_order(value, key=None):
    """Sorted by keys, but for the options, whose order is that of the report."""
    if isinstance(value, dict):
        keys = value if key == "options" else sorted(value)
        return {k: in_order(value[k], k) for k in keys}
    return [in_order(v) for v in value] if isinstance(value, list) else value


json.dump(in_order(document), open("sorted.json", "w"), indent=3)


def more(value):
    """Members that are not known yet."""
    if isinstance(value, dict):
        value["later"] = [{"x": [1, -2.5e-3, "\ud83d\ude00", None]}, True]
        for key, member in list(value.items()):
            if key not in ("later", "options"):
                more(member)
    elif isinstance(value, list):
        for member in value:
            more(member)


more(document)
json.dump(document, open("later.json", "w"))
EOF_PY
python3 again.py
for file in sorted later; do
    "$gptl" report $file.json >text || fail "gptl report $file.json"
    cmp timing.0 text || fail "another text of $file.json"
    "$gptl" report --set output=xml $file.json >xml || fail "gptl report $file.json"
    cmp timing.0.xml xml || fail "another XML of $file.json"
done

# A combination of metrics that no machine has; derived values are unchanged.
cat >made.py <<'EOF_PY'
import json
import sys

sys.path.insert(0, sys.argv[1])
from profiles import Profile, counted, derived

profile = Profile()
profile.metrics = [counted("A \"x\"\n;<b>\u00e9"), derived("R", "'B,C'/ 2e0 *wall"),
                   counted("B,C", scope="machine", estimated=True, least_seconds=2.0, component="x")]
profile.refused = [{"name": "C\xff".encode("latin1").decode("utf-8", "surrogateescape").replace("\udcff", "\\xff"),
                    "why": "no"}]
thread = profile.thread()
main = thread.add(0, "main", 1, 10**10, values=[-(2**63), 25.0, 5])
thread.add(main, "short", 1, 10**9, values=[2**63 - 1, 5e8, 10**9], timed=1, error=10**9)
thread.add(main, "nothing", 1, 0, values=[0, 0, 0])
thread.add(main, "none", 1, 5)
profile.write("made.json")
EOF_PY
python3 made.py "$srcdir/ctests/programs"
ends 0 "$gptl" report --set output=json made.json >json
python3 -c '
import json
a, b = (json.load(open(f, encoding="utf-8")) for f in ("made.json", "json"))
for d in a, b:
    for t in d["threads"]:
        t.pop("unwound", None)
assert a == b, b' || fail "metrics of made.json"
ends 0 "$gptl" report made.json >text
ends 0 "$gptl" report --set output=xml made.json >xml

# From a pipe; and --set takes precedence over the options of the process.
"$gptl" report - <timing.0.json >text || fail "gptl report -"
cmp timing.0 text || fail "another text from stdin"
"$gptl" report --set 'percent=off;histogram=off' timing.0.json >text || fail "--set"
grep -q '%_of_first *p50' timing.0 || fail "no columns to take away"
! grep -q '%_of_first\|p50' text || fail "--set takes no columns away"
