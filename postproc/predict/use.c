/*
 * use.c - converts a block of a signature to the model's counts.
 *
 * If the machine's caches were not simulated, the first cache that fits the block's working set is
 * assumed to serve all accesses that move to another line.
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

/* Return the mean stride of strided accesses in lines, the geometric mean over the classes. */
static double stride_lines(const struct signature *signature, uint32_t block, double line_bytes)
{
    const uint64_t *strides = signature_strides(signature, block);
    double places = 0, n = 0;
    for (uint32_t i = 0; i < signature->nends; i++) {
        double lines = (double)signature->ends[i] / line_bytes;
        if (lines <= 1)
            continue;
        places += (double)strides[i] * log2(lines);
        n += (double)strides[i];
    }
    return n > 0 ? exp2(places / n) : 1;
}

/*
 * Add the conflicting accesses to the near ones, and mark those that wait for a cache; memory is
 * slower in any case. LINES is the sum of the lines that they conflict with.
 */
static void take_conflicts(struct use *use, enum machine_operation operation, const uint64_t *found,
                           uint64_t lines, const struct prices *prices)
{
    double all = 0;
    for (size_t level = 0; level < prices->nlevels; level++) {
        double n = (double)found[level];
        all += n;
        use->accesses[operation][USE_NEAR][level] += n;
        if (level > 0 && level + 1 < prices->nlevels && prices->conflict[operation].known)
            use->conflicts[operation] += n;
    }
    use->conflict_lines[operation] = all > 0 ? (double)lines / all : 0;
}

static void take_all_conflicts(struct use *use, const struct signature *signature, uint32_t block,
                               uint32_t machine, const struct prices *prices)
{
    const struct signature_block *of = &signature->blocks[block];
    take_conflicts(use, MACHINE_LOAD,
                   signature_found(signature, block, machine, SIGNATURE_LOAD_CONFLICT),
                   of->load_conflict_lines, prices);
    take_conflicts(use, MACHINE_STORE,
                   signature_found(signature, block, machine, SIGNATURE_STORE_CONFLICT),
                   of->conflict_lines, prices);
}

static void take_found(struct use *use, const struct signature *signature, uint32_t block,
                       uint32_t machine)
{
    uint32_t levels = signature->machines[machine].ncaches + 1;
    for (int c = 0; c < USE_NCLASSES; c++) {
        const uint64_t *loads = signature_found(signature, block, machine,
                                                (enum signature_kind)(SIGNATURE_LOAD_NEAR + c));
        const uint64_t *stores = signature_found(signature, block, machine,
                                                 (enum signature_kind)(SIGNATURE_STORE_NEAR + c));
        for (uint32_t level = 0; level < levels; level++) {
            use->accesses[MACHINE_LOAD][c][level] = (double)loads[level];
            use->accesses[MACHINE_STORE][c][level] = (double)stores[level];
        }
    }
    const uint64_t *dependent =
        signature_found(signature, block, machine, SIGNATURE_LOAD_DEPENDENT);
    for (uint32_t level = 0; level < levels; level++)
        use->dependent[level] = (double)dependent[level];
}

/* Distribute ACCESSES of a class; LINES of them move to another line. */
static void guess_found(struct use *use, enum use_class class, double accesses, double lines,
                        double loads, size_t level)
{
    double *to[] = {use->accesses[MACHINE_LOAD][class], use->accesses[MACHINE_STORE][class]};
    double part[] = {loads, 1 - loads};
    for (int i = 0; i < MACHINE_LOAD_STORE; i++) {
        to[i][0] += (accesses - lines) * part[i];
        to[i][level] += lines * part[i];
    }
}

static void guess_by_working_set(struct use *use, const struct signature *signature, uint32_t block,
                                 const struct prices *prices)
{
    const struct signature_block *of = &signature->blocks[block];
    const uint64_t *strides = signature_strides(signature, block);
    double left = (double)signature_accesses(of), loads = left > 0 ? (double)of->loads / left : 0;
    size_t level = 0;
    while (level + 1 < prices->nlevels && use->working_set > prices->cache_bytes[level])
        level++;
    for (uint32_t i = 0; i <= signature->nends; i++) {
        bool scattered = i == signature->nends;
        double n = (double)strides[i], lines = (double)signature->ends[i] / prices->line_bytes;
        left -= n;
        if (scattered || lines > 1)
            guess_found(use, scattered ? USE_RANDOM : USE_STRIDED, n, n, loads, level);
        else
            guess_found(use, USE_NEAR, n, n * lines, loads, level);
    }
    guess_found(use, USE_NEAR, fmax(left, 0), 0, loads, level);
}

/* ---- Instructions -------------------------------------------------------------------------- */

/*
 * Take the instruction counts. Divisions are vector instructions if most operations are; their
 * width follows from the size of accesses.
 */
static void put_instructions(struct use *use, const struct signature_block *block)
{
    double bytes = fmax(use->bytes[MACHINE_LOAD], use->bytes[MACHINE_STORE]);
    double lanes = signature_accesses(block) > 0 ? fmax(bytes / 8, 1) : 4;
    bool vector = block->flops_vector > block->flops_scalar;
    use->floats = (double)block->float_instructions;
    use->divides[vector] = (double)block->divides / (vector ? lanes : 1);
    use->instructions = (double)block->instructions;
    use->integers = (double)block->integer_instructions;
    use->executions = (double)block->executions;
    use->runs = (double)block->runs;
}

static void put_core(struct use *use, const struct signature *signature, uint32_t block,
                     uint32_t machine)
{
    const uint64_t *core = signature_core(signature, block, machine);
    const double second = 1e12;
    if (!core)
        return;
    use->core = (double)core[0] / second;
    for (uint32_t level = 1; level <= signature->machines[machine].ncaches; level++)
        use->waits[level] = (double)core[level];
}

/* ---- Whole block --------------------------------------------------------------------------- */

static double mean_bytes(uint64_t bytes, uint64_t accesses)
{
    return accesses > 0 ? fmax((double)bytes / (double)accesses, 1) : 8;
}

struct use use_of_block(const struct signature *signature, uint32_t block, uint32_t machine,
                        const struct prices *prices)
{
    const struct signature_block *of = &signature->blocks[block];
    struct use use = {
        .working_set = (double)of->working_set_bytes,
        .scattered_set =
            (double)(of->scattered_set_bytes ? of->scattered_set_bytes : of->working_set_bytes),
        .stride_lines = stride_lines(signature, block, prices->line_bytes),
        .in_turn = (double)of->loads_in_turn,
        .new_pages = (double)of->new_pages,
        .splits = {(double)of->split_loads, (double)of->split_stores},
        .bytes = {mean_bytes(of->load_bytes, of->loads), mean_bytes(of->store_bytes, of->stores)}};
    if (machine == USE_BY_WORKING_SET) {
        guess_by_working_set(&use, signature, block, prices);
    } else {
        take_found(&use, signature, block, machine);
        take_all_conflicts(&use, signature, block, machine, prices);
        put_core(&use, signature, block, machine);
    }
    put_instructions(&use, of);
    return use;
}
