/* profile_head.c - reads the description of the process in a JSON report, before its threads. */
#include "config.h"

#include "postproc/read/profile_reader.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Values -------------------------------------------------------------------------------- */

char *reader_text(struct reader *reader)
{
    static char none[1];
    size_t length;
    char *text = json_string(reader->json, &length);
    long decoded = name_decode(text, length);
    if (decoded < 0)
        json_fail(reader->json, "a text has a byte of 0 in it");
    if (json_failed(reader->json))
        return none;
    char *kept = gptl_report_keep(reader->profile, text, (size_t)decoded);
    if (!kept)
        reader_no_memory(reader);
    return kept ? kept : none;
}

char *reader_text_or_null(struct reader *reader)
{
    return json_null(reader->json) ? NULL : reader_text(reader);
}

/* Read a text that is "" in the struct if unknown. */
static char *text_or_empty(struct reader *reader)
{
    static char none[1];
    char *text = reader_text_or_null(reader);
    return text ? text : none;
}

/* Read a number; null represents infinity. */
static double real_or_null(struct json *json)
{
    return json_null(json) ? (double)NAN : json_real(json);
}

void *reader_one_more(struct reader *reader, void *elements, uint32_t n, size_t size)
{
    if (n & (n - 1)) /* capacity is a power of two */
        return elements;
    size_t room = n ? 2 * (size_t)n : 1;
    void *more = n < UINT32_MAX / 2 ? gptl_report_alloc(reader->profile, room * size) : NULL;
    if (!more)
        reader_no_memory(reader);
    else if (n > 0)
        memcpy(more, elements, n * size);
    return more;
}

/* ---- The process --------------------------------------------------------------------------- */

static void check_format(struct reader *reader)
{
    const char *format = json_string(reader->json, NULL);
    if (strcmp(format, "gptl-profile") != 0)
        json_fail_whole(reader->json,
                        "this is JSON of another kind: its \"format\" is \"%.60s\", not "
                        "\"gptl-profile\"",
                        format);
    json_hint(reader->json, NULL);
}

static void check_version(struct reader *reader)
{
    uint64_t version = json_uint(reader->json, UINT64_MAX);
    if (version != 1)
        json_fail_whole(reader->json,
                        "this is a gptl-profile of version %llu; gptl " PACKAGE_VERSION
                        " reads version 1. Take the gptl of the library that wrote it",
                        (unsigned long long)version);
}

static int read_rank(struct json *json)
{
    return json_null(json) ? -1 : (int)json_uint(json, INT_MAX);
}

static void read_command(struct reader *reader)
{
    struct gptl_profile *profile = reader->profile;
    if (json_null(reader->json))
        return;
    profile->narguments = 0;
    profile->command = reader_one_more(reader, NULL, 0, sizeof *profile->command);
    json_array(reader->json);
    while (json_element(reader->json)) {
        const char *argument = reader_text(reader);
        profile->command = reader_one_more(reader, profile->command, profile->narguments,
                                           sizeof *profile->command);
        if (!profile->command)
            return;
        profile->command[profile->narguments++] = argument;
    }
}

static void read_clock(struct reader *reader, struct gptl_clock_finding *clock)
{
    struct json *json = reader->json;
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "name") == 0)
            clock->name = reader_text(reader);
        else if (strcmp(key, "source") == 0)
            clock->source = reader_text(reader);
        else if (strcmp(key, "kernel") == 0)
            clock->kernel = reader_text(reader);
        else if (strcmp(key, "cost") == 0)
            clock->cost = real_or_null(json);
        else if (strcmp(key, "resolution") == 0)
            clock->resolution = real_or_null(json);
        else if (strcmp(key, "seconds_per_tick") == 0)
            clock->seconds_per_tick = real_or_null(json);
        else if (strcmp(key, "calibrated_over") == 0)
            clock->calibrated_over = real_or_null(json);
        else if (strcmp(key, "monotonic") == 0)
            clock->monotonic = json_bool(json);
        else if (strcmp(key, "rejected") == 0)
            snprintf(clock->rejected, sizeof clock->rejected, "%s", reader_text(reader));
        else if (strcmp(key, "correction") == 0)
            snprintf(clock->correction, sizeof clock->correction, "%s", reader_text(reader));
        else
            json_skip(json);
    }
}

static void read_options(struct reader *reader)
{
    struct gptl_profile *profile = reader->profile;
    const char *key;
    if (json_null(reader->json))
        return;
    profile->noptions = 0;
    profile->options = reader_one_more(reader, NULL, 0, sizeof *profile->options);
    json_object(reader->json);
    while ((key = json_key(reader->json))) {
        char *kept = gptl_report_keep(profile, key, strlen(key));
        if (kept && name_decode(kept, strlen(kept)) < 0)
            json_fail(reader->json, "a text has a byte of 0 in it");
        const char *value = reader_text(reader);
        profile->options =
            reader_one_more(reader, profile->options, profile->noptions, sizeof *profile->options);
        if (!kept)
            reader_no_memory(reader);
        if (!kept || !profile->options)
            return;
        profile->options[profile->noptions++] =
            (struct gptl_setting){kept, value, !gptl_core_option_is_default(kept, value)};
    }
}

static void read_overhead(struct reader *reader)
{
    struct gptl_overhead *cost = &reader->profile->overhead;
    struct json *json = reader->json;
    const char *key;
    if (json_null(json))
        return;
    reader->profile->has_overhead = true;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "self") == 0)
            cost->self = real_or_null(json);
        else if (strcmp(key, "parent") == 0)
            cost->parent = real_or_null(json);
        else if (strcmp(key, "self_spread") == 0)
            cost->self_spread = real_or_null(json);
        else if (strcmp(key, "parent_spread") == 0)
            cost->parent_spread = real_or_null(json);
        else
            json_skip(json);
    }
}

static void read_memory(struct json *json, struct gptl_process *process)
{
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "total") == 0)
            process->memory = (size_t)json_uint(json, SIZE_MAX);
        else if (strcmp(key, "names") == 0)
            process->names_memory = (size_t)json_uint(json, SIZE_MAX);
        else if (strcmp(key, "budget") == 0)
            process->budget = (size_t)json_uint(json, SIZE_MAX);
        else if (strcmp(key, "regions") == 0)
            process->nregions = (uint32_t)json_uint(json, UINT32_MAX);
        else
            json_skip(json);
    }
}

static void read_buckets(struct reader *reader)
{
    uint64_t number = 0, linear = 0, parts = 0;
    const char *key;
    json_object(reader->json);
    while ((key = json_key(reader->json))) {
        if (strcmp(key, "number") == 0)
            number = json_uint(reader->json, UINT64_MAX);
        else if (strcmp(key, "linear") == 0)
            linear = json_uint(reader->json, UINT64_MAX);
        else if (strcmp(key, "parts") == 0)
            parts = json_uint(reader->json, UINT64_MAX);
        else
            json_skip(reader->json);
    }
    reader->known_buckets = number == GPTL_HISTOGRAM_BUCKETS && linear == 32 && parts == 32;
}

/* ---- Functions ----------------------------------------------------------------------------- */

static void read_module(struct reader *reader)
{
    struct gptl_profile *profile = reader->profile;
    static char none[1];
    struct gptl_module module = {none, none, none};
    const char *key;
    json_object(reader->json);
    while ((key = json_key(reader->json))) {
        if (strcmp(key, "label") == 0)
            module.label = reader_text(reader);
        else if (strcmp(key, "path") == 0)
            module.path = text_or_empty(reader);
        else if (strcmp(key, "build_id") == 0)
            module.build_id = text_or_empty(reader);
        else
            json_skip(reader->json);
    }
    profile->modules =
        reader_one_more(reader, profile->modules, profile->nmodules, sizeof *profile->modules);
    if (profile->modules)
        profile->modules[profile->nmodules++] = module;
}

static void read_function(struct reader *reader)
{
    static char none[1];
    struct gptl_profile *profile = reader->profile;
    struct gptl_function function = {.region = profile->nfunctions + 1, .address = none};
    struct json *json = reader->json;
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "name") == 0)
            function.name = reader_text_or_null(reader);
        else if (strcmp(key, "address") == 0)
            function.address = reader_text(reader);
        else if (strcmp(key, "module") == 0)
            function.module = (uint32_t)json_uint(json, UINT32_MAX);
        else if (strcmp(key, "offset") == 0)
            function.offset = json_uint(json, UINT64_MAX);
        else if (strcmp(key, "file") == 0)
            function.file = reader_text_or_null(reader);
        else if (strcmp(key, "line") == 0)
            function.line = json_null(json) ? 0 : (int)json_uint(json, INT_MAX);
        else
            json_skip(json);
    }
    profile->functions = reader_one_more(reader, profile->functions, profile->nfunctions,
                                         sizeof *profile->functions);
    if (profile->functions)
        profile->functions[profile->nfunctions++] = function;
}

static void read_functions(struct reader *reader)
{
    if (reader->profile->nfunctions > 0)
        json_fail(reader->json, "\"functions\" is there twice");
    else if (reader->names.nnames > 0)
        json_fail(reader->json, "\"functions\" must stand before \"threads\"");
    json_array(reader->json);
    while (json_element(reader->json))
        read_function(reader);
    reader->names.nfunctions = reader->profile->nfunctions;
}

static void read_modules(struct reader *reader)
{
    if (reader->profile->nmodules > 0)
        json_fail(reader->json, "\"modules\" is there twice");
    json_array(reader->json);
    while (json_element(reader->json))
        read_module(reader);
}

/* ---- Members of the document --------------------------------------------------------------- */

/* Read a member with a plain value. Returns false for other members. */
static bool read_value(struct reader *reader, const char *key)
{
    struct gptl_profile *profile = reader->profile;
    struct gptl_process *process = &profile->process;
    struct json *json = reader->json;
    if (strcmp(key, "library") == 0)
        profile->library = reader_text(reader);
    else if (strcmp(key, "program") == 0)
        process->program = reader_text(reader);
    else if (strcmp(key, "host") == 0)
        profile->host = reader_text(reader);
    else if (strcmp(key, "cores") == 0)
        profile->cores = (unsigned)json_uint(json, UINT_MAX);
    else if (strcmp(key, "preemptions") == 0)
        profile->preemptions = json_uint(json, UINT64_MAX);
    else if (strcmp(key, "pid") == 0)
        process->pid = (long)json_uint(json, LONG_MAX);
    else if (strcmp(key, "job") == 0)
        profile->job = reader_text_or_null(reader);
    else if (strcmp(key, "rank") == 0)
        process->rank = read_rank(json);
    else if (strcmp(key, "started") == 0)
        process->started = json_real(json);
    else if (strcmp(key, "elapsed") == 0)
        process->elapsed = real_or_null(json);
    else if (strcmp(key, "unwrapped") == 0)
        profile->unwrapped = reader_text_or_null(reader);
    else if (strcmp(key, "salvaged") == 0)
        profile->salvaged = reader_text_or_null(reader);
    else if (strcmp(key, "errors") == 0)
        process->errors = json_uint(json, UINT64_MAX);
    else if (strcmp(key, "warnings") == 0)
        process->warnings = json_uint(json, UINT64_MAX);
    else
        return false;
    return true;
}

bool reader_head(struct reader *reader, const char *key)
{
    struct gptl_profile *profile = reader->profile;
    if (strcmp(key, "format") == 0) {
        check_format(reader);
        reader->has_format = true;
    } else if (strcmp(key, "version") == 0) {
        check_version(reader);
        reader->has_version = true;
    } else if (strcmp(key, "command") == 0) {
        read_command(reader);
    } else if (strcmp(key, "clock") == 0) {
        read_clock(reader, &profile->clock);
    } else if (strcmp(key, "options") == 0) {
        read_options(reader);
    } else if (strcmp(key, "overhead") == 0) {
        read_overhead(reader);
    } else if (strcmp(key, "memory") == 0) {
        read_memory(reader->json, &profile->process);
    } else if (strcmp(key, "buckets") == 0) {
        read_buckets(reader);
    } else if (strcmp(key, "modules") == 0) {
        read_modules(reader);
    } else if (strcmp(key, "functions") == 0) {
        read_functions(reader);
    } else if (strcmp(key, "metrics") == 0) {
        reader_metrics(reader);
    } else if (strcmp(key, "refused") == 0) {
        reader_refused(reader);
    } else {
        return reader_ledger(reader, key) || read_value(reader, key);
    }
    return true;
}

void reader_head_begin(struct gptl_profile *profile)
{
    static const char unknown[] = "unknown";
    profile->library = profile->host = profile->process.program = unknown;
    profile->clock.name = profile->clock.source = profile->clock.kernel = unknown;
    profile->process.rank = -1;
}

void reader_head_end(struct reader *reader)
{
    const struct gptl_profile *profile = reader->profile;
    if (!reader->has_format)
        json_fail_whole(reader->json, "this is JSON of another kind: it has no \"format\"");
    if (!reader->has_version)
        json_fail_whole(reader->json, "it has no \"version\"");
    for (uint32_t i = 0; i < profile->nfunctions && !json_failed(reader->json); i++)
        if (profile->functions[i].module >= profile->nmodules)
            json_fail_whole(reader->json,
                            "function %u is of module %u, and there is no such module", i,
                            profile->functions[i].module);
    if (!json_failed(reader->json)) {
        reader_metrics_end(reader);
        reader_ledgers_end(reader);
    }
}
