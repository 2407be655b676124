/* summary_parts.h - between the files that read a summary. */
#ifndef GPTL_POSTPROC_SUMMARY_PARTS_H
#define GPTL_POSTPROC_SUMMARY_PARTS_H

#include "postproc/read/summary_read.h"

/* Tables of the text have a column or three for each. */
enum { MOST_METRICS = 150 };

struct list {
    void *all;
    size_t n, room;
};

/* A document, while it is read. */
struct reading {
    struct json *json;
    struct gptl_ranks_head head;
    struct gptl_process process;
    uint64_t library, program, host, job; /* places in the text */
    struct list metrics, regions, rows, figures, buckets, text;
    struct list last; /* of each depth, the path there that leads to the last one; first 0 */
    bool has_paths;
};

/* The profile of SUMMARY, whose tree is there. Returns 0, or -1 when there is no memory. */
int summary_make_profile(struct summary *summary, const struct reading *reading);

#endif
