/* prediction.c - the costs of a signature's blocks, summed up over functions and regions. */
#include "config.h"

#include "postproc/predict/prediction.h"

#include <math.h>
#include <stdlib.h>

static void add(struct cost *to, const struct cost *more)
{
    to->first += more->first;
    to->lines += more->lines;
    to->scattered += more->scattered;
    to->memory += more->memory;
    to->arithmetic += more->arithmetic;
    to->issue += more->issue;
    to->total += more->total;
}

/* Equation 1 of the paper: the rates of the blocks, each by its share of all accesses. */
static double equation_1(const struct prediction *prediction)
{
    const struct signature *signature = prediction->signature;
    double all = 0, sum = 0;
    for (uint32_t i = 0; i < signature->nblocks; i++)
        all += (double)signature_accesses(&signature->blocks[i]);
    for (uint32_t i = 0; i < signature->nblocks && all > 0; i++)
        sum += (double)signature_accesses(&signature->blocks[i]) / all * prediction->rates[i];
    return sum;
}

/* By function; NULL where there is no memory. */
static struct streams *find_streams(const struct prediction *prediction, uint32_t machine)
{
    const struct signature *signature = prediction->signature;
    struct streams *streams = calloc((size_t)signature->nfunctions + 1, sizeof *streams);
    for (uint32_t i = 0; streams && i < signature->nblocks; i++) {
        struct use use = use_of_block(signature, i, machine, prediction->prices);
        convolve_streams(prediction->prices, &use, &streams[signature->blocks[i].function]);
    }
    return streams;
}

static int price_blocks(struct prediction *prediction, uint32_t machine)
{
    const struct signature *signature = prediction->signature;
    struct streams *streams = find_streams(prediction, machine);
    if (!streams)
        return -1;
    for (uint32_t i = 0; i < signature->nblocks; i++) {
        const struct signature_block *block = &signature->blocks[i];
        struct use use = use_of_block(signature, i, machine, prediction->prices);
        struct cost cost = convolve(prediction->prices, &use, &streams[block->function]);
        prediction->blocks[i] = cost;
        if (cost.memory > 0)
            prediction->rates[i] = (double)signature_accesses(block) / cost.memory;
        add(&prediction->functions[block->function], &cost);
        add(&prediction->own[block->region], &cost);
    }
    free(streams);
    return 0;
}

int prediction_make(struct prediction *prediction, const struct signature *signature,
                    uint32_t machine, const struct prices *prices)
{
    size_t nregions = signature->nregions, nblocks = signature->nblocks;
    *prediction = (struct prediction){
        .signature = signature, .prices = prices, .by_working_set = machine == USE_BY_WORKING_SET};
    prediction->blocks = calloc(nblocks + 1, sizeof *prediction->blocks);
    prediction->functions =
        calloc((size_t)signature->nfunctions + 1, sizeof *prediction->functions);
    prediction->regions = calloc(nregions + 1, sizeof *prediction->regions);
    prediction->own = calloc(nregions + 1, sizeof *prediction->own);
    prediction->rates = calloc(nblocks + 1, sizeof *prediction->rates);
    if (!prediction->blocks || !prediction->functions || !prediction->regions || !prediction->own ||
        !prediction->rates || price_blocks(prediction, machine) != 0)
        return -1;
    for (size_t i = nregions; i-- > 0;) {
        add(&prediction->regions[i], &prediction->own[i]);
        if (i > 0)
            add(&prediction->regions[signature->regions[i].parent], &prediction->regions[i]);
    }
    prediction->equation_1 = equation_1(prediction);
    return 0;
}

void prediction_free(struct prediction *prediction)
{
    free(prediction->blocks);
    free(prediction->functions);
    free(prediction->regions);
    free(prediction->own);
    free(prediction->rates);
    free(prediction->measured);
    *prediction = (struct prediction){.signature = NULL};
}

double prediction_error(const struct prediction *prediction, uint32_t region)
{
    const struct prediction_measured *measured =
        prediction->measured ? &prediction->measured[region] : NULL;
    if (!measured || !measured->known || !(measured->seconds > 0))
        return NAN;
    return prediction->regions[region].total / measured->seconds - 1;
}

bool prediction_is_doubtful(const struct prediction *prediction)
{
    const double much = 0.01;
    double error = prediction->signature->sampling.error;
    return prediction->signature->sampling.on && !(error >= 0 && error <= much);
}

/* ---- The longest --------------------------------------------------------------------------- */

struct longest {
    double seconds;
    uint32_t item;
};

static int compare(const void *a, const void *b)
{
    const struct longest *x = a, *y = b;
    if (x->seconds > y->seconds)
        return -1;
    if (x->seconds < y->seconds)
        return 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

int prediction_longest(const struct cost *costs, uint32_t count, uint32_t top, uint32_t **items,
                       uint32_t *n)
{
    struct longest *all = malloc(((size_t)count + 1) * sizeof *all);
    *items = malloc(((size_t)count + 1) * sizeof **items);
    *n = count < top ? count : top;
    if (!all || !*items) {
        free(all);
        free(*items);
        *items = NULL;
        return -1;
    }
    for (uint32_t i = 0; i < count; i++)
        all[i] = (struct longest){costs[i].total, i};
    qsort(all, count, sizeof *all, compare);
    for (uint32_t i = 0; i < *n; i++)
        (*items)[i] = all[i].item;
    free(all);
    return 0;
}
