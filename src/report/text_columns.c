/* text_columns.c - which columns a table of regions has, and what stands in them. */
#include "config.h"

#include "report/text.h"

#include <math.h>
#include <string.h>

#include "report/metrics.h"

static bool has_overhead(const struct gptl_text *text)
{
    return text->style.overhead && text->profile->has_overhead;
}

static bool has_corrected(const struct gptl_text *text)
{
    return text->style.subtract && text->style.wall && text->profile->has_overhead;
}

/* ---- Counters ------------------------------------------------------------------------------ */

size_t gptl_text_head(const char *name)
{
    return strncmp(name, "PAPI_", 5) == 0 || strncmp(name, "GPTL_", 5) == 0 ? 5 : 0;
}

/* The table ends somewhere; the other formats have all. */
uint32_t gptl_text_columned(const struct gptl_text *text)
{
    enum { OTHERS = 32, MOST = (GPTL_TABLE_COLUMNS - OTHERS) / 2 };
    const struct gptl_metrics *metrics = &text->profile->metrics;
    uint32_t n = 0;
    for (uint32_t i = 0; i < metrics->n && n < MOST; i++)
        n += metrics->metric[i].shown && metrics->metric[i].kind != GPTL_METRIC_REFUSED;
    return n;
}

/* Millions of bytes a second say little of a region that does more than move them. */
static bool has_rate(const struct gptl_text *text, const struct gptl_metric *metric)
{
    return text->style.persec && metric->kind == GPTL_METRIC_COUNTED &&
           strcmp(metric->unit, "bytes") != 0;
}

void gptl_text_metric_columns(const struct gptl_text *text, struct gptl_table *table)
{
    const struct gptl_metrics *metrics = &text->profile->metrics;
    uint32_t left = gptl_text_columned(text);
    for (uint32_t i = 0; i < metrics->n && left > 0; i++) {
        const struct gptl_metric *metric = &metrics->metric[i];
        const char *head = metric->name + gptl_text_head(metric->name);
        if (!metric->shown || metric->kind == GPTL_METRIC_REFUSED)
            continue;
        left--;
        bool counted = metric->kind == GPTL_METRIC_COUNTED;
        gptl_table_events(table, head, counted ? GPTL_CELL_EVENTS : GPTL_CELL_RATIO,
                          metric->estimated);
        if (has_rate(text, metric))
            gptl_table_events(table, "e6_/_sec", GPTL_CELL_RATE, metric->estimated);
    }
}

static uint64_t metric_cell(struct gptl_metric_value value)
{
    switch (value.state) {
    case GPTL_VALUE_COUNTED:
        return gptl_table_real((double)value.counted);
    case GPTL_VALUE_REAL:
        return gptl_table_real(value.real);
    case GPTL_VALUE_SHORT:
        return GPTL_CELL_SHORT;
    default:
        return GPTL_CELL_NONE;
    }
}

uint64_t *gptl_text_metric_cells(const struct gptl_text *text, const struct gptl_figures *figures,
                                 uint64_t *cell)
{
    const struct gptl_metrics *metrics = &text->profile->metrics;
    uint32_t left = gptl_text_columned(text);
    double seconds = (double)figures->ended * 1e-9;
    for (uint32_t i = 0; i < metrics->n && left > 0; i++) {
        const struct gptl_metric *metric = &metrics->metric[i];
        if (!metric->shown || metric->kind == GPTL_METRIC_REFUSED)
            continue;
        left--;
        struct gptl_metric_value value =
            gptl_metric_value(text->profile, i, figures->counters, figures->ended, figures->summed);
        *cell++ = metric_cell(value);
        if (!has_rate(text, metric))
            continue;
        if (value.state == GPTL_VALUE_COUNTED)
            *cell++ = gptl_table_real(seconds > 0 ? (double)value.counted / seconds * 1e-6 : NAN);
        else
            *cell++ = metric_cell(value);
    }
    return cell;
}

/* ---- All of them --------------------------------------------------------------------------- */

void gptl_text_columns(const struct gptl_text *text, struct gptl_table *table)
{
    const struct gptl_style *style = &text->style;
    *table = (struct gptl_table){.decimals = text->decimals, .wide = !style->narrow};
    gptl_table_column(table, "Called", GPTL_CELL_COUNT);
    gptl_table_column(table, "Recurse", GPTL_CELL_COUNT);
    if (style->wall) {
        gptl_table_column(table, "Wallclock", GPTL_CELL_SECONDS);
        if (text->estimated)
            gptl_table_column(table, "+-", GPTL_CELL_SECONDS);
        gptl_table_column(table, "max", GPTL_CELL_SECONDS);
        gptl_table_column(table, "min", GPTL_CELL_SECONDS);
    }
    if (style->cpu) {
        gptl_table_column(table, "usr", GPTL_CELL_CPU);
        gptl_table_column(table, "sys", GPTL_CELL_CPU);
        gptl_table_column(table, "usr+sys", GPTL_CELL_CPU);
    }
    if (style->percent && style->wall)
        gptl_table_column(table, text->percent_head, GPTL_CELL_PERCENT);
    gptl_text_metric_columns(text, table);
    if (style->histogram && style->wall) {
        gptl_table_column(table, "p50", GPTL_CELL_SECONDS);
        gptl_table_column(table, "p95", GPTL_CELL_SECONDS);
        gptl_table_column(table, "p99", GPTL_CELL_SECONDS);
    }
    if (has_overhead(text)) {
        gptl_table_column(table, "selfOH", GPTL_CELL_SECONDS);
        gptl_table_column(table, "parentOH", GPTL_CELL_SECONDS);
    }
    if (has_corrected(text)) {
        gptl_table_column(table, "corrected", GPTL_CELL_SECONDS);
        gptl_table_column(table, "+-", GPTL_CELL_SECONDS);
    }
}

static uint64_t cpu_ns(int64_t microseconds)
{
    return microseconds > 0 ? (uint64_t)microseconds * 1000 : 0;
}

/* A bucket's middle may lie outside of what was seen: the longest call is known exactly. */
static uint64_t *percentiles(const struct gptl_text *text, const struct gptl_figures *figures,
                             double bucket_tick, uint64_t *cell)
{
    static const double fractions[] = {0.50, 0.95, 0.99};
    bool any = false;
    for (int i = 0; text->both && i < GPTL_HISTOGRAM_BUCKETS && !any; i++)
        any = text->both->bucket[i] > 0;
    for (int i = 0; i < 3; i++) {
        uint64_t ns = GPTL_CELL_NONE;
        if (any) {
            double ticks = gptl_core_histogram_quantile(text->both, fractions[i]);
            ns = gptl_number_within(gptl_number_ns_of(ticks * bucket_tick), figures->min,
                                    figures->max);
        }
        *cell++ = ns;
    }
    return cell;
}

/*
 * The time without the library's own cost. A call leaves the self part in its own time. Calls
 * within it, also those of the region itself, leave there both parts.
 */
static uint64_t *corrected(const struct gptl_text *text, const struct gptl_figures *figures,
                           uint64_t *cell, uint64_t mark)
{
    const struct gptl_overhead *cost = &text->profile->overhead;
    double within = (double)figures->inside + (double)figures->recurse;
    double own = (double)figures->count - (double)figures->recurse;
    double taken = cost->self * own + (cost->self + cost->parent) * within;
    double spread = cost->self_spread * own + (cost->self_spread + cost->parent_spread) * within;
    uint64_t ns = gptl_number_ns_of(taken);
    *cell++ = (figures->wall > ns ? figures->wall - ns : 0) | mark;
    *cell++ = gptl_number_ns_of(spread);
    return cell;
}

/* In hundredths. */
static uint64_t percentage(uint64_t wall, uint64_t first_wall)
{
    double part = first_wall ? (double)wall / (double)first_wall * 1e4 + 0.5 : INFINITY;
    return part < 1e18 ? (uint64_t)part : GPTL_CELL_NONE;
}

/* FIRST_WALL 0: there is nothing to be a percentage of. */
void gptl_text_cells(const struct gptl_text *text, const struct gptl_figures *figures,
                     double bucket_tick, uint64_t first_wall, uint64_t *cell)
{
    const struct gptl_style *style = &text->style;
    bool ended = figures->min != UINT64_MAX;
    *cell++ = figures->count;
    *cell++ = figures->recurse ? figures->recurse : GPTL_CELL_NONE;
    const uint64_t mark = figures->error ? GPTL_CELL_ESTIMATED : 0;
    if (style->wall) {
        *cell++ = figures->wall | mark;
        if (text->estimated)
            *cell++ = figures->error ? figures->error : GPTL_CELL_NONE;
        *cell++ = ended ? figures->max : GPTL_CELL_NONE;
        *cell++ = ended ? figures->min : GPTL_CELL_NONE;
    }
    if (style->cpu) {
        *cell++ = cpu_ns(figures->usr) | mark;
        *cell++ = cpu_ns(figures->sys) | mark;
        *cell++ = cpu_ns(gptl_number_sum(figures->usr, figures->sys)) | mark;
    }
    if (style->percent && style->wall)
        *cell++ = percentage(figures->wall, first_wall) | mark;
    cell = gptl_text_metric_cells(text, figures, cell);
    if (style->histogram && style->wall)
        cell = percentiles(text, figures, bucket_tick, cell);
    if (has_overhead(text)) {
        *cell++ = gptl_number_ns_of((double)figures->count * text->profile->overhead.self);
        *cell++ = gptl_number_ns_of((double)(figures->count - figures->untimed) *
                                    text->profile->overhead.parent);
    }
    if (has_corrected(text))
        corrected(text, figures, cell, mark);
}

struct gptl_figures gptl_text_figures(const struct gptl_text *text)
{
    struct gptl_figures figures = GPTL_NO_FIGURES;
    figures.counters = text->counters;
    if (text->counters)
        memset(text->counters, 0, text->profile->metrics.nslots * sizeof *text->counters);
    if (text->both)
        memset(text->both, 0, sizeof *text->both);
    return figures;
}
