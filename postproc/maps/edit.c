/*
 * edit.c - edits a profile into a hypothetical machine: scales the part of each curve that belongs
 * to a level, and moves the steps of the curves with the sizes of caches.
 */
#include "config.h"

#include "postproc/maps/edit.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

enum { MOST_LEVELS = 9 }; /* including memory */
/* Limits of the transition around a step; points outside belong to one level. */
enum { BELOW = 2, ABOVE = 3 };

/* ---- Levels of a curve --------------------------------------------------------------------- */

/*
 * Return the step nearest to a point, i.e. the pair of levels that it lies between; 0 without
 * caches.
 */
static size_t nearest_step(const struct machine *machine, const struct machine_curve *curve,
                           double bytes)
{
    double least, most, nearest = INFINITY;
    size_t step = 0;
    for (size_t i = 0; i < machine->ncaches; i++) {
        machine_level_span(machine, i, curve->kind.cores, &least, &most);
        double away = fabs(log2(bytes / most));
        if (away < nearest) {
            nearest = away;
            step = i;
        }
    }
    return step;
}

/*
 * Multiply the times of the levels by FACTORS. A point near a step is divided between both levels
 * in the proportion that its time implies.
 */
static void scale_curve(const struct machine *machine, struct machine_curve *curve,
                        const double *factors)
{
    double times[MOST_LEVELS], least, most;
    for (size_t i = 0; i <= machine->ncaches; i++)
        times[i] = 1 / machine_level_rate(machine, &curve->kind, i);
    for (size_t i = 0; i < curve->npoints; i++) {
        struct machine_point *point = &curve->points[i];
        size_t low = nearest_step(machine, curve, (double)point->working_set_bytes);
        size_t high = low < machine->ncaches ? low + 1 : low;
        machine_level_span(machine, low, curve->kind.cores, &least, &most);
        double bytes = (double)point->working_set_bytes, part = bytes > most;
        double time = 1 / point->accesses_per_second;
        if (bytes > most / BELOW && bytes < ABOVE * most && times[high] > times[low])
            part = fmin(fmax((time - times[low]) / (times[high] - times[low]), 0), 1);
        double old = times[low] * (1 - part) + times[high] * part;
        double new = times[low] * factors[low] * (1 - part) + times[high] * factors[high] * part;
        point->accesses_per_second /= new / old;
    }
}

/* ---- Sizes --------------------------------------------------------------------------------- */

/*
 * Return the new position of BYTES if the sizes FROM become TO; relative positions between steps
 * are preserved.
 */
static double moved(double bytes, const double *from, const double *to, size_t n)
{
    if (n == 0)
        return bytes;
    if (bytes <= from[0])
        return bytes * (to[0] / from[0]);
    for (size_t i = 1; i < n; i++)
        if (bytes <= from[i])
            return to[i - 1] *
                   pow(to[i] / to[i - 1], log(bytes / from[i - 1]) / log(from[i] / from[i - 1]));
    return bytes * (to[n - 1] / from[n - 1]);
}

/*
 * Collect the cache sizes before and after, for a core with CORES active; caches out of order are
 * invisible and skipped.
 */
static size_t steps_of(const struct machine *before, const struct machine *after, unsigned cores,
                       double *from, double *to)
{
    double least, old, new;
    size_t n = 0;
    for (size_t i = 0; i < before->ncaches; i++) {
        machine_level_span(before, i, cores, &least, &old);
        machine_level_span(after, i, cores, &least, &new);
        if (n > 0 && (old <= from[n - 1] || new <= to[n - 1]))
            continue;
        from[n] = old;
        to[n++] = new;
    }
    return n;
}

static void move_steps(struct machine *machine, size_t level, uint64_t bytes)
{
    double from[MOST_LEVELS], to[MOST_LEVELS];
    struct machine before = *machine;
    struct machine_cache old[MOST_LEVELS];
    memcpy(old, machine->caches, machine->ncaches * sizeof *old);
    before.caches = old;
    machine->caches[level].bytes = bytes;
    for (size_t i = 0; i < machine->ncurves; i++) {
        struct machine_curve *curve = &machine->curves[i];
        size_t n = steps_of(&before, machine, curve->kind.cores, from, to), kept = 0;
        for (size_t j = 0; j < curve->npoints; j++) {
            struct machine_point point = curve->points[j];
            double there = moved((double)point.working_set_bytes, from, to, n);
            point.working_set_bytes = there < 1        ? 1
                                      : there > 0x1p60 ? (uint64_t)1 << 60
                                                       : (uint64_t)llround(there);
            if (kept == 0 || point.working_set_bytes > curve->points[kept - 1].working_set_bytes)
                curve->points[kept++] = point;
        }
        curve->npoints = kept;
    }
}

/* ---- Values -------------------------------------------------------------------------------- */

/* A parsed edit. */
struct edit {
    const char *text;
    char part[32], what[32];
    bool scales;
    double value;
    const char *unit; /* suffix of the number */
};

static int refuse(const struct edit *edit, const char *why)
{
    fprintf(stderr, "gptl maps: edit \"%s\": %s\n", edit->text, why);
    return -1;
}

struct unit {
    const char *name;
    double value;
};

static const struct unit sizes[] = {{"", 1},       {"B", 1},        {"K", 0x1p10}, {"KiB", 0x1p10},
                                    {"M", 0x1p20}, {"MiB", 0x1p20}, {"G", 0x1p30}, {"GiB", 0x1p30},
                                    {"T", 0x1p40}, {"TiB", 0x1p40}, {NULL, 0}};
static const struct unit times[] = {{"", 1},      {"s", 1},     {"ms", 1e-3},
                                    {"us", 1e-6}, {"ns", 1e-9}, {NULL, 0}};
static const struct unit bandwidths[] = {{"", 1},     {"B/s", 1},     {"k", 1e3}, {"kB/s", 1e3},
                                         {"M", 1e6},  {"MB/s", 1e6},  {"G", 1e9}, {"GB/s", 1e9},
                                         {"T", 1e12}, {"TB/s", 1e12}, {NULL, 0}};
static const struct unit counts[] = {{"", 1}, {NULL, 0}};

/*
 * Compute the new value from OLD; UNITS lists the accepted units. Returns 0, or -1 after a message.
 */
static int new_value(const struct edit *edit, double old, const struct unit *units, double *value)
{
    const struct unit *unit = edit->scales ? counts : units;
    while (unit->name && strcmp(unit->name, edit->unit) != 0)
        unit++;
    if (!unit->name)
        return refuse(edit, edit->scales      ? "a factor has no unit"
                            : units == sizes  ? "a size ends in nothing, K, M or G"
                            : units == times  ? "a time ends in s, ms, us or ns"
                            : units == counts ? "this is a number without a unit"
                                              : "a bandwidth ends in B/s, kB/s, MB/s or GB/s");
    *value = edit->scales ? old * edit->value : edit->value * unit->value;
    if (*value >= 1e-30 && *value <= 1e30)
        return 0;
    return refuse(edit, "the number is too large or too small");
}

/* ---- Parts --------------------------------------------------------------------------------- */

static bool is_latency(const struct machine_curve *curve)
{
    return curve->kind.access == MACHINE_DEPENDENT;
}

static int scale_level(struct machine *machine, const struct edit *edit, size_t level,
                       bool latencies)
{
    double factor, seconds, all[MOST_LEVELS];
    size_t n = 0;
    if (!latencies && !edit->scales)
        return refuse(edit, "each curve has a rate of its own: give a factor, as in L2.rate*=2");
    if (new_value(edit, 1, times, &seconds))
        return -1;
    for (size_t i = 0; i < machine->ncurves; i++) {
        struct machine_curve *curve = &machine->curves[i];
        if (is_latency(curve) != latencies)
            continue;
        factor = !latencies     ? 1 / seconds
                 : edit->scales ? seconds
                                : seconds * machine_level_rate(machine, &curve->kind, level);
        for (size_t j = 0; j < MOST_LEVELS; j++)
            all[j] = j == level ? factor : 1;
        scale_curve(machine, curve, all);
        n++;
    }
    return n > 0 ? 0 : refuse(edit, "the machine has no curves of that");
}

static int resize(struct machine *machine, const struct edit *edit, size_t level)
{
    double bytes, least = level > 0 ? (double)machine->caches[level - 1].bytes : 0;
    double most = level + 1 < machine->ncaches ? (double)machine->caches[level + 1].bytes : 0x1p50;
    if (new_value(edit, (double)machine->caches[level].bytes, sizes, &bytes))
        return -1;
    bytes = round(bytes);
    if (bytes <= least || bytes >= most || bytes < machine->caches[level].line_bytes)
        return refuse(edit, "a cache must be larger than the one before it, and smaller than the "
                            "one behind it");
    move_steps(machine, level, (uint64_t)bytes);
    machine->caches[level].source = MACHINE_EDITED;
    return 0;
}

static int edit_ways(struct machine *machine, const struct edit *edit, size_t level)
{
    double ways;
    if (new_value(edit, machine->caches[level].associativity, counts, &ways))
        return -1;
    if (ways != round(ways) || ways < 1 || ways > 1e6)
        return refuse(edit, "the lines of a set are a whole number");
    machine->caches[level].associativity = (unsigned)ways;
    machine->caches[level].source = MACHINE_EDITED;
    return 0;
}

static int edit_level(struct machine *machine, const struct edit *edit, size_t level)
{
    if (machine->ncaches >= MOST_LEVELS)
        return refuse(edit, "the machine has too many caches for that");
    if (strcmp(edit->what, "rate") == 0)
        return scale_level(machine, edit, level, false);
    if (strcmp(edit->what, "latency") == 0)
        return scale_level(machine, edit, level, true);
    if (level < machine->ncaches && strcmp(edit->what, "bytes") == 0)
        return resize(machine, edit, level);
    if (level < machine->ncaches && strcmp(edit->what, "associativity") == 0)
        return edit_ways(machine, edit, level);
    return refuse(edit, level < machine->ncaches
                            ? "a cache has rate, latency, bytes and associativity"
                            : "memory has rate and latency");
}

static int edit_arithmetic(struct machine *machine, const struct edit *edit)
{
    double factor;
    bool rate = strcmp(edit->what, "rate") == 0;
    if ((!rate && strcmp(edit->what, "latency") != 0) || !edit->scales)
        return refuse(edit, "arithmetic has rate and latency, which are given as a factor, as in "
                            "arithmetic.rate*=2");
    if (new_value(edit, 1, counts, &factor))
        return -1;
    struct machine_core *core = &machine->core;
    for (size_t i = 0; i < machine->nunits; i++)
        if (rate)
            machine->units[i].flops_per_second *= factor;
        else
            machine->units[i].latency_seconds *= factor;
    if (rate) {
        machine->instructions_per_second *= factor;
        return 0;
    }
#define TIME(name) core->name *= factor;
#include "postproc/machine/core.def"
#undef TIME
    return 0;
}

static int edit_network(struct machine *machine, const struct edit *edit)
{
    struct machine_network *network = machine->network;
    bool latency = strcmp(edit->what, "latency") == 0;
    if (!latency && strcmp(edit->what, "bandwidth") != 0)
        return refuse(edit, "the network has latency and bandwidth");
    if (!network)
        return refuse(edit, "the machine has no network; `gptl maps --network` measures it");
    double value, old = latency ? network->latency_seconds : network->bytes_per_second;
    if (new_value(edit, old, latency ? times : bandwidths, &value))
        return -1;
    for (size_t i = 0; i < network->nmessages; i++) {
        struct machine_message *one = &network->messages[i];
        double waiting = fmin(one->seconds, network->latency_seconds);
        double moving = one->seconds - waiting;
        double scale =
            (latency ? waiting * (value / old) + moving : waiting + moving * (old / value)) /
            one->seconds;
        machine_scale_message(one, scale);
    }
    *(latency ? &network->latency_seconds : &network->bytes_per_second) = value;
    return 0;
}

/* ---- Edits --------------------------------------------------------------------------------- */

static int parse(struct edit *edit)
{
    int at = 0;
    char *end;
    if (sscanf(edit->text, "%31[A-Za-z0-9].%31[a-z]%n", edit->part, edit->what, &at) != 2)
        return refuse(edit, "it is not of the form PART.WHAT=VALUE or PART.WHAT*=FACTOR, as in "
                            "L2.rate*=2");
    const char *rest = edit->text + at;
    edit->scales = *rest == '*';
    rest += edit->scales;
    if (*rest != '=')
        return refuse(edit, "there is no = or *= in it");
    edit->value = strtod(rest + 1, &end);
    edit->unit = end;
    if (end == rest + 1 || !(edit->value > 0) || !isfinite(edit->value))
        return refuse(edit, "there is no number above 0 behind the =");
    return 0;
}

/* Return the level named PART, or -1. */
static int level_of(const struct machine *machine, const char *part)
{
    unsigned number;
    int end = 0;
    if (strcmp(part, "memory") == 0)
        return (int)machine->ncaches;
    if (sscanf(part, "L%u%n", &number, &end) == 1 && part[end] == 0)
        for (size_t i = 0; i < machine->ncaches; i++)
            if (machine->caches[i].level == number)
                return (int)i;
    return -1;
}

static int apply(struct machine *machine, const struct edit *edit)
{
    int level = level_of(machine, edit->part);
    if (level >= 0)
        return edit_level(machine, edit, (size_t)level);
    if (strcmp(edit->part, "arithmetic") == 0)
        return edit_arithmetic(machine, edit);
    if (strcmp(edit->part, "network") == 0)
        return edit_network(machine, edit);
    return refuse(edit,
                  "the machine has no such part; there are its caches (L1 and so on), memory, "
                  "arithmetic and network");
}

int edit_machine(struct machine *machine, const char *text)
{
    struct edit edit = {.text = text};
    if (parse(&edit) || apply(machine, &edit))
        return -1;
    size_t room = machine->nedits;
    machine->edits =
        memory_room(machine->edits, &room, machine->nedits + 1, sizeof *machine->edits);
    machine->edits[machine->nedits++] = memory_text(text);
    return 0;
}
