/*
 * html.h - the parts of the HTML report (html_write in outputs.h): one file that shows the call
 * paths in a browser, without a network.
 *
 * The page is assembled from postproc/html/ into a C file by the build. It contains the profile as
 * JSON (html_data.c, html_lanes.c) and its head as plain HTML (html_head.c).
 */
#ifndef GPTL_POSTPROC_HTML_H
#define GPTL_POSTPROC_HTML_H

#include "postproc/paths/paths.h"
#include "postproc/report/outputs.h"
#include "report/out.h"

/*
 * The page, cut at the places of the title, the head, the table of a page without scripts, and the
 * data.
 */
enum { HTML_PAGE_PARTS = 5 };
extern const char *const html_page[HTML_PAGE_PARTS];

/* Write the origin of the profile and the caveats. Returns -1 if out of memory. */
int html_head_write(struct gptl_out *out, const struct paths *paths);

/* Write the page's data. Returns 0, or -1 if out of memory. */
int html_data_write(struct gptl_out *out, const struct paths *paths,
                    const struct output_options *options);

#endif
