#!/bin/sh
# `gptl report`: sorting, selection and omission, accepted files, and errors: it exits with 2 and leaves no
# files.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3
need_tools
PYTHONPATH=$srcdir/ctests/programs
export PYTHONPATH

cat >make.py <<'END'
from profiles import Profile

for rank in (2, 10):
    profile = Profile(rank, pid=100 + rank)
    for number in range(2):
        thread = profile.thread()
        main = thread.add(0, "main", 1, 10_000)
        small = thread.add(main, "small", 1, 3_000 if rank == 2 else 1_000)
        thread.add(small, "leaf", 100, 700, most=600, least=1)
        big = thread.add(main, "big", 2, 6_000)
        for i in range(5):
            thread.add(big, f"part_{i}", 1, 1_000 - i)
        thread.add(big, "leaf", 1, 50)
    profile.write(f"runs/timing.{rank}.json")
END
mkdir runs
python3 make.py

# rows [OPTION...]: the names in the rows of a table, separated by ','.
rows() {
    ends 0 "$gptl" report "$@" runs >table
    sed '1,/Called/d' table | sed 's/^[ >]*//; s/  .*//' | paste -sd, -
}

# ---- Order and choice --------------------------------------------------------------

same "as the program came to them" "$(rows)" \
    main,small,leaf,big,part_0,part_1,part_2,part_3,part_4,leaf
same "by time" "$(rows --sort total)" main,big,part_0,part_1,part_2,part_3,part_4,leaf,small,leaf
same "by name" "$(rows --table --sort name)" \
    main,big,leaf,part_0,part_1,part_2,part_3,part_4,small,leaf
same "by calls" "$(rows --sort=calls)" main,big,part_0,part_1,part_2,part_3,part_4,leaf,small,leaf
same "by imbalance" "$(rows --sort imbalance --top 1)" "main,small,leaf,(7 more)"
same "the 3 largest" "$(rows --top 3)" "main,small,leaf,big,(6 more)"
grep -Eq '^ +\(6 more\) +24 +0.000020160 ' table || { cat table; fail "what the others have"; }
same "regions" "$(rows --flat)" main,small,part_0,part_1,part_2,part_3,part_4,big,leaf
same "regions by calls" "$(rows --flat --sort calls --top 2)" "leaf,big,(7 more)"
grep -Eq '^ +\(7 more\) +28 +- +- ' table || { cat table; fail "what other regions have"; }
same "regions by max" "$(rows --flat --sort max --top 3)" "main,small,big,(6 more)"
same "regions by min" "$(rows --flat --sort min --top 2)" "main,big,(7 more)"
same "below a region" "$(rows --under small)" small,leaf
grep -q '100 % is 0.000008000 s' table || { cat table; fail "100 % is not that of the region"; }
same "below two" "$(rows --under leaf)" leaf
grep -Eq '^ +leaf +404 ' table || { cat table; fail "equal paths are not joined"; }
same "below a pattern" "$(rows --under 'part_[13]')" part_1,part_3
same "frames of a pattern" "$("$gptl" report --folded --rank 2 --thread 1 --under 'b?g' runs | head -n 1)" \
    "big 960"
same "a rank" "$("$gptl" report --csv --rank 10 runs | cut -d, -f 1,2 | sort -u | paste -sd' ' -)" \
    "10,0 10,1 rank,thread"
same "a thread" "$("$gptl" report --csv --thread 1 runs | cut -d, -f 1,2 | sort -u | paste -sd' ' -)" \
    "10,1 2,1 rank,thread"
ends 0 "$gptl" report --dot --top 2 runs >graph
same "boxes" "$(grep -c 'fillcolor=' graph)" 2
grep -q '7 small regions are left out' graph || { cat graph; fail "nothing is said of the others"; }

# ---- Files -------------------------------------------------------------------------

same "order of a folder" "$("$gptl" report --speedscope runs | grep -o '"name":"rank [^"]*"' |
    sed 's/.*rank //; s/"//' | paste -sd, -)" "2 thread 0,2 thread 1,10 thread 0,10 thread 1"
cp runs/timing.2.json runs/copy.JSON # not by its name
echo '{"other":1}' >runs/other.json
mkdir runs/folder.json
rows >/dev/null
same "head" "$(head -n 1 table)" \
    "Call paths of model: 2 ranks, 4 threads; 100 % is 0.000040000 s, all threads together"
"$gptl" report --csv - <runs/timing.2.json >one.csv
"$gptl" report --csv runs/timing.2.json | cmp - one.csv || fail "a profile on stdin is another"
tee copy <runs/timing.2.json | "$gptl" report --csv /dev/stdin | cmp - one.csv ||
    fail "one from a pipe is another"
same "without ranks, by process" "$(sed 's/"rank": *[0-9]*/"rank":null/' runs/timing.2.json >a.json
    sed 's/"rank": *[0-9]*/"rank":null/' runs/timing.10.json >b.json
    "$gptl" report --csv a.json b.json | cut -d, -f 1 | sort -u | paste -sd, -)" "102,110,rank"
same "one file twice" "$("$gptl" report --csv a.json a.json | cut -d, -f 1 | sort -u | paste -sd, -)" \
    "1,2,rank"

# One profile without an output option is the text report.
ends 0 "$gptl" report runs/timing.2.json >text
grep -q '^Stats for thread 1:$' text || { cat text; fail "no text report"; }
ends 0 "$gptl" report -o text2 runs/timing.2.json
cmp text text2 || fail "-o has another report"
ends 0 "$gptl" report --set percent=on runs/timing.2.json >text
grep -q '%_of_first' text || fail "--set has no effect"
ends 0 "$gptl" report runs/timing.2.json runs/timing.10.json >text
grep -q '^Call paths of model: 2 ranks, 4 threads' text || fail "several files are no table"

# ---- Writing -----------------------------------------------------------------------

echo before >file
ends 0 "$gptl" report --csv --output file runs/timing.2.json
cmp file one.csv || fail "-o has other rows"
no_rest
ends 2 "$gptl" report --csv -o nowhere/file runs 2>stderr
one_line stderr "gptl report: cannot write nowhere/file: No such file or directory; make its directory"
for output in table flat folded speedscope chrome csv dot; do
    if [ -c /dev/full ]; then
        ends 2 "$gptl" report --$output runs >/dev/full 2>stderr
        one_line stderr "gptl report: cannot write /dev/stdout: No space left on device; make room"
    fi
    ends 2 "$gptl" report --$output runs >&- 2>stderr
    one_line stderr "gptl report: cannot write /dev/stdout: Bad file descriptor"
done
ends 2 sh -c 'ulimit -f 1; exec "$@"' - "$gptl" report --chrome -o small_file runs 2>stderr
one_line stderr "gptl report: cannot write small_file: File too large; make room"
same "what is left of it" "$(files small_file*)" ""
"$gptl" report --chrome runs runs runs runs runs runs runs runs runs runs runs runs runs runs runs \
    runs runs runs runs runs 2>stderr | head -c 10 >/dev/null
[ "$(wc -l <stderr)" -le 1 ] || { cat stderr; fail "a closed pipe"; }

# ---- Mistakes ----------------------------------------------------------------------

# refused MESSAGE ARGUMENT...
refused() {
    message=$1
    shift
    ends 2 "$gptl" report "$@" >stdout 2>stderr
    [ ! -s stdout ] || fail "something on stdout: $*"
    one_line stderr "gptl report: $message"
}
refused "--flat and --csv: one output at a time" --flat --csv runs
refused "--sort time: there are total|self|" --sort time runs
refused "--top 0: a number from 1 on is needed" --top 0 runs
refused "--top -3: a number" --top -3 runs
refused "--top 9x: a number" --top 9x runs
refused "--top 99999999999999999999: a number" --top 99999999999999999999 runs
refused "--rank one: a number is needed" --rank one runs
refused "--rank 3: no file is of this rank" --rank 3 runs
refused "--thread 2: no file has this thread" --thread 2 runs
refused "--under nothing: no region is named so" --under nothing runs
refused "--top: its value is missing" runs --top
refused "--tree: there is no such option" --tree runs
refused "nothing.json: No such file or directory" nothing.json
refused "text2: this is a text report, and not JSON, which the option output=json makes" text2
: >empty.json
refused "empty.json: the file is empty" empty.json
head -c 3000 runs/timing.2.json >cut.json
ends 2 "$gptl" report --csv cut.json >stdout 2>stderr
[ ! -s stdout ] || fail "rows of a profile that was cut"
one_line stderr "gptl report: cut.json"
# An unreadable file is not silently omitted.
ends 2 "$gptl" report --csv runs/timing.2.json cut.json >stdout 2>stderr
[ ! -s stdout ] || fail "rows of some of the files"
mkdir nothing
refused "nothing: there is no salvage file (gptl-salvage.HOST.PID) and no JSON profile in it" nothing
