/* views.c - collects the data of the rows, and prints them. */
#include "config.h"

#include "postproc/iostack/views.h"

#include <stdio.h>
#include <stdlib.h>

#include "postproc/ioc/memory.h"

static struct sort_key by_call(const void *item)
{
    const struct cell *c = item;
    return (struct sort_key){(uint64_t)c->call_layer << 56 | (uint64_t)c->row,
                             c->group ? c->group : c->client | UINT64_C(1) << 63,
                             (uint64_t)c->layer << 32 | c->process};
}

static struct sort_key by_client(const void *item)
{
    const struct cell *c = item;
    return (struct sort_key){(uint64_t)c->client << 8 | c->call_layer, (uint64_t)c->call,
                             (uint64_t)c->layer << 32 | c->process};
}

static struct sort_key by_server(const void *item)
{
    const struct served *s = item;
    return (struct sort_key){s->server, (uint64_t)s->call_layer << 56 | (uint64_t)s->call,
                             s->client};
}

void views_begin(struct views *views, struct stack *stack, const struct query *query, enum view by)
{
    *views = (struct views){.stack = stack, .query = query, .by = by};
    sorter_begin(&views->cells, sizeof(struct cell), by == VIEW_CLIENT ? by_client : by_call);
    sorter_begin(&views->served, sizeof(struct served), by_server);
    shared_begin(views);
    applications_begin(views);
    collectives_begin(views);
    views->nsegments = query->lines.n ? query->lines.n : 1;
    views->segments = memory_zeros(views->nsegments, sizeof *views->segments);
    for (size_t i = 0; i < query->lines.n; i++)
        views->segments[i].lines = query->lines.ranges[i];
}

void views_free(struct views *views)
{
    sorter_free(&views->cells);
    sorter_free(&views->served);
    sorter_free(&views->shares);
    sorter_free(&views->members);
    applications_free(views);
    free(views->segments);
    free(views->effects);
    map_free(&views->effect_of);
}

/* ---- Collecting ---------------------------------------------------------------------------- */

static void add_layers(struct views *views, const struct cell *cells, size_t n)
{
    for (size_t i = 0; i < n;) {
        int layer = cells[i].layer;
        struct layer_sum *sum = &views->layers[layer];
        struct row f;
        row_begin(&f, views->query);
        for (; i < n && cells[i].layer == layer; i++) {
            row_add(&f, &cells[i]);
            sum->busy = calls_sum(sum->busy, cells[i].busy);
        }
        int64_t latency = f.layers[layer].latency;
        sum->calls++;
        sum->spans += f.layers[layer].spans;
        sum->unended += f.layers[layer].unended;
        sum->bytes = calls_sum(sum->bytes, f.layers[layer].bytes);
        sum->total += latency > 0 ? (double)latency : 0;
        sum->longest = latency > sum->longest ? latency : sum->longest;
    }
}

static void add_segments(struct views *views, const struct call *call)
{
    for (size_t i = 0; i < views->nsegments && call->duration >= 0; i++) {
        struct segment *s = &views->segments[i];
        if (call->layer == GPTL_LAYER_APP ||
            (views->query->lines.n > 0 &&
             (call->line < s->lines.first || call->line > s->lines.last)))
            continue;
        s->calls++;
        s->total += (double)call->duration;
        s->longest = call->duration > s->longest ? call->duration : s->longest;
    }
}

/* Return the latency of LAYER, only of PROCESS unless that is NO_PROCESS. */
static int64_t latency_at(const struct query *query, const struct cell *cells, size_t n, int layer,
                          uint32_t process)
{
    struct row f;
    row_begin(&f, query);
    for (size_t i = 0; i < n; i++)
        if (cells[i].layer == layer && (process == NO_PROCESS || cells[i].process == process))
            row_add(&f, &cells[i]);
    return f.layers[layer].latency;
}

/*
 * Return the layer that represents disks: file accesses if servers do not report their disks, as in
 * row.c.
 */
static int disk_layer(const struct cell *cells, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (cells[i].layer == GPTL_LAYER_DISK)
            return GPTL_LAYER_DISK;
    return GPTL_LAYER_POSIX;
}

bool views_served(const struct query *query, const struct call *call, const struct cell *cells,
                  size_t ncells, uint32_t server, struct served *served)
{
    *served = (struct served){.server = server,
                              .client = call->client,
                              .call = call->number,
                              .call_layer = call->layer,
                              .call_operation = call->operation,
                              .above = call->duration,
                              .duration = call->duration};
    served->at_client = latency_at(query, cells, ncells, GPTL_LAYER_CLIENT, NO_PROCESS);
    served->at_server = latency_at(query, cells, ncells, GPTL_LAYER_SERVER, server);
    int disk = disk_layer(cells, ncells);
    served->at_disk = latency_at(query, cells, ncells, disk, server);
    bool any = false;
    for (size_t i = 0; i < ncells; i++) {
        bool is_disk = cells[i].layer == disk;
        if (cells[i].process != server || (!is_disk && cells[i].layer != GPTL_LAYER_SERVER))
            continue;
        any = true;
        if (is_disk || served->busy == 0) { /* disks are sorted to the end */
            served->bytes = cells[i].bytes;
            served->busy = cells[i].busy;
        }
    }
    return any;
}

void views_visit(void *to, const struct call *call, const struct call_spans *spans,
                 const struct cell *cells, size_t ncells)
{
    struct views *views = to;
    struct served served;
    (void)spans;
    applications_add(views, call, cells, ncells);
    if (!call->is_selected)
        return;
    views->calls++;
    add_layers(views, cells, ncells);
    add_segments(views, call);
    if (views->by == VIEW_CALL || views->by == VIEW_CLIENT)
        for (size_t i = 0; i < ncells; i++)
            sorter_add(&views->cells, &cells[i]);
    if (views->by == VIEW_CLIENT)
        shared_add(views, call, cells, ncells);
    if (views->by == VIEW_EFFECT)
        effects_add(views, call, cells, ncells);
    if (views->by == VIEW_COLLECTIVE)
        collectives_add(views, call);
    if (views->by != VIEW_SERVER)
        return;
    int disk = disk_layer(cells, ncells);
    for (size_t i = 0; i < ncells; i++) {
        bool again = false;
        for (size_t j = 0; j < i && !again; j++)
            again = cells[j].process == cells[i].process &&
                    (cells[j].layer == GPTL_LAYER_SERVER || cells[j].layer == disk);
        if (!again && (cells[i].layer == GPTL_LAYER_SERVER || cells[i].layer == disk) &&
            views_served(views->query, call, cells, ncells, cells[i].process, &served))
            sorter_add(&views->served, &served);
    }
}

/* ---- Rows of calls ------------------------------------------------------------------------- */

struct table {
    struct column columns[ROWS_COLUMNS];
    char keys[ROWS_COLUMNS][32], heads[ROWS_COLUMNS][32];
    unsigned n;
};

static void add_column(struct table *table, const char *key, const char *head, bool is_text)
{
    table->columns[table->n++] = (struct column){key, head, is_text};
}

static bool shows_rates(const struct views *views)
{
    return views->query->metric == METRIC_THROUGHPUT;
}

static void add_layer_columns(const struct views *views, struct table *table)
{
    for (int l = 1; l < NLAYERS; l++) {
        if (views->layers[l].spans == 0)
            continue;
        const char *unit = shows_rates(views)        ? "bytes_per_s"
                           : views->query->exclusive ? "exclusive_s"
                                                     : "s";
        snprintf(table->keys[table->n], sizeof table->keys[0], "%s_%s", stack_layer(l), unit);
        snprintf(table->heads[table->n], sizeof table->heads[0],
                 shows_rates(views) ? "%s/s" : "%s s", stack_layer(l));
        add_column(table, table->keys[table->n], table->heads[table->n], false);
    }
}

void views_put_time(struct rows *rows, int64_t ns)
{
    if (ns < 0)
        rows_none(rows);
    else
        rows_seconds(rows, ns);
}

static void put_layers(const struct views *views, struct rows *rows, const struct row *f)
{
    for (int l = 1; l < NLAYERS; l++) {
        const struct layer_figures *layer = &f->layers[l];
        if (views->layers[l].spans == 0)
            continue;
        if (!layer->any || layer->spans == layer->unended)
            rows_none(rows);
        else if (shows_rates(views))
            rows_bytes(rows, layer->rate < 9e18 ? (int64_t)layer->rate : INT64_MAX);
        else
            rows_seconds(rows, views->query->exclusive ? layer->exclusive : layer->latency);
    }
}

static void put_call_row(const struct views *views, struct rows *rows, const struct cell *first,
                         const struct row *f, uint64_t clients)
{
    int disks = row_disks(f);
    if (views->by == VIEW_CLIENT || clients == 1)
        rows_text(rows, views->stack->processes[first->client].label);
    else
        rows_none(rows);
    rows_text(rows, stack_layer(first->call_layer));
    rows_number(rows, views->by == VIEW_CLIENT ? first->call : first->row);
    rows_text(rows, stack_operation(first->call_operation));
    rows_text(rows, stack_name(views->stack, first->file));
    if (views->by == VIEW_CALL)
        rows_number(rows, (int64_t)clients);
    put_layers(views, rows, f);
    rows_number(rows, (int64_t)row_nodes(f));
    views_put_time(rows, row_communication(f));
    if (disks) {
        rows_number(rows, (int64_t)f->layers[disks].accesses);
        rows_real(rows, f->joules[disks]);
    } else {
        rows_none(rows);
        rows_none(rows);
    }
    if (views->by == VIEW_CLIENT)
        rows_number(rows, (int64_t)f->shared);
    rows_bytes(rows, row_bytes(f, first->call_layer));
    uint64_t unended = 0;
    for (int l = 0; l < NLAYERS; l++)
        unended += f->layers[l].unended;
    rows_number(rows, (int64_t)unended);
    if (views->by == VIEW_CALL)
        rows_text(rows, stack_name(views->stack, views->stack->processes[first->client].program));
}

bool views_has_all(const struct views *views)
{
    return views->format != ROWS_TABLE || views->top == 0;
}

void views_tell_rest(const struct views *views, uint64_t rows, const char *what)
{
    if (!views_has_all(views) && rows > views->top)
        gptl_out_format(views->out, "%llu more %s, of less time: --top and --csv show them.\n",
                        (unsigned long long)(rows - views->top), what);
}

struct call_row {
    struct cell first;
    struct row figures;
    uint64_t clients;
};

struct call_rows {
    const struct views *views;
    struct rows rows;
};

static void put_kept_call(void *to, const void *item)
{
    struct call_rows *c = to;
    const struct call_row *row = item;
    put_call_row(c->views, &c->rows, &row->first, &row->figures, row->clients);
}

static bool is_same_row(const struct views *views, const struct cell *a, const struct cell *b)
{
    if (a->call_layer != b->call_layer)
        return false;
    return views->by == VIEW_CALL
               ? a->row == b->row && a->group == b->group && (a->group || a->client == b->client)
               : a->call == b->call && a->client == b->client;
}

static const char *joules_head(const struct views *views)
{
    return query_of_energy(views->query) ? "joules" : NULL;
}

static void make_call_columns(const struct views *views, struct table *table)
{
    bool is_alone = views->by == VIEW_CALL && views->stack->nprocesses == 1;
    add_column(table, "client", is_alone ? NULL : "client", true);
    add_column(table, "of", "of", true);
    add_column(table, "call", "call", false);
    add_column(table, "operation", "operation", true);
    add_column(table, "file", "file", true);
    if (views->by == VIEW_CALL)
        add_column(table, "clients", "clients", false);
    add_layer_columns(views, table);
    add_column(table, "io_nodes", "nodes", false);
    add_column(table, "communication_s", "all comm s", false);
    add_column(table, "disk_accesses", "accesses", false);
    add_column(table, "disk_joules", joules_head(views), false);
    if (views->by == VIEW_CLIENT)
        add_column(table, "shared_accesses", "shared", false);
    add_column(table, "bytes", "bytes", false);
    add_column(table, "unended", NULL, false);
    if (views->by == VIEW_CALL)
        add_column(table, "program", views->stack->has_programs ? "program" : NULL, true);
}

void views_print_calls(struct views *views)
{
    struct table table = {.n = 0};
    struct call_rows to = {.views = views};
    struct longest longest;
    struct cell cell;
    make_call_columns(views, &table);
    rows_begin(&to.rows, views->out, views->format, table.columns, table.n);
    longest_begin(&longest, views->top, sizeof(struct call_row));
    shared_join(views);
    applications_join(views);
    sorter_sort(&views->cells);
    for (bool have = sorter_next(&views->cells, &cell); have;) {
        struct call_row row = {.first = cell};
        row_begin(&row.figures, views->query);
        do {
            row.clients += cell.layer == cell.call_layer;
            row_add(&row.figures, &cell);
            have = sorter_next(&views->cells, &cell);
        } while (have && is_same_row(views, &row.first, &cell));
        row_end(&row.figures);
        if (views_has_all(views))
            put_kept_call(&to, &row);
        else
            longest_add(&longest, row.figures.layers[row.first.call_layer].latency, &row);
    }
    longest_each(&longest, put_kept_call, &to);
    rows_end(&to.rows);
    views_tell_rest(views, longest.seen, "calls");
    longest_free(&longest);
}

/* ---- Others -------------------------------------------------------------------------------- */

/* Return the rate in bytes per second; 0: unknown. */
static int64_t rate_of(int64_t bytes, int64_t busy)
{
    double rate = busy > 0 ? (double)bytes * 1e9 / (double)busy : 0;
    return rate < (double)INT64_MAX ? (int64_t)rate : INT64_MAX;
}

static void put_server_row(void *to, const void *item)
{
    struct call_rows *c = to;
    struct rows *rows = &c->rows;
    const struct served *s = item;
    rows_text(rows, c->views->stack->processes[s->server].label);
    rows_text(rows, stack_layer(s->call_layer));
    rows_number(rows, s->call);
    rows_text(rows, c->views->stack->processes[s->client].label);
    rows_text(rows, stack_operation(s->call_operation));
    views_put_time(rows, s->above);
    views_put_time(rows, s->at_client);
    views_put_time(rows, s->at_server);
    views_put_time(rows, s->at_disk);
    rows_bytes(rows, s->bytes);
    rows_bytes(rows, rate_of(s->bytes, s->busy));
    rows_real(rows, row_joules(&c->views->query->disk, s->busy, s->duration));
}

static void print_servers(struct views *views)
{
    const struct column columns[] = {{"server", "server", true},
                                     {"of", "of", true},
                                     {"call", "call", false},
                                     {"client", "client", true},
                                     {"operation", "operation", true},
                                     {"call_s", "call s", false},
                                     {"client_s", "client s", false},
                                     {"server_s", "server s", false},
                                     {"disk_s", "disk s", false},
                                     {"bytes", "bytes", false},
                                     {"disk_bytes_per_s", "disk/s", false},
                                     {"disk_joules", joules_head(views), false}};
    struct call_rows to = {.views = views};
    struct longest longest;
    struct served s;
    rows_begin(&to.rows, views->out, views->format, columns, sizeof columns / sizeof columns[0]);
    longest_begin(&longest, views->top, sizeof s);
    sorter_sort(&views->served);
    while (sorter_next(&views->served, &s))
        if (views_has_all(views))
            put_server_row(&to, &s);
        else
            longest_add(&longest, s.above, &s);
    longest_each(&longest, put_server_row, &to);
    rows_end(&to.rows);
    views_tell_rest(views, longest.seen, "calls");
    longest_free(&longest);
}

void views_print_layers(struct views *views)
{
    static const struct column columns[] = {{"layer", "layer", true},
                                            {"processes", "processes", false},
                                            {"calls", "calls", false},
                                            {"spans", "spans", false},
                                            {"unended", "unended", false},
                                            {"mean_s", "mean s", false},
                                            {"longest_s", "longest s", false},
                                            {"bytes", "bytes", false},
                                            {"bytes_per_s", "busy rate/s", false},
                                            {"all_s", "all s", false}};
    struct rows rows;
    rows_begin(&rows, views->out, views->format, columns, sizeof columns / sizeof columns[0]);
    for (int l = 1; l < NLAYERS; l++) {
        const struct layer_sum *s = &views->layers[l];
        if (s->spans == 0)
            continue;
        rows_text(&rows, stack_layer(l));
        rows_number(&rows, stack_index(views->stack, (uint32_t)views->stack->nprocesses, l));
        rows_number(&rows, (int64_t)s->calls);
        rows_number(&rows, (int64_t)s->spans);
        rows_number(&rows, (int64_t)s->unended);
        rows_seconds(&rows, (int64_t)(s->total / (double)s->calls));
        rows_seconds(&rows, s->longest);
        rows_bytes(&rows, s->bytes);
        rows_bytes(&rows, rate_of(s->bytes, s->busy));
        rows_seconds(&rows, s->total < 9e18 ? (int64_t)s->total : INT64_MAX);
    }
    rows_end(&rows);
}

static void print_segments(struct views *views)
{
    static const struct column columns[] = {{"first_line", "from line", false},
                                            {"last_line", "to line", false},
                                            {"calls", "calls", false},
                                            {"mean_s", "mean s", false},
                                            {"longest_s", "longest s", false}};
    struct rows rows;
    rows_begin(&rows, views->out, views->format, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < views->nsegments; i++) {
        const struct segment *s = &views->segments[i];
        if (views->query->lines.n > 0) {
            rows_number(&rows, s->lines.first);
            rows_number(&rows, s->lines.last);
        } else {
            rows_none(&rows);
            rows_none(&rows);
        }
        rows_number(&rows, (int64_t)s->calls);
        if (s->calls > 0) {
            rows_seconds(&rows, (int64_t)(s->total / (double)s->calls));
            rows_seconds(&rows, s->longest);
        } else {
            rows_none(&rows);
            rows_none(&rows);
        }
    }
    rows_end(&rows);
}

void views_print(struct views *views)
{
    if (views->is_overview && views->format == ROWS_TABLE)
        overview_print(views);
    else if (views->by == VIEW_SERVER)
        print_servers(views);
    else if (views->by == VIEW_LAYER)
        views_print_layers(views);
    else if (views->by == VIEW_SEGMENT)
        print_segments(views);
    else if (views->by == VIEW_DEVICE)
        devices_print(views);
    else if (views->by == VIEW_EFFECT)
        effects_print(views);
    else if (views->by == VIEW_APPLICATION)
        applications_print(views);
    else if (views->by == VIEW_COLLECTIVE)
        collectives_print(views);
    else
        views_print_calls(views);
}
