/*
 * text_threads.c - "Same stats sorted by timer for threaded regions": for each region called by
 * several threads, a row per thread, and their sum.
 */
#include "config.h"

#include "report/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/name.h"

/* The regions of all threads, sorted by region number: entries of a region are adjacent. */
struct entry {
    uint32_t thread; /* index of its copy */
    uint32_t slot;
};

struct sorted {
    uint32_t highest; /* region number */
    uint32_t *start;  /* first entry by region number, plus an end */
    struct entry *entries;
};

static uint32_t region_of(const struct gptl_view *view, uint32_t slot)
{
    return view->copy->nodes[view->first[slot]].region;
}

static void count_entries(const struct gptl_text *text, struct sorted *sorted, bool place)
{
    for (int i = 0; i < text->profile->ncopies; i++)
        for (uint32_t slot = 1; slot <= text->views[i].nregions; slot++) {
            uint32_t region = region_of(&text->views[i], slot);
            if (place)
                sorted->entries[sorted->start[region]++] = (struct entry){(uint32_t)i, slot};
            else
                sorted->start[region + 1]++;
        }
}

/* Sort by counting, which keeps the thread order within a region. */
static int sort_entries(const struct gptl_text *text, struct sorted *sorted)
{
    size_t n = 0;
    for (int i = 0; i < text->profile->ncopies; i++)
        for (uint32_t slot = 1; slot <= text->views[i].nregions; slot++, n++)
            if (region_of(&text->views[i], slot) > sorted->highest)
                sorted->highest = region_of(&text->views[i], slot);
    sorted->start = calloc((size_t)sorted->highest + 2, sizeof *sorted->start);
    sorted->entries = malloc((n ? n : 1) * sizeof *sorted->entries);
    if (!sorted->start || !sorted->entries)
        return -1;
    count_entries(text, sorted, false);
    for (uint32_t region = 0; region <= sorted->highest; region++)
        sorted->start[region + 1] += sorted->start[region];
    count_entries(text, sorted, true);
    for (uint32_t region = sorted->highest + 1; region > 0; region--)
        sorted->start[region] = sorted->start[region - 1];
    sorted->start[0] = 0;
    return 0;
}

static void add_figures(struct gptl_figures *sum, const struct gptl_figures *more,
                        uint32_t ncounters)
{
    for (uint32_t i = 0; i < ncounters; i++)
        sum->counters[i] = gptl_number_sum(sum->counters[i], more->counters[i]);
    sum->ended = gptl_number_total(sum->ended, more->ended);
    sum->count = gptl_number_total(sum->count, more->count);
    sum->recurse = gptl_number_total(sum->recurse, more->recurse);
    sum->wall = gptl_number_total(sum->wall, more->wall);
    sum->untimed += more->untimed;
    sum->error += more->error;
    sum->max = more->max > sum->max ? more->max : sum->max;
    sum->min = more->min < sum->min ? more->min : sum->min;
    sum->usr = gptl_number_sum(sum->usr, more->usr);
    sum->sys = gptl_number_sum(sum->sys, more->sys);
    sum->inside = gptl_number_sum(sum->inside, more->inside);
}

struct threads {
    struct gptl_text *text;
    struct gptl_table table;
    bool put;
};

/* Print a row; LABEL is the thread number, or SUM. */
static void row(struct threads *t, const char *label, const char *name,
                const struct gptl_figures *figures, double bucket_tick)
{
    struct gptl_out *out = t->text->out;
    bool quote = t->text->style.quote;
    uint64_t cells[GPTL_TABLE_COLUMNS];
    gptl_text_cells(t->text, figures, bucket_tick, t->text->first_wall, cells);
    char left[16];
    int width = snprintf(left, sizeof left, "%-4s", label);
    size_t used = (size_t)width + gptl_name_width(name, quote);
    if (t->put) {
        gptl_out_text(out, left);
        gptl_name_text(out, name, quote);
        gptl_table_cells(&t->table, out, used, cells);
    } else {
        gptl_table_fit(&t->table, used, cells);
    }
}

/* Print the rows of one region with N entries. */
static void region(struct threads *t, const struct entry *entry, uint32_t n)
{
    struct gptl_text *text = t->text;
    uint32_t ncounters = text->profile->metrics.nslots;
    struct gptl_figures sum = GPTL_NO_FIGURES;
    sum.counters = text->all_counters;
    sum.summed = true;
    if (ncounters > 0)
        memset(sum.counters, 0, ncounters * sizeof *sum.counters);
    const char *name = gptl_view_name(&text->views[entry->thread], entry->slot);
    for (uint32_t i = 0; i < n; i++) {
        const struct gptl_view *view = &text->views[entry[i].thread];
        struct gptl_figures figures = gptl_text_figures(text);
        char label[16];
        gptl_figures_add_region(&figures, text->both, view, entry[i].slot);
        snprintf(label, sizeof label, "%03d", view->copy->thread);
        row(t, label, name, &figures, view->bucket_tick);
        add_figures(&sum, &figures, ncounters);
    }
    gptl_text_figures(text); /* resets the histogram */
    for (uint32_t i = 0; i < n && text->both; i++) {
        struct gptl_figures unused = GPTL_NO_FIGURES;
        gptl_figures_add_region(&unused, text->both, &text->views[entry[i].thread], entry[i].slot);
    }
    row(t, "SUM", name, &sum, text->views[entry->thread].bucket_tick);
}

/* Find the entries of the region if this thread's entry is the first. Return their number, or 0. */
static uint32_t adjoining(const struct sorted *sorted, uint32_t id, uint32_t thread,
                          const struct entry **first)
{
    *first = &sorted->entries[sorted->start[id]];
    return (*first)->thread == thread ? sorted->start[id + 1] - sorted->start[id] : 0;
}

/*
 * Process all regions in the order of the tables above. The order of region numbers would depend on
 * races between threads. Return whether there are any.
 */
static bool each_region(struct threads *t, const struct sorted *sorted)
{
    const struct gptl_text *text = t->text;
    const struct entry *first;
    bool any = false;
    for (int i = 0; i < text->profile->ncopies; i++)
        for (uint32_t slot = 1; slot <= text->views[i].nregions; slot++) {
            uint32_t n = adjoining(sorted, region_of(&text->views[i], slot), (uint32_t)i, &first);
            if (n < 2)
                continue;
            if (any && t->put)
                gptl_out_char(text->out, '\n');
            region(t, first, n);
            any = true;
        }
    return any;
}

int gptl_text_threads(struct gptl_text *text)
{
    struct threads t = {.text = text};
    struct sorted sorted = {0};
    int result = sort_entries(text, &sorted);
    if (result == 0) {
        gptl_text_columns(text, &t.table);
        if (each_region(&t, &sorted)) {
            gptl_out_literal(text->out, "\nSame stats sorted by timer for threaded regions:\n");
            gptl_table_heads(&t.table, text->out, "Thd");
            t.put = true;
            each_region(&t, &sorted);
        }
    }
    free(sorted.start);
    free(sorted.entries);
    return result;
}
