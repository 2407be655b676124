/*
 * pair_handle.c - start and stop of one name by its handle.
 */
#include "bench.h"

#include <stddef.h>

#include <gptl.h>

static void run_handle(void *arg, long rounds)
{
    int *handle = arg;

    while (rounds-- > 0) {
        GPTLstart_handle("pair", handle);
        GPTLstop_handle("pair", handle);
    }
}

int main(void)
{
    int handle = 0;
    struct bench_work work[2] = {{0}, {.run = run_handle, .arg = &handle, .pairs = 1}};

    bench_open();
    work[0] = bench_library(NULL);
    bench_compare(work, 2);
    bench_row("start+stop by handle", work[0].ns, work[1].ns, "1.08x");
    bench_close();
}
