#!/bin/sh
# The text report of a real run, to the letter: with the clock placebo all times are 0, so the tables are the same in
# every run. The expectation is in ctests/golden/run_NAME.txt; UPDATE_GOLDEN=1 rewrites it.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"

compile tree "$srcdir/ctests/programs/tree.c"

# golden NAME OPTIONS [MODE]
golden() {
    echo "== $1"
    ends 0 env GPTL_OPTIONS="output=text;utr=placebo;overhead=off;$2" ./tree "${3:-}" 2>stderr
    tables timing.0 >got
    [ -z "${UPDATE_GOLDEN:-}" ] || cp got "$srcdir/ctests/golden/run_$1.txt"
    diff -u "$srcdir/ctests/golden/run_$1.txt" got || fail "the report $1 differs"
    grep -q '^Memory used by the library: [0-9.]* MB of at most 256.000 MB$' timing.0 ||
        fail "no memory section"
}

golden most_frequent ''
golden first_parent 'print_method=first_parent'
golden last_parent 'print_method=last_parent'
golden full_tree 'print_method=full_tree'
golden threads '' threads
golden threads_full 'print_method=full_tree;dopr_multparent=off' threads
golden no_threadsort 'dopr_threadsort=off;dopr_multparent=off' threads
golden callers 'dopr_callers=on;dopr_multparent=off'
golden columns 'percent=on;histogram=on;dopr_quotes=on'
golden no_wall 'wall=off'
golden depthlimit 'depthlimit=2'
golden marks '' marks
golden open '' open
[ ! -s stderr ] || { cat stderr; fail "open regions are no error"; }
golden mistakes '' mistakes
[ "$(wc -l <stderr)" -eq 2 ] || { cat stderr; fail "not two messages"; }
grep -qxF 'GPTL: GPTLstop: "never started" is not open on thread 0 (innermost open region: "total")' \
    stderr || { cat stderr; fail "no message about a stop without start"; }

# Parts that differ from run to run are replaced.
GPTL_OPTIONS='output=text;utr=placebo;cpu=on' ./tree threads
tables timing.0 | sed -E 's/ +[0-9]+\.[0-9]+/ T/g' >cpu
grep -q '^ *Called *Recurse *Wallclock *max *min *usr *sys *usr+sys *selfOH *parentOH$' cpu ||
    fail "columns with cpu and overhead"
grep -q '^  total *1 *- T T T T T T T T$' cpu || { cat cpu; fail "the row of total"; }
grep -q '^SUM step *6 *- T T T T T T T T$' cpu || { cat cpu; fail "the row of a sum"; }
same "lines of the preamble" "$(sed '/^Stats for thread/,$d' timing.0 | grep -cE \
    '^(GPTL 9\.0\.0 profile of .*/tree$|Process   [0-9]+ on |Started   20..-|Clock     placebo|Options   .*cpu=on$|Overhead  a start and stop costs)')" 6
