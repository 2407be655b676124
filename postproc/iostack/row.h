/* row.h - the sums of a row's cells: the metrics of the paper's Table 1. */
#ifndef GPTL_POSTPROC_IOSTACK_ROW_H
#define GPTL_POSTPROC_IOSTACK_ROW_H

#include "postproc/iostack/calls.h"

struct layer_figures {
    bool any;
    int64_t latency, exclusive; /* -1: no span has ended */
    double rate;                /* bytes per second */
    int64_t bytes;
    uint64_t spans, unended, accesses;
};

/* Sums of cells added in order of layer and process. */
struct row {
    const struct query *query;
    struct layer_figures layers[NLAYERS];
    int64_t window; /* longest call */
    uint64_t processes[NLAYERS];
    uint64_t shared;        /* accesses of other processes for the same collective */
    double joules[NLAYERS]; /* energy of the two layers that may represent disks */
    uint32_t last_process;
    int last_layer;
    int64_t last_busy;
    int64_t communication; /* -1: none */
};

void row_begin(struct row *row, const struct query *query);
void row_add(struct row *row, const struct cell *cell);
void row_end(struct row *row);

/* Return the layer that represents disks, or 0. */
int row_disks(const struct row *row);
/* Return the number of I/O nodes, or of processes in the bottom layer without servers. */
uint64_t row_nodes(const struct row *row);
/*
 * Return the bytes of a call of LAYER; for the application, of the next layer below that has any.
 */
int64_t row_bytes(const struct row *row, int layer);
/* Return the nanoseconds of communication between processes, or -1 if unknown. */
int64_t row_communication(const struct row *row);

/* Return the energy of a disk that was active for BUSY nanoseconds of WINDOW. */
double row_joules(const struct disk *disk, int64_t busy, int64_t window);

#endif
