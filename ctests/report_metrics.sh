#!/bin/sh
# `gptl report` of profiles with counters and estimated times: columns, ratios from sums, counters without a sum,
# counters of some processes only. All numbers are known.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3
need_tools
PYTHONPATH=$srcdir/ctests/programs
export PYTHONPATH

cat >make.py <<'END'
from profiles import Profile, counted, derived

# Rank 1 cannot count B, so it lacks R = A/B. E is machine-wide; S is estimated, and invalid below 2500 ns.
A, B = counted("PAPI_A", description="things"), counted("PAPI_B", unit="bits")
R, P = derived("GPTL_R", "PAPI_A/PAPI_B"), derived("P", "PAPI_A/wall")
E = counted("rapl:::E \"x\"\n;<b>", scope="machine")
S = counted("S", shown=False, estimated=True, least_seconds=2500e-9)

profile = Profile(0)
profile.metrics = [A, B, R, P, E, S]
profile.refused = [{"name": "PAPI_X", "why": "no counter is left"}]
thread = profile.thread()
main = thread.add(0, "main", 1, 10000, values=[1000, 100, 10, 1e8, 50, 7])
thread.add(main, "work", 4, 6000, values=[600, 50, 12, 1e8, 30, 5])
thread.add(main, "fast", 1000, 2000, values=[200, 10, 20, 1e8, 5, 2], timed=100, error=300)
thread = profile.thread()
thread.add(0, "work", 2, 3000, values=[300, 25, 12, 1e8, 49, 1])
profile.write("r/timing.0.json")

profile = Profile(1)
profile.metrics = [A, P, E]
profile.refused = [{"name": "PAPI_B", "why": "no such event here"},
                   {"name": "PAPI_X", "why": "no counter is left"}]
thread = profile.thread()
main = thread.add(0, "main", 1, 9000, values=[900, 1e8, 70])
thread.add(main, "work", 4, 8000, values=[450, 56250000, 60])
profile.write("r/timing.1.json")
END
mkdir r
python3 make.py

# row TABLE NAME [N]: the text after the name in its Nth row.
row() {
    awk -v name="$2" -v n="${3:-1}" '$1 == name && ++seen == n { $1 = ""; print substr($0, 2) }' "$1"
}

# last TABLE NAME FIELDS [N]: the last fields of a row.
last() {
    row "$1" "$2" "${4:-1}" | awk -v n="$3" '{ for (i = NF - n + 1; i <= NF; i++) printf "%s%s", $i, i < NF ? " " : "\n" }'
}

ends 0 "$gptl" report --set persec=off r >table
grep -m 1 '^ *Called' table | grep -q ' A  *excl\. .* B  *excl\. .* R  *excl\. .* P  *excl\. .* rapl:::E "x"\\x0a;<b>  *excl\.$' ||
    { cat table; fail "no heads"; }
! grep -q '  S  ' table || fail "a metric that was not asked for has a column"
same "main" "$(last table main 10)" "1900 ~650 100 ~40 1.00e+01 ~5.00e+00 1.00e+08 ~2.17e+08 - -"
same "main/work" "$(last table work 10)" "1050 1050 50 50 1.20e+01 1.20e+01 7.50e+07 7.50e+07 - -"
same "main/fast" "$(last table fast 10)" \
    "~200 ~200 ~10 ~10 ~2.00e+01 ~2.00e+01 ~1.00e+08 ~1.00e+08 ~5 ~5"
same "work" "$(last table work 10 2)" "300 300 25 25 1.20e+01 1.20e+01 1.00e+08 1.00e+08 49 49"
# Called, Inclusive +- %, Exclusive +- %.
same "times of main" "$(row table main | cut -d' ' -f 1-7)" \
    "2 0.000019000 - 86.36 ~0.000003000 0.000000300 ~13.64"
same "times of fast" "$(row table fast | cut -d' ' -f 1-7)" \
    "1000 ~0.000002000 0.000000300 ~9.09 ~0.000002000 0.000000300 ~9.09"
grep -q '^  PAPI_B, in bits; counted by 1 of 2 processes, whose sum it is$' table || fail "no note on B"
grep -q '^  P = PAPI_A/wall$' table || fail "no note on P"
grep -q '; of the whole machine: that of the first thread, and of several processes no sum$' table ||
    fail "no note on E"
grep -q '^  PAPI_X: no counter is left (in 2 processes)$' table || fail "no note on X"
grep -q '^  PAPI_B: no such event here$' table || fail "no note on what one process refused"
grep -q '^~ is estimated: ' table || fail "no note on ~"

# One process: its first thread has the process-wide counts.
ends 0 "$gptl" report --set persec=off --table --rank 0 r >table
same "E of main" "$(last table main 2)" "50 ~15"
ends 0 "$gptl" report --set persec=off --flat --rank 0 r >table
same "E of work" "$(last table work 10)" "900 900 75 75 1.20e+01 1.20e+01 1.00e+08 1.00e+08 30 30"
ends 0 "$gptl" report --set persec=off --flat --metrics all r >table
same "work" "$(last table work 12)" \
    "1350 1350 75 75 1.20e+01 1.20e+01 7.94e+07 7.94e+07 - - ~6 ~6"
same "S of fast" "$(last table fast 2)" "n/a n/a"
ends 0 "$gptl" report --set persec=off --flat --top 1 --sort self r >table
same "others" "$(sed -n 's/^ *(2 more)//p' table | awk '{ print $(NF - 8), $(NF - 6), $(NF - 4) }')" \
    "~850 ~50 ~8.00e+00"

# Selected columns, also by their headings; and another width.
ends 0 "$gptl" report --set persec=off --set narrowprint=off --metrics R,PAPI_A,R r >table
same "heads" "$(grep -m 1 '^ *Called' table | awk '{ print $(NF - 3), $(NF - 2), $(NF - 1), $NF }')" "R excl. A excl."
same "main" "$(last table main 4)" "1.000000000e+01 ~5.000000000e+00 1900 ~650"
ends 0 "$gptl" report --set persec=off --metrics none r >table
! grep -q 'excl\.' table || fail "--metrics none has columns"
# With rates per second, which only counted columns have.
ends 0 "$gptl" report r >table
grep -m 1 '^ *Called' table | grep -q ' A  *e6_/_sec  *excl\. .* R  *excl\. ' || fail "no rates in the heads"
same "rates of main" "$(last table main 13 | cut -d' ' -f 1-8)" "1900 100.00 ~650 100 10.00 ~40 1.00e+01 ~5.00e+00"
same "rates of fast" "$(last table fast 13 | cut -d' ' -f 1-3)" "~200 ~100.00 ~200"
same "rates of fast, of the machine" "$(last table fast 3)" "~5 ~2.50 ~5"
ends 0 "$gptl" report --flat --metrics S r >table
same "the rate of too short an estimate" "$(last table fast 3)" "n/a n/a n/a"

names() {
    sed '1,/Called/d; /^$/,$d' | awk '{ print $1 }' | paste -sd, -
}
same "by A" "$("$gptl" report --sort A r | names)" main,work,fast,work
same "by R" "$("$gptl" report --sort GPTL_R r | names)" work,main,fast,work
same "by E" "$("$gptl" report --sort 'rapl:::E "x"
;<b>' r | names)" "work,main,fast,work"
same "regions by R" "$("$gptl" report --flat --sort GPTL_R r | names)" fast,work,main
same "the largest of R" "$("$gptl" report --top 1 --sort R r | names)" "work,main,fast,work"

# Every path of every thread.
ends 0 "$gptl" report --csv --metrics all r >csv
python3 - <<'END' || fail "CSV"
import csv
rows = list(csv.DictReader(open("csv", newline="")))
E = "rapl:::E \"x\"\\x0a;<b>"
got = [[r["rank"], r["thread"], r["path"]] + [r[p + n] for n in ("PAPI_A", "PAPI_B", "GPTL_R", "P", E, "S")
       for p in ("", "self_")] + [r["error_seconds"], r["self_error_seconds"]] for r in rows]
wanted = [
    ["0", "0", "main", "1000", "200", "100", "40", "10", "5", "100000000", "100000000", "50", "15", "7", "",
     "", "0.0000003"],
    ["1", "0", "main", "900", "450", "", "", "", "", "100000000", "450000000", "70", "10", "", "", "", ""],
    ["0", "0", "main/work", "600", "600", "50", "50", "12", "12", "100000000", "100000000", "30", "30", "5",
     "5", "", ""],
    ["1", "0", "main/work", "450", "450", "", "", "", "", "56250000", "56250000", "60", "60", "", "", "", ""],
    ["0", "0", "main/fast", "200", "200", "10", "10", "20", "20", "100000000", "100000000", "5", "5", "", "",
     "0.0000003", "0.0000003"],
    ["0", "1", "work", "300", "300", "25", "25", "12", "12", "100000000", "100000000", "49", "49", "1", "1",
     "", ""]]
def same(a, b):
    try:
        return abs(float(a) / float(b) - 1) < 1e-9
    except (ValueError, ZeroDivisionError):
        return a == b
assert len(got) == len(wanted), got
for g, w in zip(got, wanted):
    assert len(g) == len(w) and all(map(same, g, w)), (g, w)
END

# Stacks.
same "stacks" "$("$gptl" report --folded --metric A r | paste -sd, -)" "rank 0 thread 0;main 200,\
rank 1 thread 0;main 450,rank 0 thread 0;main;work 600,rank 1 thread 0;main;work 450,\
rank 0 thread 0;main;fast 200,rank 0 thread 1;work 300"
same "stacks of one thread" "$("$gptl" report --folded --metric 'rapl:::E "x"
;<b>' --rank 0 --thread 0 r | paste -sd, -)" "main 15,main;work 30,main;fast 5"
"$gptl" report --speedscope --metrics A,R r | python3 -c '
import json, sys
profiles = json.load(sys.stdin)["profiles"]
names = [p["name"] for p in profiles]
lanes = ["rank 0 thread 0", "rank 0 thread 1", "rank 1 thread 0"]
assert names == lanes + [l + ": PAPI_A" for l in lanes], names
assert [p["unit"] for p in profiles] == 3 * ["nanoseconds"] + 3 * ["none"]
assert [p["weights"] for p in profiles[3:]] == [[200, 600, 200], [300], [450, 450]], profiles' ||
    fail "speedscope"
"$gptl" report --speedscope --metric B r | grep -c '"name":"rank' >n || true
same "profiles of one metric" "$(cat n)" 3

# The result of joining or selecting paths.
ends 0 "$gptl" report --set persec=off --table --under work --metrics A,B,R r >table
same "joined" "$(last table work 6)" "1350 1350 75 75 1.20e+01 1.20e+01"
ends 0 "$gptl" report --set persec=off --top 1 --metrics A,B,P r >table
same "the others of main" "$(sed -n 's/^ *(2 more)//p' table | awk '{ print $(NF - 5), $(NF - 3), $NF }')" \
    "~1250 ~60 ~7.81e+07"

# ---- Mistakes ------------------------------------------------------------------------

# refused MESSAGE ARGUMENT...
refused() {
    message=$1
    shift
    ends 2 "$gptl" report "$@" >stdout 2>stderr
    [ ! -s stdout ] || fail "something on stdout: $*"
    grep -qF -e "$message" stderr || { cat stderr; fail "no message: $message"; }
}
refused "--metrics x: there are PAPI_A, PAPI_B, GPTL_R, P, " --metrics A,x r
refused "--metrics : there are PAPI_A" --metrics A,,B r
refused "--sort x: there are total|self|calls|max|min|imbalance|name; and of metrics PAPI_A" --sort x r
refused "--metric R: it is derived" --folded --metric R r
refused "--metric A: this is for --folded and --speedscope" --metric A r
refused "--metric PAPI_X: there are PAPI_A" --folded --metric PAPI_X r
refused "it has counted for all threads" --folded --metric 'rapl:::E "x"
;<b>' --rank 0 r
python3 - <<'END'
from profiles import Profile
Profile().write("none.json")
END
refused "--metrics A: there are none" --metrics A none.json

# Overflowing sums are marked, and nothing is derived from them; parts are exact.
python3 - <<'END'
from profiles import Profile, counted, derived
for rank in 0, 1:
    p = Profile(rank=rank, pid=100 + rank)
    p.metrics = [counted("A"), derived("R", "A / wall")]
    p.thread().add(0, "large", 1, 10**19, values=[6 * 10**18, 0.6])
    p.write(f"large.{rank}.json")
END
ends 0 "$gptl" report --table large.0.json large.1.json >out
grep -qE '^ +large +2 +>18446744073.710 .* 0\.00 +>9\.2[0-9]*e\+18 +- +>9\.2[0-9]*e\+18 +- +-$' out || { cat out; fail "a sum without room"; }
ends 0 "$gptl" report --csv large.0.json large.1.json >out
[ "$(grep -c ',10000000000,.*,6000000000000000000,' out)" = 2 ] || { cat out; fail "parts of a sum without room"; }
ends 0 "$gptl" diff --all large.0.json large.1.json -- large.0.json large.1.json >out
