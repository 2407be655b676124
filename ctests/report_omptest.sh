#!/bin/sh
# The published example of two OpenMP threads: its report has the same regions, nesting, counts, thread
# table and sums. Its second half runs with real sleeps, a hundred times shorter.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"
[ -n "$OPENMP_CFLAGS" ] || skip "no OpenMP"
case $sanitize in *thread*) skip "the thread sanitizer does not know OpenMP" ;; esac

cat >omptest.c <<'EOF'
#include <gptl.h>
#include <stdlib.h>
#include <unistd.h>

static void check(int rc)
{
    if (rc)
        abort();
}

int main(int argc, char **argv)
{
    check(GPTLsetoption(GPTLabort_on_error, 1));
    check(GPTLsetoption(GPTLoverhead, 0));
    check(GPTLsetutr(argc > 1 ? GPTLclockgettime : GPTLplacebo));
    check(GPTLinitialize());
    check(GPTLstart("total"));
#pragma omp parallel for schedule(static, 1)
    for (int iter = 1; iter <= 2; iter++) {
        check(GPTLstart("A"));
        check(GPTLstart("B"));
        check(GPTLstart("C"));
        if (argc > 1)
            usleep((useconds_t)(iter * atoi(argv[1])));
        check(GPTLstop("C"));
        check(GPTLstart("CC"));
        check(GPTLstop("CC"));
        check(GPTLstop("A"));
        check(GPTLstop("B"));
    }
    check(GPTLstop("total"));
    check(GPTLpr(0));
    check(GPTLfinalize());
    return 0;
}
EOF
# shellcheck disable=SC2086 # a list of words
compile omptest omptest.c $OPENMP_CFLAGS
OMP_NUM_THREADS=2
export OMP_NUM_THREADS

ends 0 ./omptest
tables timing.0 >got
tables "$srcdir/ctests/golden/text_omptest.txt" | sed -E 's/ [0-9]\.000/ 0.000/g' >wanted
grep -q '^SUM CC ' wanted || fail "the golden file is not what it was"
diff -u wanted got || fail "the report differs"

ends 0 ./omptest 10000
# wall REGION THREAD: in seconds; "sum" of all threads.
wall() {
    sed -n '/^Same stats sorted/,$p' timing.0 |
        awk -v region="$1" -v label="$2" '$1 == label && $2 == region { print $5 }'
}
for region in A B C; do
    awk -v one="$(wall $region 000)" -v two="$(wall $region 001)" -v sum="$(wall $region SUM)" 'BEGIN {
        exit !(one >= 0.01 && two >= 0.02 && two > one && sum > one + two - 2e-6 && sum < one + two + 2e-6)
    }' || { cat timing.0; fail "times of $region"; }
done
