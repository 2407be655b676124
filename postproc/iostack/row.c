/*
 * row.c - the metrics. The latency of a layer is the maximum of the parts below, and its throughput
 * is their sum; with -S, latencies of a layer also add up. A disk consumes its active power while
 * it serves the call and its idle power during the rest of the call. Communication is a process's
 * total time in it.
 */
#include "config.h"

#include "postproc/iostack/row.h"

void row_begin(struct row *row, const struct query *query)
{
    *row = (struct row){.query = query, .last_process = NO_PROCESS, .communication = -1};
    for (int i = 0; i < NLAYERS; i++)
        row->layers[i].latency = row->layers[i].exclusive = -1;
}

double row_joules(const struct disk *disk, int64_t busy, int64_t window)
{
    double idle = window > busy ? (double)(window - busy) : 0;
    return ((double)busy * disk->active + idle * disk->idle) * 1e-9;
}

/* Each process in the bottom layer represents one disk. */
static void end_disk(struct row *f)
{
    if (f->last_process != NO_PROCESS)
        f->joules[f->last_layer] += row_joules(
            &f->query->disk, f->last_busy < f->window ? f->last_busy : f->window, f->window);
    f->last_process = NO_PROCESS;
    f->last_busy = 0;
}

static int64_t combine(int64_t before, int64_t value, bool sum)
{
    if (before < 0)
        return value;
    return sum ? calls_sum(before, value) : value > before ? value : before;
}

/* Add work of other processes, without energy because it uses other disks. */
static void add_shared(struct row *row, const struct cell *cell)
{
    struct layer_figures *l = &row->layers[cell->layer];
    l->any = true;
    l->spans += cell->spans;
    l->unended += cell->unended;
    l->accesses += cell->accesses;
    l->bytes = calls_sum(l->bytes, cell->bytes);
    row->shared += cell->accesses;
    row->processes[cell->layer] += cell->processes;
    l->latency = combine(l->latency, cell->longest, false);
    l->rate += cell->busy > 0 ? (double)cell->bytes * 1e9 / (double)cell->busy : 0;
}

void row_add(struct row *row, const struct cell *cell)
{
    if (cell->is_shared) {
        add_shared(row, cell);
        return;
    }
    struct layer_figures *l = &row->layers[cell->layer];
    bool sum = row->query->sums[cell->layer];
    if (!(row->last_process == cell->process && row->last_layer == cell->layer)) {
        end_disk(row);
        row->processes[cell->layer]++;
        row->last_process = cell->process;
        row->last_layer = cell->layer;
    }
    row->last_busy = calls_sum(row->last_busy, cell->busy);
    row->window = cell->duration > row->window ? cell->duration : row->window;
    l->any = true;
    l->spans += cell->spans;
    l->unended += cell->unended;
    l->bytes = calls_sum(l->bytes, cell->bytes);
    l->accesses += cell->accesses;
    if (cell->spans == cell->unended)
        return;
    l->latency = combine(l->latency, sum ? cell->total : cell->longest, sum);
    l->exclusive = combine(l->exclusive, cell->exclusive, sum);
    if (cell->layer == GPTL_LAYER_COMM) /* a call contains many of these in sequence */
        row->communication = combine(row->communication, cell->busy, sum);
    l->rate += cell->busy > 0 ? (double)cell->bytes * 1e9 / (double)cell->busy : 0;
}

void row_end(struct row *row)
{
    end_disk(row);
}

int row_disks(const struct row *row)
{
    return row->layers[GPTL_LAYER_DISK].any    ? GPTL_LAYER_DISK
           : row->layers[GPTL_LAYER_POSIX].any ? GPTL_LAYER_POSIX
                                               : 0;
}

uint64_t row_nodes(const struct row *row)
{
    if (row->layers[GPTL_LAYER_SERVER].any)
        return row->processes[GPTL_LAYER_SERVER];
    return row->processes[row_disks(row)];
}

int64_t row_bytes(const struct row *row, int layer)
{
    if (layer == GPTL_LAYER_APP)
        while (layer < NLAYERS - 1 && row->layers[layer].bytes == 0)
            layer++;
    return row->layers[layer].bytes;
}

int64_t row_communication(const struct row *row)
{
    return row->communication;
}
