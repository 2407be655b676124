/*
 * text_intervals.c - "Intervals (GPTLmark)": the activity of each thread between two marks, by
 * region.
 */
#include "config.h"

#include "report/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/name.h"

struct sum {
    uint32_t slot;
    uint64_t count, total, max, min;
};

struct intervals {
    struct gptl_text *text;
    struct gptl_table table;
    bool put;
};

static uint32_t number_of_intervals(const struct gptl_profile *profile)
{
    uint32_t n = 0;
    for (int i = 0; i < profile->ncopies; i++)
        if (profile->copies[i].nintervals > n)
            n = profile->copies[i].nintervals;
    return n;
}

/*
 * Sum the rows by region. AT contains each slot's index in SUMS plus one, and is zero before and
 * after the call. Return the number of sums.
 */
static uint32_t add_rows(const struct gptl_view *view, const struct gptl_interval *interval,
                         struct sum *sums, uint32_t *at)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < interval->nrows; i++) {
        const struct gptl_interval_row *row = &interval->rows[i];
        if (!gptl_view_is_node(view, row->node))
            continue;
        uint32_t slot = view->slot[row->node];
        if (!at[slot]) {
            sums[n] = (struct sum){.slot = slot, .min = UINT64_MAX};
            at[slot] = ++n;
        }
        struct sum *sum = &sums[at[slot] - 1];
        sum->count += row->count;
        sum->total += row->total;
        sum->max = row->max > sum->max ? row->max : sum->max;
        sum->min = row->min < sum->min ? row->min : sum->min;
    }
    for (uint32_t i = 0; i < n; i++)
        at[sums[i].slot] = 0;
    return n;
}

static void put_sum(struct intervals *t, const struct gptl_view *view, const struct sum *sum)
{
    struct gptl_out *out = t->text->out;
    const char *name = gptl_view_name(view, sum->slot);
    bool ended = sum->min != UINT64_MAX;
    uint64_t cells[] = {sum->count, gptl_number_ns(view->scale, sum->total),
                        ended ? gptl_number_ns(view->scale, sum->max) : GPTL_CELL_NONE,
                        ended ? gptl_number_ns(view->scale, sum->min) : GPTL_CELL_NONE};
    char left[16];
    int width = snprintf(left, sizeof left, "%03d ", view->copy->thread);
    size_t used = (size_t)width + gptl_name_width(name, t->text->style.quote);
    if (t->put) {
        gptl_out_text(out, left);
        gptl_name_text(out, name, t->text->style.quote);
        gptl_table_cells(&t->table, out, used, cells);
    } else {
        gptl_table_fit(&t->table, used, cells);
    }
}

static int put_thread(struct intervals *t, int copy, uint32_t interval)
{
    const struct gptl_view *view = &t->text->views[copy];
    if (interval >= view->copy->nintervals || view->copy->intervals[interval].nrows == 0)
        return 0;
    const struct gptl_interval *rows = &view->copy->intervals[interval];
    struct sum *sums = malloc(rows->nrows * sizeof *sums);
    uint32_t *at = calloc((size_t)view->nregions + 1, sizeof *at);
    uint32_t n = sums && at ? add_rows(view, rows, sums, at) : 0;
    for (uint32_t i = 0; i < n; i++)
        put_sum(t, view, &sums[i]);
    int result = sums && at ? 0 : -1;
    free(sums);
    free(at);
    return result;
}

static void put_heading(struct intervals *t, const struct gptl_interval *interval, uint64_t first)
{
    struct gptl_out *out = t->text->out;
    uint64_t last = first + (interval->marks ? interval->marks : 1) - 1;
    gptl_out_char(out, '\n');
    if (last > first)
        gptl_out_format(out, "Intervals %llu to %llu", (unsigned long long)first,
                        (unsigned long long)last);
    else
        gptl_out_format(out, "Interval %llu", (unsigned long long)first);
    if (interval->label[0]) {
        gptl_out_literal(out, ", ended by mark ");
        gptl_name_text(out, interval->label, true);
    } else {
        gptl_out_literal(out, ", after the last mark");
    }
    gptl_out_char(out, '\n');
    gptl_table_heads(&t->table, out, "Thd");
}

static int put_all(struct intervals *t, uint32_t n)
{
    const struct gptl_profile *profile = t->text->profile;
    uint64_t number = 1;
    for (uint32_t k = 0; k < n; k++) {
        const struct gptl_interval *any = NULL;
        bool rows = false;
        for (int i = 0; i < profile->ncopies; i++) {
            if (k >= profile->copies[i].nintervals)
                continue;
            any = any ? any : &profile->copies[i].intervals[k];
            rows |= profile->copies[i].intervals[k].nrows > 0;
        }
        if (t->put && rows)
            put_heading(t, any, number);
        for (int i = 0; i < profile->ncopies && rows; i++)
            if (put_thread(t, i, k))
                return -1;
        number += any ? any->marks : 1;
    }
    return 0;
}

int gptl_text_intervals(struct gptl_text *text)
{
    uint32_t n = number_of_intervals(text->profile);
    if (n == 0)
        return 0;
    struct intervals t = {.text = text, .table = {.decimals = text->decimals}};
    gptl_table_column(&t.table, "Called", GPTL_CELL_COUNT);
    gptl_table_column(&t.table, "Sum", GPTL_CELL_SECONDS);
    gptl_table_column(&t.table, "max", GPTL_CELL_SECONDS);
    gptl_table_column(&t.table, "min", GPTL_CELL_SECONDS);
    if (put_all(&t, n))
        return -1;
    gptl_out_literal(text->out, "\nIntervals (GPTLmark), calls that ended between two marks:\n");
    t.put = true;
    return put_all(&t, n);
}
