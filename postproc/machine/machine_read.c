/* machine_read.c - reads machine.json and rejects values unfit for computation. */
#include "config.h"

#include "postproc/machine/machine_read.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/ioc/memory.h"
#include "postproc/read/name_pool.h"

enum { FORMAT_VERSION = 1 };
enum { MOST_CORES = 1 << 24, MOST_LINE = 1 << 20, MOST_LEVELS = 8, MOST_CURVES = 10000 };

/* ---- Values -------------------------------------------------------------------------------- */

/* Read a text that the caller frees; "" after an error. */
static char *read_text(struct json *json)
{
    size_t length;
    char *text = json_string(json, &length);
    long decoded = name_decode(text, length);
    if (decoded < 0)
        json_fail(json, "a text has a byte of 0 in it");
    if (decoded < 0 || json_failed(json))
        return memory_text("");
    char *kept = memory_zeros((size_t)decoded + 1, 1);
    memcpy(kept, text, (size_t)decoded);
    return kept;
}

static void replace_text(struct json *json, char **text)
{
    char *kept = json_null(json) ? NULL : read_text(json);
    free(*text);
    *text = kept;
}

double machine_read_positive(struct json *json)
{
    double value = json_real(json);
    if (!json_failed(json) && !(value >= 1e-100 && value <= 1e100))
        json_fail(json, "this must be more than 0");
    return value;
}

static double read_positive_or_none(struct json *json)
{
    return json_null(json) ? 0 : machine_read_positive(json);
}

/* Read one of N WORDS, which are in the order of an enum. */
static int read_word(struct json *json, const char *const *words, int n)
{
    const char *word = json_string(json, NULL);
    for (int i = 0; i < n; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    json_fail(json, "\"%.40s\" is no word that is known here", word);
    return 0;
}

static unsigned read_unsigned(struct json *json, unsigned least, unsigned most)
{
    uint64_t value = json_uint(json, most);
    if (!json_failed(json) && value < least)
        json_fail(json, "this must be at least %u", least);
    return (unsigned)value;
}

static uint64_t read_bytes(struct json *json)
{
    uint64_t value = json_uint(json, MACHINE_MOST_BYTES);
    if (!json_failed(json) && value == 0)
        json_fail(json, "this must be at least 1");
    return value;
}

static unsigned read_line_bytes(struct json *json)
{
    unsigned bytes = read_unsigned(json, 1, MOST_LINE);
    if (bytes & (bytes - 1))
        json_fail(json, "the bytes of a line are no power of two");
    return bytes;
}

/* ---- Caches -------------------------------------------------------------------------------- */

static void read_cache(struct json *json, struct machine_cache *cache)
{
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "level") == 0)
            cache->level = read_unsigned(json, 1, MOST_LEVELS);
        else if (strcmp(key, "bytes") == 0)
            cache->bytes = read_bytes(json);
        else if (strcmp(key, "line_bytes") == 0)
            cache->line_bytes = read_line_bytes(json);
        else if (strcmp(key, "associativity") == 0)
            cache->associativity = json_null(json) ? 0 : read_unsigned(json, 1, INT_MAX);
        else if (strcmp(key, "shared_by_cores") == 0)
            cache->shared_by_cores = read_unsigned(json, 1, MOST_CORES);
        else if (strcmp(key, "source") == 0)
            cache->source = read_word(json, machine_sources, MACHINE_NSOURCES);
        else
            json_skip(json);
    }
    if (!json_failed(json) && (cache->level == 0 || cache->bytes == 0))
        json_fail(json, "a cache has no \"level\" or no \"bytes\"");
}

static void read_caches(struct json *json, struct machine *machine)
{
    size_t room = machine->ncaches;
    json_array(json);
    while (json_element(json)) {
        struct machine_cache cache = {.line_bytes = 64, .shared_by_cores = 1};
        read_cache(json, &cache);
        const struct machine_cache *last =
            machine->ncaches > 0 ? &machine->caches[machine->ncaches - 1] : NULL;
        if (last && (cache.level <= last->level || cache.bytes <= last->bytes))
            json_fail(json, "the caches are not in order, each larger than the one before it");
        if (json_failed(json))
            return;
        machine->caches =
            memory_room(machine->caches, &room, machine->ncaches + 1, sizeof *machine->caches);
        machine->caches[machine->ncaches++] = cache;
    }
}

/* ---- Curves -------------------------------------------------------------------------------- */

static void read_point(struct json *json, struct machine_point *point)
{
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "working_set_bytes") == 0)
            point->working_set_bytes = read_bytes(json);
        else if (strcmp(key, "accesses_per_second") == 0)
            point->accesses_per_second = machine_read_positive(json);
        else if (strcmp(key, "spread") == 0)
            point->spread = json_null(json) ? 0 : json_real(json);
        else
            json_skip(json);
    }
    if (!json_failed(json) && (point->working_set_bytes == 0 || point->accesses_per_second <= 0))
        json_fail(json, "a point has no \"working_set_bytes\" or no \"accesses_per_second\"");
}

static void read_points(struct json *json, struct machine_curve *curve)
{
    size_t room = curve->npoints;
    json_array(json);
    while (json_element(json)) {
        struct machine_point point = {0};
        read_point(json, &point);
        if (curve->npoints > 0 &&
            point.working_set_bytes <= curve->points[curve->npoints - 1].working_set_bytes)
            json_fail(json, "the points are not in the order of their working sets");
        if (json_failed(json))
            return;
        curve->points = memory_room(curve->points, &room, curve->npoints + 1, sizeof point);
        curve->points[curve->npoints++] = point;
    }
}

static void read_curve(struct json *json, struct machine_curve *curve)
{
    struct machine_kind *kind = &curve->kind;
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "operation") == 0)
            kind->operation = read_word(json, machine_operations, MACHINE_NOPERATIONS);
        else if (strcmp(key, "access") == 0)
            kind->access = read_word(json, machine_accesses, MACHINE_NACCESSES);
        else if (strcmp(key, "width") == 0)
            kind->width = read_word(json, machine_widths, MACHINE_NWIDTHS);
        else if (strcmp(key, "pages") == 0)
            kind->pages = read_word(json, machine_pages_names, MACHINE_NPAGES);
        else if (strcmp(key, "stride_lines") == 0)
            kind->stride_lines = json_null(json) ? 0 : read_unsigned(json, 1, MOST_LINE);
        else if (strcmp(key, "access_bytes") == 0)
            kind->access_bytes = read_unsigned(json, 1, MOST_LINE);
        else if (strcmp(key, "cores") == 0)
            kind->cores = read_unsigned(json, 1, MOST_CORES);
        else if (strcmp(key, "points") == 0)
            read_points(json, curve);
        else
            json_skip(json);
    }
    if (!json_failed(json) && curve->npoints == 0)
        json_fail(json, "a curve has no points");
    if (kind->access == MACHINE_STRIDE && kind->stride_lines == 0)
        json_fail(json, "a curve of \"stride\" has no \"stride_lines\"");
    if (kind->access != MACHINE_STRIDE)
        kind->stride_lines = 0;
}

/* memcmp would compare padding. */
static bool same_kind(const struct machine_kind *a, const struct machine_kind *b)
{
    return a->operation == b->operation && a->access == b->access && a->width == b->width &&
           a->pages == b->pages && a->stride_lines == b->stride_lines &&
           a->access_bytes == b->access_bytes && a->cores == b->cores;
}

static void read_curves(struct json *json, struct machine *machine)
{
    size_t room = machine->ncurves;
    json_array(json);
    while (json_element(json)) {
        machine->curves =
            memory_room(machine->curves, &room, machine->ncurves + 1, sizeof *machine->curves);
        struct machine_curve *curve = &machine->curves[machine->ncurves++];
        *curve = (struct machine_curve){.kind = {.access_bytes = 8, .cores = 1}};
        read_curve(json, curve);
        for (size_t i = 0; i + 1 < machine->ncurves; i++)
            if (same_kind(&machine->curves[i].kind, &curve->kind))
                json_fail(json, "there are two curves of the same kind");
        if (machine->ncurves == MOST_CURVES)
            json_fail(json, "there are more curves than any machine has");
        if (json_failed(json))
            return;
    }
}

/* ---- Arithmetic ----------------------------------------------------------------------------- */

static void read_unit(struct json *json, struct machine_unit *unit)
{
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "operation") == 0)
            unit->operation = read_word(json, machine_arithmetics, MACHINE_NARITHMETIC);
        else if (strcmp(key, "width") == 0)
            unit->width = read_word(json, machine_widths, MACHINE_NWIDTHS);
        else if (strcmp(key, "precision") == 0)
            unit->precision = read_word(json, machine_precisions, MACHINE_NPRECISIONS);
        else if (strcmp(key, "lanes") == 0)
            unit->lanes = read_unsigned(json, 1, MOST_LINE);
        else if (strcmp(key, "flops_per_second") == 0)
            unit->flops_per_second = machine_read_positive(json);
        else if (strcmp(key, "latency_seconds") == 0)
            unit->latency_seconds = read_positive_or_none(json);
        else
            json_skip(json);
    }
    if (!json_failed(json) && unit->flops_per_second <= 0)
        json_fail(json, "a row of \"arithmetic\" has no \"flops_per_second\"");
}

static void read_units(struct json *json, struct machine *machine)
{
    size_t room = machine->nunits;
    json_array(json);
    while (json_element(json) && !json_failed(json)) {
        struct machine_unit unit = {.lanes = 1};
        read_unit(json, &unit);
        machine->units =
            memory_room(machine->units, &room, machine->nunits + 1, sizeof *machine->units);
        machine->units[machine->nunits++] = unit;
    }
}

/* ---- Whole file ---------------------------------------------------------------------------- */

static void read_edits(struct json *json, struct machine *machine)
{
    size_t room = machine->nedits;
    json_array(json);
    while (json_element(json)) {
        machine->edits =
            memory_room(machine->edits, &room, machine->nedits + 1, sizeof *machine->edits);
        machine->edits[machine->nedits++] = read_text(json);
    }
}

static void read_version(struct json *json)
{
    uint64_t version = json_uint(json, UINT32_MAX);
    if (!json_failed(json) && version > FORMAT_VERSION)
        json_fail_whole(json,
                        "it has version %u of the format, which a newer gptl wrote; this one knows "
                        "version %d",
                        (unsigned)version, FORMAT_VERSION);
}

static bool read_head(struct json *json, struct machine *machine, const char *key)
{
    if (strcmp(key, "version") == 0)
        read_version(json);
    else if (strcmp(key, "name") == 0)
        replace_text(json, &machine->name);
    else if (strcmp(key, "made_from") == 0)
        replace_text(json, &machine->made_from);
    else if (strcmp(key, "edits") == 0)
        read_edits(json, machine);
    else if (strcmp(key, "host") == 0)
        replace_text(json, &machine->host);
    else if (strcmp(key, "date") == 0)
        replace_text(json, &machine->date);
    else if (strcmp(key, "processor") == 0)
        replace_text(json, &machine->processor);
    else if (strcmp(key, "cores") == 0)
        machine->cores = read_unsigned(json, 1, MOST_CORES);
    else if (strcmp(key, "line_bytes") == 0)
        machine->line_bytes = read_line_bytes(json);
    else
        return false;
    return true;
}

static void read_core(struct json *json, struct machine_core *core)
{
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
#define TIME(name)                                                                                 \
    if (strcmp(key, #name) == 0) {                                                                 \
        core->name = read_positive_or_none(json);                                                  \
        continue;                                                                                  \
    }
#include "postproc/machine/core.def"
#undef TIME
        json_skip(json);
    }
}

static void read_measurement(struct json *json, struct machine_measurement *measurement)
{
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "seconds") == 0)
            measurement->seconds = read_positive_or_none(json);
        else if (strcmp(key, "points") == 0)
            measurement->points = read_unsigned(json, 0, UINT_MAX);
        else if (strcmp(key, "skipped_points") == 0)
            measurement->skipped_points = read_unsigned(json, 0, UINT_MAX);
        else if (strcmp(key, "reduced") == 0)
            measurement->reduced = json_bool(json);
        else if (strcmp(key, "interrupted") == 0)
            measurement->interrupted = json_bool(json);
        else
            json_skip(json);
    }
}

static void read_machine(struct json *json, struct machine *machine)
{
    bool is_one = false;
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "format") == 0)
            is_one = strcmp(json_string(json, NULL), "gptl-machine") == 0;
        else if (strcmp(key, "caches") == 0)
            read_caches(json, machine);
        else if (strcmp(key, "rates") == 0)
            read_curves(json, machine);
        else if (strcmp(key, "arithmetic") == 0)
            read_units(json, machine);
        else if (strcmp(key, "instructions_per_second") == 0)
            machine->instructions_per_second = read_positive_or_none(json);
        else if (strcmp(key, "core") == 0)
            read_core(json, &machine->core);
        else if (strcmp(key, "window_instructions") == 0)
            machine->window_instructions = read_positive_or_none(json);
        else if (strcmp(key, "window_integers") == 0)
            machine->window_integers = read_positive_or_none(json);
        else if (strcmp(key, "window_stores") == 0)
            machine->window_stores = read_positive_or_none(json);
        else if (strcmp(key, "window_vectors") == 0)
            machine->window_vectors = read_positive_or_none(json);
        else if (strcmp(key, "waiting_vectors") == 0)
            machine->waiting_vectors = read_positive_or_none(json);
        else if (strcmp(key, "new_small_bytes_per_second") == 0)
            machine->new_bytes_per_second[MACHINE_SMALL] = read_positive_or_none(json);
        else if (strcmp(key, "new_huge_bytes_per_second") == 0)
            machine->new_bytes_per_second[MACHINE_HUGE] = read_positive_or_none(json);
        else if (strcmp(key, "network") == 0)
            machine_read_network(json, machine);
        else if (strcmp(key, "measurement") == 0)
            read_measurement(json, &machine->measurement);
        else if (!read_head(json, machine, key))
            json_skip(json);
    }
    json_end(json);
    if (!json_failed(json) && !is_one)
        json_fail_whole(json, "this is no profile of a machine, as `gptl maps` writes it");
}

static void fill_gaps(struct machine *machine)
{
    char **texts[] = {&machine->name, &machine->host, &machine->date, &machine->processor};
    for (int i = 0; i < 4; i++)
        if (!*texts[i])
            *texts[i] = memory_text("");
}

int machine_read(struct machine *machine, const char *who, const char *path)
{
    *machine = (struct machine){.cores = 1, .line_bytes = 64};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        fprintf(stderr, "%s: cannot read %s: %s\n", who, path, strerror(errno));
        return -1;
    }
    struct json *json = json_new(who, path, fd);
    int status = -1;
    if (json) {
        read_machine(json, machine);
        status = json_failed(json) ? -1 : 0;
    } else {
        fprintf(stderr, "%s: %s: there is no memory to read it\n", who, path);
    }
    json_free(json);
    close(fd);
    fill_gaps(machine);
    return status;
}
