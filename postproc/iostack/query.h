/* query.h - the query: set by the flags -O, -C, -S and -Q of a configuration, or by options. */
#ifndef GPTL_POSTPROC_IOSTACK_QUERY_H
#define GPTL_POSTPROC_IOSTACK_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "postproc/iostack/stack.h"

enum metric {
    METRIC_LATENCY,
    METRIC_THROUGHPUT,
    METRIC_SEGMENT,
    METRIC_NODES,
    METRIC_COMMUNICATION,
    METRIC_ENERGY,
    METRIC_ACCESSES,
    NMETRICS
};

/* Ranges of numbers; empty: all numbers. */
struct numbers {
    struct number_range {
        int64_t first, last;
    } * ranges;
    size_t n, room;
};

struct disk {
    char name[64];
    double active, idle; /* watts */
};

struct query {
    enum metric metric;
    bool exclusive;
    bool whole;                       /* calls of libraries above MPI-IO include all spans below */
    bool sums[NLAYERS];               /* latencies below add up instead of using the maximum */
    uint32_t operations;              /* a bit for each; 0: all */
    struct numbers calls;             /* selected by number */
    struct numbers lines;             /* lines of the application */
    struct numbers of_layer[NLAYERS]; /* selected processes, in the order of their logs */
    struct disk disk;
    bool has_disk; /* the user specified a disk */
};

/* ---- query.c -------------------------------------------------------------------------------- */

void query_begin(struct query *query);
void query_free(struct query *query);
void numbers_add(struct numbers *ranges, int64_t first, int64_t last);
bool numbers_have(const struct numbers *ranges, int64_t number);
/* Parse "6-17,20" or "*"; returns the number of characters parsed. */
size_t numbers_parse(struct numbers *ranges, const char *text);
/* Return the metric named NAME, or -1. */
int metric_of(const char *name, size_t size);
const char *metric_name(enum metric metric);
/*
 * Return whether to show energy: only if the user specified a disk, because others do not expect
 * it.
 */
bool query_of_energy(const struct query *query);
/*
 * Set the disk from the built-in table or from FILE, which may be NULL. Returns 0, or -1 after a
 * message.
 */
int query_take_disk(struct query *query, const char *name, const char *file);

#endif
