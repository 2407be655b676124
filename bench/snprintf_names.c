/*
 * snprintf_names.c - 64 names created by snprintf in one buffer: only the bytes, not the address,
 * identify the name. The same loop with snprintf alone is subtracted.
 */
#include "bench.h"

#include <stdio.h>

#include <gptl.h>

enum { NAMES = 64 };

static void make_name(char *buffer, size_t size, int i)
{
    snprintf(buffer, size, "field_%d", i);
    /* Force the compiler to write the bytes even if no code reads them. */
    __asm__ volatile("" : : "r"(buffer) : "memory");
}

static void run_snprintf(void *arg, long rounds)
{
    char buffer[32];
    int i;

    (void)arg;
    while (rounds-- > 0)
        for (i = 0; i < NAMES; i++)
            make_name(buffer, sizeof buffer, i);
}

static void run_timed(void *arg, long rounds)
{
    char buffer[32];
    int i;

    (void)arg;
    while (rounds-- > 0)
        for (i = 0; i < NAMES; i++) {
            make_name(buffer, sizeof buffer, i);
            GPTLstart(buffer);
            GPTLstop(buffer);
        }
}

int main(void)
{
    struct bench_work work[3] = {
        {0},
        {.run = run_snprintf, .pairs = NAMES},
        {.run = run_timed, .pairs = NAMES},
    };

    bench_open();
    work[0] = bench_library(NULL);
    bench_compare(work, 3);
    printf("# snprintf alone %.2f ns, with start+stop %.2f ns\n", work[1].ns, work[2].ns);
    bench_row("64 names from snprintf in one buffer", work[0].ns, work[2].ns - work[1].ns, "2.0x");
    bench_close();
}
