/* page.h - an HTML page: notes, pictures, and the timeline of each call's tree. */
#ifndef GPTL_POSTPROC_IOSTACK_PAGE_H
#define GPTL_POSTPROC_IOSTACK_PAGE_H

#include "postproc/iostack/calls.h"

#include "report/out.h"

/* The spans of calls for a page, limited in number. */
struct page {
    struct stack *stack;
    struct sorter spans;
    uint64_t calls, nspans, left_out;
    int64_t begin; /* start of the first call */
};

void page_begin(struct page *page, struct stack *stack);
/* Add a call (a call_visitor). */
void page_visit(void *page, const struct call *call, const struct call_spans *spans,
                const struct cell *cells, size_t ncells);
/*
 * Write the page: NOTES, NULL-terminated, and TABLE, a text, precede PICTURES, files of SVG or ""
 * for a missing one. Write errors are recorded in OUT.
 */
void page_print(struct page *page, struct gptl_out *out, char *const *notes, const char *table,
                char *const *pictures, size_t npictures);
void page_free(struct page *page);

/* ---- page_text.c ---------------------------------------------------------------------------- */

extern const char iostack_page_head[], iostack_page_script[];

#endif
