/*
 * html_counts.c - counters of paths, for the page. The script computes metrics from slots, as
 * counts.c does, also for sums over paths. The members, each indexed by slot:
 *
 *   counts   inclusive: a list that begins with its encoding, see enum form
 *   own      exclusive: index of a path, value, ... where it differs from inclusive less children
 *
 * and, if events of whole processes were counted,
 *
 *   first    by path: the lane with the path's per-process values, or -1 for several processes
 */
#include "config.h"

#include "postproc/html/html_data.h"

#include <stdlib.h>

#include "report/name.h"
#include "report/number.h"

enum form {
    DENSE,    /* one value per path */
    SPARSE,   /* index of a path, value, ... where the value is not 0 */
    LIKE_TIME /* index of a path, total less value, ... where the difference is not 0 */
};

/* Indexed by place and slot. */
struct values {
    int64_t *all, *own;
    size_t nslots;
};

/* ---- List of metrics ----------------------------------------------------------------------- */

static void put_steps(struct gptl_out *out, const struct gptl_expression *steps)
{
    bool any = false;
    for (uint32_t i = 0; i < steps->nsteps; i++) {
        const struct gptl_step *step = &steps->step[i];
        html_put_between(out, &any);
        gptl_out_char(out, '"');
        gptl_out_char(out, step->what);
        if (step->what == 'v')
            gptl_out_uint(out, step->index);
        else if (step->what == 'n')
            gptl_out_real(out, step->number);
        gptl_out_char(out, '"');
    }
    html_put_end(out, any);
}

static void put_text(struct gptl_out *out, const char *key, const char *text)
{
    gptl_out_format(out, "\"%s\":", key);
    html_put_name(out, text);
    gptl_out_char(out, ',');
}

static void put_metric(struct html_data *data, uint32_t i)
{
    const struct counts *counts = data->paths->counts;
    const struct metric_column *column = &counts->columns[i];
    struct gptl_out *out = data->out;
    bool shown = false;
    for (uint32_t k = 0; k < data->options->ncolumns; k++)
        shown = shown || data->options->columns[k] == i;
    gptl_out_char(out, '{');
    put_text(out, "name", column->name);
    put_text(out, "head", column->head);
    put_text(out, "about", column->description);
    put_text(out, "unit", column->unit);
    gptl_out_format(out, "\"ofAll\":%s,\"everywhere\":%s,\"shown\":%s,\"estimated\":%s,\"least\":",
                    column->scope == GPTL_SCOPE_THREAD ? "false" : "true",
                    column->nprocesses == counts->nprofiles ? "true" : "false",
                    shown ? "true" : "false", column->estimated ? "true" : "false");
    gptl_out_real(out, column->least_seconds);
    gptl_out_format(out, ",\"wall\":%u", column->wall);
    if (column->expression) {
        gptl_out_literal(out, ",");
        put_text(out, "expression", column->expression);
        gptl_out_literal(out, "\"steps\":");
        put_steps(out, column->steps);
    } else {
        gptl_out_format(out, ",\"slot\":%u", column->slot);
    }
    gptl_out_char(out, '}');
}

/* ---- Values -------------------------------------------------------------------------------- */

static int64_t *value_at(const struct values *values, int64_t *of, uint32_t place, size_t slot)
{
    return &of[place * values->nslots + slot];
}

static int sum_values(const struct html_data *data, struct values *values)
{
    size_t n = data->paths->npaths, nslots = data->paths->counts->nslots;
    *values = (struct values){.all = calloc(n * nslots, sizeof *values->all),
                              .own = calloc(n * nslots, sizeof *values->own),
                              .nslots = nslots};
    if (!values->all || !values->own)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        for (int kind = 0; kind < 2; kind++) {
            struct tally tally;
            tally_begin(&tally, data->paths,
                        value_at(values, kind ? values->own : values->all, i, 0));
            tally_path(&tally, data->order[i], (enum count_kind)kind);
        }
    return 0;
}

static int64_t less_than_time(const struct html_data *data, const struct values *values,
                              uint32_t place, size_t slot)
{
    int64_t total = html_difference(html_path(data, place)->figures.total, 0);
    return (int64_t)((uint64_t)total - (uint64_t)*value_at(values, values->all, place, slot));
}

static enum form choose_form(const struct html_data *data, const struct values *values, size_t slot)
{
    uint32_t n = data->paths->npaths, nnot_zero = 0, nnot_time = 0;
    for (uint32_t i = 0; i < n; i++) {
        nnot_zero += *value_at(values, values->all, i, slot) != 0;
        nnot_time += less_than_time(data, values, i, slot) != 0;
    }
    return nnot_time < n / 4 ? LIKE_TIME : nnot_zero < n / 2 ? SPARSE : DENSE;
}

static void put_slot(const struct html_data *data, const struct values *values, size_t slot)
{
    enum form form = choose_form(data, values, slot);
    gptl_out_format(data->out, "[%d", (int)form);
    for (uint32_t i = 0; i < data->paths->npaths; i++) {
        int64_t value = form == LIKE_TIME ? less_than_time(data, values, i, slot)
                                          : *value_at(values, values->all, i, slot);
        if (form != DENSE && value == 0)
            continue;
        gptl_out_char(data->out, ',');
        if (form != DENSE) {
            gptl_out_uint(data->out, i);
            gptl_out_char(data->out, ',');
        }
        html_put_signed(data->out, value);
    }
    gptl_out_char(data->out, ']');
}

/*
 * Write the exclusive values that differ from inclusive less children, which the script computes
 * itself. LEFT has space for one value per place.
 */
static void put_own(const struct html_data *data, const struct values *values, size_t slot,
                    int64_t *left)
{
    bool any = false;
    for (uint32_t i = 0; i < data->paths->npaths; i++) {
        left[i] = *value_at(values, values->all, i, slot);
        if (i > 0) {
            int64_t *above = &left[data->place[html_path(data, i)->parent]];
            *above = (int64_t)((uint64_t)*above - (uint64_t)left[i]);
        }
    }
    for (uint32_t i = 0; i < data->paths->npaths; i++) {
        int64_t own = *value_at(values, values->own, i, slot);
        bool none = left[i] < 0 && *value_at(values, values->all, i, slot) >= 0;
        if (own == (none ? 0 : left[i]))
            continue;
        html_put_between(data->out, &any);
        gptl_out_uint(data->out, i);
        gptl_out_char(data->out, ',');
        html_put_signed(data->out, own);
    }
    html_put_end(data->out, any);
}

static void put_first(struct html_data *data)
{
    const struct paths *paths = data->paths;
    const struct counts *counts = paths->counts;
    bool any = false, needed = false;
    for (uint32_t s = 0; s < counts->nslots; s++)
        needed = needed || counts->is_first[s];
    if (!needed)
        return;
    html_put_key(data->out, "first");
    for (uint32_t i = 0; i < paths->npaths; i++) {
        uint32_t first = html_path(data, i)->parts;
        bool several = false;
        for (uint32_t p = first; p; p = paths->parts[p].next)
            several |= paths->lanes[paths->parts[p].lane].profile !=
                       paths->lanes[paths->parts[first].lane].profile;
        html_put_between(data->out, &any);
        html_put_signed(data->out, several || !first ? -1 : (int64_t)paths->parts[first].lane);
    }
    html_put_end(data->out, any);
}

int html_put_counts(struct html_data *data)
{
    const struct counts *counts = data->paths->counts;
    struct values values = {0};
    if (!counts)
        return 0;
    int64_t *left = malloc(data->paths->npaths * sizeof *left);
    int result = left ? sum_values(data, &values) : -1;
    bool any = false;
    html_put_key(data->out, "metrics");
    for (uint32_t i = 0; i < counts->ncolumns; i++) {
        html_put_between(data->out, &any);
        put_metric(data, i);
    }
    html_put_end(data->out, any);
    for (int own = 0; own < 2 && result == 0; own++) {
        any = false;
        html_put_key(data->out, own ? "own" : "counts");
        for (size_t s = 0; s < counts->nslots; s++) {
            html_put_between(data->out, &any);
            if (own)
                put_own(data, &values, s, left);
            else
                put_slot(data, &values, s);
        }
        html_put_end(data->out, any);
    }
    put_first(data);
    free(values.all);
    free(values.own);
    free(left);
    return result;
}
