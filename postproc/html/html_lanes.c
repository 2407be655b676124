/*
 * html_lanes.c - values of each lane and histograms, for the page. Both can be very numerous, so
 * the page contains them for the largest paths only; the other paths have the values of
 * html_data.c.
 */
#include "config.h"

#include "postproc/html/html_data.h"

#include <math.h>

#include "postproc/paths/metric.h"
#include "report/name.h"

/* Limits of per-lane values and of buckets, about 3 MB. */
enum { MOST_PARTS = 100000, MOST_BUCKETS = 200000 };

/* ---- Lanes --------------------------------------------------------------------------------- */

/* Write how many lanes have each path, and their least and longest time. */
static void put_spreads(struct html_data *data)
{
    static const char *const keys[] = {"lanes", "least", "most"};
    for (int k = 0; k < 3; k++) {
        bool any = false;
        html_put_key(data->out, keys[k]);
        for (uint32_t i = 0; i < data->paths->npaths; i++) {
            struct spread spread = path_spread(data->paths, data->order[i]);
            html_put_between(data->out, &any);
            gptl_out_uint(data->out, k == 0 ? spread.nlanes : k == 1 ? spread.least : spread.most);
        }
        html_put_end(data->out, any);
    }
}

static void put_labels(struct html_data *data)
{
    bool any = false;
    html_put_key(data->out, "lane");
    for (uint32_t i = 0; i < data->paths->nlanes; i++) {
        const struct lane *lane = &data->paths->lanes[i];
        html_put_between(data->out, &any);
        gptl_name_script(data->out, lane->label);
        gptl_out_char(data->out, ',');
        gptl_name_script(data->out, lane->process_label);
        gptl_out_format(data->out, ",%d", lane->thread);
    }
    html_put_end(data->out, any);
}

/*
 * Write a row per path: place, number of lanes, then for each lane its number, calls, total, total
 * less exclusive, and counters by slot.
 */
static void put_parts(struct html_data *data)
{
    const struct paths *paths = data->paths;
    uint32_t room = MOST_PARTS, nslots = paths->counts ? paths->counts->nslots : 0;
    bool any = false;
    html_put_key(data->out, "parts");
    for (uint32_t k = 0; paths->nlanes > 1 && k < paths->npaths - 1; k++) {
        const struct path *path = html_path(data, data->largest[k]);
        uint32_t n = path_spread(paths, data->order[data->largest[k]]).nlanes;
        uint64_t size = (uint64_t)n * (4 + nslots) / 4;
        if (size > room && any)
            break;
        room -= size < room ? (uint32_t)size : room;
        html_put_between(data->out, &any);
        gptl_out_uint(data->out, data->largest[k]);
        gptl_out_char(data->out, ',');
        gptl_out_uint(data->out, n);
        for (uint32_t i = path->parts; i; i = paths->parts[i].next) {
            const struct part *part = &paths->parts[i];
            gptl_out_char(data->out, ',');
            gptl_out_uint(data->out, part->lane);
            gptl_out_char(data->out, ',');
            gptl_out_uint(data->out, part->figures.calls);
            gptl_out_char(data->out, ',');
            gptl_out_uint(data->out, part->figures.total);
            gptl_out_char(data->out, ',');
            html_put_signed(data->out, html_difference(part->figures.total, part->figures.self));
            for (uint32_t s = 0; s < nslots; s++) {
                gptl_out_char(data->out, ',');
                html_put_signed(data->out, paths_counts(paths, i, COUNT_INCLUSIVE)[s]);
            }
        }
    }
    html_put_end(data->out, any);
}

void html_put_lanes(struct html_data *data)
{
    put_labels(data);
    if (data->paths->nlanes > 1)
        put_spreads(data);
    put_parts(data);
}

/* ---- Histograms ---------------------------------------------------------------------------- */

/* Return the smallest duration in ticks of bucket I; see "buckets" in doc/timing.schema.json. */
static double bucket_begin(uint32_t i)
{
    if (i < 32)
        return i;
    uint32_t power = (i - 32) / 32;
    return (double)((uint64_t)(32 + i % 32) << power);
}

static uint32_t bucket_of(double ticks)
{
    uint32_t low = 0, high = GPTL_HISTOGRAM_BUCKETS;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        *(bucket_begin(middle) <= ticks ? &low : &high) = middle;
    }
    return low;
}

/* Add MORE, whose ticks are RATIO times as long as the ticks of SUM. */
static void add_histogram(struct gptl_histogram *sum, const struct gptl_histogram *more,
                          double ratio)
{
    for (uint32_t i = 0; i < GPTL_HISTOGRAM_BUCKETS; i++) {
        if (!more->bucket[i])
            continue;
        double middle = i < 32 ? i : (bucket_begin(i) + bucket_begin(i + 1)) / 2;
        sum->bucket[ratio == 1 ? i : bucket_of(middle * ratio)] += more->bucket[i];
    }
}

static bool has_histogram(const struct paths *paths, const struct path *path)
{
    for (uint32_t i = path->parts; i; i = paths->parts[i].next)
        if (paths->parts[i].histogram)
            return true;
    return false;
}

static double tick_of(const struct gptl_copy *copy)
{
    double tick = copy->bucket_tick > 0 ? copy->bucket_tick : copy->seconds_per_tick;
    return tick > 0 && isfinite(tick) ? tick : 1e-9;
}

/*
 * Sum the histograms of all lanes in ticks of TICK seconds. Returns the number of nonempty buckets.
 */
static uint32_t sum_histograms(const struct paths *paths, const struct path *path, double tick,
                               struct gptl_histogram *sum)
{
    uint32_t n = 0;
    *sum = (struct gptl_histogram){{0}};
    for (uint32_t i = path->parts; i; i = paths->parts[i].next) {
        const struct part *part = &paths->parts[i];
        if (part->histogram)
            add_histogram(sum, part->histogram, tick_of(paths->lanes[part->lane].copy) / tick);
    }
    for (uint32_t i = 0; i < GPTL_HISTOGRAM_BUCKETS; i++)
        n += sum->bucket[i] != 0;
    return n;
}

/* Write a row: place, number of buckets, then index and calls of each bucket. */
static void put_histogram(struct gptl_out *out, uint32_t place, uint32_t n,
                          const struct gptl_histogram *histogram)
{
    gptl_out_uint(out, place);
    gptl_out_char(out, ',');
    gptl_out_uint(out, n);
    for (uint32_t i = 0; i < GPTL_HISTOGRAM_BUCKETS; i++) {
        if (!histogram->bucket[i])
            continue;
        gptl_out_char(out, ',');
        gptl_out_uint(out, i);
        gptl_out_char(out, ',');
        gptl_out_uint(out, histogram->bucket[i]);
    }
}

void html_put_histograms(struct html_data *data)
{
    const struct paths *paths = data->paths;
    struct gptl_histogram sum;
    double tick = paths->nlanes > 0 ? tick_of(paths->lanes[0].copy) : 1e-9;
    uint32_t room = MOST_BUCKETS;
    bool any = false;
    html_put_key(data->out, "tick"); /* nanoseconds */
    gptl_out_real(data->out, tick * 1e9);
    html_put_key(data->out, "histograms");
    for (uint32_t k = 0; k < paths->npaths - 1; k++) {
        const struct path *path = html_path(data, data->largest[k]);
        if (!has_histogram(paths, path))
            continue;
        uint32_t n = sum_histograms(paths, path, tick, &sum);
        if (n > room)
            break;
        room -= n;
        html_put_between(data->out, &any);
        put_histogram(data->out, data->largest[k], n, &sum);
    }
    html_put_end(data->out, any);
}
