#!/bin/sh
# The option throttle: an unchanged program's short functions are timed once in
# several calls; the tree and all counts are the same, estimates are marked, and
# the error bound holds.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/hooks_lib.sh"

cat >work.c <<'EOF'
/* work.c: recursion, calls through pointers, short functions with short ones inside, threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf place;
static _Thread_local volatile int sink;
void leaf(void) { sink++; }
void inner(void) { sink++; leaf(); leaf(); }
void outer(void) { inner(); leaf(); }
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
void jumps(void) { leaf(); longjmp(place, 1); }
void slow(void) { for (int i = 0; i < 100000; i++) sink++; }
static void (*const table[])(void) = {leaf, inner, outer};

void *work(void *arg)
{
    for (int i = 0; i < 30000; i++) {
        outer();
        table[i % 3]();
        if (i % 1000 == 0)
            fib(10);
    }
    for (int i = 0; i < 20; i++)
        slow();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    for (volatile int i = 0; i < 5000; i++)
        if (setjmp(place) == 0)
            jumps();
    return 0;
}
EOF
compile work work.c -O2 -fno-inline -fno-ipa-cp $hooks -pthread

cat >check.py <<'EOF'
"""Counts of every path are those without the option; times are where the error says."""
import json
import sys


def paths(name):
    """(thread, path): node, of all."""
    found = {}
    for thread in json.load(open(name))["threads"]:
        names = {0: ()}
        for node in thread["nodes"]:
            names[node["id"]] = names[node["parent"]] + (node["name"],)
            found[(thread["thread"],) + names[node["id"]]] = node
    return found


exact, throttled = paths(sys.argv[1]), paths(sys.argv[2])
assert exact.keys() == throttled.keys(), exact.keys() ^ throttled.keys()
estimated = 0
for path, node in throttled.items():
    assert node["calls"] == exact[path]["calls"], (path, node, exact[path])
    assert node["recurse"] == exact[path]["recurse"], (path, node)
    assert "timed" not in exact[path]
    if "timed" in node:
        estimated += 1
        assert node["error"] > 0 and node["timed"] < node["calls"], (path, node)
        # All measured time is in one of these parts; the parent's time is, too, and it is longer.
        parent = throttled[path[:-1]]
        most = parent["seconds"] + parent.get("error", 0)
        assert node["seconds"] - node["error"] <= most, (path, node, parent)
        assert path[-1] != "slow" and path[-1] != "main"
    else:
        assert node["calls"] - node["recurse"] <= 1000 or node["seconds"] / node["calls"] > 2e-5, (path, node)
assert estimated >= 12, estimated
EOF
# run NAME OPTIONS: NAME.json is the report.
run() {
    ends 0 env GPTL_OPTIONS="output.path=$1;$2" ./work
}
run exact output=json
run throttled 'output=json,text,xml;throttle=1000;throttle.below=20000'
python3 check.py exact.json throttled.json || fail "counts or errors are wrong"
grep -q '^ *Called  *Recurse  *Wallclock  *+-  *max' throttled || fail "no column of errors"
grep -q ' leaf  *[0-9]*  *-  *~[0-9.]*  *[0-9.]*  *[0-9]' throttled || fail "no mark"
grep -q ' slow  *20  *-  *[0-9.]*  *-  *[0-9]' throttled || fail "slow is marked"
grep -q '^~ is estimated' throttled || fail "the mark is not explained"
if command -v xmllint >/dev/null; then
    xmllint --noout --schema "$srcdir/doc/timing.xsd" throttled.xml || fail "not valid"
fi

# With all other options that lengthen the path of a start or stop.
run other 'output=json,text;throttle=1000;throttle.below=20000;cpu=on;histogram=on;utr=clockgettime;subtract=on;dopr_callers=on'
python3 check.py exact.json other.json || fail "counts or errors are wrong by the slow path"

# Reports after a kill, and with filters.
if [ -x "$gptl" ]; then
    sed 's/^    return 0;/    raise(SIGKILL);/; s/^#include <setjmp.h>/&\n#include <signal.h>/' work.c >killed.c
    compile killed killed.c -O2 -fno-inline -fno-ipa-cp $hooks -pthread
    ends 137 sh -c 'GPTL_OPTIONS="salvage=on;throttle=1000;throttle.below=20000" ./killed & wait $!' 2>/dev/null
    ends 0 "$gptl" report --set output=json gptl-salvage.* >killed.json
    grep -q '"timed":' killed.json || fail "nothing is estimated in what a kill left"

    # Open calls have lasted until the report, also if only untimed calls followed.
    cat >open.c <<'END'
#include <signal.h>
static int leaf(volatile int *x)
{
    return ++*x;
}
int main(void)
{
    volatile int x = 0;
    for (int i = 0; i < 100000; i++)
        leaf(&x);
    raise(SIGKILL);
    return 0;
}
END
    compile open open.c -O1 -fno-inline -fno-ipa-cp $hooks
    rm -f gptl-salvage.*
    ends 137 sh -c 'GPTL_OPTIONS="salvage=on;throttle=1000;throttle.below=20000" ./open & wait $!' 2>/dev/null
    ends 0 "$gptl" report gptl-salvage.* >open.txt
    grep -q '^ *>main .* 0\.0*[1-9][0-9]*  *- ' open.txt || {
        cat open.txt
        fail "the open region has no time"
    }
fi
