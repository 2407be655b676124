/*
 * memsig.h - common definitions of a Valgrind tool that creates application signatures.
 *
 * Translated code handles the common case inline: it counts executions and compares each access
 * with the expected address and with the most recently used line of its set. It calls memsig_access
 * only if a comparison fails. The other counts follow from the executions: an access at the
 * expected address has the previous stride, and an access to the most recently used line hits in
 * the first level of every machine. In caches-only mode, only the second comparison exists, and
 * memsig_cached is called.
 */
#ifndef GPTL_MEMSIG_H
#define GPTL_MEMSIG_H

#include "libvex.h"
#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_tooliface.h"

enum {
    MEMSIG_MACHINES = 16,
    MEMSIG_LEVELS = 6, /* caches per machine */
    MEMSIG_FOUND = MEMSIG_MACHINES * MEMSIG_LEVELS,
    MEMSIG_ENDS = 12, /* number of stride classes */
    /* previous accesses of an instruction that the next one is compared with */
    MEMSIG_NEARBY = 4,
    MEMSIG_FILTER = 512, /* most sets of the filter */
};

/* Kinds of accesses, by static properties and by distance. */
enum {
    MEMSIG_LOAD,
    /* load whose address comes from its own result in the previous execution */
    MEMSIG_DEPENDENT = 3,
    MEMSIG_STORE,
    /* store to a line that the first cache has just lost to other lines of its set */
    MEMSIG_STORE_CONFLICT = 7,
    MEMSIG_LOAD_CONFLICT, /* load of one of more lines of a set than the set can hold */
    MEMSIG_KINDS
};
/* Added to MEMSIG_LOAD and MEMSIG_STORE. */
enum { MEMSIG_NEAR, MEMSIG_STRIDED, MEMSIG_RANDOM };

static inline Bool memsig_is_store(UInt kind)
{
    return kind >= MEMSIG_STORE && kind <= MEMSIG_STORE_CONFLICT;
}

static inline Bool memsig_is_strided(UInt kind)
{
    return kind == MEMSIG_LOAD + MEMSIG_STRIDED || kind == MEMSIG_STORE + MEMSIG_STRIDED;
}

/*
 * Return whether the access is near or strided and of TYPE MEMSIG_LOAD or MEMSIG_STORE, so that a
 * processor prefetches its line.
 */
static inline Bool memsig_is_regular(UInt kind, UInt type)
{
    return kind == type + MEMSIG_NEAR || kind == type + MEMSIG_STRIDED;
}

static inline Bool memsig_is_scattered(UInt kind)
{
    return kind == MEMSIG_LOAD + MEMSIG_RANDOM || kind == MEMSIG_DEPENDENT ||
           kind == MEMSIG_STORE + MEMSIG_RANDOM;
}

/* ---- Caches --------------------------------------------------------------------------------- */

struct cache {
    ULong bytes, sets;
    UInt level, line_bytes, ways;
    Bool shared; /* shared by all threads */
};

struct machine {
    const HChar *name;
    UInt ncaches, first_found; /* index of its first cache among the caches of all machines */
    Bool has_core;
    struct cache caches[MEMSIG_LEVELS];
};

extern struct machine memsig_machines[MEMSIG_MACHINES];
extern UInt memsig_nmachines, memsig_nfound;

/*
 * Parse and add a machine: LEVEL/BYTES/LINE/WAYS/SHARED,...:NAME, or ...;CORE:NAME. False if it is
 * invalid.
 */
Bool memsig_add_machine(const HChar *text);
/* Allocate the caches, after all machines are known. */
void memsig_begin_caches(void);
/* Switch to the caches of thread TID. */
void memsig_caches_of(ThreadId tid);

/*
 * The most recently used line of each filter set; such a set is a subset of a first-level set of
 * every machine. An address in one of these lines hits in the first level, where the line already
 * is the most recently used.
 */
extern Addr memsig_filter[MEMSIG_FILTER];
/* a power of two; 1, with lines of 1 byte, if no filter is possible */
extern UInt memsig_filter_sets;
extern UInt memsig_filter_shift; /* shift from an address to its set */
extern UInt memsig_filter_line;  /* line size in bytes */

/* ---- Regions -------------------------------------------------------------------------------- */

struct region {
    UInt id;
    const HChar *name;
    ULong calls;
    struct region *parent;
};

extern UInt memsig_region; /* id of the running thread's region */
extern struct region **memsig_regions;
extern UInt memsig_nregions;
/* limit; regions beyond it are attributed to the enclosing region */
extern UInt memsig_most_regions;
extern ULong memsig_beyond; /* calls of regions beyond the limit */

void memsig_begin_regions(void);
void memsig_regions_of(ThreadId tid);
void memsig_thread_begins(ThreadId tid);

/* A library function that starts or stops a region; NULL for any other function. */
struct entry {
    const HChar *name;
    void (*helper)(void);
};
/* the function's arguments, stored by translated code before the helper call */
extern struct arguments {
    HWord first, second, third, stack_pointer;
} memsig_arguments;
const struct entry *memsig_entry_of(const HChar *function);

/*
 * Enter an MPI wrapper whose struct name is NAME. A return in the library leaves it if STACK_POINTER
 * is then just above the wrapper's return address.
 */
void memsig_enter_wrapper(HWord name, HWord stack_pointer);
/*
 * Record that the wrapper makes a call, and thus measures, or that it forwards its call by a jump,
 * without measuring.
 */
void memsig_wrapper_calls(void);
void memsig_wrapper_jumps(HWord stack_pointer);
void memsig_leave_wrapper(HWord stack_pointer);

/* ---- Blocks --------------------------------------------------------------------------------- */

/* Instruction counts of one execution of a part. A part ends where control may leave the block. */
struct part {
    UInt instructions, loads, stores, load_bytes, store_bytes;
    UInt flops_scalar, flops_vector, flops_fused, divides, float_instructions;
    UInt integer_instructions; /* writing a general register */
    UInt branches;             /* conditional branches */
};

/* The memory access of an instruction. Translated code reads and writes the first two fields. */
struct site {
    Addr last;
    ULong stride; /* difference of the previous two addresses */
    struct block *block;
    UInt part, bytes;
    UInt kind; /* MEMSIG_LOAD, MEMSIG_DEPENDENT or MEMSIG_STORE */
    ULong run; /* executions of its part when the current stride began */
    Addr nearby[MEMSIG_NEARBY];
    UInt next_nearby;
    ULong waits; /* levels that lacked the line, per machine; 0: the line arrives in time */
};

enum { MEMSIG_WAIT_BITS = 4, MEMSIG_WAIT_MASK = 15 }; /* field of one machine */

/*
 * Sample of touched lines in a table of bounded size: lines whose hash has zeros in the low bits
 * selected by MASK.
 */
struct footprint {
    UInt mask, used, room;
    UInt *hashes; /* 0: empty */
};
UInt memsig_line_hash(Addr line);
void memsig_keep_line(struct footprint *footprint, UInt hash);
/*
 * Record a touched line. Most lines of a large footprint are outside the sample, so the inline test
 * rejects them.
 */
static inline void memsig_touch(struct footprint *footprint, UInt hash)
{
    if ((hash & footprint->mask) == 0)
        memsig_keep_line(footprint, hash);
}
ULong memsig_touched(const struct footprint *footprint);
enum { MEMSIG_TOUCHED_BYTES = 64 };

/*
 * Counts per simulated access: the lines in conflict, summed over conflicting accesses; loads near
 * an earlier access of their instruction but not near the last one; accesses that span two lines.
 */
struct noted {
#define COLUMN(name, merge)
#define NOTED(name) ULong name;
#include "columns.def"
#undef COLUMN
};

/* Counts of a block in one region. */
struct row {
    VgHashNode node;  /* in the table of all rows */
    struct row *next; /* next row of the block */
    struct block *block;
    UInt region;
    struct footprint footprint, scattered; /* lines of all accesses; of random and dependent ones */
    ULong strides[MEMSIG_ENDS + 1];        /* the last one: random */
    ULong kinds[MEMSIG_KINDS];             /* accesses by kind */
    struct noted noted;
    ULong runs;                   /* sequences of consecutive executions */
    ULong guesses, wrong_guesses; /* branch predictions, see branches.h */
    ULong timed;                  /* executions simulated by cores, see core.h */
    ULong *took, *waited;         /* time by machine; wait time by machine and level, as in FOUND */
    ULong *found;        /* hits by kind, machine and level, from the second level to memory */
    ULong *simulated;    /* executions with simulated accesses, as COUNTS; only when sampling */
    ULong *mark;         /* COUNTS at the start of the burst */
    ULong missed_before; /* misses of the first machine's first level at the start of the burst */
    ULong counts[];      /* executions of each part, incremented by translated code */
};

struct block {
    struct block *next;      /* in the list of all blocks */
    struct block *next_here; /* next block at the same address */
    struct row *row;         /* row in use */
    struct row *before;      /* row used before it, because programs alternate between regions */
    UInt region;             /* region of ROW, or MEMSIG_NO_REGION */
    UInt nparts, nsites, line;
    Addr in_module; /* address within its module */
    struct function *function;
    struct part *parts;
    struct site *sites;
    struct steps *steps;
    struct row *rows;
};
enum { MEMSIG_NO_REGION = 0xffffffff };

extern struct block *memsig_blocks;
extern struct block *memsig_last; /* the block executed last; NULL: none in this region */
extern Bool memsig_plain;         /* new translations count executions only */
/* Caches-only mode: no strides, kinds or working sets; all accesses count as near. */
extern Bool memsig_only_caches;

/* Helpers called by translated code. */
VG_REGPARM(1) void memsig_begin_run(struct block *block);
VG_REGPARM(2) void memsig_access(struct site *site, Addr address);
VG_REGPARM(2) void memsig_guarded_access(struct site *site, Addr address);
/* The same helpers in caches-only mode. */
VG_REGPARM(2) void memsig_cached(const struct site *site, Addr address);
VG_REGPARM(2) void memsig_guarded_cached(const struct site *site, Addr address);

/* Account for accesses implied by executions up to now. */
void memsig_flush(struct block *block);
/* Reset all counts, so that a forked child counts only its own work. */
void memsig_clear(void);

/* ---- Strides and caches of an access --------------------------------------------------------- */

extern const ULong memsig_ends[MEMSIG_ENDS];
UInt memsig_class(ULong stride);
/* Add ACCESSES by SITE to a stride class. */
void memsig_count(struct row *row, const struct site *site, UInt class, ULong accesses);
/*
 * Simulate an access and return the number of levels that lack its line, per machine with a core,
 * in the format of struct site. REGULAR: the access repeats an earlier stride of its instruction,
 * or is near one of its accesses.
 */
ULong memsig_reference(struct row *row, UInt kind, Bool regular, Addr address, UInt bytes);

/* ---- Sampling -------------------------------------------------------------------------------- */

extern Bool memsig_samples, memsig_counting; /* counting: simulated accesses are counted */
/* blocks per burst; a tenth of all blocks are in bursts */
extern ULong memsig_burst;
void memsig_begin_sampling(void);
/* Update the sampling phase before thread TID runs; DISPATCHED blocks have run. */
void memsig_sample(ThreadId tid, ULong dispatched);
extern UInt memsig_stale; /* 1: existing translations must be replaced */
void memsig_end_sampling(void);
void memsig_clear_bursts(void);
double memsig_sampling_error(void); /* negative: unknown */

/* ---- The file ------------------------------------------------------------------------------- */

extern UInt memsig_nthreads;
Bool memsig_write(const HChar *path, Bool complete);

#endif
