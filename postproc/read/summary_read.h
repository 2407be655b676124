/*
 * summary_read.h - the statistics over the ranks of a job, from the JSON that GPTLpr_summary and
 * output=merged write (doc/summary.schema.json).
 */
#ifndef GPTL_POSTPROC_SUMMARY_READ_H
#define GPTL_POSTPROC_SUMMARY_READ_H

#include "postproc/read/json_read.h"

#include "ranks/tree.h"
#include "report/report.h"

struct summary {
    struct gptl_ranks_tree tree;
    /*
     * The job as if it were one process with one thread, whose calls, times and counts are those of
     * all: its node I is path I of the tree, from 1. What single calls took is not known.
     */
    struct gptl_profile profile;
};

/* Reads the document of JSON. NULL after a message. */
struct summary *summary_read(struct json *json);
void summary_free(struct summary *summary);

#endif
