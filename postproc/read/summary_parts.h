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

/* Says that there is none. */
void summary_no_memory(struct reading *r);
/* Room for MORE elements of SIZE bytes behind the last one of LIST; NULL after a message. */
void *summary_add(struct reading *r, struct list *list, size_t more, size_t size);
/* The text that comes next, "" for null: its place in the tree's. */
uint64_t summary_text(struct reading *r);
/* The number that comes next; infinite ones are written as null. */
double summary_real(struct json *json);

/* The regions, and the paths, that come next: rows of the tree. */
void summary_regions(struct reading *r);
void summary_paths(struct reading *r);

/* The profile of SUMMARY, whose tree is there. Returns 0, or -1 when there is no memory. */
int summary_make_profile(struct summary *summary, const struct reading *reading);

#endif
