/* folder.c - opens the traces of all ranks of a run in a directory. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/net/trace.h"

static struct trace *open_rank(const char *folder, int rank, char *why, size_t size)
{
    char path[PATH_MAX + 64], reason[256];
    snprintf(path, sizeof path, "%s/" GPTL_TI_PREFIX "%d" GPTL_TI_SUFFIX, folder, rank);
    struct trace *trace = trace_open(path, reason, sizeof reason);
    if (!trace && rank == 0 && access(path, F_OK) != 0)
        snprintf(why, size,
                 "%s: %s; GPTL_OPTIONS=\"trace=ti\" records traces in the folder of the report",
                 path, strerror(errno));
    else if (!trace)
        snprintf(why, size, "%s: %s", path, reason);
    return trace;
}

int trace_open_all(const char *folder, struct trace ***traces, char *why, size_t size)
{
    struct trace *first = open_rank(folder, 0, why, size);
    *traces = NULL;
    if (!first)
        return 0;
    int n = first->ranks;
    struct trace **all = calloc((size_t)n, sizeof(struct trace *));
    if (!all) {
        trace_close(first);
        snprintf(why, size, "there is no memory for %d ranks", n);
        return 0;
    }
    all[0] = first;
    bool good = first->rank == 0;
    if (!good)
        snprintf(why, size, "%s is of rank %d, not 0", first->path, first->rank);
    for (int i = 1; good && i < n; i++) {
        all[i] = open_rank(folder, i, why, size);
        good = all[i] != NULL;
        if (good && (all[i]->rank != i || all[i]->ranks != n)) {
            snprintf(why, size, "%s is of another run than rank 0's", all[i]->path);
            good = false;
        }
    }
    *traces = all;
    if (good)
        return n;
    trace_close_all(all, n);
    *traces = NULL;
    return 0;
}

void trace_close_all(struct trace **traces, int n)
{
    for (int i = 0; traces && i < n; i++)
        trace_close(traces[i]);
    free(traces);
}
