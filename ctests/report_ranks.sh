#!/bin/sh
# gptl report of statistics over ranks: the text equals the library's; tables, CSV and stacks have the numbers of the
# JSON; questions that they cannot answer are refused, as are damaged files.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3
need_tools
PYTHONPATH=$srcdir/ctests/programs
export PYTHONPATH

golden=$srcdir/ctests/golden/summary_ranks
cp "$golden.json" timing.merged.json
"$gptl" report --set persec=off timing.merged.json >text || fail "no text"
cmp text "$golden.txt" || fail "the text is not what the library wrote"
"$gptl" report --summary --set persec=off timing.merged.json | cmp - text || fail "--summary is another text"
"$gptl" report --set persec=off - <timing.merged.json | cmp - text || fail "stdin is another text"
"$gptl" report --set persec=off . | cmp - text || fail "the folder is another text"

# refused MESSAGE ARGUMENT...
refused() {
    message=$1
    shift
    ends 2 "$gptl" "$@" >out 2>err
    grep -q "$message" err || { cat err; fail "$*: no message \"$message\""; }
    [ ! -s out ] || fail "$*: output"
}
refused "no single ones" report --rank 0 timing.merged.json
refused "no single ones" report --thread 0 --html page.html timing.merged.json
refused "a picture of each thread" report --chrome timing.merged.json
refused "a picture of each thread" report --speedscope timing.merged.json
refused "give them alone" report timing.merged.json timing.merged.json
refused "gptl report reads" diff timing.merged.json timing.merged.json
refused "no region is named so" report --under nobody timing.merged.json
[ ! -e page.html ] || fail "a page was written"

# ---- Numbers ---------------------------------------------------------------------

cat >check.py <<'END'
"""check.py CSV FOLDED FLAT JSON: of whole trees."""
import csv
import json
import math
import sys

document = json.load(open(sys.argv[4], encoding="utf-8"))
paths = {p["id"]: p for p in document["paths"]}


def names(path):
    return (names(paths[path["parent"]]) if path["parent"] else []) + [path["name"]]


def below(path):
    return sum(p.get("seconds", 0) for p in paths.values() if p["parent"] == path["id"])


def same(what, found, wanted):
    if not math.isclose(float(found), wanted, rel_tol=1e-9, abs_tol=2e-9):
        sys.exit(f"{what} is {found}, not {wanted}")


rows = {row["path"]: row for row in csv.DictReader(open(sys.argv[1], encoding="utf-8"))}
called = {"/".join(names(p)): p for p in paths.values() if "seconds" in p}
if not set(called) <= set(rows):
    sys.exit(f"paths are {set(rows)}")
stacks = dict(line.rsplit(" ", 1) for line in open(sys.argv[2], encoding="utf-8").read().splitlines())
for where, path in called.items():
    row, of = rows[where], path["of_ranks"]
    for key, wanted in {"calls": path["calls"], "seconds": path["seconds"], "ranks": path["ranks"],
                        "threads": path["threads"], "mean_seconds": of["mean"],
                        "std_dev_seconds": of["std_dev"], "max_seconds": of["max"]["seconds"],
                        "max_rank": of["max"]["rank"], "max_thread": of["max"]["thread"],
                        "min_seconds": of["min"]["seconds"], "min_rank": of["min"]["rank"],
                        "min_thread": of["min"]["thread"],
                        "self_seconds": max(0, path["seconds"] - below(path))}.items():
        same(f"{key} of {where}", row[key], wanted)
    if abs(float(row["imbalance"]) - of["imbalance"]) > 1e-6:
        sys.exit(f"imbalance of {where} is {row['imbalance']}, not {of['imbalance']}")
    for k, metric in enumerate(document["metrics"]):
        value = path.get("metrics", [None] * 99)[k]
        if metric["kind"] == "counted" and metric["scope"] == "thread" and value and metric["name"] in row:
            same(f"{metric['name']} of {where}", row[metric["name"]], value["all"])
    wanted = round(1e9 * max(0, path["seconds"] - below(path)))
    if abs(int(stacks.get(where.replace("/", ";"), 0)) - wanted) > 1:
        sys.exit(f"stack {where}: {stacks.get(where.replace('/', ';'))}, not {wanted}")
flat = open(sys.argv[3], encoding="utf-8").read()
for region in document["regions"]:
    if "seconds" not in region:
        continue
    line = next((l for l in flat.splitlines() if l.split()[:1] == [region["name"]]
                 or l.strip(" >").startswith(region["name"] + " ")), None)
    if line is None:
        sys.exit(f"no {region['name']} in the table")
    if f"{100 * region['of_ranks']['imbalance']:.2f}" not in line.split():
        sys.exit(f"another imbalance than {region['of_ranks']['imbalance']}: {line}")
END
for output in csv folded flat; do
    ends 0 "$gptl" report --$output -o "merged.$output" timing.merged.json
done
python3 check.py merged.csv merged.folded merged.flat timing.merged.json || fail "other numbers"

# For several paths together the differences between ranks are unknown.
"$gptl" report --csv --top 1 timing.merged.json >top.csv || fail "--top"
python3 -c "
import csv
rows = list(csv.DictReader(open('top.csv')))
rest = [r for r in rows if r['region'].endswith(' more)')]
assert len(rows) < $(wc -l <merged.csv) - 1 and rest, rows
assert all(r['ranks'] == r['imbalance'] == '' and float(r['seconds']) > 0 for r in rest), rest
assert all(r['ranks'] for r in rows if r not in rest), rows" || fail "--top: $(cat top.csv)"
"$gptl" report --sort name timing.merged.json >sorted || fail "--sort"
sed -n 's/^  *\([^ ].*[^ ]\)   *[0-9][0-9]* .*/\1/p' sorted | head -1 >first
[ -s first ] || fail "no table: $(cat sorted)"

# ---- Who waits for whom ------------------------------------------------------------

cat >waits.json <<'END'
{"format":"gptl-summary","version":1,"program":"waits","ranks":3,"threads":3,"elapsed":1,"started":1,"metrics":[],
"regions":[
{"name":"main","ranks":3,"threads":3,"calls":3,"seconds":30,"mean":10,"std_dev":0,"max":{"seconds":10,"rank":0,"thread":0},"min":{"seconds":10,"rank":0,"thread":0},
"of_ranks":{"mean":10,"std_dev":0,"min":{"seconds":10,"rank":0,"thread":0},"histogram":[[8.589934592,10.73741824,3]]}},
{"name":"sync_Allreduce","ranks":3,"threads":3,"calls":9,"seconds":6,"mean":2,"std_dev":0.8,"max":{"seconds":3,"rank":0,"thread":0},"min":{"seconds":1,"rank":1,"thread":0},
"of_ranks":{"mean":2,"std_dev":0.8,"min":{"seconds":1,"rank":1,"thread":0},"histogram":[[0.939524096,1.073741824,1],[1.879048192,2.147483648,1],[2.684354560,3.221225472,1]]}}],
"paths":[
{"id":1,"parent":0,"region":0,"name":"main","ranks":3,"threads":3,"calls":3,"seconds":30,"mean":10,"std_dev":0,"max":{"seconds":10,"rank":0,"thread":0},"min":{"seconds":10,"rank":0,"thread":0},
"of_ranks":{"mean":10,"std_dev":0,"min":{"seconds":10,"rank":0,"thread":0},"histogram":[[8.589934592,10.73741824,3]]}},
{"id":2,"parent":1,"region":1,"name":"sync_Allreduce","ranks":3,"threads":3,"calls":9,"seconds":6,"mean":2,"std_dev":0.8,"max":{"seconds":3,"rank":0,"thread":0},"min":{"seconds":1,"rank":1,"thread":0},
"of_ranks":{"mean":2,"std_dev":0.8,"min":{"seconds":1,"rank":1,"thread":0},"histogram":[[0.939524096,1.073741824,1],[1.879048192,2.147483648,1],[2.684354560,3.221225472,1]]}}]}
END
"$gptl" report waits.json >waits || fail "waits.json"
grep -Eq '^sync_Allreduce in main +9 +3 +6\.0+ +3\.0+ +1 +1\.0+ +3\.0+ +0$' waits || { cat waits; fail "other waiting"; }
! grep -q '^Waiting' text || fail "waiting where there is none"

# ---- Damage ----------------------------------------------------------------------

size=$(wc -c <timing.merged.json)
for at in 1 40 70 200 $((size / 3)) $((size / 2)) $((size - 3)); do
    head -c "$at" timing.merged.json >cut.json
    ends 2 "$gptl" report cut.json >out 2>err
    [ -s err ] && [ ! -s out ] || fail "cut at $at: $(cat err)"
done
# change EXPRESSION MESSAGE
change() {
    sed "$1" timing.merged.json >changed.json
    ! cmp -s timing.merged.json changed.json || fail "$1 changes nothing"
    refused "$2" report changed.json
}
change 's/"version":1/"version":9/' 'version 9'
change 's/"parent":1,/"parent":77,/' 'does not stand below its parent'
change 's/"id":2,"parent":[0-9]*,"region":[0-9]*/"id":2,"parent":1,"region":4000000/' 'of no region'
# shellcheck disable=SC2016 # the last line
change '/^"paths":/,$d' 'ends too early\|incomplete\|cut\|end'
change 's/"max":{"seconds":[0-9.]*/"max":{"seconds":0/' 'is longer than the "max"'
printf '%s\n' '{"format":"gptl-summary","version":1}' >empty.json
refused 'no "paths"' report empty.json
printf '%s\n' '{"format":"gptl-summary","version":1,"ranks":3,"paths":[]}' >least.json
for output in summary table flat csv folded dot; do
    ends 0 "$gptl" report --$output least.json >out
done

# A very deep tree, names of any kind, times that no double represents exactly.
python3 - <<'END'
import json
figures = {"ranks": 2, "threads": 2, "calls": 2, "seconds": 40000000000, "mean": 20000000000,
           "std_dev": 0, "max": {"seconds": 18446744073, "rank": 1, "thread": 0},
           "min": {"seconds": 1, "rank": 0, "thread": 0}, "imbalance": 0,
           "of_ranks": {"mean": 1e300, "std_dev": 1e300, "min": {"seconds": 1, "rank": 0, "thread": 0},
                        "histogram": [[1, 1.25, 2]]}}
names = sorted([",\"';\n<b>", "\\xff\\xfe", "a" * 70, "\u00e9"], key=lambda n: n.encode())
document = {"format": "gptl-summary", "version": 1, "ranks": 2, "silent_ranks": 0, "threads": 2,
            "elapsed": 1, "started": 1, "metrics": [],
            "regions": [{"name": n, **figures} for n in sorted(names, key=lambda n: b"\xff\xfe" if n[0] == "\\" else n.encode())],
            "paths": [{"id": i + 1, "parent": i, "region": i % 4, "name": "", **figures} for i in range(3000)]}
json.dump(document, open("deep.json", "w"), separators=(",", ":"))
END
for output in summary table flat csv folded dot; do
    ends 0 "$gptl" report --$output deep.json >out
    [ -s out ] || fail "--$output: nothing"
    case $output in
        summary | table | csv) grep -q '[ ,]40000000000[., ]' out || fail "--$output: a sum of more than 64 bits" ;;
    esac
done
ends 0 "$gptl" report --html deep.html deep.json
