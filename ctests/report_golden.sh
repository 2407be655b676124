#!/bin/sh
# The text report of a real run, letter by letter: with the clock placebo all
# times are 0, so nothing in the tables differs from run to run. What is expected
# lies in ctests/golden/run_NAME.txt.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"

cat >tree.c <<'EOF'
#include <gptl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void region(const char *name, int calls)
{
    for (int i = 0; i < calls; i++) {
        GPTLstart(name);
        GPTLstop(name);
    }
}

/* B has three parents: step calls it first, A most often, C was the last one to come. */
static void step(int first)
{
    GPTLstart("step");
    region("B", 1);
    GPTLstart("A");
    region("B", 2);
    GPTLstop("A");
    if (!first) {
        GPTLstart("C");
        region("B", 1);
        GPTLstop("C");
    }
    GPTLstop("step");
}

static void factorial(int n)
{
    GPTLstart("factorial");
    if (n > 1)
        factorial(n - 1);
    GPTLstop("factorial");
}

static void pong(int n);
static void ping(int n)
{
    GPTLstart("ping");
    if (n > 0)
        pong(n - 1);
    GPTLstop("ping");
}

static void pong(int n)
{
    GPTLstart("pong");
    region("leaf", 1);
    if (n > 0)
        ping(n - 1);
    GPTLstop("pong");
}

static void crossed(void)
{
    GPTLstart("outer");
    GPTLstart("inner");
    GPTLstop("outer");
    region("within_inner", 1);
    GPTLstop("inner");
}

static void *work(void *steps)
{
    for (int i = 0; i < *(int *)steps; i++)
        step(0);
    crossed();
    region("only_here", *(int *)steps == 2);
    return NULL;
}

/* The second thread begins while the first one lives, so that their numbers are certain. */
static pthread_barrier_t both;

static void *first_thread(void *steps)
{
    work(steps);
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    return NULL;
}

static void *second_thread(void *steps)
{
    pthread_barrier_wait(&both);
    work(steps);
    pthread_barrier_wait(&both);
    return NULL;
}

static void threads(void)
{
    static int one = 1, two = 2;
    pthread_t first, second;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&first, NULL, first_thread, &one);
    pthread_create(&second, NULL, second_thread, &two);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    GPTLinitialize();
    GPTLstart("total");
    for (int i = 0; i < 3; i++) {
        step(i == 0);
        if (strcmp(mode, "marks") == 0 && i < 2)
            GPTLmark(i == 0 ? "first step" : "second \"step\"");
    }
    if (strcmp(mode, "threads") == 0)
        threads();
    factorial(4);
    ping(5);
    if (strcmp(mode, "open") == 0) {
        GPTLstart("still open");
        GPTLstart("deepest");
        GPTLstart("deepest");
        exit(0);
    }
    if (strcmp(mode, "mistakes") == 0) {
        crossed();
        crossed();
        GPTLstop("never started");
        GPTLstop("step");
        region("", 2);
        region("tab\there", 1);
        region("caf\xc3\xa9", 1);
        region("not\xffutf8", 1);
    }
    GPTLstop("total");
    return 0;
}
EOF
compile tree tree.c

# golden NAME OPTIONS [MODE]
golden() {
    echo "== $1"
    ends 0 env GPTL_OPTIONS="utr=placebo;overhead=off;$2" ./tree "${3:-}" 2>stderr
    tables timing.0 >got
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
golden columns 'percent=on;histogram=on;quote=on'
golden no_wall 'wall=off'
golden depthlimit 'depthlimit=2'
golden marks '' marks
golden open '' open
[ ! -s stderr ] || { cat stderr; fail "open regions are no error"; }
golden mistakes '' mistakes
[ "$(wc -l <stderr)" -eq 2 ] || { cat stderr; fail "not two messages"; }
grep -qxF 'GPTL: GPTLstop: "never started" is not open on thread 0 (innermost open region: "total")' \
    stderr || { cat stderr; fail "no message about a stop without start"; }

# What differs from run to run has its places.
GPTL_OPTIONS='utr=placebo;cpu=on' ./tree threads
tables timing.0 | sed -E 's/ +[0-9]+\.[0-9]+/ T/g' >cpu
grep -q '^ *Called *Recurse *Wallclock *max *min *usr *sys *usr+sys *selfOH *parentOH$' cpu ||
    fail "columns with cpu and overhead"
grep -q '^  total *1 *- T T T T T T T T$' cpu || { cat cpu; fail "the row of total"; }
grep -q '^SUM step *6 *- T T T T T T T T$' cpu || { cat cpu; fail "the row of a sum"; }
same "lines of the preamble" "$(sed '/^Stats for thread/,$d' timing.0 | grep -cE \
    '^(GPTL 0\.1\.0 profile of .*/tree$|Process   [0-9]+ on |Started   20..-|Clock     placebo|Options   cpu=on$|Overhead  a start and stop costs)')" 6
