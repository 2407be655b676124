/* counts.c - counters and metrics of paths. */
#include "config.h"

#include "postproc/paths/counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/paths/paths.h"

#include "report/number.h"

/* ---- List of metrics ----------------------------------------------------------------------- */

static bool is_refused(const struct gptl_metric *metric)
{
    return metric->kind == GPTL_METRIC_REFUSED;
}

static const char *expression_of(const struct gptl_metric *metric)
{
    return metric->kind == GPTL_METRIC_DERIVED ? metric->expression : NULL;
}

static bool is_same(const struct metric_column *column, const struct gptl_metric *metric)
{
    const char *expression = expression_of(metric);
    if (!column->expression != !expression || strcmp(column->name, metric->name) != 0)
        return false;
    return !expression || strcmp(column->expression, expression) == 0;
}

/* Return the column head of a metric, as in the text report. */
static const char *head_of(const char *name)
{
    bool known = strncmp(name, "PAPI_", 5) == 0 || strncmp(name, "GPTL_", 5) == 0;
    return name + (known ? 5 : 0);
}

static struct metric_column *find_column(struct counts *counts, const struct gptl_metric *metric)
{
    for (uint32_t i = 0; i < counts->ncolumns; i++)
        if (is_same(&counts->columns[i], metric))
            return &counts->columns[i];
    return NULL;
}

static void add_profile(struct counts *counts, uint32_t p, const struct gptl_profile *profile)
{
    for (uint32_t i = 0; i < profile->metrics.n; i++) {
        const struct gptl_metric *metric = &profile->metrics.metric[i];
        struct metric_column *column = is_refused(metric) ? NULL : find_column(counts, metric);
        if (is_refused(metric))
            continue;
        if (!column) {
            bool *has = counts->has + (size_t)counts->ncolumns * counts->nprofiles;
            column = &counts->columns[counts->ncolumns++];
            *column = (struct metric_column){.name = metric->name,
                                             .head = head_of(metric->name),
                                             .description = metric->description,
                                             .unit = metric->unit,
                                             .expression = expression_of(metric),
                                             .has = has};
        }
        bool *has = counts->has + (size_t)(column - counts->columns) * counts->nprofiles;
        column->nprocesses += !has[p];
        has[p] = true;
        column->scope = metric->scope > column->scope ? metric->scope : column->scope;
        column->shown = column->shown || metric->shown;
        column->estimated = column->estimated || metric->estimated;
        column->lost = column->lost || metric->lost;
        column->least_seconds = fmax(column->least_seconds, metric->least_seconds);
    }
}

/* ---- Slots --------------------------------------------------------------------------------- */

/* Data of a slot during construction. */
struct slot {
    const char *event;                  /* NULL: nanoseconds */
    const struct metric_column *column; /* a column that uses its event */
};

static bool same_profiles(const struct counts *counts, const bool *a, const bool *b)
{
    return memcmp(a, b, counts->nprofiles * sizeof *a) == 0;
}

/*
 * Return the slot of EVENT in the profiles that have COLUMN, adding it if new. SLOTS has space for
 * it.
 */
static uint32_t find_slot(struct counts *counts, struct slot *slots, const char *event,
                          const struct metric_column *column)
{
    bool first = column->scope != GPTL_SCOPE_THREAD;
    for (uint32_t i = 0; i < counts->nslots; i++) {
        const struct slot *slot = &slots[i];
        if (!slot->event == !event && (!event || strcmp(slot->event, event) == 0) &&
            counts->is_first[i] == first && same_profiles(counts, slot->column->has, column->has))
            return i;
    }
    slots[counts->nslots] = (struct slot){event, column};
    counts->is_first[counts->nslots] = first;
    return counts->nslots++;
}

/* Return the event in slot SLOT of PROFILE. */
static const char *event_of(const struct gptl_profile *profile, uint32_t slot)
{
    for (uint32_t i = 0; i < profile->metrics.n; i++) {
        const struct gptl_metric *metric = &profile->metrics.metric[i];
        if (metric->kind == GPTL_METRIC_COUNTED && metric->slot == slot)
            return metric->name;
    }
    return NULL;
}

/* Return the expression of COLUMN in PROFILE, the first profile that has the column. */
static const struct gptl_expression *steps_of(const struct metric_column *column,
                                              const struct gptl_profile *profile)
{
    for (uint32_t i = 0; i < profile->metrics.n; i++)
        if (!is_refused(&profile->metrics.metric[i]) &&
            is_same(column, &profile->metrics.metric[i]))
            return &profile->expressions[i];
    return NULL;
}

static int make_slots_of(struct counts *counts, struct slot *slots, struct metric_column *column,
                         const struct gptl_profile *const *profiles)
{
    uint32_t p = 0;
    while (!column->has[p])
        p++;
    column->wall = find_slot(counts, slots, NULL, column);
    if (!column->expression) {
        column->slot = find_slot(counts, slots, column->name, column);
        return 0;
    }
    column->steps = malloc(sizeof *column->steps);
    if (!column->steps)
        return -1;
    *column->steps = *steps_of(column, profiles[p]);
    for (uint32_t i = 0; i < column->steps->nsteps; i++) {
        struct gptl_step *step = &column->steps->step[i];
        if (step->what == 'v')
            step->index = find_slot(counts, slots, event_of(profiles[p], step->index), column);
    }
    return 0;
}

/* Return an upper bound of the number of slots: metrics, time, and events in expressions. */
static size_t most_slots(const struct counts *counts, const struct gptl_profile *const *profiles)
{
    size_t n = 1;
    for (uint32_t p = 0; p < counts->nprofiles; p++)
        for (uint32_t i = 0; i < profiles[p]->metrics.n; i++)
            n += profiles[p]->metrics.metric[i].kind == GPTL_METRIC_DERIVED
                     ? 1 + (size_t)profiles[p]->expressions[i].nsteps
                     : 2;
    return n;
}

static int32_t source_of(const struct slot *slot, const struct gptl_profile *profile, bool has)
{
    if (!has)
        return COUNTS_NOTHING;
    if (!slot->event)
        return COUNTS_WALL;
    for (uint32_t i = 0; i < profile->metrics.n; i++) {
        const struct gptl_metric *metric = &profile->metrics.metric[i];
        if (metric->kind == GPTL_METRIC_COUNTED && strcmp(metric->name, slot->event) == 0)
            return (int32_t)metric->slot;
    }
    return COUNTS_NOTHING;
}

static int make_sources(struct counts *counts, const struct slot *slots,
                        const struct gptl_profile *const *profiles)
{
    for (uint32_t p = 0; p < counts->nprofiles; p++) {
        counts->from[p] = malloc((counts->nslots + 1) * sizeof *counts->from[p]);
        if (!counts->from[p])
            return -1;
        for (uint32_t s = 0; s < counts->nslots; s++)
            counts->from[p][s] = source_of(&slots[s], profiles[p], slots[s].column->has[p]);
    }
    return 0;
}

static int make_slots(struct counts *counts, const struct gptl_profile *const *profiles)
{
    size_t most = most_slots(counts, profiles);
    struct slot *slots = malloc(most * sizeof *slots);
    counts->is_first = calloc(most, sizeof *counts->is_first);
    int result = slots && counts->is_first ? 0 : -1;
    for (uint32_t i = 0; i < counts->ncolumns && result == 0; i++)
        result = make_slots_of(counts, slots, &counts->columns[i], profiles);
    if (result == 0)
        result = make_sources(counts, slots, profiles);
    free(slots);
    return result;
}

int counts_make(struct counts **made, const struct gptl_profile *const *profiles, int nprofiles)
{
    size_t most = 0;
    *made = NULL;
    for (int p = 0; p < nprofiles; p++)
        for (uint32_t i = 0; i < profiles[p]->metrics.n; i++)
            most += !is_refused(&profiles[p]->metrics.metric[i]);
    if (most == 0)
        return 0;
    struct counts *counts = *made = calloc(1, sizeof *counts);
    if (!counts)
        return -1;
    counts->nprofiles = (uint32_t)nprofiles;
    counts->columns = calloc(most, sizeof *counts->columns);
    counts->has = calloc(most, counts->nprofiles * sizeof *counts->has);
    counts->from = calloc(counts->nprofiles, sizeof *counts->from);
    if (!counts->columns || !counts->has || !counts->from)
        return -1;
    for (uint32_t p = 0; p < counts->nprofiles; p++)
        add_profile(counts, p, profiles[p]);
    return make_slots(counts, profiles);
}

void counts_free(struct counts *counts)
{
    if (!counts)
        return;
    for (uint32_t i = 0; i < counts->ncolumns; i++)
        free(counts->columns[i].steps);
    for (uint32_t p = 0; counts->from && p < counts->nprofiles; p++)
        free(counts->from[p]);
    free(counts->columns);
    free(counts->has);
    free(counts->from);
    free(counts->is_first);
    free(counts);
}

long counts_find(const struct counts *counts, const char *name, size_t length)
{
    for (int by_head = 0; counts && by_head < 2; by_head++)
        for (uint32_t i = 0; i < counts->ncolumns; i++) {
            const struct metric_column *column = &counts->columns[i];
            const char *own = by_head ? column->head : column->name;
            if (strlen(own) == length && memcmp(own, name, length) == 0)
                return (long)i;
        }
    return -1;
}

static void add_refusal(struct refusal *list, uint32_t *n, const struct gptl_metric *metric)
{
    uint32_t i = 0;
    while (i < *n &&
           (strcmp(list[i].name, metric->name) != 0 || strcmp(list[i].why, metric->why) != 0))
        i++;
    if (i == *n)
        list[(*n)++] = (struct refusal){metric->name, metric->why, 0};
    list[i].nprocesses++;
}

int counts_refusals(const struct paths *paths, struct refusal **list, uint32_t *n)
{
    const struct gptl_profile *last = NULL;
    size_t most = 1;
    for (uint32_t i = 0; i < paths->nlanes; last = paths->lanes[i++].profile)
        most += paths->lanes[i].profile != last ? paths->lanes[i].profile->metrics.n : 0;
    *n = 0;
    *list = malloc(most * sizeof **list);
    if (!*list)
        return -1;
    last = NULL;
    for (uint32_t i = 0; i < paths->nlanes; i++) {
        const struct gptl_profile *profile = paths->lanes[i].profile;
        for (uint32_t m = 0; profile != last && m < profile->metrics.n; m++)
            if (is_refused(&profile->metrics.metric[m]))
                add_refusal(*list, n, &profile->metrics.metric[m]);
        last = profile;
    }
    return 0;
}

/* ---- Values -------------------------------------------------------------------------------- */

/* Compute the values of a node. Only completed calls are counted. */
void counts_of_node(const struct counts *counts, uint32_t profile, const struct gptl_copy *copy,
                    const struct gptl_node_copy *node, int64_t *values)
{
    const int64_t *counters = node->extra ? copy->extras[node->extra - 1].counters : NULL;
    uint64_t ns = gptl_number_ns(gptl_number_scale(copy->seconds_per_tick), node->total);
    for (uint32_t s = 0; s < counts->nslots; s++) {
        int32_t from = counts->from[profile][s];
        values[s] = 0;
        if (from == COUNTS_WALL)
            values[s] = ns < INT64_MAX ? (int64_t)ns : INT64_MAX;
        else if (from >= 0 && counters && (uint32_t)from < copy->ncounters)
            values[s] = counters[from];
    }
}

void tally_begin(struct tally *tally, const struct paths *paths, int64_t *values)
{
    *tally = (struct tally){.paths = paths, .several = paths->ranks, .values = values};
    if (paths->counts)
        memset(values, 0, paths->counts->nslots * sizeof *values);
}

void tally_add(struct tally *tally, uint32_t part, enum count_kind kind)
{
    const struct paths *paths = tally->paths;
    const struct counts *counts = paths->counts;
    if (!counts)
        return;
    uint32_t lane = paths->parts[part].lane;
    const int64_t *values = paths_counts(paths, part, kind);
    if (!tally->any)
        tally->lane = lane;
    tally->any = true;
    tally->several |= paths->lanes[lane].profile != paths->lanes[tally->lane].profile;
    for (uint32_t s = 0; s < counts->nslots; s++)
        if (!counts->is_first[s] || lane == tally->lane)
            tally->values[s] = gptl_number_sum(tally->values[s], values[s]);
}

void tally_path(struct tally *tally, uint32_t path, enum count_kind kind)
{
    for (uint32_t p = tally->paths->paths[path].parts; p; p = tally->paths->parts[p].next)
        tally_add(tally, p, kind);
}

void tally_join(struct tally *tally, const struct tally *more)
{
    const struct counts *counts = tally->paths->counts;
    if (!more->any)
        return;
    /* Per-process values of several processes cannot be combined. */
    tally->several |= more->several || (tally->any && tally->lane != more->lane);
    tally->any = true;
    tally->lane = more->lane;
    for (uint32_t s = 0; s < counts->nslots; s++)
        tally->values[s] = gptl_number_sum(tally->values[s], more->values[s]);
}

struct gptl_metric_value tally_value(const struct tally *tally, uint32_t i)
{
    static const struct gptl_metric_value none = {GPTL_VALUE_NONE, 0, 0};
    const struct counts *counts = tally->paths->counts;
    const struct metric_column *column = &counts->columns[i];
    double seconds = (double)tally->values[column->wall] * 1e-9;
    bool everywhere = column->nprocesses == counts->nprofiles;
    if ((column->scope != GPTL_SCOPE_THREAD && tally->several) || (!everywhere && seconds == 0))
        return none;
    if (column->estimated && seconds < column->least_seconds)
        return (struct gptl_metric_value){GPTL_VALUE_SHORT, 0, 0};
    if (!column->expression)
        return (struct gptl_metric_value){GPTL_VALUE_COUNTED, tally->values[column->slot], 0};
    bool whole = tally->values[column->wall] < INT64_MAX; /* otherwise the sum of times overflows */
    double real =
        gptl_expression_value(column->steps, tally->values, whole ? seconds : (double)NAN);
    return isfinite(real) ? (struct gptl_metric_value){GPTL_VALUE_REAL, 0, real} : none;
}

double tally_number(const struct tally *tally, uint32_t column)
{
    struct gptl_metric_value value = tally_value(tally, column);
    return value.state == GPTL_VALUE_COUNTED ? (double)value.counted
           : value.state == GPTL_VALUE_REAL  ? value.real
                                             : (double)NAN;
}

double tally_rate(const struct tally *tally, uint32_t column)
{
    int64_t ns = tally->values[tally->paths->counts->columns[column].wall];
    struct gptl_metric_value value = tally_value(tally, column);
    bool whole = value.counted < INT64_MAX && ns < INT64_MAX;
    return value.state == GPTL_VALUE_COUNTED && ns > 0 && whole
               ? (double)value.counted / (double)ns * 1e3
               : (double)NAN;
}
