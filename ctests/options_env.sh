#!/bin/sh
# GPTL_OPTIONS, from its grammar to its effect on a whole program: valid options take effect and are in the
# report, invalid ones are reported once and change nothing.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"

# Ignore the variables of a launcher that runs this test.
unset PMI_RANK OMPI_COMM_WORLD_RANK SLURM_PROCID PMIX_RANK
unset SLURM_JOB_ID PBS_JOBID LSB_JOBID FLUX_JOB_ID COBALT_JOBID

cat >prog.c <<'EOF'
#include <gptl.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc > 1 && (GPTLsetoption(GPTLpercent, 1) || GPTLsetoption(GPTLcpu, 0)))
        return 3;
    GPTLstart("total");
    for (int i = 0; i < 3; i++) {
        GPTLstart("work");
        GPTLstop("work");
    }
    GPTLstop("total");
    return argc > 2 ? GPTLpr(atoi(argv[2])) != 0 : 0;
}
EOF
compile prog prog.c

# with OPTIONS [ARGUMENT...]: run the program, which must exit with 0. Variable ALSO has settings of its
# environment for this one run.
also=
with() {
    rm -rf timing* out.* stderr
    options=$1
    shift
    echo "== $options"
    # shellcheck disable=SC2086 # a list of words
    ends 0 env $also GPTL_OPTIONS="$options" ./prog "$@" >stdout 2>stderr
    also=
    [ ! -s stdout ] || fail "something on stdout"
}

quiet() {
    [ ! -s stderr ] || { cat stderr; fail "it said something"; }
}

# options: the options in the report, in its order, in one line.
options() {
    sed -n '/^Options/,/^[A-NP-Z]/{s/^\(Options\)\{0,1\} *\([a-z_.]*=.*\)/\2/p;}' timing.0 | tr '\n' ' '
}

columns() {
    sed -n '/^Stats for thread 0/{n;p;q;}' timing.0 | tr -s ' '
}

# ---- What is right ----------------------------------------------------------

with 'utr=placebo;overhead=off'
quiet
same options "$(options)" "overhead=off utr=placebo "
same columns "$(columns)" " Called Recurse Wallclock max min"

with ' ;; percent = yes ;cpu=TRUE;  overhead=0;print_method=FULL_TREE;utr=ClockGetTime; ; '
quiet
same options "$(options)" "cpu=on overhead=off percent=on print_method=full_tree utr=clockgettime "
same columns "$(columns)" " Called Recurse Wallclock max min usr sys usr+sys %_of_first"

with 'percent;overhead=off' # a key alone is on
quiet
same columns "$(columns)" " Called Recurse Wallclock max min %_of_first"

with 'percent=on;percent=off;overhead=off' # the last one wins
same columns "$(columns)" " Called Recurse Wallclock max min"

with 'memory=16m;marks=2;depthlimit=7;mem_growth=3'
quiet
same options "$(options)" "depthlimit=7 mem_growth=3 memory=16777216 marks=2 "
grep -q 'of at most 16.000 MB' timing.0 || fail "the budget is not 16 MB"

with 'output.path="out.a;b, c=d";percent=on' # quotes keep what separates
quiet
[ -f 'out.a;b, c=d' ] || fail "no report of the quoted name: $(files out.*)"
grep -q '^ *output.path="out.a;b, c=d"$' 'out.a;b, c=d' || fail "the report does not quote the name"

with 'overhead=off;wall=off'
same columns "$(columns)" " Called Recurse"
with 'overhead=off;histogram=on'
same columns "$(columns)" " Called Recurse Wallclock max min p50 p95 p99"
with 'subtract=on'
same columns "$(columns)" " Called Recurse Wallclock max min selfOH parentOH corrected +-"
with 'dopr_preamble=off;dopr_collision=off'
quiet
same "first line" "$(head -n 2 timing.0 | tail -n 1)" "Stats for thread 0:"
! grep -q 'Hash tables' timing.0 || fail "dopr_collision=off prints the tables"
with 'dopr_quotes=on'
grep -q '^  "total" ' timing.0 && grep -q '^    "work" ' timing.0 || fail "dopr_quotes=on does not quote"
with 'depthlimit=1'
same "calls above the limit" "$(calls timing.0 total)" 1
same "calls below the limit" "$(calls timing.0 work)" 0
grep -q '^3 calls lay deeper than the depth limit' timing.0 || fail "no word of what was not timed"
with 'verbose=on'
one_line stderr 'GPTL: measuring begins'

# The environment takes precedence over the program.
with 'percent=off;cpu=on;overhead=off' set
quiet
same columns "$(columns)" " Called Recurse Wallclock max min usr sys usr+sys"

# ---- What is wrong ----------------------------------------------------------

# wrong OPTIONS MESSAGE: one line contains MESSAGE, and the run is as without.
wrong() {
    with "$1"
    one_line stderr "$2"
    same calls "$(calls timing.0 work)" 3
    grep -q '^Messages  1 error and 0 warnings' timing.0 || fail "the report does not tell"
}
wrong 'percnet=on' 'GPTL_OPTIONS: there is no option "percnet"; did you mean "percent"?'
wrong 'wal=off' 'did you mean "wall"?'
wrong 'output_path=x' 'did you mean "output.path"?'
wrong 'print-method=full_tree' 'did you mean "print_method"?'
wrong 'GPTLpercent=on' 'did you mean "percent"?'
wrong 'percent=maybe' 'percent=maybe: the value must be on or off'
wrong 'print_method=best' 'must be first_parent, last_parent, most_frequent or full_tree'
wrong 'utr=sundial' 'utr=sundial: the value must be best, '
wrong 'marks=1' 'marks=1: the value must be a number from 2 to 4096'
wrong 'marks=9999999999999999999999' 'the value must be a number from 2 to 4096'
wrong 'depthlimit=3x' 'depthlimit=3x: the value must be a number from 1 to '
wrong 'memory=64Q' 'memory=64Q: the value must be a number from 1048576 to '
wrong 'memory=' 'memory=: the value must be'
wrong '=3' 'there is no option ""'
wrong 'output=jsn' 'output=jsn: there is no such format; there are text, json, xml, none, merged, ranks and auto'
# Valid options next to it take effect.
with 'percnet=on;cpu=on;wal=off;overhead=off'
same "lines of errors" "$(wc -l <stderr)" 2
same columns "$(columns)" " Called Recurse Wallclock max min usr sys usr+sys"
# A long invalid text does not flood stderr.
long=$(awk 'BEGIN { for (i = 0; i < 3000; i++) printf "nonsense%d=%d;", i, i }')
with "$long"
same "lines of errors" "$(wc -l <stderr)" 10
grep -q 'more are counted, but not printed' stderr || fail "no word of those not printed"
grep -q '^Messages  3000 errors' timing.0 || fail "3000 errors are not counted"
with "$(printf '%5000s' '' | tr ' ' 'k')=on"
same "lines of errors" "$(wc -l <stderr)" 1
with 'percent="on' # a quote that does not end
one_line stderr 'a quote is not closed'
with "output.path=$(printf '%3000s' '' | tr ' ' 'n')"
one_line stderr 'cannot write nnn'
with "output.path=$(printf '%9000s' '' | tr ' ' 'n')"
[ "$(wc -l <stderr)" -ge 1 ] || fail "no word of a name that is too long"
same "files under a cut name" "$(find . -name 'nnn*' | wc -l)" 0

# ---- Formats ----------------------------------------------------------------

with 'output=json'
quiet
same reports "$(files timing* | tr '\n' ' ')" "timing.0.json "
with 'output=text,json'
quiet
same reports "$(files timing* | tr '\n' ' ')" "timing.0 timing.0.json "
with 'output="json, text"'
quiet
same reports "$(files timing* | tr '\n' ' ')" "timing.0 timing.0.json "
with 'output=xml'
quiet
same reports "$(files timing* | tr '\n' ' ')" "timing.0.xml "
with 'output=text,xml,json'
quiet
same reports "$(files timing* | tr '\n' ' ')" "timing.0 timing.0.json timing.0.xml "
with 'output=none'
quiet
same reports "$(files timing*)" ""
with 'output=text,json' x 4
quiet
same reports "$(files timing* | tr '\n' ' ')" "timing.4 timing.4.json "

# ---- Names ------------------------------------------------------------------

host=$(uname -n)
with 'output.path=out.{program}.{host}.{job}.{rank}'
quiet
same name "$(files out.*)" "out.prog.$host.nojob.0"
also=SLURM_JOB_ID=a/b && with 'output.path=out.{job}.{rank}' x 12
quiet
same name "$(files out.*)" "out.a_b.12"
with 'output.path=out.{pid}{pid}'
quiet
number=$(files out.* | sed 's/^out\.//')
half=$((${#number} / 2))
same "second half of {pid}{pid}" "$(echo "$number" | cut -c$((half + 1))-)" \
    "$(echo "$number" | cut -c-$half)"
grep -q "^Process   $(echo "$number" | cut -c-$half) on $host" "out.$number" || fail "{pid} is not the process"
mkdir folder
with 'output.path=folder/{rank}'
quiet
same calls "$(calls folder/0 work)" 3
with 'output.path=out.{ranc}.{rank}{'
one_line stderr '{ranc} is no token and stays as it is; there are {rank} {rank:06} {pid} {host} {job} {program}'
same name "$(files out.*)" 'out.{ranc}.0{'

# ---- Ranks ------------------------------------------------------------------

also=PMI_RANK=5 && with ''
same reports "$(files timing*)" timing.5
for variable in OMPI_COMM_WORLD_RANK SLURM_PROCID PMIX_RANK; do
    also=$variable=6 && with ''
    same "reports with $variable" "$(files timing*)" timing.6
done
also=PMI_RANK=x && with ''
same reports "$(files timing*)" timing.0
also=PMI_RANK=1 && with 'onlyprint_rank0=on'
quiet
same reports "$(files timing*)" ""
also=PMI_RANK=0 && with 'onlyprint_rank0=on'
same reports "$(files timing*)" timing.0
also=PMI_RANK=1 && with 'onlyprint_rank0=on' x 1 # also what is asked for
same reports "$(files timing*)" ""
for rank in 0 3 6; do
    also=PMI_RANK=$rank && with 'rank_stride=3'
    same "reports of rank $rank" "$(files timing*)" timing.$rank
done
for rank in 1 2 4; do
    also=PMI_RANK=$rank && with 'rank_stride=3'
    same "reports of rank $rank" "$(files timing*)" ""
done
with 'rank_stride=3' x 4 # with no launcher, the argument is the rank
same reports "$(files timing*)" ""
no_rest

# Options in the environment do not apply to a setuid program.
mkdir rights && chmod 777 rights && cp "$(command -v id)" rights/id && chmod 4755 rights/id
if [ "$sanitize" = no ] && [ "$(setpriv --reuid 65534 --clear-groups rights/id -u 2>/dev/null)" = 0 ]; then
    cp prog rights/prog
    for rights in 4755 755; do
        chmod $rights rights/prog
        rm -f rights/timing* rights/chosen
        (cd rights && setpriv --reuid 65534 --clear-groups env GPTL_OPTIONS=output.path=chosen ./prog) ||
            fail "a program with mode $rights fails"
        (cd rights && files timing* chosen)
    done >written
    same "reports of a setuid program, and without" "$(tr '\n' ' ' <written)" "timing.0 chosen "
else
    echo "nobody to be with rights of another: checked without setuid"
fi
