/* prediction.c - sums the costs of a signature's blocks by function and region. */
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
    to->core += more->core;
    to->pages += more->pages;
    to->total += more->total;
}

/*
 * Return equation 1 of the paper: the rates of the blocks, weighted by their share of all accesses.
 */
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

/* ---- Blocks -------------------------------------------------------------------------------- */

/*
 * Key of interleaved blocks: the blocks of a function in a region. A library without names is one
 * function; each region has its share of it.
 */
struct place {
    uint32_t region, function, block;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->region != y->region)
        return x->region < y->region ? -1 : 1;
    return x->function < y->function ? -1 : x->function > y->function;
}

/* Price the interleaved blocks from BEGIN to END. */
static void price_company(struct prediction *prediction, uint32_t machine,
                          const struct place *begin, const struct place *end)
{
    const struct signature *signature = prediction->signature;
    struct beside beside = {0};
    for (const struct place *at = begin; at < end; at++) {
        struct use use = use_of_block(signature, at->block, machine, prediction->prices);
        convolve_beside(prediction->prices, &use, &beside);
    }
    for (const struct place *at = begin; at < end; at++) {
        struct use use = use_of_block(signature, at->block, machine, prediction->prices);
        prediction->blocks[at->block] = convolve(prediction->prices, &use, &beside);
    }
}

static int price_blocks(struct prediction *prediction, uint32_t machine)
{
    const struct signature *signature = prediction->signature;
    struct place *places = calloc((size_t)signature->nblocks + 1, sizeof *places), *end;
    if (!places)
        return -1;
    for (uint32_t i = 0; i < signature->nblocks; i++)
        places[i] = (struct place){signature->blocks[i].region, signature->blocks[i].function, i};
    qsort(places, signature->nblocks, sizeof *places, compare_places);
    end = places + signature->nblocks;
    for (const struct place *begin = places, *next; begin < end; begin = next) {
        for (next = begin; next < end && compare_places(begin, next) == 0;)
            next++;
        price_company(prediction, machine, begin, next);
    }
    free(places);
    return 0;
}

static void sum_up_blocks(struct prediction *prediction)
{
    const struct signature *signature = prediction->signature;
    for (uint32_t i = 0; i < signature->nblocks; i++) {
        const struct signature_block *block = &signature->blocks[i];
        const struct cost *cost = &prediction->blocks[i];
        if (cost->memory > 0)
            prediction->rates[i] = (double)signature_accesses(block) / cost->memory;
        add(&prediction->functions[block->function], cost);
        add(&prediction->own[block->region], cost);
    }
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
    sum_up_blocks(prediction);
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
    free(prediction->sharing.host);
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

/* ---- Longest items ------------------------------------------------------------------------- */

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
