/*
 * names.c - 256, 4096 and 65,536 distinct names in turn, each a separate string: the cost if
 * neither the name nor its node is in the first-level cache.
 */
#include "bench.h"

#include <stddef.h>
#include <stdio.h>

#include <gptl.h>

static char names[65536][16];

static void run_names(void *arg, long rounds)
{
    long count = *(const long *)arg, i;

    while (rounds-- > 0)
        for (i = 0; i < count; i++) {
            GPTLstart(names[i]);
            GPTLstop(names[i]);
        }
}

int main(void)
{
    static const struct {
        long count;
        const char *work, *target;
    } row[] = {
        {256, "256 names in turn", "1.15x"},
        {4096, "4096 names in turn", "1.6x"},
        {65536, "65,536 names in turn", "3.2x"},
    };
    struct bench_work work[2];
    size_t i;

    for (i = 0; i < sizeof names / sizeof names[0]; i++)
        snprintf(names[i], sizeof names[i], "region_%zu", i);

    bench_open();
    work[0] = bench_library(NULL);
    for (i = 0; i < sizeof row / sizeof row[0]; i++) {
        long count = row[i].count;

        work[1] = (struct bench_work){.run = run_names, .arg = &count, .pairs = count};
        bench_compare(work, 2);
        bench_row(row[i].work, work[0].ns, work[1].ns, row[i].target);
    }
    bench_close();
}
