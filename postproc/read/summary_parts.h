/* summary_parts.h - interface between the files that read a summary. */
#ifndef GPTL_POSTPROC_SUMMARY_PARTS_H
#define GPTL_POSTPROC_SUMMARY_PARTS_H

#include "postproc/read/summary_read.h"

/* Limit: text tables have one or three columns per metric. */
enum { MOST_METRICS = 150 };

struct list {
    void *all;
    size_t n, room;
};

/* State of a document during reading. */
struct reading {
    struct json *json;
    struct gptl_ranks_head head;
    struct gptl_process process;
    uint64_t library, program, host, job; /* offsets in the text */
    struct list metrics, regions, rows, figures, buckets, text;
    struct list last; /* by depth: the ancestor of the last path, from 0 */
    bool has_paths;
};

/* Report that memory is exhausted. */
void summary_no_memory(struct reading *r);
/* Append space for MORE elements of SIZE bytes to LIST; NULL after a message. */
void *summary_add(struct reading *r, struct list *list, size_t more, size_t size);
/* Read a text, "" for null; returns its offset in the tree's text. */
uint64_t summary_text(struct reading *r);
/* Read a number; null represents infinity. */
double summary_real(struct json *json);

/* Read the regions, and the paths, into rows of the tree. */
void summary_regions(struct reading *r);
void summary_paths(struct reading *r);

/* Make the profile of SUMMARY from its tree. Returns 0, or -1 if out of memory. */
int summary_make_profile(struct summary *summary, const struct reading *reading);

#endif
