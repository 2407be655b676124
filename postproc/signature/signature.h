/*
 * signature.h - application signatures, signature.json: what a program asks of memory and of
 * arithmetic, block by block. doc/signature.schema.json describes the file.
 *
 * A block is code that runs from its first to its last instruction. It has a row for each path of
 * regions in which it ran.
 */
#ifndef GPTL_POSTPROC_SIGNATURE_H
#define GPTL_POSTPROC_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/out.h"

enum {
    SIGNATURE_VERSION = 1,
    SIGNATURE_MACHINES = 16, /* at most */
    SIGNATURE_LEVELS = 6,    /* of caches, of a machine, at most */
    SIGNATURE_STRIDES = 64,  /* at most */
    SIGNATURE_PAGE_BYTES = 4096,
};

struct signature_cache {
    uint64_t bytes;
    uint32_t level, line_bytes, associativity;
};

/* Accesses are told apart by how far they are from those before of the same instruction. */
enum signature_kind {
    SIGNATURE_LOAD_NEAR,    /* in the same line, or the next */
    SIGNATURE_LOAD_STRIDED, /* farther, but regular */
    SIGNATURE_LOAD_RANDOM,
    SIGNATURE_LOAD_DEPENDENT, /* by an address that the execution before loaded here */
    SIGNATURE_STORE_NEAR,
    SIGNATURE_STORE_STRIDED,
    SIGNATURE_STORE_RANDOM,
    SIGNATURE_STORE_CONFLICT, /* near or strided, to a line that the first cache lost to others of its set */
    SIGNATURE_LOAD_CONFLICT, /* near or strided, of a line that comes with more of its set than there is room for */
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
    uint32_t parent; /* a smaller number; the first, which is no region and has no name, has 0 */
};

/* "" where it is not known. */
struct signature_function {
    char *name, *file, *module;
};

/*
 * Numbers are sums over all executions. Flops are operations: an addition of 4 lanes has 4, a fused
 * multiply-add 2, which are in flops_fused and in the one of scalar and vector that they belong to.
 * Divisions and square roots are in divides as well.
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
    bool complete;    /* false: the program was killed, and this is what was known a while before */
    bool only_caches; /* no strides, kinds and working sets: loads and stores are near ones, all */
    struct {
        bool on;         /* otherwise all accesses were simulated */
        double fraction; /* of the executions of blocks whose accesses were */
        double error;    /* standard error of the hit rate of the first level, estimated */
        uint64_t burst_blocks;
    } sampling;
    char **notes; /* what makes it differ from a run without the tool */
    uint32_t nnotes;

    struct signature_machine machines[SIGNATURE_MACHINES];
    uint32_t nmachines;
    uint32_t nfound;                          /* numbers of a block in FOUND */
    uint32_t first_found[SIGNATURE_MACHINES]; /* of each machine among them */

    uint32_t nends; /* upper ends of the classes of strides, rising */
    uint64_t ends[SIGNATURE_STRIDES];

    struct signature_region *regions;
    struct signature_function *functions;
    struct signature_block *blocks;
    uint64_t *strides; /* NENDS + 1 of each block; the last one is of random accesses */
    uint64_t *found;   /* NFOUND of each block: accesses by where their slowest line was */
    uint64_t *cores;   /* one for each level of each machine, of each block */
    uint32_t nregions, nfunctions, nblocks;
    uint64_t
        calls_beyond_paths; /* of regions on paths that were too many: they count around them */
};

/* Accesses of a block. Those that are in none of its hits of a machine went to memory. */
static inline uint64_t signature_accesses(const struct signature_block *block)
{
    return block->loads + block->stores;
}
static inline const uint64_t *signature_strides(const struct signature *s, uint32_t block)
{
    return s->strides + (size_t)block * (s->nends + 1);
}
/* Accesses of KIND by where they were found: in each of the machine's caches, in memory. */
static inline const uint64_t *signature_found(const struct signature *s, uint32_t block,
                                              uint32_t machine, enum signature_kind kind)
{
    /* A machine has one level more than caches. */
    size_t levels = s->machines[machine].ncaches + 1;
    return s->found + (size_t)block * s->nfound + s->first_found[machine] + kind * levels;
}

/*
 * What a core of the machine takes for all executions: picoseconds in which it waits for no line; and, by level from the
 * second cache on to memory, waits for lines. NULL: not known.
 */
static inline const uint64_t *signature_core(const struct signature *s, uint32_t block,
                                             uint32_t machine)
{
    const uint64_t *core =
        s->cores + ((size_t)block * s->nfound + s->first_found[machine]) / SIGNATURE_KINDS;
    return core[0] > 0 ? core : NULL;
}

/* Accesses of all kinds that were found in LEVEL, from 0 (the first cache). */
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

/* Reads PATH, "-" for stdin. NULL after a message, which WHO begins. */
struct signature *signature_read(const char *who, const char *path);
void signature_free(struct signature *s);

/* Writes all of it. Errors stay in OUT. */
void signature_write(struct gptl_out *out, const struct signature *s);

/*
 * One signature of N, which have the same machines and classes of strides: blocks of the same path,
 * function and address are one. PATHS are their names for messages, which WHO begins. NULL after one.
 */
struct signature *signature_merge(const char *who, const struct signature *const *all,
                                  const char *const *paths, uint32_t n);

#endif
