/* row.h - what the cells of a row come to: the metrics of the paper's Table 1. */
#ifndef GPTL_POSTPROC_IOSTACK_ROW_H
#define GPTL_POSTPROC_IOSTACK_ROW_H

#include "postproc/iostack/calls.h"

struct layer_figures {
    bool any;
    int64_t latency, exclusive; /* -1: nothing of it has ended */
    double rate;                /* bytes a second */
    int64_t bytes;
    uint64_t spans, unended, accesses;
};

/* Cells come in order of layer and process. */
struct row {
    const struct query *query;
    struct layer_figures layers[NLAYERS];
    int64_t window; /* the longest call */
    uint64_t processes[NLAYERS];
    uint64_t shared;        /* accesses of other processes for the same collective */
    double joules[NLAYERS]; /* of the two layers that may be a disk */
    uint32_t last_process;
    int last_layer;
    int64_t last_busy;
    int64_t communication; /* -1: none */
};

void row_begin(struct row *row, const struct query *query);
void row_add(struct row *row, const struct cell *cell);
void row_end(struct row *row);

/* The layer that counts as disks; 0: there is none. */
int row_disks(const struct row *row);
/* How many I/O nodes took part; what worked at the bottom if there was no server. */
uint64_t row_nodes(const struct row *row);
/* Of a call of LAYER; of the application those of the layer next below that has any. */
int64_t row_bytes(const struct row *row, int layer);
/* Nanoseconds between processes; -1: not known. */
int64_t row_communication(const struct row *row);

/* What a disk takes that was active for BUSY nanoseconds of WINDOW. */
double row_joules(const struct disk *disk, int64_t busy, int64_t window);

#endif
