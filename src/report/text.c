/* text.c - the text report: selection and order of the sections. */
#include "config.h"

#include "report/text.h"

#include <stdlib.h>

#include "gptl.h"

struct gptl_style gptl_style_of_options(const struct gptl_profile *profile)
{
    return (struct gptl_style){
        .wall = gptl_report_option(profile, GPTL_OPT_WALL),
        .cpu = gptl_report_option(profile, GPTL_OPT_CPU),
        .percent = gptl_report_option(profile, GPTL_OPT_PERCENT),
        .histogram = gptl_report_option(profile, GPTL_OPT_HISTOGRAM),
        .overhead = gptl_report_option(profile, GPTL_OPT_OVERHEAD),
        .subtract = gptl_report_option(profile, GPTL_OPT_SUBTRACT),
        .narrow = gptl_report_option(profile, GPTL_OPT_NARROWPRINT),
        .persec = gptl_report_option(profile, GPTL_OPT_PERSEC),
        .quote = gptl_report_option(profile, GPTL_OPT_DOPR_QUOTES),
        .layout = (enum gptl_file_layout)gptl_report_option(profile, GPTL_OPT_LAYOUT),
        .preamble = gptl_report_option(profile, GPTL_OPT_PREAMBLE),
        .multparent = gptl_report_option(profile, GPTL_OPT_MULTPARENT),
        .callers = gptl_report_option(profile, GPTL_OPT_CALLERS),
        .threadsort = gptl_report_option(profile, GPTL_OPT_THREADSORT),
        .collision = gptl_report_option(profile, GPTL_OPT_COLLISION),
        .method = (int)gptl_report_option(profile, GPTL_OPT_PRINT_METHOD),
    };
}

struct range {
    uint64_t least, most; /* over all nonzero times, in nanoseconds */
};

static void widen(struct range *range, struct gptl_scale scale, uint64_t ticks)
{
    uint64_t ns = gptl_number_ns(scale, ticks);
    if (ns > 0 && ns < range->least)
        range->least = ns;
    if (ns > range->most)
        range->most = ns;
}

/* Return the number of decimals used in all tables, chosen to show the smallest time of a path. */
static int choose_decimals(const struct gptl_text *text)
{
    struct range range = {UINT64_MAX, 0};
    for (int i = 0; i < text->profile->ncopies; i++) {
        const struct gptl_view *view = &text->views[i];
        for (uint32_t row = 1; row < view->copy->nnodes; row++) {
            const struct gptl_node_copy *node = &view->copy->nodes[row];
            widen(&range, view->scale, node->total + node->open_ticks);
            if (node->min != UINT64_MAX)
                widen(&range, view->scale, node->min);
        }
    }
    return gptl_number_decimals(range.least, range.most);
}

/*
 * Return the time that is 100 percent for all threads: of the first region that the program started
 * on the first thread where it started one; in a full tree, of the first path to that region.
 */
static uint64_t find_first_wall(const struct gptl_text *text)
{
    const struct gptl_view *first = NULL;
    uint32_t slot = 0;
    for (int i = 0; i < text->profile->ncopies && !slot; i++) {
        const struct gptl_view *view = &text->views[i];
        slot = gptl_view_first(view);
        if (slot || (!first && view->nregions > 0))
            first = view;
    }
    struct gptl_figures figures = GPTL_NO_FIGURES;
    slot = slot ? slot : 1; /* MPI's, in a program that started none */
    if (first && text->style.method == GPTLfull_tree)
        gptl_figures_add_row(&figures, NULL, first, first->first[slot]);
    else if (first)
        gptl_figures_add_region(&figures, NULL, first, slot);
    return figures.wall;
}

static bool any_estimated(const struct gptl_profile *profile)
{
    for (int i = 0; i < profile->ncopies; i++)
        for (uint32_t k = 0; k < profile->copies[i].nextras; k++)
            if (profile->copies[i].extras[k].timed)
                return true;
    return false;
}

static int put_threads(struct gptl_text *text)
{
    for (int i = 0; i < text->profile->ncopies; i++) {
        if (gptl_text_regions(text, i))
            return -1;
        gptl_text_events(text, i);
        /* layouts for scripts mark the rows of open regions instead */
        if (!gptl_text_for_scripts(&text->style))
            gptl_text_open(text, i);
        if (text->style.multparent && gptl_text_parents(text, i))
            return -1;
        if (text->style.callers && gptl_text_callers(text, i))
            return -1;
    }
    return 0;
}

static int put_sections(struct gptl_text *text)
{
    if (text->style.layout == GPTL_LAYOUT_CESM) {
        gptl_text_layout_begin(text);
    } else {
        gptl_text_notices(text);
        if (text->style.preamble)
            gptl_text_preamble(text);
    }
    if (text->profile->ncopies == 0)
        gptl_out_literal(text->out, "\nNo region was started.\n");
    if (put_threads(text))
        return -1;
    if (text->profile->ncopies > 1 && text->style.threadsort && gptl_text_threads(text))
        return -1;
    if (gptl_text_intervals(text) || gptl_text_ledgers(text) || gptl_text_modules(text))
        return -1;
    gptl_text_memory(text);
    return 0;
}

static int make_views(struct gptl_text *text)
{
    int n = text->profile->ncopies;
    text->views = calloc((size_t)n + 1, sizeof *text->views);
    if (!text->views)
        return -1;
    for (int i = 0; i < n; i++)
        if (gptl_view_make(&text->views[i], &text->profile->copies[i], text->style.subtract))
            return -1;
    if (text->style.histogram)
        text->both = malloc(sizeof *text->both);
    /* Metrics derived only from times count nothing, but need buffers too. */
    size_t ncounters = (size_t)text->profile->metrics.nslots + 1;
    if (text->profile->metrics.n > 0) {
        text->counters = calloc(ncounters, sizeof *text->counters);
        text->all_counters = calloc(ncounters, sizeof *text->all_counters);
    }
    if (text->profile->metrics.n > 0 && (!text->counters || !text->all_counters))
        return -1;
    return text->style.histogram && !text->both ? -1 : 0;
}

int gptl_text_write(struct gptl_out *out, const struct gptl_profile *profile,
                    const struct gptl_style *style)
{
    struct gptl_text text = {
        .out = out, .profile = profile, .style = *style, .percent_head = "%_of_first"};
    int result = make_views(&text);
    if (result == 0) {
        text.decimals = choose_decimals(&text);
        text.first_wall = find_first_wall(&text);
        text.estimated = any_estimated(profile);
        result = put_sections(&text);
    }
    for (int i = 0; text.views && i < profile->ncopies; i++)
        gptl_view_free(&text.views[i]);
    free(text.views);
    free(text.both);
    free(text.counters);
    free(text.all_counters);
    return result;
}
