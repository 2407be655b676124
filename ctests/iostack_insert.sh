#!/bin/sh
# gptl iostack inserts probes into C: at calls in any position, at the entry and the ends of functions, at lines; the
# program behaves as before, and lines keep their numbers. Insertions that could break the program are refused.
# shellcheck disable=SC2016 # names of trees, and variables of other shells
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need diff
need_tools
need_shared
[ -e "$builddir/.libs/libgptl_probe.so" ] || skip "built without libgptl_probe"
[ "$sanitize" = no ] || CC="$CC -fsanitize=$sanitize"

mkdir tree
cp "$srcdir/ctests/programs/iostack/app.c" "$srcdir/ctests/programs/iostack/machine.sm" tree/
link=
$CC -std=gnu11 -o plain tree/app.c 2>/dev/null || fail "cannot compile the program"
./plain >expected
# Number of calls of each function, counted by the program.
sed 's/^    return total += n;/    fputs("write_it\\n", stderr);\n&/; s/^    total += n;/    fputs("nothing\\n", stderr);\n&/' \
    tree/app.c >counting.c
$CC -std=gnu11 -o counting counting.c 2>/dev/null || fail "cannot compile the program that counts"
./counting >/dev/null 2>counts
all_writes=$(grep -c write_it counts)
all_nothing=$(grep -c nothing counts)

# insert PROBE...: into a copy in work/T.
insert() {
    echo "-L [\$T=$PWD/tree]" >probes.conf
    for probe; do
        echo "-P [MPI;latency;$probe]" >>probes.conf
    done
    "$gptl" iostack --insert -d work probes.conf 2>err || { cat err; return 1; }
}

# runs SPANS: the instrumented program compiles without new warnings, prints the same output, and records SPANS spans.
runs() {
    rm -f ./*.log
    for std in gnu89 gnu11 gnu17; do
        $CC -std=$std -Wall -Wextra -Wno-old-style-definition -Wno-unused-value -Werror -I"$srcdir/include" \
            -o instrumented work/T/app.c "$builddir/.libs/libgptl_probe.so" \
            -Wl,-rpath,"$builddir/.libs" >compiler 2>&1 || {
            cat compiler
            fail "the instrumented program does not compile as $std"
        }
    done
    ./instrumented >got || fail "the instrumented program failed"
    same "output" "$(cat got)" "$(cat expected)"
    "$gptl" iostack --by layer --json ./*.log >out.json || fail "the logs"
    grep -q '"open":0,"ends_without_begin":0,' out.json || fail "begins and ends: $(grep counts out.json)"
    grep -q "\"spans\":$1," out.json || fail "not $1 spans: $(grep counts out.json)"
}

file='$T/app.c'

echo "== every call of a function"
insert "Start;-l write_it [*];before;$file" "End;-l write_it [*];after;$file"
calls=$(grep -c GPTLprobe_begin work/T/app.c)
[ "$calls" -ge 10 ] || fail "only $calls lines have probes"
runs $((all_writes - 4)) # three are in macros, one is through a pointer
grep -n '#define' work/T/app.c | grep GPTL && fail "a macro was changed"
grep -n 'comment.*GPTL\|GPTL.*in a text' work/T/app.c && fail "a comment or text was changed"
grep -q 't->write_it(5)' work/T/app.c || fail "a member of that name was changed"

echo "== calls of what has no value"
insert "One;-f returns_in_void -l nothing [1];after;$file;{ (void)0; }" && fail "a return without a value"
grep -q 'the call is what a function without a value returns' err || fail "does not say why: $(cat err)"
insert "Start;-f in_conditions -l nothing [3];before;$file" "End;-f in_conditions -l nothing [3];after;$file"
runs 6

echo "== functions, also of the old style, with several returns"
for f in write_it nothing old_style nested in_conditions write_other returns_in_void main; do
    insert "Start;-f $f;before;$file" "End;-f $f;after;$file"
    case $f in
        write_it) spans=$all_writes ;;
        in_conditions) spans=2 ;;
        nothing) spans=$all_nothing ;;
        *) spans=1 ;;
    esac
    runs "$spans"
done
insert "Start;-l main;before;$file" "End;-l main;after;$file"
runs 1
insert "Start;-f old_style;before;$file" "X;-f old_style;after;$file;{ GPTLprobe_end(GPTL_LAYER_MPI); }"
runs 1
insert "Start;-f returns_in_void;before;$file" \
    "X;-f returns_in_void;after;$file;{ if (n) GPTLprobe_end(GPTL_LAYER_MPI); }"
runs 1

echo "== lines"
line=$(grep -n 'int c = write_it(a);' tree/app.c | cut -d: -f1)
insert "Start;-n $line \"c = write_it\";$file" "End;-n $((line + 1));$file"
runs 1
body=$(grep -n '            write_it(8);' tree/app.c | cut -d: -f1)
insert "X;-n $body;$file;{ GPTLprobe_begin(GPTL_LAYER_MPI, 1); GPTLprobe_end(GPTL_LAYER_MPI); }"
runs 1

echo "== lines keep their numbers, and name the original"
sed "$(grep -n 'total += n;$' tree/app.c | tail -1 | cut -d: -f1)s/\$/ no_such_name;/" tree/app.c >tree/bad.c
line=$(grep -n no_such_name tree/bad.c | cut -d: -f1)
insert 'Start;-f nothing;before;$T/bad.c'
$CC -fsyntax-only -I"$srcdir/include" work/T/bad.c 2>&1 | grep -q "$PWD/tree/bad.c:$line:" ||
    fail "the compiler names another line: $($CC -fsyntax-only -I"$srcdir/include" work/T/bad.c 2>&1)"
rm tree/bad.c

echo "== a state machine: never in its table"
insert 'Start;-f start -l finish [1];before;$T/machine.sm' 'End;-f start -l finish [1];after;$T/machine.sm' \
    'Start;-f start;before;$T/machine.sm'
sed -n "/^%%/,/^%%/p" tree/machine.sm >table; sed -n "/^%%/,/^%%/p" work/T/machine.sm | cmp - table ||
    fail "the table was changed"
insert 'Start;-n 8;$T/machine.sm' && fail "a probe in the table"
grep -q 'machine.sm:8 is no line of code' err || fail "does not refuse the table: $(cat err)"

echo "== refused, with the candidates"
refused() {
    wanted=$1
    shift
    find work -type f -exec cksum {} + | sort >before
    insert "$@" >/dev/null && fail "did not refuse: $*"
    grep -qF -- "$wanted" err || { cat err; fail "does not say: $wanted"; }
    find work -type f -exec cksum {} + | sort >after
    cmp before after || fail "something was written"
}
refused 'expected call of none in '"$PWD"'/tree/app.c, found none' "Start;-l none;before;$file"
refused 'expected one call of write_it in' "Start;-l write_it;before;$file"
refused 'line 29 in old_style, line 44 in nested, line 44 in nested' "Start;-l write_it;before;$file"
refused '-f FUNCTION, [1] to [' "Start;-l write_it;before;$file"
refused 'expected 7 times call of nothing' "Start;-f in_conditions -l nothing [7];before;$file"
refused 'expected "other text" in' "Start;-n 20 \"other text\";$file"
refused 'expected line 9999 in' "Start;-n 9999;$file"
refused 'is in no function' "Start;-n 12;$file"
refused 'is within a statement' "Start;-n $(grep -n ' while (total < 60);' tree/app.c | cut -d: -f1);$file"
refused 'cannot find' 'Start;-n 1;$T/none.c'
refused '$NOWHERE is not known' 'Start;-n 1;$NOWHERE/none.c'
cp tree/app.c outside.c
refused 'is in none of the trees' "Start;-l main;before;$PWD/outside.c"

echo "== a dry run, and a second run"
insert "Start;-f main;before;$file"
ends 0 "$gptl" iostack --dry-run -d other probes.conf >difference
[ ! -e other ] || fail "a dry run wrote"
grep -q '^+.*GPTLprobe_begin(GPTL_LAYER_MPI' difference || fail "no difference: $(cat difference)"
# File times set by the kernel are rounded to its last tick; the time set here is exact.
touch -d "$(date '+%F %T.%N')" stamp
find work -type f -newer stamp | grep . && fail "newer than now"
insert "Start;-f main;before;$file"
grep -q ' 0 of them written' err || fail "the second run wrote: $(tail -1 err)"
find work -type f -newer stamp | grep . && fail "a second run changed something"
# Files without probes are restored.
insert 'Start;-f start;before;$T/machine.sm'
cmp tree/app.c work/T/app.c || fail "a probe that is no more is still there"
cmp tree/app.c "$srcdir/ctests/programs/iostack/app.c" || fail "the original was changed"
