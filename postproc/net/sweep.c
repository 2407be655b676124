/*
 * sweep.c - what-if replays with another latency, bandwidth or processor speed, as a table and as a
 * picture like figures 15 and 16 of the paper.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"
#include "postproc/net/net.h"
#include "postproc/read/progress.h"

#include "report/name.h"

static const char *const keys[SWEEP_KINDS] = {"latency", "bandwidth", "cpu"};

/* ---- Arguments ----------------------------------------------------------------------------- */

/* Parse a value; 2x means twice the present value. The processor speed has only this unit. */
static bool read_value(enum sweep_what what, const char *text, double *value, bool *is_factor)
{
    char *end;
    *value = strtod(text, &end);
    *is_factor = end != text && strcmp(end, "x") == 0;
    if (*is_factor)
        return isfinite(*value) && *value > 0;
    return what == SWEEP_LATENCY ? net_seconds(text, value)
                                 : what == SWEEP_BANDWIDTH && net_rate(text, value);
}

static int refuse(const char *text)
{
    fprintf(stderr,
            NET_WHO ": --what-if %s: it is as latency=0.1x,1x,10x or bandwidth=1GB/s,10GB/s or "
                    "cpu=0.5x,2x\n",
            text);
    return -1;
}

int sweep_add(struct sweep *sweep, const char *text)
{
    const char *equals = strchr(text, '=');
    int what = 0;
    while (what < SWEEP_KINDS && !(equals && strlen(keys[what]) == (size_t)(equals - text) &&
                                   strncmp(text, keys[what], (size_t)(equals - text)) == 0))
        what++;
    if (what == SWEEP_KINDS)
        return refuse(text);
    char *list = memory_text(equals + 1), *rest = list;
    size_t room = sweep->n[what], flags = sweep->n[what];
    bool good = *list != '\0';
    for (char *word; good && (word = strsep(&rest, ","));) {
        double value;
        bool is_factor;
        good = read_value((enum sweep_what)what, word, &value, &is_factor);
        sweep->value[what] =
            memory_room(sweep->value[what], &room, sweep->n[what] + 1, sizeof *sweep->value[what]);
        sweep->is_factor[what] = memory_room(sweep->is_factor[what], &flags, sweep->n[what] + 1,
                                             sizeof *sweep->is_factor[what]);
        sweep->value[what][sweep->n[what]] = value;
        sweep->is_factor[what][sweep->n[what]++] = is_factor;
    }
    free(list);
    return good ? 0 : refuse(text);
}

void sweep_free(struct sweep *sweep)
{
    for (int i = 0; i < SWEEP_KINDS; i++) {
        free(sweep->value[i]);
        free(sweep->is_factor[i]);
    }
}

/* ---- Replays ------------------------------------------------------------------------------- */

struct row {
    enum sweep_what what;
    double value;  /* in its unit */
    double better; /* improvement factor; for the latency, its inverse */
    double seconds, computed;
};

/* Scale the measured points: by the latency, and beyond the latency by the bandwidth. */
static void scale_points(struct network *to, const struct network *from)
{
    double bandwidth = to->bytes_per_second / from->bytes_per_second;
    for (size_t i = 0; i < to->npoints; i++) {
        const struct machine_message *old = &from->points[i];
        struct machine_message *point = &to->points[i];
        double moving = old->seconds - from->latency_seconds;
        double seconds = to->latency_seconds + (moving > 0 ? moving : 0) / bandwidth;
        machine_scale_message(point, seconds / old->seconds);
    }
}

static int replay_row(struct row *row, const struct net_case *base, double factor)
{
    struct network network = *base->network;
    struct speed speed = *base->speed;
    struct net_case one = *base;
    struct net_result result;
    one.network = &network;
    one.speed = &speed;
    if (network.npoints) {
        network.points = memory_zeros(network.npoints, sizeof *network.points);
        memcpy(network.points, base->network->points, network.npoints * sizeof *network.points);
    }
    if (row->what == SWEEP_LATENCY)
        row->value = network.latency_seconds *= factor;
    else if (row->what == SWEEP_BANDWIDTH)
        row->value = network.bytes_per_second *= factor;
    else
        row->value = speed.all *= factor;
    scale_points(&network, base->network);
    row->better = row->what == SWEEP_LATENCY ? 1 / factor : factor;
    int status = net_replay(&result, &one);
    if (status == 0 && result.nstuck) {
        net_tell_stuck(&result);
        status = -1;
    }
    if (status == 0) {
        row->seconds = result.seconds;
        for (int i = 0; i < one.ranks; i++)
            row->computed += result.rank[i].computed / one.ranks;
    }
    net_result_free(&result);
    if (network.npoints)
        free(network.points);
    return status;
}

static double factor_of(const struct sweep *sweep, enum sweep_what what, size_t i,
                        const struct net_case *one)
{
    double value = sweep->value[what][i];
    if (sweep->is_factor[what][i])
        return value;
    return value /
           (what == SWEEP_LATENCY ? one->network->latency_seconds : one->network->bytes_per_second);
}

/* ---- Output -------------------------------------------------------------------------------- */

static void put_row(struct gptl_out *out, const struct row *row, double base)
{
    static const char *const units[SWEEP_KINDS] = {"us", "GB/s", "x"};
    static const double per_unit[SWEEP_KINDS] = {1e6, 1e-9, 1};
    gptl_out_format(out, "%-10s %12.6g %-5s %12.6f %12.6f %12.6f %10.3f\n", keys[row->what],
                    row->value * per_unit[row->what], units[row->what], row->seconds, row->computed,
                    row->seconds - row->computed, base / row->seconds);
}

static void put_json(struct gptl_out *out, const struct row *rows, size_t n, double base)
{
    gptl_out_literal(out, "{\"format\":\"gptl-net-sweep\",\"version\":1,\"predicted_seconds\":");
    gptl_out_real(out, base);
    gptl_out_literal(out, ",\n\"rows\":[");
    for (size_t i = 0; i < n; i++) {
        static const char *const names[SWEEP_KINDS] = {"latency_seconds", "bytes_per_second",
                                                       "processor_speed"};
        gptl_out_format(out, "%s{\"%s\":", i ? ",\n" : "\n", names[rows[i].what]);
        gptl_out_real(out, rows[i].value);
        gptl_out_literal(out, ",\"times_better\":");
        gptl_out_real(out, rows[i].better);
        gptl_out_literal(out, ",\"predicted_seconds\":");
        gptl_out_real(out, rows[i].seconds);
        gptl_out_literal(out, ",\"predicted_computation_seconds\":");
        gptl_out_real(out, rows[i].computed);
        gptl_out_char(out, '}');
    }
    gptl_out_literal(out, "]}\n");
}

static int by_better(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->what != y->what)
        return x->what < y->what ? -1 : 1;
    return (x->better > y->better) - (x->better < y->better);
}

static int draw(const struct row *rows, size_t n, double base, const char *path)
{
    static const char *const titles[SWEEP_KINDS] = {"latency", "bandwidth", "processor"};
    size_t length = strlen(path);
    bool png = length > 4 && strcmp(path + length - 4, ".png") == 0;
    struct plot plot;
    if (plot_open(&plot, NET_WHO, path, png ? PICTURE_PNG : PICTURE_SVG, 800, 500))
        return -1;
    for (int what = 0; what < SWEEP_KINDS; what++) {
        gptl_out_format(plot.to, "$d%d << EOD\n", what);
        bool base_put = false;
        for (size_t i = 0; i < n; i++) {
            if (rows[i].what != (enum sweep_what)what)
                continue;
            if (!base_put && rows[i].better >= 1) {
                if (rows[i].better > 1)
                    gptl_out_format(plot.to, "1 %.9g\n", base);
                base_put = true;
            }
            gptl_out_format(plot.to, "%.9g %.9g\n", rows[i].better, rows[i].seconds);
        }
        if (!base_put)
            gptl_out_format(plot.to, "1 %.9g\n", base);
        gptl_out_literal(plot.to, "EOD\n");
    }
    gptl_out_literal(plot.to, "set logscale x\nset xlabel 'times better than now'\n"
                              "set ylabel 'predicted seconds'\nset yrange [0:*]\nset grid\n"
                              "set key outside right top\nset title 'What if'\nplot ");
    const char *comma = "";
    for (int what = 0; what < SWEEP_KINDS; what++) {
        bool any = false;
        for (size_t i = 0; i < n; i++)
            any |= rows[i].what == (enum sweep_what)what;
        if (!any)
            continue;
        gptl_out_format(plot.to, "%s$d%d with linespoints lw 2 pt %d lc rgb '%s' title '%s'", comma,
                        what, 5 + 2 * what, plot_color((unsigned)what), titles[what]);
        comma = ", ";
    }
    gptl_out_char(plot.to, '\n');
    return plot_close(&plot);
}

int sweep_run(const struct sweep *sweep, const struct net_case *one, struct gptl_out *out,
              bool json, const char *picture)
{
    struct row *rows = NULL, base = {.what = SWEEP_CPU};
    size_t n = 0, room = 0, all = 1;
    if (one->network->platform && (sweep->n[SWEEP_LATENCY] || sweep->n[SWEEP_BANDWIDTH])) {
        fprintf(stderr, NET_WHO ": --what-if latency and bandwidth change a machine's network, not "
                                "--platform: change the file\n");
        return -1;
    }
    for (int what = 0; what < SWEEP_KINDS; what++)
        all += sweep->n[what];
    struct progress progress = progress_begin("replaying", all << 24);
    int status = replay_row(&base, one, 1);
    for (int what = 0; what < SWEEP_KINDS; what++)
        for (size_t i = 0; status == 0 && i < sweep->n[what]; i++) {
            rows = memory_room(rows, &room, n + 1, sizeof *rows);
            rows[n] = (struct row){.what = (enum sweep_what)what};
            status = replay_row(&rows[n++], one, factor_of(sweep, (enum sweep_what)what, i, one));
            progress_at(&progress, n << 24);
        }
    progress_end(&progress);
    if (status == 0) {
        qsort(rows, n, sizeof *rows, by_better);
        if (json) {
            put_json(out, rows, n, base.seconds);
        } else {
            gptl_out_format(out, "As it is: %.6f s predicted\n\n", base.seconds);
            gptl_out_literal(out,
                             "what              value            seconds     computes       in "
                             "MPI     faster\n");
            for (size_t i = 0; i < n; i++)
                put_row(out, &rows[i], base.seconds);
        }
        if (picture)
            status = draw(rows, n, base.seconds, picture);
    }
    free(rows);
    return status;
}
