/* profile.c - a profile: all data of a report for one process, and its memory. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/host.h"
#include "report/number.h"
#include "report/report.h"
#include "report/resolve.h"
#include "report/version.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

/*
 * Texts are small and numerous, so they are allocated consecutively from blocks that are freed
 * together.
 */
struct gptl_report_block {
    struct gptl_report_block *next;
    size_t size, used;
    _Alignas(16) char bytes[];
};

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

static struct gptl_report_block *add_block(struct gptl_profile *profile, size_t size)
{
    struct gptl_report_block *last = profile->blocks;
    size_t usual = last ? 2 * last->size : FIRST_BLOCK;
    if (usual > LARGEST_BLOCK)
        usual = LARGEST_BLOCK;
    if (size < usual)
        size = usual;
    if (size > SIZE_MAX - sizeof *last)
        return NULL;
    struct gptl_report_block *block = calloc(1, sizeof *block + size);
    if (!block)
        return NULL;
    block->next = last;
    block->size = size;
    profile->blocks = block;
    return block;
}

void *gptl_report_alloc(struct gptl_profile *profile, size_t size)
{
    struct gptl_report_block *block = profile->blocks;
    if (size > SIZE_MAX - 15)
        return NULL;
    size = (size + 15) & ~(size_t)15;
    if (!block || block->size - block->used < size)
        block = add_block(profile, size);
    if (!block)
        return NULL;
    void *bytes = block->bytes + block->used;
    block->used += size;
    return bytes;
}

char *gptl_report_keep(struct gptl_profile *profile, const char *text, size_t length)
{
    char *kept = length < SIZE_MAX ? gptl_report_alloc(profile, length + 1) : NULL;
    if (kept)
        memcpy(kept, text, length);
    return kept;
}

void gptl_report_join(struct gptl_profile *profile, struct gptl_profile *from)
{
    struct gptl_report_block **end = &profile->blocks;
    while (*end)
        end = &(*end)->next;
    *end = from->blocks;
    from->blocks = NULL;
}

static char *keep_text(struct gptl_profile *profile, const char *text)
{
    return gptl_report_keep(profile, text, strlen(text));
}

void gptl_report_free(struct gptl_profile *profile)
{
    gptl_core_copy_free(profile->copies, profile->ncopies);
    for (struct gptl_report_block *block = profile->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    memset(profile, 0, sizeof *profile);
}

/* ---- Nanoseconds ----------------------------------------------------------------------------- */

static void convert_nodes(struct gptl_copy *copy, struct gptl_scale scale)
{
    for (uint32_t i = 0; i < copy->nnodes; i++) {
        struct gptl_node_copy *node = &copy->nodes[i];
        node->total = gptl_number_ns(scale, node->total);
        node->max = gptl_number_ns(scale, node->max);
        node->latest = gptl_number_ns(scale, node->latest);
        node->open_ticks = gptl_number_ns(scale, node->open_ticks);
        if (node->min != UINT64_MAX)
            node->min = gptl_number_ns(scale, node->min);
    }
    for (uint32_t i = 0; i < copy->nextras; i++)
        copy->extras[i].error = gptl_number_ns(scale, copy->extras[i].error);
}

static void convert_intervals(struct gptl_copy *copy, struct gptl_scale scale)
{
    for (uint32_t i = 0; i < copy->nintervals; i++)
        for (uint32_t k = 0; k < copy->intervals[i].nrows; k++) {
            struct gptl_interval_row *row = &copy->intervals[i].rows[k];
            row->total = gptl_number_ns(scale, row->total);
            row->max = gptl_number_ns(scale, row->max);
            if (row->min != UINT64_MAX)
                row->min = gptl_number_ns(scale, row->min);
        }
}

/* Convert all times. Histograms stay unchanged, because their buckets count the clock's ticks. */
static void convert_to_nanoseconds(struct gptl_profile *profile)
{
    for (int i = 0; i < profile->ncopies; i++) {
        struct gptl_copy *copy = &profile->copies[i];
        struct gptl_scale scale = gptl_number_scale(copy->seconds_per_tick);
        convert_nodes(copy, scale);
        convert_intervals(copy, scale);
        copy->own_work = gptl_number_ns(scale, copy->own_work);
        copy->bucket_tick = copy->seconds_per_tick;
        copy->seconds_per_tick = 1e-9;
    }
}

/* ---- Counters -------------------------------------------------------------------------------- */

/*
 * Reconcile copies and metrics. The requested events may have changed between taking the two; then
 * no counter has a value.
 */
static void agree(struct gptl_profile *profile)
{
    for (int i = 0; i < profile->ncopies; i++) {
        struct gptl_copy *copy = &profile->copies[i];
        if (copy->ncounters == profile->metrics.nslots)
            continue;
        copy->ncounters = profile->metrics.nslots;
        for (uint32_t j = 0; j < copy->nextras; j++)
            copy->extras[j].counters = NULL;
    }
}

/*
 * Make estimates nonnegative: multiplexed counts are scaled and may appear to decrease between two
 * readings.
 */
static void clamp_estimates(struct gptl_profile *profile)
{
    for (uint32_t k = 0; k < profile->metrics.n; k++) {
        const struct gptl_metric *metric = &profile->metrics.metric[k];
        if (metric->kind != GPTL_METRIC_COUNTED || !metric->estimated)
            continue;
        for (int i = 0; i < profile->ncopies; i++)
            for (uint32_t j = 0; j < profile->copies[i].nextras; j++) {
                int64_t *counters = profile->copies[i].extras[j].counters;
                if (counters && metric->slot < profile->copies[i].ncounters &&
                    counters[metric->slot] < 0)
                    counters[metric->slot] = 0;
            }
    }
}

/* ---- Process --------------------------------------------------------------------------------- */

static int take_command(struct gptl_profile *profile)
{
    size_t length;
    char *text = gptl_host_command(&length);
    if (!text)
        return 0;
    uint32_t n = 0;
    for (size_t at = 0; at < length; at += strnlen(text + at, length - at) + 1)
        n++;
    profile->command = gptl_report_alloc(profile, n * sizeof *profile->command);
    for (size_t at = 0; profile->command && at < length;) {
        size_t one = strnlen(text + at, length - at);
        const char *argument = gptl_report_keep(profile, text + at, one);
        if (!argument)
            break;
        profile->command[profile->narguments++] = argument;
        at += one + 1;
    }
    free(text);
    return profile->command && profile->narguments == n ? 0 : -1;
}

static int take_options(struct gptl_profile *profile)
{
    struct gptl_option_text option;
    uint32_t n = GPTL_NOPTIONS + GPTL_NSTRINGS;
    profile->options = gptl_report_alloc(profile, n * sizeof *profile->options);
    if (!profile->options)
        return -1;
    for (int i = 0; gptl_core_option_text(i, &option); i++) {
        char *value = keep_text(profile, option.value);
        if (!value)
            return -1;
        profile->options[profile->noptions++] =
            (struct gptl_setting){option.key, value, option.changed};
    }
    return 0;
}

static int take_host(struct gptl_profile *profile)
{
    char host[GPTL_HOST_SIZE];
    gptl_host_name(host, sizeof host);
    profile->host = keep_text(profile, host);
    return profile->host ? 0 : -1;
}

static int take_job(struct gptl_profile *profile)
{
    const char *job = gptl_host_job();
    profile->job = job ? keep_text(profile, job) : NULL;
    return job && !profile->job ? -1 : 0;
}

static int keep_modules(struct gptl_profile *profile, const struct gptl_function_copies *from)
{
    profile->modules = gptl_report_alloc(profile, from->nmodules * sizeof *profile->modules);
    for (uint32_t i = 0; profile->modules && i < from->nmodules; i++) {
        struct gptl_module *to = &profile->modules[profile->nmodules++];
        to->label = keep_text(profile, from->modules[i].label);
        to->path = keep_text(profile, from->modules[i].path);
        to->build_id = keep_text(profile, from->modules[i].build_id);
        if (!to->label || !to->path || !to->build_id)
            return -1;
    }
    return profile->modules ? 0 : -1;
}

/* Move the contents of FROM into the profile and free FROM. */
static int take_functions(struct gptl_profile *profile, struct gptl_function_copies *from)
{
    int result = keep_modules(profile, from);
    profile->functions = gptl_report_alloc(profile, from->nfunctions * sizeof *profile->functions);
    if (!profile->functions)
        result = -1;
    for (uint32_t i = 0; result == 0 && i < from->nfunctions; i++) {
        struct gptl_function *to = &profile->functions[profile->nfunctions++];
        *to = from->functions[i];
        to->address = keep_text(profile, to->address);
        result = to->address ? 0 : -1;
    }
    gptl_core_functions_free(from);
    return result;
}

/* Move the contents of FROM into the profile and free FROM. */
static int keep_metrics(struct gptl_profile *profile, struct gptl_metrics *from)
{
    struct gptl_metrics *to = &profile->metrics;
    to->metric = gptl_report_alloc(profile, from->n * sizeof *to->metric);
    to->nslots = from->nslots;
    int result = to->metric ? 0 : -1;
    for (uint32_t i = 0; result == 0 && i < from->n; i++) {
        struct gptl_metric *metric = &to->metric[to->n++];
        const char **const texts[] = {&metric->name,      &metric->description, &metric->unit,
                                      &metric->component, &metric->expression,  &metric->why};
        *metric = from->metric[i];
        for (int k = 0; k < 6 && result == 0; k++)
            result = (*texts[k] = keep_text(profile, *texts[k])) ? 0 : -1;
    }
    gptl_core_metrics_free(from);
    agree(profile);
    if (result == 0)
        clamp_estimates(profile);
    return result == 0 ? gptl_report_prepare_metrics(profile) : -1;
}

static int take_metrics(struct gptl_profile *profile)
{
    struct gptl_metrics metrics;
    return gptl_core_metrics(&metrics) ? -1 : keep_metrics(profile, &metrics);
}

/* Move the contents of FROM into the profile and free FROM. */
static int keep_accounts(struct gptl_profile *profile, struct gptl_accounts *from)
{
    profile->accounts = gptl_report_alloc(profile, from->n * sizeof *profile->accounts);
    int result = profile->accounts ? 0 : -1;
    for (size_t i = 0; result == 0 && i < from->n; i++) {
        struct gptl_account *to = &profile->accounts[profile->naccounts++];
        *to = from->account[i];
        to->name = keep_text(profile, to->name);
        result = to->name ? 0 : -1;
    }
    gptl_core_accounts_free(from);
    return result;
}

static int take_accounts(struct gptl_profile *profile)
{
    struct gptl_accounts accounts;
    return gptl_core_copy_accounts(&accounts) ? -1 : keep_accounts(profile, &accounts);
}

static void resolve(struct gptl_profile *profile)
{
    if (gptl_core_option(GPTL_OPT_RESOLVE))
        gptl_report_resolve(profile, true);
}

int gptl_report_take(struct gptl_profile *profile)
{
    struct gptl_function_copies functions;
    memset(profile, 0, sizeof *profile);
    if (gptl_core_copy(&profile->copies, &profile->ncopies))
        return -1;
    if (take_metrics(profile) || take_accounts(profile)) {
        gptl_report_free(profile);
        return -1;
    }
    if (gptl_core_copy_functions(&functions) || take_functions(profile, &functions)) {
        gptl_report_free(profile);
        return -1;
    }
    convert_to_nanoseconds(profile);
    gptl_core_process(&profile->process);
    gptl_core_check_clock();
    gptl_core_clock_finding(&profile->clock);
    profile->cores = gptl_host_cores();
    profile->preemptions = gptl_host_preemptions();
    if (take_host(profile) || take_job(profile) || take_command(profile) || take_options(profile)) {
        gptl_report_free(profile);
        return -1;
    }
    profile->unwrapped = gptl_core_unwrapped();
    resolve(profile);
    /* This is slow, and runs on a separate thread that no copy includes. */
    if (gptl_core_option(GPTL_OPT_OVERHEAD) || gptl_core_option(GPTL_OPT_SUBTRACT))
        profile->has_overhead = gptl_core_overhead(&profile->overhead) == 0;
    return 0;
}

/*
 * Environment and job belong to this process, not to the process that left the file, so they are
 * omitted.
 */
int gptl_report_take_salvaged(struct gptl_profile *profile, const char *path, char *why,
                              size_t whysize)
{
    *profile = (struct gptl_profile){.salvaged = path};
    struct gptl_function_copies functions;
    struct gptl_metrics metrics;
    struct gptl_accounts accounts;
    int rc = gptl_core_salvage_read(path, &profile->copies, &profile->ncopies, &functions, &metrics,
                                    &accounts, &profile->process, &profile->clock,
                                    &profile->is_partial, why, whysize);
    if (rc != 0)
        return rc;
    convert_to_nanoseconds(profile);
    bool kept = keep_metrics(profile, &metrics) == 0;
    kept = keep_accounts(profile, &accounts) == 0 && kept;
    if (take_functions(profile, &functions) == 0 && kept && take_host(profile) == 0) {
        resolve(profile);
        return 0;
    }
    gptl_report_free(profile);
    snprintf(why, whysize, "%s: there is no memory for its content", path);
    return -1;
}

/* ---- Queries --------------------------------------------------------------------------------- */

const char *gptl_report_library(const struct gptl_profile *profile)
{
    return profile->library ? profile->library : GPTL_REPORT_VERSION;
}

const struct gptl_function *gptl_report_function(const struct gptl_profile *profile,
                                                 uint32_t region)
{
    uint32_t from = 0, to = profile->nfunctions;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (profile->functions[middle].region < region)
            from = middle + 1;
        else
            to = middle;
    }
    return from < profile->nfunctions && profile->functions[from].region == region
               ? &profile->functions[from]
               : NULL;
}

long long gptl_report_option(const struct gptl_profile *profile, enum gptl_option_id id)
{
    long long value;
    for (uint32_t i = 0; i < profile->noptions && !gptl_core_option_is_set(id); i++)
        if (gptl_core_option_read(id, profile->options[i].key, profile->options[i].value, &value))
            return value;
    return gptl_core_option(id);
}
