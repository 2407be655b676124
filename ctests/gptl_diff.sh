#!/bin/sh
# gptl diff on constructed runs with known numbers: one run per side, several, directories of ranks,
# threads, odd names, calls, regions, limits, mistakes.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC" python3
need_tools
compile tree "$srcdir/ctests/programs/tree.c"
GPTL_OPTIONS='output=json;overhead=off' ./tree >/dev/null 2>&1
mv timing.0.json template.json

# Functions that write profiles; the head is copied from a real one.
cat >made.py <<'EOF'
import copy
import json
import os
import random

template = json.load(open("template.json", encoding="utf-8"))


def thread(nodes, number=0):
    made = copy.deepcopy(template["threads"][0])
    made.update(thread=number, nodes=nodes, back_edges=[], intervals=[], crossings=[], crossed=0)
    return made


def node(number, parent, name, calls, seconds):
    each = round(seconds / max(calls, 1), 9)
    return dict(id=number, parent=parent, name=name, calls=calls, recurse=0, seconds=seconds,
                max=each, min=each, latest=each)


def nodes_of(tree):
    """TREE: {name: (calls, own seconds, subtree)}. Inclusive times are summed up."""
    nodes = []

    def add(tree, parent):
        total = 0
        for name, (calls, own, below) in tree.items():
            at = len(nodes)
            nodes.append(None)
            seconds = round(own + add(below, at + 1), 9)
            nodes[at] = node(at + 1, parent, name, calls, seconds)
            total += seconds
        return total

    return nodes, add(tree, 0)


def write(path, *trees, **head):
    made = [nodes_of(tree) for tree in trees]
    threads = [thread(nodes, number) for number, (nodes, _) in enumerate(made)]
    profile = dict(template, threads=threads, elapsed=max(total for _, total in made))
    profile.update(head)
    json.dump(profile, open(path, "w", encoding="utf-8"))


def model(solve=6.0, io=1.0, calls=100, extra=None, noise=0.0, seed=None):
    r = random.Random(seed)

    def n(x):
        return x * (1 + noise * r.gauss(0, 1))

    below = {"solve": (calls, n(solve), {"dot": (10 * calls, n(2), {})}), "io": (3, n(io), {})}
    below.update(extra or {})
    return {"main": (1, n(0.5), below)}
EOF

# made CODE: write profiles.
made() {
    python3 -c "from made import *
$1" || fail "cannot make profiles"
}

# diff_ends STATUS ARGUMENT...: the output is in out, messages are in err.
diff_ends() {
    wanted=$1
    shift
    status=0
    "$gptl" diff "$@" >out 2>err || status=$?
    [ $status = "$wanted" ] || {
        cat out err
        fail "gptl diff $*: exit status $status, expected $wanted"
    }
}

says() {
    grep -qE -e "$1" out || {
        cat out
        fail "does not say: $1"
    }
}

is_silent_on() {
    ! grep -qE -e "$1" out || {
        cat out
        fail "says: $1"
    }
}

# told EXPRESSION: the JSON output is D; its rows by name are R.
told() {
    python3 -c "
import json
D = json.load(open('out', encoding='utf-8'))
R = {p['name']: p for p in D['paths']}
assert $1, D" || fail "not so: $1"
}

# refuses MESSAGE ARGUMENT...
refuses() {
    message=$1
    shift
    diff_ends 2 "$@"
    grep -q "^gptl diff: .*$message" err || fail "gptl diff $*: no message \"$message\": $(cat err)"
    [ ! -s out ] || fail "gptl diff $*: something on stdout"
}

echo "== one run of each"
made 'write("a.json", model()); write("b.json", model(solve=6.6))'
diff_ends 0 a.json a.json
says '^No difference\.$'
is_silent_on 'solve'
diff_ends 0 a.json b.json
says '^  whole run +9\.5000 +10\.1000 +\+0\.6000 +\+6\.3  \?$'
says '^  all regions +9\.5000 +10\.1000 +\+0\.6000 +\+6\.3  \?$'
says '^  main +9\.5000 +10\.1000 +\+0\.6000 +\+6\.3  \? +- +-  same +1 +1$'
says '^    solve +8\.0000 +8\.6000 +\+0\.6000 +\+7\.5  \? +\+0\.6000 +\+10\.0  \? +100 +100$'
is_silent_on 'dot'
is_silent_on ' io '
says 'cannot tell a change from noise'
is_silent_on 'slower|faster'
diff_ends 0 --all a.json b.json
says '^      dot +2\.0000 +2\.0000 +- +-  same .* 1000 +1000$'
diff_ends 0 b.json a.json
says '^    solve .* -0\.6000 +-7\.0 '
"$gptl" diff - b.json <a.json >piped
"$gptl" diff a.json b.json | sed 's/a\.json/-/' | cmp - piped || fail "stdin is read as another file"

echo "== limits of what is shown and of what fails"
diff_ends 0 --min 0.7 a.json b.json
is_silent_on 'solve'
says '^No path differs by as much as is shown; --all shows all\.$'
says '^2 paths changed by less than 0\.7 s;'
diff_ends 0 --threshold 7 a.json b.json
is_silent_on 'solve'
diff_ends 0 --threshold 6 a.json b.json
says 'solve'
diff_ends 1 --fail-above 5% a.json b.json
says '^B is slower than --fail-above allows in 5 figures, first in "the whole run"\.$'
diff_ends 0 --fail-above 11% a.json b.json
diff_ends 1 --fail-above 9% a.json b.json
says 'in 1 figure, first in "solve"\.$'
diff_ends 0 --fail-above 9% --metric total a.json b.json
diff_ends 1 --fail-above 7.4% --metric total a.json b.json
diff_ends 1 --fail-above=0.5s a.json b.json
diff_ends 0 --fail-above=0.7s a.json b.json
diff_ends 0 --fail-above 5% b.json a.json
diff_ends 0 --fail-above 5% --min 1 a.json b.json

echo "== metrics, regions"
diff_ends 0 --metric self a.json b.json
says 'Exclusive A +Exclusive B'
is_silent_on 'Inclusive'
says '^  main +0\.5000 +0\.5000 +- +-  same'
says '^    solve +6\.0000 +6\.6000 +\+0\.6000 +\+10\.0 '
made 'write("c.json", model(calls=110))'
diff_ends 0 a.json c.json
says '^    solve .* same .* 100 +110$'
diff_ends 0 --metric calls a.json c.json
says '^    solve +100 +110 +\+10 +\+10\.0  more$'
says '^      dot +1000 +1100 +\+100 +\+10\.0  more$'
is_silent_on '^    io'
diff_ends 1 --metric calls --fail-above 9% a.json c.json
diff_ends 0 --metric calls --fail-above 9% c.json a.json
made '
twice = lambda x: {"main": (1, 0.5, {"p": (1, 1, {"f": (1, x, {})}), "q": (1, 1, {"f": (2, x, {})})})}
write("d.json", twice(1)); write("e.json", twice(1.5))'
diff_ends 0 --flat d.json e.json
says '^  f +2\.0000 +3\.0000 +\+1\.0000 +\+50\.0  \? .* 3 +3$'
[ "$(grep -c '^  f ' out)" = 1 ] || fail "a region has several rows"
says '^  all regions +4\.5000 +5\.5000 '

echo "== events that were counted, and times that are estimated"
cat >counted.py <<'EOF'
import os
import random
import sys

sys.path.insert(0, sys.argv[1])
from profiles import Profile, counted, derived


def write(path, seed, a=1000, noise=0.01, dot=10**9, error=0, rank=0, b=True):
    r = random.Random(seed)
    profile = Profile(rank)
    profile.metrics = [counted("PAPI_A", description="things"), derived("R", "PAPI_A/wall"),
                       counted("p:::E", scope="process")] + ([counted("B")] if b else [])
    for number in range(2):
        n = [int(x * 10**6 * (1 + noise * r.gauss(0, 1))) for x in (a, 2000, 500)]
        thread = profile.thread()
        more = [7] if b else []
        main = thread.add(0, "main", 1, 2 * 10**9 + dot, values=[sum(n), 1, 70 + number] + more)
        thread.add(main, "solve", 10, 10**9, values=[n[0], 1, 30 + number] + more)
        thread.add(main, "dot", 1000, dot, values=[n[1], 1, 10] + more, timed=100, error=error)
    profile.write(path)


for i in range(5):
    write(f"ca{i}.json", i)
    write(f"cb{i}.json", 100 + i, a=1100)
    write(f"cc{i}.json", 200 + i)
write("exact1.json", 0, noise=0)
write("exact2.json", 0, noise=0, a=1200)
write("no_b.json", 0, b=False)
for name, dot, error in ("e1", 1000, 20), ("e2", 1049, 30), ("e3", 1051, 30):
    write(f"{name}.json", 0, noise=0, dot=dot * 10**6, error=error * 10**6)
os.mkdir("ranks")
for rank in range(2):
    write(f"ranks/timing.{rank}.json", 0, noise=0, rank=rank)
EOF
python3 counted.py "$srcdir/ctests/programs"
diff_ends 1 --metric A --fail-above 5% ca?.json -- cb?.json
says '^  all regions .* more$'
says '^    solve .* \+[0-9.]+  more .* more +20 +20$'
is_silent_on '^    dot'
says '^Events are those of PAPI_A: things$'
says '^B has more events than --fail-above allows in 2 figures, first in "solve"\.$'
diff_ends 0 --metric PAPI_A --fail-above 5% cb?.json -- ca?.json
says '^    solve .*  fewer '
diff_ends 0 --metric PAPI_A --fail-above 0.001% ca?.json -- cc?.json
says '^No path differs by more than noise; --all shows all\.$'
diff_ends 0 --metric PAPI_A exact1.json exact2.json
says '^  all regions +7000000000 +7400000000 +\+400000000 +\+5\.7  \?$'
says '^  main +7000000000 +7400000000 +\+400000000 +\+5\.7  \? +- +-  same +2 +2$'
says '^    solve +2000000000 +2400000000 +\+400000000 +\+20\.0  \? +\+400000000 +\+20\.0  \? +20 +20$'
diff_ends 0 --metric PAPI_A --min 400000001 exact1.json exact2.json
is_silent_on '^    solve'
says 'changed by less than 4e\+08 events;'
diff_ends 1 --metric PAPI_A --fail-above 399999999 exact1.json exact2.json
diff_ends 0 --metric PAPI_A --fail-above 400000000 exact1.json exact2.json
diff_ends 0 --flat --metric PAPI_A --json exact1.json exact2.json
told 'D["event"] == "PAPI_A" and D["all_events"]["change"] == 400000000 and D["event_limit"] == 7200000'
told 'R["solve"]["events"] == R["solve"]["self_events"] and R["solve"]["events"]["a"] == 2 * 10**9'
diff_ends 0 --metric time exact1.json exact2.json
says '^No difference'
# Process-wide counts belong to the first thread; several processes lack a sum.
diff_ends 0 --metric p:::E --all exact1.json exact2.json
says '^  main +70 +70 +- '
diff_ends 0 --metric p:::E --all --lanes max exact1.json exact2.json
says '^  main +71 +71 +- '
# Errors of both sides combined: 2 x 20 ms and 2 x 30 ms.
diff_ends 0 --all e1.json e2.json
says '^    dot +~2\.0000 +~2\.0980 +\+0\.0980 +\+4\.9  same '
says '^  main +6\.0000 +6\.0980 +\+0\.0980 +\+1\.6  \? +- +-  same '
diff_ends 0 --all e1.json e3.json
says '^    dot +~2\.0000 +~2\.1020 +\+0\.1020 +\+5\.1  \? '
diff_ends 0 --lanes max --all e1.json e2.json
says '^    dot +~1\.0000 +~1\.0490 +\+0\.0490 +\+4\.9  same '
says '^Times with ~ are estimated'
diff_ends 0 --json e1.json e3.json
told 'R["dot"]["total"]["error_a"] == 0.04 and R["dot"]["self"]["error_b"] == 0.06'
refuses 'there are total, self and calls; and of events PAPI_A, p:::E, B$' --metric C exact1.json exact2.json
refuses 'it is derived' --metric R exact1.json exact2.json
refuses '1 of 1 processes of no_b.json did not count it' --metric B exact1.json no_b.json
refuses 'of several processes that has no sum' --metric p:::E exact1.json ranks
refuses 'percent or a number are needed' --metric A --fail-above 1s exact1.json exact2.json

echo "== a region below itself counts once"
made '
below = lambda x: {"f": (1, 1, {"g": (1, 1, {"f": (1, x, {})})})}
write("d.json", below(1)); write("e.json", below(2))'
diff_ends 0 --flat d.json e.json
says '^  f +3\.0000 +4\.0000 +\+1\.0000 '

echo "== paths that only one has"
made '
extra = {"new": (7, 1.25, {"below": (1, 0.5, {})}), "tiny": (1, 1e-6, {})}
write("f.json", model(extra=extra))'
diff_ends 0 a.json f.json
says '^    new +0\.0+ +1\.750+ +\+1\.750+ +-  added +\+1\.250+ +-  added +0 +7$'
says '^      below .*  added '
is_silent_on 'tiny'
says '^1 path changed by less than'
diff_ends 0 f.json a.json
says '^    new +1\.750+ +0\.0+ +-1\.750+ +-100\.0  vanished .* 7 +0$'
diff_ends 1 --fail-above 1s a.json f.json
diff_ends 1 --fail-above 15% a.json f.json # the whole run

echo "== several runs"
made '
for i in range(5):
    write(f"a{i}.json", model(noise=0.015, seed=i), started=1000 + 100 * i)
    write(f"b{i}.json", model(noise=0.015, seed=100 + i, solve=6.8), started=1050 + 100 * i)
    write(f"c{i}.json", model(noise=0.015, seed=200 + i), started=1050 + 100 * i)
    write(f"l{i}.json", model(noise=0.015, seed=300 + i), started=2000 + 100 * i)'
diff_ends 1 --fail-above 5% a?.json -- b?.json
says '^A  5 runs: a0.json \.\.\. a4.json$'
says '^    solve .*  slower .* slower +100 +100$'
is_silent_on '^      dot|^    io'
is_silent_on '^Note'
says 'in 5 \+ 5 runs; the chance that one or more are wrong is 3 % at most'
diff_ends 0 b?.json -- a?.json --fail-above 5%
says '^    solve .*  faster .* faster +100 +100$'
diff_ends 0 --fail-above 0.001% a?.json -- c?.json
says '^No path differs by more than noise; --all shows all\.$'
diff_ends 0 --all a?.json -- c?.json
says '^      dot .*  same '
is_silent_on 'slower|faster|\?'
diff_ends 0 a0.json a1.json a2.json -- b0.json b1.json b2.json
says '^    solve .*  \? '
says '3 runs of A and 3 of B cannot tell'
diff_ends 0 a?.json -- l?.json
says '^Note: all runs of A were made before those of B'
diff_ends 0 l?.json -- a?.json
says '^Note: all runs of B were made before those of A'
diff_ends 0 --json a?.json -- b?.json
told 'D["format"] == "gptl-diff" and D["noise_tested"] and [len(D["a"]), len(D["b"])] == [5, 5]'
told 'R["solve"]["self"]["verdict"] == "slower" and R["solve"]["self"]["chance"] <= 0.03'
told '0.05 < R["solve"]["self"]["change"] / R["solve"]["self"]["a"] < 0.2'
told 'R["main"]["parent"] == 0 and R["solve"]["parent"] == R["main"]["id"] and "io" not in R'

echo "== a path that is in some runs only"
made '
for i in range(4):
    write(f"s{i}.json", model(noise=0.01, seed=i, extra={"some": (1, 2, {})} if i % 2 else {}))
    write(f"t{i}.json", model(noise=0.01, seed=10 + i, extra={"all": (1 + i, 1, {})}))'
diff_ends 0 s?.json -- t?.json --json --all
told 'R["all"]["total"]["verdict"] == "added" and R["all"]["runs"] == {"a": 0, "b": 4}'
told 'R["some"]["total"]["verdict"] == "same" and R["some"]["runs"] == {"a": 2, "b": 0}'
diff_ends 0 --metric calls s?.json -- t?.json
says '^    all +0 +~3 '

echo "== processes and threads"
made '
for d, solve in ("p", 6), ("q", 7), ("one", 6):
    os.mkdir(d)
    for rank in range(1 if d == "one" else 4):
        write(f"{d}/timing.{rank}.json", model(solve=solve + rank), rank=rank, host="h" + d)
json.dump({"no": "profile"}, open("p/other.json", "w"))
write("t1.json", model()); write("t2.json", model(), model(solve=7))
write("options.json", model(), clock={**template["clock"], "name": "clock_gettime"},
      options={**template["options"], "utr": "clock_gettime", "dopr_quotes": "on"},
      program="/other/\u00e4 \x07", command=["x", "a b"])'
diff_ends 0 p q
says '^Note: compared runs differ: host hp -> hq$'
says '^  whole run +12\.5000? +13\.5000? '
says '^  all regions +44\.0000? +48\.0000? +\+4\.0000? '
says '^    solve +38\.0000? +42\.0000? .* 400 +400$'
diff_ends 0 --lanes max p q
says '^  all regions +12\.5000? +13\.5000? +\+1\.0000? '
says '^    solve +11\.0000? +12\.0000? .* 100 +100$'
diff_ends 0 --lanes max one p
says 'differ: processes 1 -> 4$'
says 'differ: threads 1 -> 4$'
diff_ends 0 p/timing.0.json p/timing.1.json -- q/timing.0.json q/timing.1.json
says 'the 2 files of A are of 2 different ranks'
cp p/timing.1.json p/again.json
diff_ends 0 p q
says '^Note: p has several profiles of one rank'
diff_ends 0 t1.json t2.json
says 'differ: threads 1 -> 2$'
says 'times are sums over all threads'
says '^    solve +8\.000+ +17\.000+ '
diff_ends 0 t2.json t2.json
says 'times are sums over all threads'
diff_ends 0 --lanes max t2.json t2.json
is_silent_on 'sums over all threads'
diff_ends 0 a.json options.json
says 'differ: option utr .* -> clock_gettime$'
says 'differ: clock .* -> clock_gettime$'
says 'differ: program .* -> /other/ä \\x07$'
says 'differ: arguments none -> a b$'
is_silent_on 'quote'

echo "== names"
made '
names = ["quote\" and \\", "new\nline", "semi;colon", "<b>&amp;", "bad\\xff", "\u00fcn\u00efcode", " ", "50%s"]
odd = lambda x: {"main": (1, 1, {name: (1, x + i, {}) for i, name in enumerate(names)})}
write("m.json", odd(1)); write("n.json", odd(2))'
diff_ends 0 m.json n.json
says '^    new\\x0aline +2\.00* '
says '^    bad\\xff +5\.00* '
says '^    50%s +8\.00* '
[ "$(grep -c '+1\.00* .*+1\.00* ' out)" = 8 ] || fail "a row is missing: $(cat out)"
diff_ends 0 --json m.json n.json
python3 -c '
import json
names = {p["name"] for p in json.load(open("out", encoding="utf-8"))["paths"]}
assert names == {"main", "quote\" and \\", "new\nline", "semi;colon", "<b>&amp;", "bad\\xff",
                 "\u00fcn\u00efcode", " ", "50%s"}, names' || fail "names are not the same in JSON"
diff_ends 0 -o written m.json n.json
[ ! -s out ] || fail "-o writes to stdout"
grep -q 'new.x0aline' written || fail "-o wrote nothing"

echo "== large and deep trees, and empty ones"
made '
def big(path, seconds, parent):
    nodes = [node(i, parent(i), f"r{i}", 1, seconds(i)) for i in range(1, 100001)]
    json.dump(dict(template, threads=[thread(nodes)], elapsed=1e6), open(path, "w"))


for name, by in ("1", 0), ("2", 1):
    big(f"deep{name}.json", lambda i: 200000 - i + by, lambda i: i - 1)
    big(f"wide{name}.json", lambda i: 1 + by * (i % 1000 == 0) * 1000, lambda i: 0)
write("none.json", {})'
diff_ends 0 deep1.json deep2.json
is_silent_on 'r100000 '
diff_ends 0 --threshold 0 deep1.json deep2.json
[ "$(grep -c 'r[0-9][0-9]* .*+1\.0' out)" = 100000 ] || fail "not all of a deep tree"
[ "$(wc -L <out)" -lt 400 ] || fail "lines of a deep tree are long"
diff_ends 0 wide1.json wide2.json
[ "$(grep -c '^  r[0-9]* .*+1000\.' out)" = 100 ] || fail "not all of a wide tree"
diff_ends 0 --flat --all --json wide1.json wide2.json
told 'len(R) == 100000 and R["r1000"]["total"]["change"] == 1000'
diff_ends 0 none.json none.json
says '^No difference'
diff_ends 0 a.json none.json
says '^  main .*  vanished '
diff_ends 0 --json none.json a.json
told 'R["main"]["total"]["verdict"] == "added" and R["main"]["total"]["percent"] is None'

echo "== wrong usage and input"
head -c 1500 a.json >cut.json
: >empty.json
mkdir empty
refuses 'two runs are needed'
refuses 'two runs are needed' a.json
refuses 'two runs are needed' a.json --
refuses 'two runs are needed' -- a.json
refuses 'Put -- between' a.json b.json c.json
refuses 'there is no such option' --wrong a.json b.json
refuses 'value is missing' a.json b.json --min
refuses 'there are total, self and calls; and of events none' --metric tim a.json b.json
refuses 'there are sum and max' --lanes mean a.json b.json
refuses 'percent or seconds' --fail-above 5 a.json b.json
refuses 'percent or seconds' --fail-above -5% a.json b.json
refuses 'percent or seconds' --fail-above nan% a.json b.json
refuses 'a number of percent' --threshold x a.json b.json
refuses 'a number of seconds' --min -1 a.json b.json
refuses 'nothing.json' a.json nothing.json
refuses 'cut.json' a.json cut.json
refuses 'empty.json' empty.json a.json
refuses 'empty' empty a.json
refuses 'tree' a.json ./tree
status=0
"$gptl" diff -o no/such/folder a.json b.json >out 2>err || status=$?
[ $status = 2 ] || fail "-o no/such/folder: exit status $status"
grep -q 'no/such/folder' err || fail "-o no/such/folder: $(cat err)"
if [ -w /dev/full ]; then
    status=0
    "$gptl" diff a.json b.json 2>err >/dev/full || status=$?
    [ $status = 2 ] || fail "a full disk: exit status $status"
    [ -s err ] || fail "a full disk: no message"
fi
diff_ends 0 --help
says '^usage: gptl diff'
