/*
 * html.h - the parts of the HTML report (html_write in outputs.h): one file that shows the call
 * paths in a browser, without a network.
 *
 * The page is postproc/html/, made into a C file when this is built. The profile stands in it as
 * JSON (html_data.c, html_lanes.c), its head as plain HTML (html_head.c).
 */
#ifndef GPTL_POSTPROC_HTML_H
#define GPTL_POSTPROC_HTML_H

#include "postproc/paths/paths.h"
#include "postproc/report/outputs.h"
#include "report/out.h"

/* The page, cut where the title, the head, the table of a page without scripts, and the data go. */
enum { HTML_PAGE_PARTS = 5 };
extern const char *const html_page[HTML_PAGE_PARTS];

/* Whose profile it is, and what must be known before the numbers. Returns -1 without memory. */
int html_head_write(struct gptl_out *out, const struct paths *paths);

/* Returns 0, or -1 when there is no memory. */
int html_data_write(struct gptl_out *out, const struct paths *paths,
                    const struct output_options *options);

#endif
