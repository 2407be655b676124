/*
 * memory.c - bytes per node without names, at sizes just before and after tables grow.
 *
 * Bytes are the growth of RssAnon (anonymous resident memory) of a separate process in which all
 * names exist and one region was timed before. Transparent huge pages are off, because the
 * machine's setting would change the figure.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

static void give_nodes(long nodes)
{
    double before;

    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    bench_library(NULL);
    bench_intern_names();
    bench_run_pair(NULL, 1);
    before = bench_status_kb("RssAnon");
    bench_grow_tree(nodes);
    bench_give(1024 * (bench_status_kb("RssAnon") - before) / (double)nodes);
    bench_close();
}

int main(int argc, char **argv)
{
    static const char *const nodes[] = {"10000", "65536", "70000", "131073", "1000000"};
    char work[64], figure[32];
    double bytes;
    size_t i;

    if (argc > 1)
        give_nodes(atol(argv[1]));
    bench_open();
    for (i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        if (bench_child(NULL, nodes[i], &bytes, 1))
            bench_stop(1, "a child process gave no figure");
        snprintf(work, sizeof work, "memory a node, %s nodes", nodes[i]);
        snprintf(figure, sizeof figure, "%.0f B", bytes);
        bench_row_text(work, "-", figure, NAN, "at most 160 B");
    }
    bench_close();
}
