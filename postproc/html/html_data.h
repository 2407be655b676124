/* html_data.h - what the two files that write a page's data share: JSON, and the order of paths. */
#ifndef GPTL_POSTPROC_HTML_DATA_H
#define GPTL_POSTPROC_HTML_DATA_H

#include "postproc/html/html.h"

struct html_data {
    struct gptl_out *out;
    const struct paths *paths;
    const struct output_options *options;
    uint32_t *order;   /* paths as they stand in the page */
    uint32_t *place;   /* of each path: where that is */
    uint32_t *largest; /* all places but the root's, that of the longest inclusive time first */
    uint32_t *region;  /* of each region, 0 unused: its index into names, plus 1 */
    uint32_t *name;    /* of each index into names: a path that has it */
    uint32_t nregions, nnames;
};

/* The path at a place. */
static inline const struct path *html_path(const struct html_data *data, uint32_t place)
{
    return &data->paths->paths[data->order[place]];
}

/* What all members of the JSON object but the first begin with. */
void html_put_key(struct gptl_out *out, const char *key);

/* A list: before each of its items, and when it ends; ANY is false at first. */
void html_put_between(struct gptl_out *out, bool *any);
void html_put_end(struct gptl_out *out, bool any);

void html_put_signed(struct gptl_out *out, int64_t value);

/* A name as a string of the script; "" for NULL. */
void html_put_name(struct gptl_out *out, const char *name);

/* A less B; what does not fit is as good as the largest that does. */
int64_t html_difference(uint64_t a, uint64_t b);

/* What was counted, see html_counts.c. Returns -1 when there is no memory. */
int html_put_counts(struct html_data *data);

/* How ranks differ, see html_ranks.c. */
void html_put_ranks(struct html_data *data);

/* Messages between ranks. Returns -1 when there is no memory. */
int html_put_peers(struct html_data *data);

/* What was predicted. Returns -1 when there is no memory. */
int html_put_predicted(struct html_data *data);

/* What the lanes did, with several of them, and the lengths of calls. */
void html_put_lanes(struct html_data *data);
void html_put_histograms(struct html_data *data);

#endif
