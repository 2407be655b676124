#!/bin/sh
# Numbers of options have their meaning in gptl.h for programs that were compiled with it, regardless of
# their other calls; in relinked objects the meaning in GPTL 8 or, if they were compiled with the header of
# the climate models' GPTL, the meaning there. A value outside of an option's range is an error that states the range.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC" nm

cat >calls.c <<'EOF'
/* calls WORD...: NUMBER=VALUE sets an option, others are calls; then what holds, on stdout. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef RELINKED
#include <gptl.h>
#else /* as with a header of another GPTL */
#ifdef __cplusplus
extern "C" {
#endif
int GPTLsetoption(const int, const int), GPTLsetutr(const int), GPTLinitialize(void);
int GPTLstart(const char *), GPTLstop(const char *), GPTLpr_file(const char *);
int GPTLprint_mode_query(void), GPTLpr_set_append(void), GPTLpr_query_append(void);
int GPTLprefix_set(const char *), GPTLprefix_unset(void);
int GPTLquerycounters(const char *, int, long long *), GPTLstartstop_vals(const char *, double, int);
#ifdef __cplusplus
}
#endif
typedef int GPTLoption, GPTLMethod, GPTLFuncoption;
enum { GPTLdopr_preamble = 12, GPTLprint_method = 16, GPTLmost_frequent = 3, GPTLclockgettime = 5 };
#endif

int main(int argc, char **argv)
{
    long long counters[4];
    GPTLoption option = GPTLdopr_preamble;
    GPTLMethod method = GPTLmost_frequent;
    GPTLFuncoption clock = GPTLclockgettime;
    if (GPTLsetoption(option, 1) || GPTLsetoption(GPTLprint_method, method) || GPTLsetutr(clock))
        return 2;
    for (int i = 1; i < argc; i++) {
        const char *equal = strchr(argv[i], '=');
        int rc = 0;
        if (equal)
            rc = GPTLsetoption(atoi(argv[i]), atoi(equal + 1));
        else if (strcmp(argv[i], "mode") == 0)
            rc = GPTLprint_mode_query() < 1;
        else if (strcmp(argv[i], "prefix") == 0)
            rc = GPTLprefix_unset() || GPTLprefix_set("");
        else if (strcmp(argv[i], "append") == 0)
            rc = GPTLpr_set_append();
        else if (strcmp(argv[i], "counters") == 0)
            rc = GPTLquerycounters("x", 0, counters) + 1; /* there is no such region yet */
        else if (strcmp(argv[i], "vals") == 0)
            rc = GPTLstartstop_vals("given", 1, 2);
        printf("%d ", rc);
    }
    putchar('\n');
    if (GPTLinitialize() || GPTLstart("x") || GPTLstop("x") || GPTLpr_file("report"))
        return 1;
    return 0;
}
EOF
compile ours calls.c
compile relinked calls.c -DRELINKED
nm -u ours | sed 's/@.*//' | grep -q ' GPTLsetoption_v9$' || fail "gptl.h does not call its own symbol"
nm -u relinked | sed 's/@.*//' | grep -q ' GPTLsetoption$' || fail "the other program does not call the plain symbol"

# calls OUT OPTIONS...: with GPTL_OPTIONS before, if not empty. The changed options are in $options.
calls() {
    wanted=$1
    shift
    rm -f report
    "./$program" "$@" >out 2>all || { cat all; fail "calls $* failed"; }
    sed '/resident memory grew/d' all >stderr # dopr_memusage
    [ "$(cat out)" = "$wanted" ] || { cat stderr; fail "calls $*: $(cat out), not $wanted"; }
    options=$(sed -n '/^Options /,/^[A-Z]/p' report | grep -o '[a-z_0-9.]*=[^ ]*' | grep -v '^utr=' |
        tr '\n' ' ')
}
# holds OPTIONS LINES [PATTERN]: the options that differ from their defaults, the lines on stderr.
holds() {
    [ "$options" = "$1" ] || { cat report; fail "options \"$options\", not \"$1\""; }
    [ "$(wc -l <stderr)" = "$2" ] || { cat stderr; fail "not $2 lines on stderr"; }
    [ $# = 2 ] || grep -q "$3" stderr || { cat stderr; fail "nobody says $3"; }
}
export GPTL_OPTIONS="layout=gptl"

# is_exact: numbers are those of gptl.h and gptl.inc in each order of options and calls, and for values that
# the climate models' options have as well.
is_exact() {
    calls "0 0 0 0 " 27=1 50=512 51=64 52=1
    holds "dopr_memusage=on tablesize=512 maxthreads=64 onlyprint_rank0=on layout=gptl " 0
    calls "0 0 0 0 " 56=1 57=512 58=64 59=1
    holds "dopr_memusage=on tablesize=512 maxthreads=64 onlyprint_rank0=on layout=gptl " 0
    for call in mode prefix append vals counters; do
        for order in "$call 27=1 50=2 51=3 52=1" "27=1 50=2 51=3 52=1 $call" "27=1 50=2 $call 51=3 52=1" \
            "$call 52=1 51=3 $call 50=2 27=1 $call" "56=1 57=2 $call 58=3 59=1"; do
            # shellcheck disable=SC2086 # a list of words
            calls "$(echo $order | sed 's,[^ ]*,0,g; s,$, ,')" $order
            sed -i '/GPTLquerycounters: there is no thread 0/d' stderr # nothing was measured yet
            case $call in
                append) holds "dopr_memusage=on tablesize=2 maxthreads=3 onlyprint_rank0=on append=on layout=gptl " 0 ;;
                *) holds "dopr_memusage=on tablesize=2 maxthreads=3 onlyprint_rank0=on layout=gptl " 0 ;;
            esac
        done
    done
    calls "-1 " 28=1
    holds "layout=gptl " 1 "there is no option 28\$"
    calls "-1 " 52=64
    holds "layout=gptl " 1 "for onlyprint_rank0 (expected 0 or 1)\$"
}
echo "== compiled with our header"
program=ours
is_exact
if [ -n "$CXX" ]; then
    cp calls.c calls.cpp
    compile cplusplus calls.cpp
    program=cplusplus
    is_exact
fi

echo "== numbers of GPTL 8"
program=relinked
calls "0 0 0 0 " 27=1 50=512 51=64 52=1
holds "dopr_memusage=on tablesize=512 maxthreads=64 onlyprint_rank0=on layout=gptl " 0
calls "0 " 55=2
holds "append=on layout=gptl " 0

echo "== numbers of gptl.inc, which calls the plain symbol"
for order in "mode 56=1 57=2 58=3 59=1" "56=1 57=2 58=3 59=1 mode" "56=1 57=2 vals 58=3 59=1"; do
    # shellcheck disable=SC2086 # a list of words
    calls "0 0 0 0 0 " $order
    holds "dopr_memusage=on tablesize=2 maxthreads=3 onlyprint_rank0=on layout=gptl " 0
done

echo "== a value that an option cannot have"
for case in "27=64 dopr_memusage (expected 0 or 1)" "27=-1 dopr_memusage (expected 0 or 1)" \
    "1=2 wall (expected 0 or 1)" "2=64 cpu (expected 0 or 1)" "16=0 print_method (expected 1 to 4)" \
    "16=5 print_method (expected 1 to 4)" "5=0 depthlimit (expected 1 to 2147483647)" \
    "50=0 tablesize (expected 1 to 16777216)" "55=0 print_mode (expected 1 or 2)" \
    "55=3 print_mode (expected 1 or 2)" "54=7 dopr_quotes (expected 0 or 1)" \
    "17=2 option 17 (expected 0 or 1)"; do
    calls "-1 " "${case%% *}"
    value=${case%% *}
    holds "layout=gptl " 1 "invalid value '${value#*=}' for ${case#* }"
done
calls "-1 " 52=64
holds "layout=gptl " 1 "for onlyprint_rank0 (expected 0 or 1); .* set GPTL_OPTIONS=abi=cesm"

echo "== numbers of the climate models, known by a call"
calls "0 0 0 0 0 0 " mode 27=0 28=1 50=2 51=512 52=64
holds "overhead=off tablesize=512 maxthreads=64 dopr_quotes=on append=on layout=gptl " 0
for call in mode prefix append vals; do
    calls "0 0 " $call 27=0
    case $options in *overhead=off*) ;; *) fail "$call does not tell: $options" ;; esac
    holds "$options" 0
done
calls "0 -1 " mode 50=64
holds "$options" 1 "'64' for print_mode (expected 1 or 2)\$"
calls "0 0 " 28=1 27=0 # no other GPTL has this number
holds "overhead=off dopr_quotes=on layout=gptl " 0

echo "== by an option"
export GPTL_OPTIONS="abi=cesm;layout=gptl"
calls "0 0 0 0 0 " 27=0 28=1 50=2 51=512 52=64
holds "overhead=off tablesize=512 maxthreads=64 dopr_quotes=on append=on layout=gptl abi=cesm " 0
calls "-1 " 50=64
holds "layout=gptl abi=cesm " 1 "'64' for print_mode (expected 1 or 2)"
export GPTL_OPTIONS="abi=gptl8;layout=gptl"
calls "0 0 -1 " mode 27=1 28=1
holds "dopr_memusage=on layout=gptl abi=gptl8 " 1 "there is no option 28"

echo "== known too late"
export GPTL_OPTIONS="layout=gptl"
for option in 27=1 50=2 52=1; do
    calls "0 0 0 " $option mode mode
    holds "$options" 1 "option ${option%=*} was taken as .* set GPTL_OPTIONS=abi=cesm"
done
calls "0 0 0 0 " 27=1 append 27=0 prefix
[ "$(wc -l <stderr)" = 1 ] || fail "it is said more than once"
