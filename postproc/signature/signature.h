/*
 * signature.h - application signatures, signature.json: a program's demand for memory accesses and
 * arithmetic, by block. doc/signature.schema.json describes the file.
 *
 * A block is code that executes from its first to its last instruction (a basic block). It has a
 * row for each call path in which it ran.
 */
#ifndef GPTL_POSTPROC_SIGNATURE_H
#define GPTL_POSTPROC_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/out.h"

enum {
    SIGNATURE_VERSION = 1,
    SIGNATURE_MACHINES = 16, /* maximum */
    SIGNATURE_LEVELS = 6,    /* maximum number of cache levels of a machine */
    SIGNATURE_STRIDES = 64,  /* maximum */
    SIGNATURE_PAGE_BYTES = 4096,
};

struct signature_cache {
    uint64_t bytes;
    uint32_t level, line_bytes, associativity;
};

/* Kinds of accesses, by their distance from the previous accesses of the same instruction. */
enum signature_kind {
    SIGNATURE_LOAD_NEAR,    /* in the same or the next line */
    SIGNATURE_LOAD_STRIDED, /* at a larger but regular distance */
    SIGNATURE_LOAD_RANDOM,
    SIGNATURE_LOAD_DEPENDENT, /* the previous execution loaded the address here */
    SIGNATURE_STORE_NEAR,
    SIGNATURE_STORE_STRIDED,
    SIGNATURE_STORE_RANDOM,
    /* near or strided, to a line evicted from the first cache by lines of its set */
    SIGNATURE_STORE_CONFLICT,
    /* near or strided, of one of more lines of a set than the cache has ways */
    SIGNATURE_LOAD_CONFLICT,
    SIGNATURE_KINDS
};

struct signature_machine {
    char *name;
    uint32_t line_bytes, ncaches;
    struct signature_cache caches[SIGNATURE_LEVELS];
};

struct signature_region {
    char *name;
    uint64_t calls;
    uint32_t parent; /* a smaller number; the root (0), which is unnamed, has 0 */
};

/* Texts are "" if unknown. */
struct signature_function {
    char *name, *file, *module;
};

/*
 * Sums over all executions. Flops are operations: an addition of 4 SIMD lanes counts 4, a fused
 * multiply-add counts 2 per lane, both in flops_fused and in either scalar or vector. Divisions and
 * square roots also count in divides.
 */
struct signature_block {
#define COLUMN(name, merge) uint64_t name;
#include "memsig/columns.def"
#undef COLUMN
};

struct signature {
    char *program, *host;
    char **command;
    uint32_t ncommand;
    int32_t rank; /* -1: none, or several */
    uint32_t nranks, nthreads;
    /* false: the program was killed, and the data is from the last periodic write */
    bool complete;
    /* strides, kinds and working sets are missing: all loads and stores are near */
    bool only_caches;
    struct {
        bool on;         /* false: all accesses were simulated */
        double fraction; /* fraction of the executions of blocks that were simulated */
        double error;    /* estimated standard error of the hit rate of the first level */
        uint64_t burst_blocks;
    } sampling;
    char **notes; /* differences from a run without the tool */
    uint32_t nnotes;

    struct signature_machine machines[SIGNATURE_MACHINES];
    uint32_t nmachines;
    uint32_t nfound;                          /* entries of a block in FOUND */
    uint32_t first_found[SIGNATURE_MACHINES]; /* index of each machine's first entry */

    uint32_t nends; /* number of ENDS, the ascending upper ends of the classes of strides */
    uint64_t ends[SIGNATURE_STRIDES];

    struct signature_region *regions;
    struct signature_function *functions;
    struct signature_block *blocks;
    uint64_t *strides; /* NENDS + 1 per block; the last class counts random accesses */
    uint64_t *found;   /* NFOUND per block: accesses by the level of their slowest line */
    uint64_t *cores;   /* per block: one for each level of each machine */
    uint32_t nregions, nfunctions, nblocks;
    uint64_t
        /* calls of regions beyond the limit of call paths; counted in the enclosing path */
        calls_beyond_paths;
};

/* Return the accesses of a block. Accesses that hit in no cache of a machine go to memory. */
static inline uint64_t signature_accesses(const struct signature_block *block)
{
    return block->loads + block->stores;
}
static inline const uint64_t *signature_strides(const struct signature *s, uint32_t block)
{
    return s->strides + (size_t)block * (s->nends + 1);
}
/* Return the accesses of KIND by level: each of the machine's caches, then memory. */
static inline const uint64_t *signature_found(const struct signature *s, uint32_t block,
                                              uint32_t machine, enum signature_kind kind)
{
    /* The levels of a machine are its caches and memory. */
    size_t levels = s->machines[machine].ncaches + 1;
    return s->found + (size_t)block * s->nfound + s->first_found[machine] + kind * levels;
}

/*
 * Return the core model's result for all executions: picoseconds without waits for lines; then, by
 * level from the second cache to memory, the number of waits for a line. NULL if unknown.
 */
static inline const uint64_t *signature_core(const struct signature *s, uint32_t block,
                                             uint32_t machine)
{
    const uint64_t *core =
        s->cores + ((size_t)block * s->nfound + s->first_found[machine]) / SIGNATURE_KINDS;
    return core[0] > 0 ? core : NULL;
}

/* Return the accesses of all kinds that hit in LEVEL, from 0 (the first cache). */
static inline uint64_t signature_hits(const struct signature *s, uint32_t block, uint32_t machine,
                                      uint32_t level)
{
    uint64_t sum = 0;
    for (int kind = 0; kind < SIGNATURE_KINDS; kind++)
        if (__builtin_add_overflow(
                sum, signature_found(s, block, machine, (enum signature_kind)kind)[level], &sum))
            return UINT64_MAX;
    return sum;
}

/* Read PATH, "-" for stdin. Returns NULL after a message prefixed with WHO. */
struct signature *signature_read(const char *who, const char *path);
void signature_free(struct signature *s);

/* Write the signature. Errors are recorded in OUT. */
void signature_write(struct gptl_out *out, const struct signature *s);

/*
 * Merge N signatures with equal machines and classes of strides: blocks with equal path, function
 * and address become one. PATHS are their names for messages, which WHO prefixes. Returns NULL
 * after a message.
 */
struct signature *signature_merge(const char *who, const struct signature *const *all,
                                  const char *const *paths, uint32_t n);

#endif
