/* page.h - one HTML page: what is to be known, the pictures, and the tree of each call in time. */
#ifndef GPTL_POSTPROC_IOSTACK_PAGE_H
#define GPTL_POSTPROC_IOSTACK_PAGE_H

#include "postproc/iostack/calls.h"

#include "report/out.h"

/* The spans of calls, as JSON, until there are enough for a page. */
struct page {
    struct stack *stack;
    struct sorter spans;
    uint64_t calls, nspans, left_out;
    int64_t begin; /* of the first call */
};

void page_begin(struct page *page, struct stack *stack);
/* A call_visitor. */
void page_visit(void *page, const struct call *call, const struct call_spans *spans,
                const struct cell *cells, size_t ncells);
/*
 * NOTES, which end with NULL, and TABLE, a text, stand first; PICTURES are files of SVG, "" for one that is
 * not there. The out's errors are its own.
 */
void page_print(struct page *page, struct gptl_out *out, char *const *notes, const char *table,
                char *const *pictures, size_t npictures);
void page_free(struct page *page);

/* ---- page_text.c ---------------------------------------------------------------------------- */

extern const char iostack_page_head[], iostack_page_script[];

#endif
