/*
 * summary_profile.c - the profile equivalent to a summary: one thread with the sums of all threads.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "postproc/read/summary_parts.h"

/* ---- The process --------------------------------------------------------------------------- */

static const char *text_or(const struct summary *summary, uint64_t at, const char *none)
{
    return at ? summary->tree.text + at : none;
}

static void put_head(struct summary *summary, const struct reading *reading)
{
    static const char unknown[] = "unknown";
    struct gptl_profile *profile = &summary->profile;
    profile->process = reading->process;
    profile->process.program = text_or(summary, reading->program, unknown);
    profile->library = text_or(summary, reading->library, unknown);
    profile->host = text_or(summary, reading->host, unknown);
    profile->job = text_or(summary, reading->job, NULL);
    profile->clock.name = profile->clock.source = profile->clock.kernel = unknown;
}

/* Store the metrics; CPU time is hidden because it has separate columns. */
static int put_metrics(struct summary *summary)
{
    const struct gptl_ranks_tree *tree = &summary->tree;
    if (gptl_ranks_metrics(&summary->profile, tree))
        return -1;
    for (uint32_t i = 0; i < tree->head->nmetrics; i++)
        if (tree->metrics[i].cpu)
            summary->profile.metrics.metric[i].shown = false;
    return gptl_report_prepare_metrics(&summary->profile);
}

/* ---- Functions ----------------------------------------------------------------------------- */

/* Find the module of ADDRESS, "MODULE+0xOFFSET", or add it. */
static int find_module(struct gptl_profile *profile, const char *address, uint32_t *module)
{
    const char *plus = strrchr(address, '+');
    size_t length = plus ? (size_t)(plus - address) : strlen(address);
    for (uint32_t i = profile->nmodules; i-- > 0;)
        if (strncmp(profile->modules[i].label, address, length) == 0 &&
            !profile->modules[i].label[length]) {
            *module = i;
            return 0;
        }
    static char none[1];
    char *label = gptl_report_keep(profile, address, length);
    if (!label)
        return -1;
    *module = profile->nmodules;
    profile->modules[profile->nmodules++] = (struct gptl_module){label, none, none};
    return 0;
}

/*
 * Store the functions, which have the first region numbers, from 1. NUMBER gets the number of each
 * region.
 */
static int put_functions(struct summary *summary, uint32_t *number)
{
    enum { MOST_MODULES = 1000 };
    const struct gptl_ranks_tree *tree = &summary->tree;
    struct gptl_profile *profile = &summary->profile;
    uint32_t n = 0;
    for (uint32_t i = 0; i < tree->head->nregions; i++)
        if (tree->regions[i].address)
            number[i] = ++n;
    for (uint32_t i = 0, other = n; i < tree->head->nregions; i++)
        if (!tree->regions[i].address)
            number[i] = ++other;
    profile->functions = gptl_report_alloc(profile, ((size_t)n + 1) * sizeof *profile->functions);
    profile->modules = gptl_report_alloc(profile, MOST_MODULES * sizeof *profile->modules);
    if (!profile->functions || !profile->modules)
        return -1;
    for (uint32_t i = 0; i < tree->head->nregions; i++) {
        if (!tree->regions[i].address)
            continue;
        struct gptl_function *to = &profile->functions[profile->nfunctions++];
        char *address = tree->text + tree->regions[i].address;
        const char *offset = strrchr(address, '+');
        *to = (struct gptl_function){.region = number[i],
                                     .offset = offset ? strtoull(offset + 1, NULL, 16) : i,
                                     .address = address,
                                     .name = tree->text + tree->regions[i].name};
        if (profile->nmodules == MOST_MODULES)
            to->module = MOST_MODULES - 1;
        else if (find_module(profile, address, &to->module))
            return -1;
    }
    return 0;
}

/* ---- The thread ---------------------------------------------------------------------------- */

static int64_t rounded(double value)
{
    if (!(value > -0x1p63))
        return INT64_MIN;
    return value < 0x1p63 ? (int64_t)value : INT64_MAX;
}

/* Return SUM, or UINT64_MAX - 1 if larger, which is printed as ">". */
static uint64_t low_of(struct gptl_wide sum)
{
    return sum.high > 0 || sum.low > UINT64_MAX - 1 ? UINT64_MAX - 1 : sum.low;
}

/*
 * Store the counters of a row. Per-process counters lack a meaningful sum over ranks, so the
 * maximum is used.
 */
static void put_counters(const struct gptl_ranks_tree *tree, uint32_t row, int64_t *counters)
{
    const struct gptl_ranks_figure *figures = gptl_ranks_figures(tree, row);
    for (uint32_t i = 0; i < tree->head->nmetrics; i++)
        counters[i] =
            rounded(tree->metrics[i].scope == GPTL_SCOPE_THREAD ? figures[i].sum : figures[i].max);
}

/* Store the nodes. LAST has space for the deepest path: the last node at each depth. */
static void put_nodes(struct summary *summary, struct gptl_copy *copy, const uint32_t *number,
                      uint32_t *last)
{
    const struct gptl_ranks_tree *tree = &summary->tree;
    uint32_t nmetrics = tree->head->nmetrics;
    copy->nodes[0] = (struct gptl_node_copy){.name = "", .min = UINT64_MAX};
    last[0] = 0;
    for (uint32_t i = 1; i <= tree->head->npaths; i++) {
        uint32_t row = tree->head->nregions + i - 1;
        const struct gptl_ranks_row *from = &tree->rows[row];
        last[from->depth] = i;
        copy->nodes[i] = (struct gptl_node_copy){
            .name = gptl_ranks_name(tree, row),
            .count = low_of(from->calls),
            .total = low_of(from->total),
            .min = UINT64_MAX,
            .parent = last[from->depth - 1],
            .target = i,
            .region = number[from->region],
            .kind = (uint32_t)tree->regions[from->region].kind,
            .open = low_of(from->calls) == 0 && from->threads.n > 0,
            .extra = nmetrics > 0 ? i : 0,
        };
        if (nmetrics > 0) {
            copy->extras[i - 1].counters = copy->counters + (size_t)(i - 1) * nmetrics;
            put_counters(tree, row, copy->extras[i - 1].counters);
        }
    }
}

static int put_copy(struct summary *summary, const uint32_t *number)
{
    const struct gptl_ranks_head *head = summary->tree.head;
    size_t n = (size_t)head->npaths + 1;
    struct gptl_copy *copy = calloc(1, sizeof *copy);
    if (!copy)
        return -1;
    summary->profile.copies = copy;
    summary->profile.ncopies = 1;
    copy->seconds_per_tick = 1e-9;
    copy->nodes = calloc(n, sizeof *copy->nodes);
    copy->extras = calloc(n, sizeof *copy->extras);
    copy->counters = calloc(n, ((size_t)head->nmetrics + 1) * sizeof *copy->counters);
    uint32_t *last = calloc(n + 1, sizeof *last);
    if (copy->nodes && copy->extras && copy->counters && last) {
        copy->nnodes = head->npaths + 1;
        copy->nextras = head->npaths;
        copy->ncounters = head->nmetrics;
        copy->folded_paths = head->sums[GPTL_RANKS_FOLDED_PATHS];
        copy->folded_names = head->sums[GPTL_RANKS_FOLDED_NAMES];
        copy->dropped = head->sums[GPTL_RANKS_DROPPED];
        copy->unmatched = head->sums[GPTL_RANKS_UNMATCHED];
        copy->crossed = head->sums[GPTL_RANKS_CROSSED];
        copy->backwards = head->sums[GPTL_RANKS_BACKWARDS];
        copy->too_deep = head->sums[GPTL_RANKS_TOO_DEEP];
        put_nodes(summary, copy, number, last);
    }
    free(last);
    return copy->nnodes > 0 ? 0 : -1;
}

int summary_make_profile(struct summary *summary, const struct reading *reading)
{
    uint32_t *number = calloc((size_t)summary->tree.head->nregions + 1, sizeof *number);
    put_head(summary, reading);
    int result = number && put_metrics(summary) == 0 && put_functions(summary, number) == 0 &&
                         put_copy(summary, number) == 0
                     ? 0
                     : -1;
    free(number);
    return result;
}
