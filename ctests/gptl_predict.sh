#!/bin/sh
# gptl predict on constructed signatures and machines, so that each number is known; refused input; and the page
# of gptl report with a prediction.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3
need_tools
python3 -c 'import jsonschema' 2>/dev/null || skip "no jsonschema (Debian: python3-jsonschema)"
export PYTHONPATH="$srcdir/ctests"

# made CODE: write files.
made() {
    python3 -c "from predict_files import *
$1" || fail "cannot make files"
}

# refused WORDS ARGUMENT...: exit status 2, no output, and a message with these words.
refused() {
    words=$1
    shift
    ends 2 "$gptl" "$@" >out 2>err
    [ ! -s out ] || fail "$* wrote something"
    grep -q -e "$words" err || fail "$*: no \"$words\" in: $(cat err)"
}

# ---- Each term of the model ----

made 'write("machine.json", machine())'
cat >terms.py <<'EOF2'
import json
import subprocess
import sys

from predict_files import *

gptl = sys.argv[1]


def predicted(machine="machine.json", *options):
    return json.loads(subprocess.run([gptl, "predict", "--json", *options, "signature.json", machine], check=True,
                                     capture_output=True, text=True).stdout)


def overlap(a, b):
    return (a ** 5 + b ** 5) ** 0.2


def beyond(all, first):
    return 100 * (all - first / 64) / (1 - 1 / 64)


# The description of a block, and the nanoseconds of its memory, arithmetic and issue.
TERMS = {
    "loads in order from the first cache": (block(loads=800), 800, 0, 0),
    # Lines from memory arrive at the rate of loads of the same total bytes: 8 of 8 bytes, 2 of 32.
    "loads in order from memory": (block(loads=800, found=[700, 0, 100]), overlap(100 * 8 * 4, 800), 0, 0),
    "loads of vectors from memory": (block(loads=200, size=32, stride=32, found=[100, 0, 100]),
                                     overlap(100 * 2 * 13, 200 * 1.6), 0, 0),
    # From caches at the fastest rate: 2 of 32 bytes, although these loads have 8.
    "loads in order from the second cache": (block(loads=800, found=[700, 100, 0]), overlap(100 * 10, 800), 0, 0),
    "stores in order from the second cache": (block(stores=80, found=[70, 10, 0]), overlap(10 * 8 * 3, 160), 0, 0),
    # A third of the way from 8 bytes to 32.
    "loads of 16 bytes": (block(loads=300, size=16, stride=16, kind="near"), 300 * (1 + 0.6 / 3), 0, 0),
    # Pairs of a load and a store take 2 ns; the loaded lines are also stored to: 8 accesses of each, of 5 ns.
    "loads and stores of the same": (block(loads=80, stores=80, found=[70, 0, 10]), overlap(10 * 16 * 5, 160), 0, 0),
    # A pair takes no longer than a store alone: stores hide loads, or more loads hide stores.
    "loads beside stores": (block(loads=300, stores=100), 300, 0, 0),
    "stores beside loads": (block(loads=100, stores=100), 200, 0, 0),
    # The smaller number of lines is copied, each with 8 loads and 8 stores of 3 ns; the remaining ones are
    # loaded.
    "loads beside stores to memory": (block(loads=80, stores=40, found=[70, 0, 10], stored=[35, 0, 5]),
                                      overlap(5 * 16 * 3 + 5 * 8 * 4, 80 * 1), 0, 0),
    "loads beside more stores": (block(loads=40, stores=80, found=[35, 0, 5], stored=[70, 0, 10]),
                                 overlap(5 * 16 * 3 + 5 * 8 * 8, 80 * 2), 0, 0),
    "strided loads": (block(loads=100, kind="strided", stride=64, found=[0, 50, 50]),
                      overlap(50 * 4 + 50 * 16, 100), 0, 0),
    # The curve over twice the last cache has 1/64 in the first one: the others take a little more than its 64
    # ns.
    "scattered loads from memory": (block(loads=100, kind="random", found=[0, 0, 100]), overlap(beyond(64, 1), 100), 0, 0),
    # A hundred instructions are in flight at once, or fifty integer instructions. The instructions in addition to two
    # per load, one of them integer, form windows that wait 128 ns each, at most one per load; the end of a block is
    # not a window.
    "scattered loads from memory among others": (
        block(loads=100, kind="random", found=[0, 0, 100], instructions=7001),
        overlap(beyond(64, 1) + 68 * 128, 100), 0, 3500.5),
    "scattered loads from memory among whole numbers": (
        block(loads=100, kind="random", found=[0, 0, 100], instructions=7001, integers=4000),
        overlap(beyond(64, 1) + 78 * 128, 100), 0, 3500.5),
    "scattered loads from memory among many others": (
        block(loads=100, kind="random", found=[0, 0, 100], instructions=20000),
        overlap(beyond(64, 1) + 100 * 128, 100), 0, 10000),
    "scattered loads from memory among few others": (
        block(loads=100, kind="random", found=[0, 0, 100], instructions=200), overlap(beyond(64, 1), 100), 0, 100),
    # The store buffer has twenty entries; of 500 stores 100 miss, and the other 400 make twenty windows.
    "scattered stores from memory among others": (
        block(stores=500, kind="random", stored=[400, 0, 100], instructions=7001),
        overlap(500 * (0.8 * 2 + 0.2 * (72 - 0.025 * 2) / (1 - 0.025)) + 20 * 128, 1000), 0, 3500.5),
    "scattered loads from the last cache among others": (
        block(loads=100, kind="random", found=[0, 100, 0], instructions=7001, working_set=1 << 19),
        overlap(100 * (8 - 1 / 16) / (1 - 1 / 16) + 68 * 16, 100), 0, 3500.5),
    # Windows wait for memory first, then for the last cache. Lines from memory arrive in the meantime.
    "scattered loads from both among others": (
        block(loads=100, kind="random", found=[0, 50, 50], instructions=7001),
        overlap(beyond(64, 1) + 50 * 128 + 18 * 16, 100), 0, 3500.5),
    "scattered loads from memory among others, beside loads in order": (
        block(loads=100, kind="random", found=[0, 0, 100], lines=[700, 0, 100], instructions=7001),
        overlap(overlap(beyond(64, 1) + 68 * 128, 3200), 900), 0, 3500.5),
    "scattered loads from a cache among others": (
        block(loads=100, kind="random", instructions=7000), overlap(100, 100), 0, 3500),
    "scattered stores from memory": (block(stores=100, kind="random", found=[0, 0, 100]), overlap(beyond(72, 2), 200), 0, 0),
    "scattered loads in the first cache": (block(loads=100, kind="random"), overlap(100, 100), 0, 0),
    # The hit rates equal the rates of random loads over 64 KiB: half of them in each cache.
    "scattered loads of two caches": (block(loads=100, kind="random", found=[50, 50, 0], working_set=65536),
                                      overlap(100 * (8 + (0.5 - 0.5) * 1 + (0.5 - 0.5) * 8), 100), 0, 0),
    # 16 lines a page apart are 64 KiB of that curve, and 512 of them are 2 MiB. Their lines arrive in the
    # meantime.
    "stores in conflict": (block(stores=100, kind="conflict", found=[0, 100, 0], conflict_lines=1600),
                           overlap(overlap(100 * 40, 100 * 8 * 3), 200), 0, 0),
    "stores in conflict with many": (block(stores=100, kind="conflict", found=[0, 100, 0], conflict_lines=51200),
                                     overlap(overlap(100 * 80, 100 * 8 * 3), 200), 0, 0),
    # The lines from memory belong to stores.
    "stores in conflict from memory": (block(stores=100, kind="conflict", found=[0, 0, 100], conflict_lines=1600),
                                       overlap(100 * 8 * 8, 200), 0, 0),
    "loads in conflict": (block(loads=100, kind="loads in conflict", found=[0, 100, 0], load_conflict_lines=1600),
                          overlap(overlap(100 * 20, 100 * 10), 100), 0, 0),
    "loads in conflict from memory": (block(loads=100, kind="loads in conflict", found=[0, 0, 100], load_conflict_lines=1600),
                                      overlap(100 * 8 * 4, 100), 0, 0),
    # A 32-byte access that crosses a line boundary takes 1 ns more; so does a narrower one. Stores of 32 bytes lack a
    # curve here and use the one for 8.
    "split loads": (block(loads=100, split_loads=40), 100 + 40, 0, 0),
    "split stores": (block(stores=100, split_stores=40), 200 + 40 * 3, 0, 0),
    "dependent loads": (block(loads=100, kind="dependent"), 400, 0, 0),
    "dependent loads from memory": (block(loads=100, kind="dependent", found=[0, 0, 100]), 100 * 128, 0, 0),
    # Hits of a nearer cache cost the same as in any loop, however little larger than that cache their set is.
    "dependent loads of both caches": (block(loads=100, kind="dependent", found=[60, 40, 0], working_set=40960),
                                       60 * 4 + 40 * 16, 0, 0),
    # Sequential over more than a cache: every access misses it, in accordance with the curve.
    "dependent loads over a little more": (block(loads=100, kind="dependent", found=[0, 0, 100], working_set=1200000),
                                           100 * 128, 0, 0),
    # Waits for lines from memory and for scattered loads from the last cache or memory add up; waits for
    # nearer caches do not.
    "scattered loads beside loads in order": (block(loads=100, kind="random", found=[0, 0, 100], lines=[700, 0, 100]),
                                              overlap(beyond(64, 1) + 3200, 900), 0, 0),
    "scattered loads of the last cache beside loads in order": (
        block(loads=100, kind="random", found=[0, 100, 0], lines=[700, 0, 100], working_set=1 << 19),
        overlap(100 * (8 - 1 / 16) / (1 - 1 / 16) + 3200, 900), 0, 0),
    "scattered loads of the first cache beside loads in order": (
        block(loads=100, kind="random", lines=[700, 0, 100]), overlap(overlap(100, 3200), 900), 0, 0),
    # Lines from the last cache overlap with lines from memory.
    "loads in order from the last cache and from memory": (block(loads=800, found=[600, 100, 100]),
                                                           overlap(100 * 10 + 100 * 8 * 4, 800), 0, 0),
    "scattered loads beside loads in order, all from the last cache": (
        block(loads=100, kind="random", found=[0, 100, 0], lines=[700, 100, 0], working_set=1 << 19),
        overlap(100 * (8 - 1 / 16) / (1 - 1 / 16) + 1000, 900), 0, 0),
    # The hit rates correspond to 36 KiB, less than the working set. Half of the curve's accesses to 64 KiB, which
    # take 8 ns on average, hit the first cache, so a hit of the second takes 15 ns.
    "scattered loads over a part": (block(loads=100, kind="random", found=[90, 10, 0], working_set=1 << 24,
                                          scattered_set=65536),
                                    overlap(100 * (0.9 * 1 + 0.1 * 15), 100), 0, 0),
    "scalar arithmetic": (block(flops=500, floats=500), 0, 500, 0),
    "arithmetic of vectors": (block(vector=400, floats=100), 0, 100, 0),
    "divisions": (block(flops=30, divides=30), 0, 300, 0),
    "divisions of vectors": (block(vector=40, divides=40), 0, 200, 0),
    "instructions": (block(instructions=1000), 0, 0, 500),
    "all at once": (block(loads=300, floats=200, instructions=100), 300, 200, 50),
    "nothing": (block(executions=0), 0, 0, 0),
}

for what, (made, memory, arithmetic, issue) in TERMS.items():
    write("signature.json", signature([made]))
    got = predicted()
    wanted = {"memory_seconds": memory, "arithmetic_seconds": arithmetic, "issue_seconds": issue,
              "seconds": overlap(overlap(memory, arithmetic), issue)}
    for key, ns in wanted.items():
        for of in [got, got["regions"][0], got["functions"][0], got["blocks"][0]]:
            if abs(of[key] * 1e9 - ns) > 1e-6 * max(ns, 1):
                sys.exit(f"{what}: {key} is {of[key] * 1e9} ns, not {ns}")

# Page faults are added after all other costs; the cost depends on the page size. An older profile lacks it, and the
# output states that.
write("pages.json", machine(new_small_bytes_per_second=4096e9 / 700, new_huge_bytes_per_second=4096e9 / 30))
for profile, pages, ns in ("pages.json", "small", 700), ("pages.json", "huge", 30), ("machine.json", "small", 0):
    write("signature.json", signature([block(loads=300), block(line=2, loads=100, new_pages=5)]))
    got = predicted(profile, "--pages", pages)
    for of in got, got["functions"][0], got["blocks"][0 if ns == 700 else 1]:
        assert abs(of["pages_seconds"] * 1e9 - 5 * ns) < 1e-6, (profile, pages, of)
    assert abs(got["seconds"] * 1e9 - (overlap(400, 0) + 5 * ns)) < 1e-6, got["seconds"]
    said = subprocess.run([gptl, "predict", "signature.json", profile], capture_output=True, text=True, check=True).stdout
    assert ("memory takes that is got anew" in said) == (ns == 0), said

# A loop of loads and stores in the first cache: a pair takes 2.5 ns, so that half of the shorter part is hidden;
# 3 ns, nothing is hidden; 4 ns, both have an additional cost.
for pair, wanted in (2.5, 300 + 200 - 0.5 * 200), (3, 300 + 200), (4, 300 + 200 + 200):
    rates = [made for made in machine()["rates"] if made["operation"] != "load_store"]
    write("pairs.json", machine(rates=rates + [curve(("load_store", "sequential", 8), [pair / 2] * 3)]))
    write("signature.json", signature([block(loads=300, stores=100)]))
    got = predicted("pairs.json")
    if abs(got["memory_seconds"] * 1e9 - wanted) > 1e-6 * wanted:
        sys.exit(f"pairs that take {pair} ns: {got['memory_seconds'] * 1e9} ns, not {wanted}")

# Conflict misses of stores with more lines do not take less, regardless of the curve.
rates = [made for made in machine()["rates"] if (made["operation"], made["access"]) != ("store", "conflict")]
write("dip.json", machine(rates=rates + [curve(("store", "conflict", 8), (2, 40, 20))]))
write("signature.json", signature([block(stores=100, kind="conflict", found=[0, 100, 0], conflict_lines=51200)]))
got = predicted("dip.json")
wanted = overlap(overlap(100 * 40, 100 * 8 * 3), 200)
if abs(got["memory_seconds"] * 1e9 - wanted) > 1e-6 * wanted:
    sys.exit(f"stores in conflict with many lines: {got['memory_seconds'] * 1e9} ns, not {wanted}")

# With a third cache as fast as memory: lines from the second one do not overlap with them.
third = {"level": 3, "bytes": 1 << 23, "line_bytes": 64, "associativity": 8, "shared_by_cores": 1, "source": "kernel"}
write("three.json", machine(caches=machine()["caches"] + [third]))
write("signature.json", signature([block(loads=800, found=[600, 100, 100, 0])], machines=[
    {"name": "three", "line_bytes": 64, "caches": machine()["caches"] + [third]}]))
got = predicted("three.json")
wanted = overlap(overlap(100 * 10, 100 * 2 * 13), 800)
if abs(got["memory_seconds"] * 1e9 - wanted) > 1e-6 * wanted:
    sys.exit(f"lines from two caches: {got['memory_seconds'] * 1e9} ns, not {wanted}")

# The second cache delivers one line after another, 10 ns each, although random loads alone take 8.
write("signature.json", signature(
    [block(loads=100, kind="random", found=[0, 100, 0, 0], lines=[700, 100, 0, 0], working_set=1 << 19)],
    machines=[{"name": "three", "line_bytes": 64, "caches": machine()["caches"] + [third]}]))
got = predicted("three.json")
wanted = overlap(200 * 10, 900)
if abs(got["memory_seconds"] * 1e9 - wanted) > 1e-6 * wanted:
    sys.exit(f"lines and random loads from the second cache: {got['memory_seconds'] * 1e9} ns, not {wanted}")

# Lines from memory take 40 ns instead of 32 if there are five other lines per line: sequential, alternating, or
# random outside the first cache, in any block of the function. With fewer it is proportionally less. Random hits of
# the first cache do not disturb the prefetcher, nor do other functions.
BESIDE = {
    "alone": ([block(loads=800, found=[700, 0, 100])], 0),
    "others in order": ([block(loads=4800, found=[4700, 0, 100])], 1),
    "more than five": ([block(loads=8000, found=[7900, 0, 100])], 1),
    "some": ([block(loads=1600, found=[1500, 0, 100])], 0.2),
    "in turn": ([block(loads=800, found=[700, 0, 100], in_turn=200)], 0.4),
    "in another block": ([block(loads=800, found=[700, 0, 100]), block(loads=1600, line=2)], 0.4),
    "in another function": ([block(loads=800, found=[700, 0, 100]), block(loads=1600, line=2, function=1)], 0),
    "random": ([block(loads=800, found=[700, 0, 100]), block(loads=300, kind="random", found=[0, 300, 0], line=2)], 0.6),
    "random in the first cache": ([block(loads=800, found=[700, 0, 100]), block(loads=300, kind="random", line=2)], 0),
}
write("beside.json", machine(rates=machine()["rates"] + [curve(("load", "beside", 32), (1.6, 5, 20))]))
for what, (blocks, part) in BESIDE.items():
    write("signature.json", signature(blocks, functions=[{"name": name, "file": "", "module": "a"} for name in ("f", "g")]))
    got = predicted("beside.json")
    wanted = 100 * (32 + part * (40 - 32))
    lines = got["lines_seconds"] * 1e9
    if abs(lines - wanted) > 1e-6 * wanted:
        sys.exit(f"lines beside others, {what}: {lines} ns, not {wanted}")

# Blocks of a function and region that alternate: loads of one are in flight while the other adds, if both fit into a
# window of a hundred instructions: all of short runs, a quarter of runs four times as long. Lines from memory belong
# to each block.
TURNS = {
    "in turn": (dict(instructions=100, runs=10), {}, 1),
    "in turn, in longer runs": (dict(instructions=4000, runs=10), {}, 0.25),
    "not known how": (dict(instructions=100, runs=0), {}, 0),
    "in another function": (dict(instructions=100, runs=10), dict(function=1), 0),
    "in another region": (dict(instructions=100, runs=10), dict(region=1), 0),
}
for what, (both, other, part) in TURNS.items():
    write("signature.json", signature(
        [block(loads=3000, **both), block(floats=3000, line=2, **both, **other)],
        regions=[{"id": 0, "parent": None, "name": "", "calls": 0}, {"id": 1, "parent": 0, "name": "a", "calls": 1}],
        functions=[{"name": name, "file": "", "module": "a"} for name in ("f", "g")]))
    got = predicted()
    issue = 0.5 * both["instructions"]
    apart, together = 2 * overlap(3000, issue), overlap(3000, issue + overlap(3000, issue))
    wanted = apart - part * (apart - together)
    if abs(got["seconds"] * 1e9 - wanted) > 1e-6 * wanted:
        sys.exit(f"blocks {what}: {got['seconds'] * 1e9} ns, not {wanted}")
write("signature.json", signature([block(loads=800, found=[700, 0, 100], instructions=100, runs=10),
                                   block(floats=3000, line=2, instructions=100, runs=10)]))
got = predicted()
apart = overlap(800, 50) + overlap(3000, 50)
left = overlap(800, 50 + overlap(3000, 50)) / apart
wanted = overlap(3200, left * overlap(800, 50)) + left * overlap(3000, 50)
if abs(got["seconds"] * 1e9 - wanted) > 1e-6 * wanted:
    sys.exit(f"blocks in turn, one from memory: {got['seconds'] * 1e9} ns, not {wanted}")

# A simulated core replaces the time without lines, which includes arithmetic, and waits longer for lines than for
# hits of the first cache: 12 and 124 ns. Without a simulated core, instructions issue at their rate.
for what, made, core, own in (
        ("that arithmetic is a part of", block(floats=600, core=(1000, 0, 0)), 1000, 1000),
        ("with more arithmetic than units do", block(floats=1500, core=(1000, 0, 0)), 1000, 1500),
        ("that waits for a cache", block(loads=800, core=(1000, 10, 0)), 1120, overlap(800, 1120)),
        ("that waits for memory", block(loads=800, core=(1000, 0, 10)), 2240, overlap(800, 2240)),
        ("that is not known", block(floats=600, instructions=1000), overlap(600, 500), overlap(600, 500))):
    write("signature.json", signature([made]))
    got = predicted()
    for key, wanted in ("core_seconds", core), ("seconds", own):
        if abs(got[key] * 1e9 - wanted) > 1e-6 * wanted:
            sys.exit(f"a core {what}: {key} is {got[key] * 1e9} ns, not {wanted}")

# A large last cache, whose latency rises from 20 to 200 ns: few lookups in a table touch less than the second cache
# holds, and find their lines near the start of the last cache, not in its middle (at 22 MiB).
wide = machine()
wide["caches"].append({"level": 3, "bytes": 512 << 20, "line_bytes": 64, "associativity": 16, "shared_by_cores": 1,
                       "source": "kernel"})
dependent = next(c for c in wide["rates"] if c["access"] == "dependent")
dependent["points"] = [{"working_set_bytes": size, "accesses_per_second": 1e9 / ns, "spread": 0}
                       for size, ns in ((4096, 4), (32768, 4), (36864, 16), (1 << 20, 16), (3 << 20, 20), (4 << 20, 20),
                                        (16 << 20, 100), (128 << 20, 200), (1 << 31, 220))]
write("wide.json", wide)
made = signature([block(loads=100, kind="dependent", found=[0, 0, 100, 0], working_set=8192)])
made["machines"][0]["caches"].append({"level": 3, "bytes": 512 << 20, "line_bytes": 64, "associativity": 16})
write("signature.json", made)
got = predicted("wide.json")
if abs(got["memory_seconds"] * 1e9 - 100 * 20) > 1e-3:
    sys.exit(f"few accesses to a wide cache: {got['memory_seconds'] * 1e9} ns, not {100 * 20}")

# Older profiles have one window, of integer instructions, and their random loops computed addresses: it is
# omitted.
write("older.json", machine(window_integers=None))
write("signature.json", signature([block(loads=100, kind="random", found=[0, 0, 100], instructions=20000)]))
got = predicted("older.json")
wanted = overlap(beyond(64, 1), 100)
if abs(got["memory_seconds"] * 1e9 - wanted) > 1e-6 * wanted:
    sys.exit(f"an older profile: {got['memory_seconds'] * 1e9} ns, not {wanted}")

# Older signatures lack conflicts, alternating loads, integer instructions, line crossings, branches, and cores.
older = signature([block(loads=800)], columns=list(COLUMNS))
for name in ("conflict_lines", "loads_in_turn", "integer_instructions", "load_conflict_lines", "split_loads",
             "split_stores", "runs", "branches", "wrong_branches", "core"):
    column = older["columns"].index(name)
    for row in [older["columns"], *older["blocks"]]:
        del row[column]
del older["blocks"][0][-1][0][-2:]
write("signature.json", older)
got = predicted()
if abs(got["memory_seconds"] * 1e9 - 800) > 1e-3:
    sys.exit(f"an older signature: {got['memory_seconds'] * 1e9} ns, not 800")
EOF2
python3 terms.py "$gptl" || fail "a term of the model"

# ---- Sums, another machine, what was measured ----

made '
regions = [{"id": 0, "parent": None, "name": "", "calls": 0},
           {"id": 1, "parent": 0, "name": "solve", "calls": 10},
           {"id": 2, "parent": 1, "name": "a \"dot\";\n", "calls": 100},
           {"id": 3, "parent": 0, "name": "io \\x80", "calls": 1}]
functions = [{"name": "f", "file": "dir/f.c", "module": "model"}, {"name": "", "file": "", "module": "libx.so"}]
blocks = [block(1, 0, 7, loads=1000), block(2, 0, 8, loads=2000),
          block(2, 1, 0, stores=1000), block(3, 1, 0, floats=500)]
write("sums.json", signature(blocks, regions, functions))
write("slow.json", machine("slow", 3))'
cat >sums.py <<'EOF2'
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
got = json.load(open(sys.argv[2], encoding="utf-8"))
for error in validator.iter_errors(got):
    sys.exit(f"{error.json_path}: {error.message[:200]}")


def same(what, found, wanted):
    if found != wanted and not abs(found - wanted) <= 1e-9 * abs(wanted):
        sys.exit(f"{what} is {found}, not {wanted}")


ns = 1e-9
same("inclusive", [round(r["seconds"] / ns, 3) for r in got["regions"]], [5500, 5000, 4000, 500])
same("exclusive", [round(r["self_seconds"] / ns, 3) for r in got["regions"]], [0, 1000, 4000, 500])
same("function", got["functions"][0]["seconds"], 3000 * ns)
same("functions", [f["name"] for f in got["functions"]], ["f", ""])
same("order of blocks", [b["seconds"] for b in got["blocks"]] ==
     sorted([b["seconds"] for b in got["blocks"]], reverse=True), True)
# 3/4 of all accesses at 1e9 per second, a quarter at half of that
same("equation 1", got["equation_1_accesses_per_second"], 0.875e9)
same("on the other machine", got["regions"][1]["base_seconds"], 15000 * ns)
same("ratio", got["ratio"]["value"], (15000 + 500) / 5500)
same("ratio by equation 1", got["ratio"]["by_equation_1"], 3)
same("name of the other machine", got["ratio"]["to"], "slow")
same("measured", got["regions"][2]["measured_seconds"], 5000 * ns)
same("error", got["regions"][2]["error"], -0.2)
same("not measured", got["regions"][3]["measured_seconds"], None)
same("no error", got["regions"][3]["error"], None)
EOF2
cat >timing.json <<'EOF2'
{"format":"gptl-profile","version":1,"program":"model","elapsed":1,"threads":[{"thread":0,"nodes":[
{"id":1,"parent":0,"name":"solve","calls":10,"seconds":0.000006,"max":0.000001,"min":0.0000001},
{"id":2,"parent":1,"name":"a \"dot\";\n","calls":100,"seconds":0.000005,"max":0.000001,"min":0.00000001},
{"id":3,"parent":1,"name":"io \\x80","calls":1,"seconds":0.000001,"max":0.000001,"min":0.000001}]}]}
EOF2
sed 's/"program":"model"/"program":"model","pid":2/' timing.json >other_rank.json
ends 0 "$gptl" predict --json -o prediction.json --base slow.json --measured timing.json sums.json machine.json
python3 sums.py "$srcdir/doc/prediction.schema.json" prediction.json || fail "sums"


# Reports of another program, of other regions, or of other ranks lack values for this prediction.
sed 's/"program":"model"/"program":"dir\/other"/' timing.json >other.json
refused "program 'dir/other' was measured, but 'model' was traced" predict --measured other.json sums.json machine.json
sed 's/"name":"/"name":"not /' timing.json >regions.json
refused 'no region of the signature is in the reports' predict --measured regions.json sums.json machine.json
refused 'reports of 2 processes, but 1 were traced' predict --measured timing.json --measured other_rank.json sums.json machine.json
# Two ranks on one core, often preempted, are slower than the two cores that the prediction assumes.
sed 's/"ranks": 1/"ranks": 2/' sums.json >ranks.json
for rank in 0 1; do
    sed "s/\"program\":\"model\"/&,\"host\":\"h\",\"rank\":$rank,\"cores\":1,\"preemptions\":9$rank/" timing.json >rank.$rank.json
done
ends 0 "$gptl" predict --measured rank.0.json --measured rank.1.json ranks.json machine.json >out
grep -q '^Note: 2 measured ranks shared 1 core of h; the prediction has a core for each rank$' out || { cat out; fail "no note of shared cores"; }
grep -q '^Note: a measured process was preempted 91 times a second' out || { cat out; fail "no note of preemptions"; }
ends 0 "$gptl" predict --json --measured rank.0.json --measured rank.1.json ranks.json machine.json >shared.out
python3 - "$srcdir/doc/prediction.schema.json" <<'END' || fail "shared cores as JSON"
import json, sys

import jsonschema

got = json.load(open("shared.out"))
jsonschema.validate(got, json.load(open(sys.argv[1])))
assert got["sharing"] == {"host": "h", "ranks": 2, "cores": 1, "preemptions_per_second": 91}, got["sharing"]
END
ends 0 "$gptl" predict --base slow.json --measured timing.json sums.json machine.json >out
# shellcheck disable=SC1003 # a backslash as it is printed
for words in 'model on flat, small pages, 1 core at work' '2.818 times as fast as on slow; by Equation 1 3 times' \
    '    a "dot";\\x0a  *100 *0.000004000 .*0.000005000 *-20.00$' 'f (dir/f.c)' '(no name) (libx.so)' \
    'f, f.c:8, in a "dot";' 'Measured   Error %'; do
    grep -q -e "$words" out || { cat out; fail "no \"$words\""; }
done
ends 0 "$gptl" predict --top 1 sums.json machine.json >out
[ "$(grep -c 'libx.so' out)" -eq 0 ] || fail "--top 1 shows more"

# ---- Machines that were not simulated, and none ----

made '
bare = machine("bare", caches=[])
write("bare.json", bare)
write("other.json", machine("other", caches=machine()["caches"][:1]))
far = block(loads=800, working_set=1 << 24)
write("far.json", signature([far]))
write("caches.json", signature([far], only_caches=True))
write("untraced.json", signature([far[:-2] + [[], []]], machines=[]))
'
refused 'gptl memsig --machine other.json' predict far.json other.json
refused 'gptl memsig without --only-caches' predict caches.json machine.json
ends 0 "$gptl" predict --by-working-set far.json bare.json >out
grep -q 'guessed by working sets' out || fail "nothing is said of the guess"
ends 0 "$gptl" predict --by-working-set --json untraced.json machine.json >guess.json
# All 100 lines are loaded from memory, because the working set is larger than the caches.
python3 -c 'import json; got = json.load(open("guess.json"))
assert abs(got["seconds"] * 1e9 - (800 ** 5 + 3200 ** 5) ** 0.2) < 1e-6, got["seconds"]
assert got["model"]["levels_by"] == "working_set"' || fail "the guess"

# ---- Samples ----

made '
far = block(loads=800, working_set=1 << 24)
write("fine.json", signature([far], sampling={"fraction": 0.1, "burst_blocks": 1000, "error": 0.0003}))
write("coarse.json", signature([far], sampling={"fraction": 0.98, "burst_blocks": 1000, "error": 0.976}))
write("single.json", signature([far], sampling={"fraction": 0.98, "burst_blocks": 1000, "error": None}))'
ends 0 "$gptl" predict fine.json machine.json >out
grep -q 'sampled, 10 % of all accesses, with a standard error of the first hit rate of 0.03 %' out || fail "no error of the sample"
! grep -q 'Warning' out || fail "a warning of a good sample"
ends 0 "$gptl" predict coarse.json machine.json >out
grep -q 'error of the first hit rate of 97.6 %' out && grep -q 'Warning: .*without --sample' out || fail "no warning of a bad sample"
ends 0 "$gptl" predict single.json machine.json >out
grep -q 'too few bursts' out && grep -q 'Warning: ' out || fail "no warning of a sample of one burst"
for sample in fine coarse single far; do
    ends 0 "$gptl" predict --json -o "$sample.out" "$sample.json" machine.json
    python3 -c 'import json, sys, jsonschema
got = json.load(open(sys.argv[1] + ".out"))
jsonschema.validate(got, json.load(open(sys.argv[2])))
made = json.load(open(sys.argv[1] + ".json"))["sampling"]
assert got["sampling"] == (made and {"fraction": made["fraction"], "error": made["error"],
                                     "doubtful": sys.argv[1] != "fine"}), got["sampling"]' \
        "$sample" "$srcdir/doc/prediction.schema.json" || fail "the sample in JSON"
done

# ---- Edges ----

made 'write("empty.json", signature([]))
deep = [{"id": i, "parent": i - 1 if i else None, "name": f"r{i}" if i else "", "calls": 1} for i in range(100000)]
write("deep.json", signature([block(99999, loads=8)], deep))
many = [block(0, i % 100, i, loads=8) for i in range(100000)]
names = [{"name": f"f{i}", "file": "", "module": "m"} for i in range(100)]
write("many.json", signature(many, functions=names))
write("slowest.json", machine("slowest", 1e50))
write("rates.json", machine("rates", rates=[]))
write("later.json", machine("later", version=2))
write("units.json", machine("units", arithmetic=[], instructions_per_second=None))'
ends 0 "$gptl" predict --base slow.json empty.json machine.json >out
grep -q '^model on flat' out || fail "an empty signature"
ends 0 "$gptl" predict --json --base slow.json empty.json machine.json >empty.out
python3 -c 'import json; got = json.load(open("empty.out")); assert got["seconds"] == 0 and got["ratio"]["value"] is None' ||
    fail "an empty signature as JSON"
ends 0 "$gptl" predict deep.json machine.json >out
[ "$(wc -c <out)" -lt 30000000 ] || fail "a deep tree is quadratic"
ends 0 "$gptl" predict --json -o many.out many.json machine.json
python3 -c 'import json; got = json.load(open("many.out"))
assert abs(got["seconds"] * 1e9 - 800000) < 1e-3 and len(got["blocks"]) == 20' || fail "many blocks"
ends 0 "$gptl" predict --json many.json slowest.json >/dev/null
ends 0 "$gptl" predict sums.json units.json >/dev/null
refused 'no rates of loads in order' predict sums.json rates.json
refused 'version 2' predict sums.json later.json
refused 'two\|needed' predict sums.json
refused 'a number from 1 on' predict --cores 0 sums.json machine.json
refused 'small and huge' predict --pages tiny sums.json machine.json
refused 'no such option' predict --wrong sums.json machine.json
refused 'gptl predict: .*none.json' predict none.json machine.json
refused 'gptl predict: .*none.json' predict sums.json none.json
refused 'gptl predict: ' predict --measured none.json sums.json machine.json
head -c 1000 sums.json >cut.json
refused 'gptl predict: cut.json' predict cut.json machine.json
head -c 1000 machine.json >cut.json
refused 'gptl predict: cut.json' predict sums.json cut.json
if [ -c /dev/full ]; then
    refused 'No space left' predict -o /dev/full sums.json machine.json
fi

# ---- The page ----

ends 0 "$gptl" report --html page.html --prediction prediction.json timing.json
grep -q '"predictedOn":"flat"' page.html || fail "the page does not name the machine"
# In the order of the page: solve, the dot product; the third row lacks a prediction.
grep -q '"predicted":\[1,5000,2,4000\]' page.html || fail "the page has no predictions: $(grep predicted page.html)"
grep -q '"doubtful":0' page.html || fail "the page doubts"
sed 's/"sampling":null/"sampling":{"fraction":0.98,"error":0.976,"doubtful":true}/' prediction.json >sampled.json
ends 0 "$gptl" report --html page.html --prediction sampled.json timing.json
grep -q '"doubtful":1' page.html || fail "the page does not say that the signature was sampled"
refused '\-\-prediction goes with' report --prediction prediction.json timing.json
refused '\-\-prediction goes with' report --html p.html --under solve --prediction prediction.json timing.json
refused 'no prediction' report --html p.html --prediction machine.json timing.json
head -c 700 prediction.json >cut.json
refused 'cut.json' report --html p.html --prediction cut.json timing.json
sed 's/"version":1/"version":2/' prediction.json >later.json
refused 'version 2' report --html p.html --prediction later.json timing.json
sed 's/"id":2,"parent":1/"id":2,"parent":7/' prediction.json >bad.json
refused 'parent' report --html p.html --prediction bad.json timing.json
