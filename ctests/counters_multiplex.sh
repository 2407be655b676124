#!/bin/sh
# Events that cannot be counted together, through a fake libpapi with two counters: they are
# named if multiplexing is not allowed, otherwise marked as estimates, never negative, and n/a in
# short regions; machine-wide events; another release of PAPI.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/counters_lib.sh"
$CC -E -dM -include papi.h -x c /dev/null >macros 2>/dev/null || skip "no papi.h"
# shellcheck disable=SC2046 # two numbers
set -- $(sed -n 's/^#define PAPI_VERSION PAPI_VERSION_NUMBER(\([0-9]*\),\([0-9]*\),.*/\1 \2/p' macros)
[ $# -eq 2 ] || fail "papi.h has no version"
mkdir fake
$CC -shared -fPIC -o "fake/libpapi.so.$1.$2" "$srcdir/ctests/programs/fake_papi.c"
LD_LIBRARY_PATH=$PWD/fake
export LD_LIBRARY_PATH
compile spans "$srcdir/ctests/programs/spans.c"
compile tree "$srcdir/ctests/programs/tree.c"

counted A,B,C,D '' ./tree
says '^GPTL: counters: C cannot be counted: there is no counter left for it beside A, B; ask for fewer, or .*multiplex=on'
says '^GPTL: counters: D cannot be counted'
same messages "$(wc -l <messages)" 2
grep -q '"name":"B","kind":"counted".*"unit":"units","component":"perf_event","scope":"thread","shown":true,"estimated":false' \
    timing.0.json || fail "B does not count"
! grep -q '"name":"C","kind"' timing.0.json || fail "C counts"

# Two fit: nothing is estimated, although multiplexing is allowed.
counted A,B 'multiplex=on' ./spans
silent
! grep -q '"estimated":true' timing.0.json || fail "what fits is estimated"
same "one reading at each end" "$(values timing.0.json 0:short)" 3000,3000

counted A,B,C 'multiplex=on;derive=R=A/B;overhead=off;persec=off' ./spans
silent
same "estimates" "$(grep -c '"estimated":true' timing.0.json)" 4
grep -q '^ *short .* n/a  *n/a  *n/a  *n/a$' timing.0 || fail "an estimate of nothing is not n/a"
grep -q '^ *long .* ~[0-9.e+]*  *~' timing.0 || fail "an estimate is not marked"
grep -q '~ estimated: it shared a counter; n/a in regions of less than 0\.12 s' timing.0 ||
    fail "the preamble does not say what ~ means"
! grep -q 'metrics":\[[^]]*-[0-9]' timing.0.json || fail "an estimate is negative"
grep -q '"metrics":\[[0-9,]*,null\]' timing.0.json || fail "derived from too short an estimate, and not null"

# Machine-wide: one set for all threads, and no sum.
counted M 'overhead=off;persec=off' ./spans
silent
grep -q '"component":"rapl","scope":"machine"' timing.0.json || fail "M is not of the machine"
grep -q '^SUM long .*  -$' timing.0 || fail "a sum of what is of the machine"

counted N '' ./spans
says 'N cannot be counted: PAPI .* knows no such event here'
counted A '' env FAKE_VERSION=old ./spans
says 'A cannot be counted: libpapi is of version 4.2, and this library was built for'
same status "$got" 0

# ---- The other formats -------------------------------------------------------

counted A,B,C,N 'output=json,xml;multiplex=on;dopr_callers=on;derive=R=A/B,Q=A/wall,bad=1+' ./tree
fits_schemas
cat >both.py <<'END'
import json
import xml.etree.ElementTree as ElementTree

profile = json.load(open("timing.0.json"), parse_int=str, parse_float=str)
root = ElementTree.parse("timing.0.xml").getroot()
assert [m["name"] for m in profile["metrics"]] == [m.get("name") for m in root.find("metrics")]
assert [r["why"] for r in profile["refused"]] == [r.get("why") for r in root.find("refused")]
in_json = {n["id"]: " ".join(v or "-" for v in n["metrics"])
           for t in profile["threads"] for n in t["nodes"] if "metrics" in n}
in_xml = {n.get("id"): n.get("metrics") for n in root.iter("node") if n.get("metrics")}
assert in_json and in_json == in_xml, (in_json, in_xml)
called = [c.get("metrics") for c in root.iter("caller") if c.get("metrics")]
assert called == [" ".join(v or "-" for v in c["metrics"]) for t in profile["threads"]
                  for r in t["callers"] for c in r["callers"] if "metrics" in c] and called
END
python3 both.py || fail "XML and JSON differ"

# ---- Calls that are not timed ------------------------------------------------

# Counts of multiplexed events are estimates like their time; those of their callers are not.
cat >often.c <<'END'
__attribute__((noinline)) void often(volatile int *n)
{
    ++*n;
}
int main(void)
{
    for (volatile int i = 0; i < 100000;)
        often(&i);
    return 0;
}
END
compile often often.c -finstrument-functions
counted A,B 'throttle=1000;throttle.below=1000000;derive=R=A/B' ./often
silent
number='~[0-9.e+-]*'
marked=" $number  *$number  *$number  *$number  *$number"
grep -q "^ *often .*$marked" timing.0 || fail "counts of what is throttled are not marked"
! grep -q '^ *main .*~' timing.0 || fail "counts of what is not are marked"
[ ! -x "$gptl" ] || "$gptl" report --table timing.0.json | grep -q "^ *often .* $number  *$number  *~" ||
    fail "gptl report does not mark them"
