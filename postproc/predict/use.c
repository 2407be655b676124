/*
 * use.c - a block of a signature as the model takes it.
 *
 * The signature counts how far each access was from the one before, and which cache served it, each
 * for itself. Of the accesses that go to another line than before (all strided and scattered ones,
 * and of those in order one in so many) all are taken to miss alike.
 */
#include "config.h"

#include "postproc/predict/use.h"

#include <math.h>

/* ---- The machine --------------------------------------------------------------------------- */

static bool is_same(const struct signature_machine *traced, const struct machine *machine)
{
    bool same = traced->ncaches == machine->ncaches;
    for (size_t i = 0; same && i < machine->ncaches; i++) {
        const struct signature_cache *a = &traced->caches[i];
        const struct machine_cache *b = &machine->caches[i];
        same = a->bytes == b->bytes && a->line_bytes == b->line_bytes &&
               (b->associativity == 0 || a->associativity == b->associativity);
    }
    return same;
}

uint32_t use_find_machine(const struct signature *signature, const struct machine *machine)
{
    for (uint32_t i = 0; i < signature->nmachines; i++)
        if (is_same(&signature->machines[i], machine))
            return i;
    return USE_BY_WORKING_SET;
}

/* ---- Accesses ------------------------------------------------------------------------------ */

/* Of a block: accesses of each class, and how many of them go to another line. */
struct classes {
    double accesses[USE_NCLASSES], lines[USE_NCLASSES];
    double all_lines;
    double stride_lines; /* of strided ones, the mean by powers of two */
};

static struct classes find_classes(const struct signature *signature, uint32_t block,
                                   double line_bytes)
{
    const uint64_t *strides = signature_strides(signature, block);
    struct classes classes = {.accesses = {0}};
    double places = 0, seen = 0;
    for (uint32_t i = 0; i < signature->nends; i++) {
        double n = (double)strides[i], end = (double)signature->ends[i];
        enum use_class class = end <= line_bytes ? USE_NEAR : USE_STRIDED;
        classes.accesses[class] += n;
        classes.lines[class] += n * fmin(end / line_bytes, 1);
        places += class == USE_STRIDED ? n * log2(end / line_bytes) : 0;
        seen += n;
    }
    double scattered = (double)strides[signature->nends];
    classes.accesses[USE_RANDOM] = classes.lines[USE_RANDOM] = scattered;
    /* Those of which nothing is known, since they were the first or nobody looked. */
    double all = (double)signature_accesses(&signature->blocks[block]);
    classes.accesses[USE_NEAR] += fmax(all - seen - scattered, 0);
    for (int i = 0; i < USE_NCLASSES; i++)
        classes.all_lines += classes.lines[i];
    if (classes.all_lines <= 0) {
        classes.lines[USE_NEAR] = classes.all_lines = 1;
    }
    double strided = classes.accesses[USE_STRIDED];
    classes.stride_lines = strided > 0 ? exp2(places / strided) : 1;
    return classes;
}

/* Accesses that each level serves, of all classes. */
static void find_levels(const struct signature *signature, uint32_t block, uint32_t machine,
                        const struct prices *prices, const struct classes *classes, double *levels)
{
    const struct signature_block *of = &signature->blocks[block];
    double left = (double)signature_accesses(of);
    size_t memory = prices->nlevels - 1;
    if (machine != USE_BY_WORKING_SET) {
        const uint64_t *hits = signature_hits(signature, block, machine);
        for (size_t level = 0; level < memory; level++) {
            levels[level] = fmin((double)hits[level], left);
            left -= levels[level];
        }
        levels[memory] = left;
        return;
    }
    /* The first level that the working set fits into serves all accesses to other lines. */
    size_t level = 0;
    while (level < memory && (double)of->working_set_bytes > prices->cache_bytes[level])
        level++;
    double lines = fmin(classes->all_lines, left);
    levels[level] = lines;
    levels[0] += left - lines;
}

static void put_accesses(struct use *use, const struct classes *classes, const double *levels,
                         double loads, size_t nlevels)
{
    for (int c = 0; c < USE_NCLASSES; c++) {
        double left = classes->accesses[c], part = classes->lines[c] / classes->all_lines;
        for (size_t level = nlevels; level-- > 0;) {
            double here = level > 0 ? fmin(levels[level] * part, left) : left;
            left -= here;
            use->accesses[MACHINE_LOAD][c][level] = here * loads;
            use->accesses[MACHINE_STORE][c][level] = here * (1 - loads);
        }
    }
}

/* ---- Instructions -------------------------------------------------------------------------- */

/* Vectors have as many lanes as accesses are wide, where the block has any. */
static void put_instructions(struct use *use, const struct signature_block *block)
{
    double flops = (double)block->flops_scalar + (double)block->flops_vector;
    double bytes = fmax(use->bytes[MACHINE_LOAD], use->bytes[MACHINE_STORE]);
    double lanes = signature_accesses(block) > 0 ? fmax(bytes / 8, 1) : 4;
    double vector = flops > 0 ? (double)block->flops_vector / flops : 0;
    double divides = fmin((double)block->divides, flops);
    double floats = flops - divides - (double)block->flops_fused / 2;
    use->floats = fmax(floats, 0) * (1 - vector + vector / lanes);
    use->divides[0] = divides * (1 - vector);
    use->divides[1] = divides * vector / lanes;
    use->instructions = (double)block->instructions;
}

/* ---- All of it ----------------------------------------------------------------------------- */

static double mean_bytes(uint64_t bytes, uint64_t accesses)
{
    return accesses > 0 ? fmax((double)bytes / (double)accesses, 1) : 8;
}

struct use use_of_block(const struct signature *signature, uint32_t block, uint32_t machine,
                        const struct prices *prices)
{
    const struct signature_block *of = &signature->blocks[block];
    struct classes classes = find_classes(signature, block, prices->line_bytes);
    struct use use = {
        .stride_lines = classes.stride_lines,
        .bytes = {mean_bytes(of->load_bytes, of->loads), mean_bytes(of->store_bytes, of->stores)}};
    double levels[PRICES_LEVELS] = {0}, accesses = (double)signature_accesses(of);
    find_levels(signature, block, machine, prices, &classes, levels);
    if (accesses > 0)
        put_accesses(&use, &classes, levels, (double)of->loads / accesses, prices->nlevels);
    put_instructions(&use, of);
    return use;
}
