/* query.h - what is asked of the logs: by the flags -O, -C, -S and -Q of a configuration, or by options. */
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

/* Ranges of numbers, all of them if there are none. */
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
    bool whole;           /* calls of libraries above MPI-IO have all that they led to */
    bool sums[NLAYERS];   /* what is below adds up, where the rule is not its maximum */
    uint32_t operations;  /* a bit for each; 0: all */
    struct numbers calls; /* by their number */
    struct numbers lines; /* of the application */
    struct numbers of_layer[NLAYERS]; /* which processes, in their order */
    struct disk disk;
    bool has_disk; /* that was asked for */
};

/* ---- query.c -------------------------------------------------------------------------------- */

void query_begin(struct query *query);
void query_free(struct query *query);
void numbers_add(struct numbers *ranges, int64_t first, int64_t last);
bool numbers_have(const struct numbers *ranges, int64_t number);
/* "6-17,20" or "*"; returns how many characters were understood. */
size_t numbers_parse(struct numbers *ranges, const char *text);
/* The metric of this name, or -1. */
int metric_of(const char *name, size_t size);
const char *metric_name(enum metric metric);
/* Joules of a disk that is not there would puzzle who did not ask for them. */
bool query_of_energy(const struct query *query);
/* From the table built in, and that of FILE if it is not NULL. Returns 0, or -1 after a message. */
int query_take_disk(struct query *query, const char *name, const char *file);

#endif
