/*
 * draw.c - the pictures of the paper's figures 5 to 9: for each call a group of bars, drawn by
 * gnuplot. Divided bars are stacked: the lowest part is the server's time, then the client's
 * addition, then the call's.
 */
#include "config.h"

#include "postproc/iostack/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"
#include "postproc/iostack/row.h"
#include "postproc/iostack/views.h"

static const struct {
    const char *name, *title, *label;
} drawings[] = {[DRAW_CLIENT] = {"client", "Latency of the calls of ", "milliseconds"},
                [DRAW_SERVER] = {"server", "Latency of the calls at ", "milliseconds"},
                [DRAW_THROUGHPUT] = {"throughput", "Disk throughput of ", "MiB/s"},
                [DRAW_POWER] = {"power", "Disk energy of ", "joules"}};

enum { NDRAWINGS = sizeof drawings / sizeof drawings[0] };

enum drawing draw_of(const char *name)
{
    for (int i = 1; i < NDRAWINGS; i++)
        if (strcmp(drawings[i].name, name) == 0)
            return (enum drawing)i;
    return DRAW_NOTHING;
}

/* ---- Bars ---------------------------------------------------------------------------------- */

static int server_layer(const struct stack *stack)
{
    static const int order[] = {GPTL_LAYER_SERVER, GPTL_LAYER_DISK, GPTL_LAYER_POSIX};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (stack_nth(stack, 0, order[i]) != NO_PROCESS)
            return order[i];
    return GPTL_LAYER_SERVER;
}

/* Return the layer whose calls include all spans below. */
static int client_layer(const struct stack *stack, const struct query *query)
{
    for (int l = query->whole ? GPTL_LAYER_APP + 1 : GPTL_LAYER_MPI; l < NLAYERS; l++)
        if (stack_nth(stack, 0, l) != NO_PROCESS)
            return l;
    return GPTL_LAYER_MPI;
}

static void add_bar(struct draw *draw, uint32_t what, const char *label)
{
    if (draw->nbars < DRAW_BARS) {
        draw->bars[draw->nbars] = what;
        draw->labels[draw->nbars++] = memory_text(label);
    }
}

static void add_processes(struct draw *draw, int layer, const char *before)
{
    char text[400];
    uint32_t process;
    for (int64_t n = 0; (process = stack_nth(draw->stack, n, layer)) != NO_PROCESS; n++) {
        snprintf(text, sizeof text, "%s%.300s", before, draw->stack->processes[process].label);
        add_bar(draw, process, text);
    }
}

static void add_layers(struct draw *draw)
{
    int last = server_layer(draw->stack);
    for (int l = client_layer(draw->stack, draw->query); l < last; l++)
        if (l != GPTL_LAYER_COMM && stack_nth(draw->stack, 0, l) != NO_PROCESS)
            add_bar(draw, (uint32_t)l, stack_layer(l));
    draw->nlayers = draw->nbars;
}

bool draw_begin(struct draw *draw, struct stack *stack, const struct query *query,
                enum drawing what, int64_t which)
{
    int layer = what == DRAW_CLIENT ? client_layer(stack, query) : server_layer(stack);
    *draw = (struct draw){.stack = stack, .query = query, .what = what};
    draw->process = stack_nth(stack, which, layer);
    if (draw->process == NO_PROCESS)
        return false;
    if (what == DRAW_CLIENT) {
        add_layers(draw);
        add_processes(draw, server_layer(stack), "at ");
    } else
        add_processes(draw, client_layer(stack, query), "");
    return true;
}

void draw_tell_none(struct stack *stack, const struct query *query, enum drawing what,
                    int64_t which)
{
    int layer = what == DRAW_CLIENT ? client_layer(stack, query) : server_layer(stack);
    fprintf(stderr, "gptl iostack: there is no %s %lld: the logs have %lld\n",
            what == DRAW_CLIENT ? "client" : "server", (long long)which,
            (long long)stack_index(stack, (uint32_t)stack->nprocesses, layer));
}

void draw_free(struct draw *draw)
{
    for (size_t i = 0; i < draw->nbars; i++)
        free(draw->labels[i]);
}

/* ---- Values -------------------------------------------------------------------------------- */

static struct drawn_call *call_of(struct draw *draw, int64_t number)
{
    for (size_t i = 0; i < draw->ncalls; i++)
        if (draw->calls[i].number == number)
            return &draw->calls[i];
    if (draw->ncalls == DRAW_CALLS) {
        draw->left_out++;
        return NULL;
    }
    draw->calls[draw->ncalls] = (struct drawn_call){.number = number};
    return &draw->calls[draw->ncalls++];
}

/*
 * Return the slot of a client's call, or NULL: the longest calls are kept. The other drawings group
 * the calls of several clients by number, so they keep the first calls instead.
 */
static struct drawn_call *longest_of(struct draw *draw, const struct call *call)
{
    struct drawn_call *drawn = draw->calls;
    if (draw->ncalls < DRAW_CALLS) {
        drawn += draw->ncalls++;
    } else {
        draw->left_out++;
        for (size_t i = 1; i < DRAW_CALLS; i++)
            if (draw->calls[i].duration < drawn->duration)
                drawn = &draw->calls[i];
        if (call->duration <= drawn->duration)
            return NULL;
    }
    *drawn = (struct drawn_call){.number = call->number, .duration = call->duration};
    return drawn;
}

static double milliseconds(int64_t ns)
{
    return ns > 0 ? (double)ns * 1e-6 : 0;
}

static void take_client(struct draw *draw, const struct call *call, const struct cell *cells,
                        size_t ncells)
{
    struct drawn_call *drawn = call->client == draw->process ? longest_of(draw, call) : NULL;
    int server = server_layer(draw->stack);
    for (size_t b = 0; drawn && b < draw->nbars; b++) {
        struct row f;
        int layer = b < draw->nlayers ? (int)draw->bars[b] : server;
        row_begin(&f, draw->query);
        for (size_t i = 0; i < ncells; i++)
            if (cells[i].layer == layer && (b < draw->nlayers || cells[i].process == draw->bars[b]))
                row_add(&f, &cells[i]);
        drawn->value[b][0] = milliseconds(f.layers[layer].latency);
    }
}

static void set_server(const struct draw *draw, double value[DRAW_PARTS], const struct served *s)
{
    int64_t server = s->at_server >= 0 ? s->at_server : s->at_disk;
    int64_t client = s->at_client > server ? s->at_client : server;
    if (draw->what == DRAW_THROUGHPUT)
        value[0] = s->busy > 0 ? (double)s->bytes * 1e9 / (double)s->busy / 1048576 : 0;
    else if (draw->what == DRAW_POWER)
        value[0] = row_joules(&draw->query->disk, s->busy, s->duration);
    else {
        value[0] = milliseconds(server);
        value[1] = milliseconds(client - server);
        value[2] = milliseconds(s->above - client);
    }
}

void draw_visit(void *to, const struct call *call, const struct call_spans *spans,
                const struct cell *cells, size_t ncells)
{
    struct draw *draw = to;
    struct served served;
    (void)spans;
    if (call->layer != client_layer(draw->stack, draw->query))
        return;
    if (draw->what == DRAW_CLIENT) {
        take_client(draw, call, cells, ncells);
        return;
    }
    if (!views_served(draw->query, call, cells, ncells, draw->process, &served))
        return;
    struct drawn_call *drawn = call_of(draw, call->number);
    for (size_t b = 0; drawn && b < draw->nbars; b++)
        if (draw->bars[b] == call->client)
            set_server(draw, drawn->value[b], &served);
}

/* ---- The picture --------------------------------------------------------------------------- */

static int compare_calls(const void *x, const void *y)
{
    const struct drawn_call *a = x, *b = y;
    return a->number < b->number ? -1 : a->number > b->number;
}

static bool has_part(const struct draw *draw, int part)
{
    for (size_t c = 0; c < draw->ncalls; c++)
        for (size_t b = 0; b < draw->nbars; b++)
            if (draw->calls[c].value[b][part] > 0)
                return true;
    return false;
}

static bool is_empty(const struct draw *draw, size_t bar)
{
    for (size_t c = 0; c < draw->ncalls; c++)
        for (int part = 0; part < DRAW_PARTS; part++)
            if (draw->calls[c].value[bar][part] > 0)
                return false;
    return true;
}

/*
 * Drop empty bars: launchers, and ranks that leave files to others, would take the space of active
 * processes.
 */
static void drop_empty(struct draw *draw)
{
    size_t kept = 0;
    for (size_t b = 0; b < draw->nbars; b++) {
        if (is_empty(draw, b) && (kept > 0 || b + 1 < draw->nbars))
            continue;
        for (size_t c = 0; c < draw->ncalls; c++)
            memcpy(draw->calls[c].value[kept], draw->calls[c].value[b],
                   sizeof draw->calls[c].value[b]);
        draw->bars[kept] = draw->bars[b];
        draw->labels[kept++] = draw->labels[b];
    }
    draw->nbars = kept;
}

static double sum_to(const double value[DRAW_PARTS], int part)
{
    double sum = 0;
    for (int i = 0; i <= part; i++)
        sum += value[i];
    return sum;
}

/* Write a block for each bar and part: position, and height including the parts below. */
static void put_data(struct plot *plot, const struct draw *draw, int parts)
{
    double width = 0.8 / (double)draw->nbars;
    gptl_out_literal(plot->to, "$bars << EOD\n");
    for (int part = parts - 1; part >= 0; part--)
        for (size_t b = 0; b < draw->nbars; b++) {
            for (size_t c = 0; c < draw->ncalls; c++)
                gptl_out_format(plot->to, "%.6g %.9g\n",
                                (double)c + ((double)b + 0.5) * width - 0.4,
                                sum_to(draw->calls[c].value[b], part));
            gptl_out_literal(plot->to, "\n\n");
        }
    gptl_out_literal(plot->to, "EOD\n");
}

static void put_axis(struct plot *plot, const struct draw *draw)
{
    bool is_long = draw->ncalls > 0 && draw->calls[draw->ncalls - 1].number >= 1000;
    size_t step = draw->ncalls / (is_long ? 14 : 24) + 1;
    gptl_out_literal(plot->to, "set xtics out nomirror (");
    for (size_t c = 0; c < draw->ncalls; c += step)
        gptl_out_format(plot->to, "%s'%lld' %zu", c ? ", " : "", (long long)draw->calls[c].number,
                        c);
    gptl_out_format(plot->to, ")\nset xrange [-0.6:%.1f]\nset yrange [0:*]\n",
                    (double)draw->ncalls - 0.4);
}

static void put_boxes(struct plot *plot, const struct draw *draw, int parts)
{
    const char *names[DRAW_PARTS] = {stack_layer(server_layer(draw->stack)), "client", "call"};
    gptl_out_literal(plot->to, "plot ");
    for (int i = 0; i < parts * (int)draw->nbars; i++) {
        size_t bar = (size_t)i % draw->nbars;
        int part = parts - 1 - i / (int)draw->nbars;
        gptl_out_format(plot->to,
                        "%s$bars index %d using 1:2 with boxes fillstyle solid 1 noborder "
                        "linecolor rgb '%s' ",
                        i ? ", " : "", i, plot_color(parts > 1 ? (unsigned)part : (unsigned)bar));
        if (parts == 1 || (bar == 0 && has_part(draw, part))) {
            gptl_out_literal(plot->to, "title ");
            plot_text(plot, parts > 1 ? names[part] : draw->labels[bar]);
        } else
            gptl_out_literal(plot->to, "notitle");
    }
    gptl_out_char(plot->to, '\n');
}

/*
 * Write the title. Colors of several divided bars denote parts, so the title lists the order of the
 * bars.
 */
static void put_title(struct plot *plot, const struct draw *draw, int parts)
{
    char text[2048];
    size_t n = (size_t)snprintf(text, sizeof text, "%s%.600s", drawings[draw->what].title,
                                draw->stack->processes[draw->process].label);
    if (draw->left_out > 0)
        n += (size_t)snprintf(text + n, sizeof text - n, ": the %s %d",
                              draw->what == DRAW_CLIENT ? "longest" : "first", DRAW_CALLS);
    for (size_t b = 0; parts > 1 && b < draw->nbars && n < sizeof text; b++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s",
                              b ? ", " : "; bars: ", draw->labels[b]);
    gptl_out_literal(plot->to, "set title ");
    plot_text(plot, text);
    gptl_out_format(plot->to, " font ',14'\nset xlabel 'call%s'\nset ylabel '%s'\n",
                    draw->what == DRAW_CLIENT ? "" : ", as each client counts its own",
                    drawings[draw->what].label);
}

void draw_tell(const struct draw *draw)
{
    if (draw->left_out > 0)
        fprintf(stderr,
                "gptl iostack: a picture has %d calls, a client's longest or else the first; "
                "--calls chooses others\n",
                DRAW_CALLS);
}

int draw_print(const struct draw *draw, const char *path, enum picture kind)
{
    struct plot plot;
    int parts = draw->what == DRAW_SERVER ? DRAW_PARTS : 1;
    struct draw *sorted = memory_zeros(1, sizeof *sorted);
    if (draw->ncalls == 0) {
        fprintf(stderr, "gptl iostack: there is nothing to draw: no such calls\n");
        free(sorted);
        return -1;
    }
    if (plot_open(&plot, "gptl iostack", path, kind, 1000, 500)) {
        free(sorted);
        return -1;
    }
    *sorted = *draw;
    qsort(sorted->calls, sorted->ncalls, sizeof sorted->calls[0], compare_calls);
    drop_empty(sorted);
    gptl_out_format(plot.to,
                    "set boxwidth %.6g\nset key outside right top\nset grid y linetype 1 linecolor "
                    "rgb '#e4e4e4'\nset border 3 linecolor rgb '#888888'\nset ytics out nomirror\n",
                    0.8 / (double)sorted->nbars * 0.95);
    put_title(&plot, sorted, parts);
    put_axis(&plot, sorted);
    put_data(&plot, sorted, parts);
    put_boxes(&plot, sorted, parts);
    free(sorted);
    return plot_close(&plot);
}
