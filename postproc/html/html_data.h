/*
 * html_data.h - interface between the files that write a page's data: JSON, and the order of paths.
 */
#ifndef GPTL_POSTPROC_HTML_DATA_H
#define GPTL_POSTPROC_HTML_DATA_H

#include "postproc/html/html.h"

struct html_data {
    struct gptl_out *out;
    const struct paths *paths;
    const struct output_options *options;
    uint32_t *order;   /* paths in page order */
    uint32_t *place;   /* position of each path in page order */
    uint32_t *largest; /* all places but the root's, the longest inclusive time first */
    uint32_t *region;  /* index of each region into names, plus 1; 0: unused */
    uint32_t *name;    /* a path for each index into names */
    uint32_t nregions, nnames;
};

/* Return the path at PLACE. */
static inline const struct path *html_path(const struct html_data *data, uint32_t place)
{
    return &data->paths->paths[data->order[place]];
}

/* Begin a member of the JSON object, with a comma unless it is the first. */
void html_put_key(struct gptl_out *out, const char *key);

/* Write the separator before an item of a list, and the end of the list; ANY is false at first. */
void html_put_between(struct gptl_out *out, bool *any);
void html_put_end(struct gptl_out *out, bool any);

void html_put_signed(struct gptl_out *out, int64_t value);

/* Write a name as a string of the script; "" for NULL. */
void html_put_name(struct gptl_out *out, const char *name);

/* Return A - B, limited to the range of int64_t. */
int64_t html_difference(uint64_t a, uint64_t b);

/* Write the counters, see html_counts.c. Returns -1 if out of memory. */
int html_put_counts(struct html_data *data);

/* Write the distribution over ranks, see html_ranks.c. */
void html_put_ranks(struct html_data *data);

/* Write the messages between ranks. Returns -1 if out of memory. */
int html_put_peers(struct html_data *data);

/* Write the predicted times. Returns -1 if out of memory. */
int html_put_predicted(struct html_data *data);

/* Write the values of several lanes, and the duration histograms. */
void html_put_lanes(struct html_data *data);
void html_put_histograms(struct html_data *data);

#endif
