#!/bin/sh
# gptl avail: each event has one verdict, JSON and text agree, and mistakes and a missing libpapi are
# reported. If the kernel counts page faults, the number caused by a load is known; ctests/pmu/ tests
# hardware counters.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3 "$CC"
need_tools

ends 0 "$gptl" avail --help >help
grep -q '^usage: gptl avail' help || fail "no help: $(cat help)"
for wrong in --nonsense "a b" "--json a b" "''"; do
    eval "ends 2 \"\$gptl\" avail $wrong" >out 2>err
    [ ! -s out ] || fail "gptl avail $wrong prints: $(cat out)"
    grep -q '^gptl avail: ' err && [ "$(wc -l <err)" = 1 ] || fail "gptl avail $wrong: $(cat err)"
done

[ "$have_papi" = yes ] || {
    ends 2 "$gptl" avail >out 2>err
    [ ! -s out ] && [ "$(wc -l <err)" = 1 ] || fail "without PAPI: $(cat out err)"
    skip "$(cat err) (Debian: libpapi-dev)"
}
status=0
"$gptl" avail --json >all.json 2>err || status=$?
[ "$status" -le 1 ] && [ ! -s err ] || fail "exit status $status: $(cat err)"

# A fake libpapi under each requested name.
mkdir broken
version=$(sed -n 's/^{"papi":"\([0-9]*\.[0-9]*\)\..*/\1/p' all.json)
for name in libpapi.so "libpapi.so.$version"; do
    echo "no library" >"broken/$name"
done
if [ "$sanitize" = no ]; then
    LD_LIBRARY_PATH=$PWD/broken ends 2 "$gptl" avail >out 2>err
    [ ! -s out ] || fail "with no libpapi it prints: $(cat out)"
    grep -q '^gptl avail: .*libpapi' err && [ "$(wc -l <err)" = 1 ] ||
        fail "with no libpapi: $(cat err)"
fi

"$gptl" avail >all.txt || [ $? = "$status" ] || fail "text and JSON end differently"
cat >look.py <<'EOF'
import json
import sys

status = int(sys.argv[1])
found = json.load(open("all.json", encoding="utf-8"))
text = open("all.txt", encoding="utf-8").read()
events, derived = found["events"], found["derived"]
states = {"counts": 0, "reads 0": 0, "cannot start": 0}
words = {word.rstrip(":,") for word in text.split()}
for event in events:
    states[event["state"]] += 1
    assert event["name"] in words, event
    assert (event["value"] != 0) == (event["state"] == "counts"), event
    assert (event["load"] is not None) == (event["state"] == "counts"), event
    assert bool(event["why"]) == (event["state"] == "cannot start"), event
    assert (event["scope"] is None) == (event["state"] == "cannot start"), event
assert len({event["name"] for event in events}) == len(events)
assert sum(event["name"].startswith("PAPI_") for event in events) >= 50, len(events)
assert f"{states['counts']} of {len(events)} events count here" in text, text[:200]
counting = {event["name"] for event in events if event["state"] == "counts"}
assert len(derived) == 10, derived
for one in derived:
    import re
    parts = set(re.findall(r"PAPI_\w+", one["expression"]))
    assert one["can"] == (parts <= counting), one
    assert (one["why"] is None) == one["can"], one
    assert one["name"] in words, one
assert (status == 0) == (len(counting) > 0), (status, counting)
for event in events:
    if event["name"] in ("perf::PAGE-FAULTS", "perf::MINOR-FAULTS") and event["name"] in counting:
        assert event["load"] == "page faults" and event["value"] == 64, event
        assert event["scope"] == "thread", event
EOF
python3 look.py "$status" || fail "what it found makes no sense"

# Patterns: a part of the name in either case, a shell pattern, one without a match.
names() {
    python3 -c '
import json, sys
found = json.load(sys.stdin)
print(" ".join(sorted(e["name"] for e in found["events"] + found["derived"])))'
}
# of PATTERN: the matching events. Exit status 0 or 1.
of() {
    "$gptl" avail --json "$1" >some.json || [ $? = 1 ] || fail "gptl avail $1"
    names <some.json
}
same "PAPI_TOT" "$(of PAPI_TOT)" "PAPI_TOT_CYC PAPI_TOT_IIS PAPI_TOT_INS"
same "papi_tot_*" "$(of 'papi_tot_*')" "PAPI_TOT_CYC PAPI_TOT_IIS PAPI_TOT_INS"
same "PAPI_TOT_I[I-N]S" "$(of 'PAPI_TOT_I[I-N]S')" "PAPI_TOT_IIS PAPI_TOT_INS"
same "gptl_ipc" "$(of gptl_ipc)" "GPTL_IPC"
same "nothing*" "$(of 'nothing*')" ""
ends 1 "$gptl" avail no_such_event >out
grep -q 'no_such_event' out || fail "an unknown event is not told: $(cat out)"
odd=$(printf 'x\ny;"\377')
ends 1 "$gptl" avail --json "$odd" >some.json
same "an odd name" "$(names <some.json)" 'x
y;"\xff'
long=$(printf '%2000s' '' | tr ' ' x)
ends 2 "$gptl" avail "$long" 2>err

# Presets mapped to kernel events, if these count: one counts, one starts and reads 0.
preload=
$CC -o pmus "$srcdir/ctests/programs/pmus.c" -lpapi || fail "cannot link with libpapi"
if ! ./pmus >presets.csv; then
    $CC -shared -fPIC -o pmu_here.so "$srcdir/ctests/programs/pmu_here.c" ||
        fail "cannot compile pmu_here.c (Debian: libpfm4-dev)"
    preload=$PWD/pmu_here.so
    LD_PRELOAD=$preload ./pmus >presets.csv || fail "PAPI counts nothing"
fi
sed -i '/^CPU,perf/d' presets.csv
cat >>presets.csv <<'EOF'
PRESET,PAPI_TOT_INS,NOT_DERIVED,perf::PAGE-FAULTS
PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::TASK-CLOCK
PRESET,PAPI_L1_DCM,NOT_DERIVED,perf::MAJOR-FAULTS
PRESET,PAPI_L1_DCA,NOT_DERIVED,perf::PAGE-FAULTS
EOF
if [ "$sanitize" = no ]; then
    LD_PRELOAD=$preload PAPI_CSV_EVENT_FILE=$PWD/presets.csv "$gptl" avail >mapped.txt ||
        fail "with presets that count it ends with $?: $(head -n 30 mapped.txt)"
    for line in '^  counts (3)$' '^    PAPI_TOT_INS .* (64 after page faults)$' \
        '^  starts but reads 0 (1): not available$' '^      PAPI_L1_DCM$' \
        '^    GPTL_IPC  *instructions per cycle: PAPI_TOT_INS/PAPI_TOT_CYC$' \
        '^    GPTL_LSTPI .*: PAPI_L1_DCA/PAPI_TOT_INS$' \
        '^    GPTL_DCMRT .*: PAPI_L1_DCM starts but reads 0$'; do
        grep -q "$line" mapped.txt || fail "no line $line in: $(cat mapped.txt)"
    done
fi

# Full disk, closed output.
if [ -w /dev/full ]; then
    ends 2 "$gptl" avail >/dev/full 2>err
    grep -q '^gptl avail: cannot write' err || fail "a full disk: $(cat err)"
fi
