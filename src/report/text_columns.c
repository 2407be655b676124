/* text_columns.c - the columns of region tables, and their contents. */
#include "config.h"

#include "report/text.h"

#include <math.h>
#include <string.h>

#include "report/metrics.h"

static bool has_overhead(const struct gptl_text *text)
{
    return text->style.overhead &&
           (text->profile->has_overhead || gptl_text_for_scripts(&text->style));
}

/*
 * Return whether the table shows estimation errors; scripts expect no extra column after the time.
 */
static bool has_errors(const struct gptl_text *text)
{
    return text->estimated && !gptl_text_for_scripts(&text->style);
}

static bool has_corrected(const struct gptl_text *text)
{
    return text->style.subtract && text->style.wall && text->profile->has_overhead;
}

/* ---- Counters -------------------------------------------------------------------------------- */

size_t gptl_text_head(const char *name)
{
    return strncmp(name, "PAPI_", 5) == 0 || strncmp(name, "GPTL_", 5) == 0 ? 5 : 0;
}

/*
 * Return whether the metric is an amount of data. Amounts are known exactly for each call, but a
 * rate over the region's time may be meaningless.
 */
static bool is_amount(const struct gptl_metric *metric)
{
    return strcmp(metric->unit, GPTL_AMOUNT_UNIT) == 0;
}

/* Return whether the metric has a column; scripts expect no columns for the bytes moved by MPI. */
static bool has_column(const struct gptl_text *text, const struct gptl_metric *metric)
{
    return metric->shown && metric->kind != GPTL_METRIC_REFUSED &&
           !(is_amount(metric) && gptl_text_for_scripts(&text->style));
}

/*
 * Return the number of metrics with columns, which is limited; the other formats contain all
 * metrics.
 */
uint32_t gptl_text_columned(const struct gptl_text *text)
{
    enum { OTHERS = 32, MOST = (GPTL_TABLE_COLUMNS - OTHERS) / 2 };
    const struct gptl_metrics *metrics = &text->profile->metrics;
    uint32_t n = 0;
    for (uint32_t i = 0; i < metrics->n && n < MOST; i++)
        n += has_column(text, &metrics->metric[i]);
    return n;
}

static bool has_rate(const struct gptl_text *text, const struct gptl_metric *metric)
{
    return text->style.persec && metric->kind == GPTL_METRIC_COUNTED && !is_amount(metric);
}

void gptl_text_metric_columns(const struct gptl_text *text, struct gptl_table *table)
{
    const struct gptl_metrics *metrics = &text->profile->metrics;
    uint32_t left = gptl_text_columned(text);
    for (uint32_t i = 0; i < metrics->n && left > 0; i++) {
        const struct gptl_metric *metric = &metrics->metric[i];
        const char *head = metric->name + gptl_text_head(metric->name);
        if (!has_column(text, metric))
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

/* Mark counts of a region with untimed calls as estimated, like its time. */
static uint64_t about(uint64_t cell, const struct gptl_figures *figures)
{
    bool is_number = cell != GPTL_CELL_NONE && cell != GPTL_CELL_SHORT;
    return figures->error && is_number ? cell | GPTL_CELL_ABOUT : cell;
}

uint64_t *gptl_text_metric_cells(const struct gptl_text *text, const struct gptl_figures *figures,
                                 uint64_t *cell)
{
    const struct gptl_metrics *metrics = &text->profile->metrics;
    uint32_t left = gptl_text_columned(text);
    double seconds = (double)figures->ended * 1e-9;
    for (uint32_t i = 0; i < metrics->n && left > 0; i++) {
        const struct gptl_metric *metric = &metrics->metric[i];
        if (!has_column(text, metric))
            continue;
        left--;
        struct gptl_metric_value value = gptl_metric_value(text->profile, i, figures->counters,
                                                           (double)figures->ended, figures->summed);
        *cell++ = is_amount(metric) ? metric_cell(value) : about(metric_cell(value), figures);
        if (!has_rate(text, metric))
            continue;
        if (value.state == GPTL_VALUE_COUNTED)
            *cell++ =
                about(gptl_table_real(seconds > 0 ? (double)value.counted / seconds * 1e-6 : NAN),
                      figures);
        else
            *cell++ = metric_cell(value);
    }
    return cell;
}

/* ---- All columns ----------------------------------------------------------------------------- */

static void cpu_and_percent_columns(const struct gptl_text *text, struct gptl_table *table)
{
    const struct gptl_style *style = &text->style;
    if (style->cpu) {
        gptl_table_column(table, "usr", GPTL_CELL_CPU);
        gptl_table_column(table, "sys", GPTL_CELL_CPU);
        gptl_table_column(table, "usr+sys", GPTL_CELL_CPU);
    }
    if (style->percent && style->wall)
        gptl_table_column(table, text->percent_head, GPTL_CELL_PERCENT);
}

static void overhead_columns(const struct gptl_text *text, struct gptl_table *table)
{
    if (has_overhead(text)) {
        gptl_text_layout_column(&text->style, table, GPTL_TEXT_SELF);
        gptl_text_layout_column(&text->style, table, GPTL_TEXT_PARENT);
        gptl_text_layout_column(&text->style, table, GPTL_TEXT_CLOCK);
    }
    if (has_corrected(text)) {
        gptl_table_column(table, "corrected", GPTL_CELL_SECONDS);
        gptl_table_column(table, "+-", GPTL_CELL_SECONDS);
    }
}

void gptl_text_columns(const struct gptl_text *text, struct gptl_table *table)
{
    const struct gptl_style *style = &text->style;
    *table = (struct gptl_table){
        .decimals = text->decimals, .wide = !style->narrow, .form = gptl_text_form(style)};
    gptl_text_layout_column(style, table, GPTL_TEXT_ON);
    gptl_text_layout_column(style, table, GPTL_TEXT_CALLED);
    gptl_text_layout_column(style, table, GPTL_TEXT_RECURSE);
    if (style->wall) {
        gptl_text_layout_column(style, table, GPTL_TEXT_WALL);
        if (has_errors(text))
            gptl_table_column(table, "+-", GPTL_CELL_SECONDS);
        gptl_text_layout_column(style, table, GPTL_TEXT_MAX);
        gptl_text_layout_column(style, table, GPTL_TEXT_MIN);
    }
    cpu_and_percent_columns(text, table);
    gptl_text_metric_columns(text, table);
    if (style->histogram && style->wall) {
        gptl_table_column(table, "p50", GPTL_CELL_SECONDS);
        gptl_table_column(table, "p95", GPTL_CELL_SECONDS);
        gptl_table_column(table, "p99", GPTL_CELL_SECONDS);
    }
    overhead_columns(text, table);
}

static uint64_t cpu_ns(int64_t microseconds)
{
    return microseconds > 0 ? (uint64_t)microseconds * 1000 : 0;
}

/*
 * Fill in percentiles. The midpoint of a bucket may exceed the longest call, which is known
 * exactly.
 */
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
 * Fill in the time without the library's overhead. The time of a call contains its own "self" cost,
 * and both cost parts of every call within it, including recursive ones.
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
    *cell++ = gptl_table_seconds(figures->wall > ns ? figures->wall - ns : 0) | mark;
    *cell++ = gptl_table_seconds(gptl_number_ns_of(spread));
    return cell;
}

/* Return a percentage in hundredths. */
static uint64_t percentage(uint64_t wall, uint64_t first_wall)
{
    double part = first_wall ? (double)wall / (double)first_wall * 1e4 + 0.5 : INFINITY;
    return part < 1e18 ? (uint64_t)part : GPTL_CELL_NONE;
}

/*
 * Fill in the library's overhead; a layout with a single column for it shows the cost of the clock.
 */
static uint64_t *overhead_cells(const struct gptl_text *text, const struct gptl_figures *figures,
                                uint64_t *cell)
{
    double self = (double)figures->count * text->profile->overhead.self;
    double parent = (double)(figures->count - figures->untimed) * text->profile->overhead.parent;
    *cell++ = gptl_number_ns_of(self);
    if (gptl_text_layout_has(&text->style, GPTL_TEXT_PARENT))
        *cell++ = gptl_number_ns_of(parent);
    return cell;
}

/* Fill in wall-clock times; scripts expect the time of completed calls. */
static uint64_t *wall_cells(const struct gptl_text *text, const struct gptl_figures *figures,
                            uint64_t mark, uint64_t *cell)
{
    bool ended = figures->min != UINT64_MAX;
    *cell++ =
        gptl_table_seconds(gptl_text_for_scripts(&text->style) ? figures->ended : figures->wall) |
        mark;
    if (has_errors(text))
        *cell++ = figures->error ? figures->error : GPTL_CELL_NONE;
    *cell++ = ended ? gptl_table_seconds(figures->max) : GPTL_CELL_NONE;
    *cell++ = ended ? gptl_table_seconds(figures->min) : GPTL_CELL_NONE;
    return cell;
}

/* FIRST_WALL 0: the percentage is undefined. */
void gptl_text_cells(const struct gptl_text *text, const struct gptl_figures *figures,
                     double bucket_tick, uint64_t first_wall, uint64_t *cell)
{
    const struct gptl_style *style = &text->style;
    if (gptl_text_layout_has(style, GPTL_TEXT_ON))
        *cell++ = figures->open > 0;
    *cell++ = gptl_table_count(figures->count);
    *cell++ = figures->recurse ? gptl_table_count(figures->recurse) : GPTL_CELL_NONE;
    const uint64_t mark = figures->error ? GPTL_CELL_ESTIMATED : 0;
    if (style->wall)
        cell = wall_cells(text, figures, mark, cell);
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
    if (has_overhead(text))
        cell = overhead_cells(text, figures, cell);
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
