/* edits.h - what is put into a source file, and where: sought first, applied when all was found. */
#ifndef GPTL_POSTPROC_IOSTACK_EDITS_H
#define GPTL_POSTPROC_IOSTACK_EDITS_H

#include "postproc/iostack/ctokens.h"
#include "postproc/iostack/plan.h"

struct edit {
    size_t at; /* in the text */
    int order; /* of those at the same place: the smaller one stands first */
    char *text;
};

struct edits {
    struct edit *edits;
    size_t n, room;
    int order;
    size_t unreachable;             /* probes after a return, which never execute … */
    struct place first_unreachable; /* … and the place of the first one in the configuration */
};

/* In how many places a file has the call or function that PROBE names. */
size_t edits_count(const struct ctokens *c, const struct probe *probe, const struct numbers *lines);
/* Adds what PROBE does to a file. Returns 0, or -1 after a message. LINES restricts its calls. */
int edits_find(struct edits *edits, const struct ctokens *c, const struct probe *probe,
               const char *path, const struct numbers *lines);
/*
 * The text with all edits, and before each function that has one the header, and a line that says where
 * it is in PATH. Free it. *SIZE is its length.
 */
char *edits_apply(struct edits *edits, const struct ctokens *c, const char *path, size_t *size);
void edits_free(struct edits *edits);

#endif
