/* edits.h - insertions into a source file: collected first, and applied after all were found. */
#ifndef GPTL_POSTPROC_IOSTACK_EDITS_H
#define GPTL_POSTPROC_IOSTACK_EDITS_H

#include "postproc/iostack/ctokens.h"
#include "postproc/iostack/plan.h"

struct edit {
    size_t at; /* offset in the text */
    int order; /* smaller ones precede at the same place */
    char *text;
};

struct edits {
    struct edit *edits;
    size_t n, room;
    int order;
    size_t unreachable;             /* probes after a return, which never execute */
    struct place first_unreachable; /* place of the first one in the configuration */
};

/* Return the number of places where a file contains the call or function of PROBE. */
size_t edits_count(const struct ctokens *c, const struct probe *probe, const struct numbers *lines);
/*
 * Add the insertions of PROBE in a file. Returns 0, or -1 after a message. LINES restricts its
 * calls.
 */
int edits_find(struct edits *edits, const struct ctokens *c, const struct probe *probe,
               const char *path, const struct numbers *lines);
/*
 * Return the text with all edits, and before each edited function the header and a #line directive
 * for PATH. The caller frees it. *SIZE is its length.
 */
char *edits_apply(struct edits *edits, const struct ctokens *c, const char *path, size_t *size);
void edits_free(struct edits *edits);

#endif
