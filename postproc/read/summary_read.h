/*
 * summary_read.h - reads the statistics over the ranks of a job from the JSON of GPTLpr_summary and
 * output=merged (doc/summary.schema.json).
 */
#ifndef GPTL_POSTPROC_SUMMARY_READ_H
#define GPTL_POSTPROC_SUMMARY_READ_H

#include "postproc/read/json_read.h"

#include "ranks/tree.h"
#include "report/report.h"

struct summary {
    struct gptl_ranks_tree tree;
    /*
     * The job as one process with one thread, whose calls, times and counts are sums over all: node
     * I is path I of the tree, from 1. The durations of individual calls are unknown.
     */
    struct gptl_profile profile;
};

/* Read the document of JSON. NULL after a message. */
struct summary *summary_read(struct json *json);
void summary_free(struct summary *summary);

#endif
