/*
 * pair_name.c - start and stop of one literal name.
 */
#include "bench.h"

#include <stddef.h>

int main(void)
{
    struct bench_work work[2] = {{0}, {.run = bench_run_pair, .pairs = 1}};

    bench_open();
    work[0] = bench_library(NULL);
    bench_compare(work, 2);
    bench_row("start+stop, one literal name", work[0].ns, work[1].ns, "1.10x");
    bench_close();
}
