#!/bin/sh
# Each output of `gptl report` has the numbers of its profiles, and is valid for the programs that read it: CSV by
# Python, stacks line by line, JSON by the published formats, graphs by graphviz.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3 dot
need_tools
python3 -c 'import jsonschema' 2>/dev/null || skip "no jsonschema (Debian: python3-jsonschema)"
PYTHONPATH=$srcdir/ctests/programs
export PYTHONPATH

# all_outputs NAME FILE...: write all of them, and compare them with the files.
all_outputs() {
    name=$1
    shift
    for output in folded csv speedscope chrome dot table flat summary; do
        ends 0 "$gptl" report --$output -o "$name.$output" "$@" 2>stderr
        [ ! -s stderr ] || { cat stderr; fail "--$output $* said something"; }
        "$gptl" report --$output "$@" | cmp -s - "$name.$output" || fail "--$output and -o differ"
    done
    ! grep -Evq '^[^ ].* [1-9][0-9]*$' "$name.folded" || fail "$name.folded has other lines"
    python3 "$srcdir/ctests/programs/check_outputs.py" "$srcdir" "$name" "$@" || fail "$name"
    no_rest
}

# ---- Ranks and threads, recursion, crossed stops, calls that are open ------------

cat >make_ranks.py <<'END'
from profiles import Profile

for rank in range(4):
    profile = Profile(rank)
    thread = profile.thread()
    main = thread.add(0, "main", 0, 0, open_ns=50_000_000_007 + rank)
    thread.add(main, "init", 1, 1_000_003 * (rank + 1))
    step = thread.add(main, "step", 10, 40_000_000_000, most=5_000_000_001, least=1)
    solve = thread.add(step, "solve", 60, 30_000_000_000 + rank, recurse=50)
    inner = thread.add(solve, "inner", 50, 9_999_999_999)
    thread.edge(inner, solve, 30)
    thread.edge(solve, solve, 20)
    thread.add(step, "inner", 7, 77)
    crossed = thread.add(step, "crossed", 1, 10)
    thread.add(crossed, "longer", 1, 25)
    if rank == 2:
        thread.add(main, "only here", 1, 1234)
    for _ in range(rank % 2):
        other = profile.thread()
        other.add(0, "inner", 3, 3_000)
        other.add(0, "no time at all", 5, 0)
    profile.write(f"timing.{rank}.json")
END
python3 make_ranks.py
all_outputs ranks timing.0.json timing.1.json timing.2.json timing.3.json
all_outputs one timing.1.json

# The base of the shares: thread 0 of a process that was measured for 12.5 s. Other threads, a part of the tree, and
# shares below a twentieth have none.
cat >make_outside.py <<'END'
from profiles import Profile

for rank, inside in enumerate((9_500_000_000, 3_000_000_000, 11_900_000_000)):
    profile = Profile(rank)
    profile.thread().add(0, "main", 1, inside)
    profile.thread().add(0, "main", 1, 2_000_000_000)
    profile.write(f"outside.{rank}.json")
END
python3 make_outside.py
outside() { "$gptl" report "$@" | grep 'in no region'; }
same "one" "$(outside --table outside.0.json)" \
    "Beside that, thread 0 was in no region for 3.000 of 12.500 s measured (24.0 %)"
same "several" "$(outside --flat outside.?.json)" \
    "Beside that, thread 0 of each process was in no region for 13.100 of 37.500 s measured (34.9 %)"
same "little" "$(outside --flat outside.2.json)" ""
same "of another thread" "$(outside --flat --thread 1 outside.0.json)" ""
same "of a part" "$(outside --flat --under main outside.0.json)" ""
"$gptl" report --html outside.html outside.0.json outside.1.json
grep -qF '12.500 of 25.000 s of thread 0 of each (50.0 %)' outside.html || fail "not in the page"

# A run of fewer ranks leaves files of the one before it, which do not belong to this one.
mkdir left
sed 's/"started": *[0-9.]*/"started":1700003600/' timing.0.json >left/timing.0.json
for rank in 1 2 3; do cp "timing.$rank.json" left/; done
"$gptl" report --flat left 2>err >out || fail "files of two runs"
same "what is told" "$(cat err)" "gptl report: Note: these are files of several runs, as rank 1 and others ended before rank 0 began; name those of one"
sed 's/"started": *[0-9.]*/"started":1700000012.5/' timing.0.json >left/timing.0.json
"$gptl" report --flat left 2>err >out || fail "files of one run"
same "what is told of one run" "$(cat err)" ""
rm -r left

# The contents of the table. Column 2 is Called; recursion does not count time twice.
grep -q '^Call paths of model: 4 ranks, 6 threads; 100 % is ' ranks.table || fail "no head"
# field FILE NAME N: the N-th word after the name.
field() { awk -v name="$2" -v n="$3" '{ sub(/^[ >]*/, "") } index($0, name " ") == 1 {
    print $(n + split(name, words, " ")); exit }' "$1"; }
same "calls of solve" "$(field ranks.table solve 1)" 240
same "recursive calls of solve" "$(field ranks.table solve 2)" 200
same "inclusive time of solve" "$(field ranks.table solve 3)" 120.000000006
same "exclusive time of solve" "$(field ranks.table solve 5)" 80.000000010
same "ranks of main" "$(field ranks.table main 9)" 4
same "calls of inner" "$(field ranks.flat inner 1)" 234
same "inclusive time of inner" "$(field ranks.flat inner 3)" 40.000006304
same "threads of inner" "$(field ranks.flat inner 9)" 6
same "longest of the threads" "$(field ranks.flat inner 10)" 10.000000076
# The summary of ranks: which rank has the maximum and the minimum. Columns: 1 processes, 2 threads, 3 calls, 5 mean,
# 7 wallmax, 9 its rank, 13 the rank of wallmin.
same "processes of solve" "$(field ranks.summary solve 1)" 4
same "mean of init" "$(field ranks.summary init 5)" 0.002500008
same "most of init" "$(field ranks.summary init 7)" 0.004000012
same "rank with the most of init" "$(field ranks.summary init 9)" 3
same "rank with the least of init" "$(field ranks.summary init 13)" 0
same "threads of inner" "$(field ranks.summary inner 2)" 6
ends 2 "$gptl" report --summary --top 3 timing.0.json 2>stderr
grep -q 'only --rank and --thread go with it' stderr || fail "--summary --top: $(cat stderr)"
grep -q '^> is open: ' ranks.table || fail "no note about what is open"
same "columns of one thread" "$(grep -c 'imbal %' one.table)" 1
"$gptl" report --table --thread 0 timing.1.json | grep -q 'imbal %' && fail "lanes of one thread"

# ---- All ranks in one file -------------------------------------------------------

{
    echo '{"format":"gptl-profiles","version":1,"more":[1],"profiles":['
    cat timing.0.json
    echo ',null,'
    cat timing.1.json
    echo ']}'
} >both.json
for output in csv table summary; do
    "$gptl" report --$output both.json >from_one
    "$gptl" report --$output timing.0.json timing.1.json >from_two
    cmp -s from_one from_two || fail "--$output of one file with two reports differs"
done
"$gptl" report both.json | grep -q '^Call paths of model: 2 ranks' || fail "both.json is no table"
"$gptl" report --rank 1 --csv - <both.json | cut -d, -f1 | sort -u >ranks
same "ranks from stdin" "$(tr '\n' ' ' <ranks)" "1 rank "
mkdir folder
cp both.json folder
same "rows of a folder" "$("$gptl" report --csv folder | wc -l)" "$("$gptl" report --csv both.json | wc -l)"
size=$(wc -c <both.json)
for cut in 40 60 500 $((size / 2)) $((size - 3)); do
    head -c "$cut" both.json >cut.json
    ends 2 "$gptl" report --csv cut.json 2>stderr
    [ -s stderr ] || fail "nothing was said of a file that is cut after $cut bytes"
done
sed 's/"gptl-profiles","version":1/"gptl-profiles","version":2/' both.json >newer.json
ends 2 "$gptl" report --csv newer.json 2>stderr
grep -q 'gptl-profiles of another version' stderr || fail "a newer version: $(cat stderr)"
echo '{"format":"gptl-profiles","version":1,"profiles":[]}' >none.json
"$gptl" report none.json >stdout 2>&1 || fail "no profiles: exit status $?"
rm -r folder both.json cut.json newer.json none.json from_one from_two ranks

# ---- Names of any bytes ----------------------------------------------------------

cat >make_names.py <<'END'
import random

from profiles import Profile

random.seed(7)
names = [b" ", b";", b"a;b", b"/", b"a/b", b"\\", b"\\x41", b"\\\\", b'"', b'""', b"'", b"&amp;", b"<b>",
         b"{x|y}", b"\\n", b"\\N", b"\\G", b"%s%n", b"a b 12", b" lead", b"trail ", b"=1+1", b"a,b",
         b"a\nb", b"\r\n", b"\t", b"\x7f", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", "größe".encode(),
         "日本".encode(), "\U0001f600".encode(), "\u0085".encode(), "\u2028".encode(), b"x" * 5000,
         b"\xfe" * 3000, b"operator<(std::vector<int, std::allocator<int> > const&)", b"(2 more)"]
names += [bytes([c]) for c in range(1, 256)]
names += [bytes(random.randint(1, 255) for _ in range(random.randint(1, 30))) for _ in range(500)]
names = list(dict.fromkeys(names))
profile = Profile()
thread = profile.thread()
top = thread.add(0, b"top;/\\x\"\n\xff&", 1, 10**9)
for i, name in enumerate(names):
    parent = thread.add(top, name, i + 1, 1000 + i)
    thread.add(parent, names[i - 1], 1, i)
profile.write("names.json")
END
python3 make_names.py
all_outputs names names.json
same "rows of the table" "$(grep -Ec ' [0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+$' \
    names.table)" 1551
for output in table flat folded csv dot; do
    python3 -c '
import sys, unicodedata
text = open(sys.argv[1], encoding="utf-8", newline="").read().replace("\n", "")
assert not [c for c in text if unicodedata.category(c) == "Cc"], "control characters"' names.$output ||
        fail "names.$output is no plain text"
done

# ---- Functions -------------------------------------------------------------------

cat >make_functions.py <<'END'
from profiles import Profile

for rank in range(2):
    profile = Profile(rank)
    thread = profile.thread()
    functions = [profile.function("init", 0x100, "/src/a.c", 10),
                 profile.function("init", 0x200, "/src/b \"x\".c", 20),
                 profile.function(None, 0x300), profile.function("main", 0x400, "/src/main.c")]
    main = thread.add(0, "main", 1, 1000, function=3)
    thread.add(main, "init", 1, 100, function=rank)
    thread.add(main, "model+0x300", 1, 10 * (rank + 1), function=2)
    profile.write(f"functions.{rank}.json")
END
python3 make_functions.py
"$gptl" report --csv functions.0.json functions.1.json >functions.csv
grep -qxF '0,0,"main/init [a.c]","init [a.c]",2,1,0,0.0000001,0.0000001,0.0000001,0.0000001,"/src/a.c",10' \
    functions.csv || fail "no row of a function: $(cat functions.csv)"
grep -qxF '1,0,"main/init [b ""x"".c]","init [b ""x"".c]",2,1,0,0.0000001,0.0000001,0.0000001,0.0000001,"/src/b ""x"".c",20' \
    functions.csv || fail "a static function is lost: $(cat functions.csv)"
same "rows" "$(wc -l <functions.csv)" 7
"$gptl" report --speedscope functions.0.json functions.1.json | python3 -c '
import json, sys
frames = json.load(sys.stdin)["shared"]["frames"]
assert {"name": "init [a.c]", "file": "/src/a.c", "line": 10} in frames, frames
assert {"name": "model+0x300"} in frames, frames' || fail "frames have no source"

# ---- Sizes -----------------------------------------------------------------------

cat >make_sizes.py <<'END'
import sys
from profiles import Profile

for rank in range(64):
    profile = Profile(rank)
    thread = profile.thread()
    main = thread.add(0, "main", 1, 10**10)
    for i in range(50):
        thread.add(thread.add(main, f"region {i}", 1, 10**8), f"leaf {i % 7}", rank + 1, 10**7)
    if rank == 63:
        profile.thread()  # did nothing
    profile.write(f"many/timing.{rank}.json")

profile = Profile()
thread = profile.thread()
parent = 0
for level in range(100_000):
    parent = thread.add(parent, f"level {level}", 1, 200_000 - level)
profile.write("deep.json")

profile = Profile()
profile.write("nothing.json")
profile = Profile()
profile.thread().add(0, "main", 1, 0)
profile.write("no_time.json")
END
mkdir many
python3 make_sizes.py
# shellcheck disable=SC2046 # a list of files
all_outputs many $(seq -f many/timing.%g.json 0 63)
"$gptl" report --table many | cmp - many.table || fail "a folder is not in the order of numbers"
same "ranks of main" "$(field many.table main 8)" 64
all_outputs no_time no_time.json
for output in folded csv speedscope chrome dot table flat; do
    ends 0 "$gptl" report --$output -o nothing.$output nothing.json
done
grep -q 'No region was called' nothing.table || fail "nothing.table does not say it"
same "stacks of nothing" "$(wc -c <nothing.folded)" 0
same "rows of nothing" "$(wc -l <nothing.csv)" 1
dot -Tsvg nothing.dot >/dev/null || fail "nothing.dot"
dot -Tsvg no_time.dot >/dev/null || fail "no_time.dot"

# A very deep tree: it is complete, and no output is quadratic in the depth.
for output in folded csv speedscope chrome dot table flat; do
    ends 0 "$gptl" report --$output -o deep.$output deep.json
done
same "rows of a deep tree" "$(wc -l <deep.csv)" 100001
same "lines of a deep tree" "$(grep -c 'level ' deep.table)" 100000
same "its folded time" "$(awk '{ n += $NF } END { print n }' deep.folded)" 200000
grep -q ';level 999;(deeper) 199000$' deep.folded || fail "no frame for what is deeper"
grep -qF '/(99900 levels)/level 99999","level 99999",100000,' deep.csv || fail "no deepest row"
for output in speedscope chrome; do
    python3 -c 'import json, sys; json.load(open(sys.argv[1]))' deep.$output || fail "deep.$output"
done
[ "$(wc -c <deep.csv)" -lt 200000000 ] || fail "deep.csv has $(wc -c <deep.csv) bytes"
