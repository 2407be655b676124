/*
 * memsig.h - a tool of Valgrind that makes application signatures. What it keeps of a block, and who
 * does what.
 *
 * Translated code does the common things itself: it counts executions, compares each access with
 * the one that is expected next and with the line that was used last in its set, and calls
 * memsig_access only when one of the two is not so. All that is not counted then follows from the
 * executions: accesses that were expected have the stride of the one before, and those to the line
 * that was used last are hits in the first level of each machine. Where only caches are wanted the
 * second comparison is the only one, and memsig_cached is called.
 */
#ifndef GPTL_MEMSIG_H
#define GPTL_MEMSIG_H

#include "libvex.h"
#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_tooliface.h"

enum {
    MEMSIG_MACHINES = 16,
    MEMSIG_LEVELS = 6, /* of caches, of a machine */
    MEMSIG_FOUND = MEMSIG_MACHINES * MEMSIG_LEVELS,
    MEMSIG_ENDS = 12,    /* of classes of strides */
    MEMSIG_NEARBY = 4,   /* accesses of an instruction that the next one is compared with */
    MEMSIG_FILTER = 512, /* sets of the filter, at most */
};

/* Accesses are told apart by what is known before they are made, and by how far they go. */
enum {
    MEMSIG_LOAD,
    MEMSIG_DEPENDENT = 3, /* a load whose address came out of itself, the execution before */
    MEMSIG_STORE,
    /* To a line that the first cache has just lost to others of its set. */
    MEMSIG_STORE_CONFLICT = 7,
    MEMSIG_LOAD_CONFLICT, /* of a line that comes with more of its set than that has room for */
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

/* Near or strided, and of TYPE, MEMSIG_LOAD or MEMSIG_STORE: a processor knows where the next one goes. */
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
    Bool shared; /* by all threads */
};

struct machine {
    const HChar *name;
    UInt ncaches, first_found; /* where its caches begin among those of all machines */
    Bool has_core;
    struct cache caches[MEMSIG_LEVELS];
};

extern struct machine memsig_machines[MEMSIG_MACHINES];
extern UInt memsig_nmachines, memsig_nfound;

/* LEVEL/BYTES/LINE/WAYS/SHARED,...:NAME, or ...;CORE:NAME: adds a machine. False: it cannot be. */
Bool memsig_add_machine(const HChar *text);
/* When all machines are there. */
void memsig_begin_caches(void);
/* From now on it is thread TID that runs. */
void memsig_caches_of(ThreadId tid);

/*
 * The lines that were used last, each in a set that is a part of a set of the first level of every
 * machine. An address that is in such a line is found in the first level, where it is used last
 * already.
 */
extern Addr memsig_filter[MEMSIG_FILTER];
extern UInt memsig_filter_sets;  /* a power of two; 1 with lines of 1 byte when there can be none */
extern UInt memsig_filter_shift; /* of an address, to its set */
extern UInt memsig_filter_line;  /* bytes */

/* ---- Regions -------------------------------------------------------------------------------- */

struct region {
    UInt id;
    const HChar *name;
    ULong calls;
    struct region *parent;
};

extern UInt memsig_region; /* the id of the one that the running thread is in */
extern struct region **memsig_regions;
extern UInt memsig_nregions;
extern UInt memsig_most_regions; /* what is beyond counts in those around it … */
extern ULong memsig_beyond;      /* … and has had so many calls */

void memsig_begin_regions(void);
void memsig_regions_of(ThreadId tid);
void memsig_thread_begins(ThreadId tid);

/* How a function starts or stops a region; NULL when it does not. */
struct entry {
    const HChar *name;
    void (*helper)(void);
};
extern struct arguments { /* of the function, written by translated code before that */
    HWord first, second, third, stack_pointer;
} memsig_arguments;
const struct entry *memsig_entry_of(const HChar *function);

/* A wrapper of MPI begins, whose struct name this is; and perhaps ends: STACK_POINTER is behind what it
   returns to then. */
void memsig_enter_wrapper(HWord name, HWord stack_pointer);
/* It calls something, so it measures; or it hands its call on by a jump, and then it does not. */
void memsig_wrapper_calls(void);
void memsig_wrapper_jumps(HWord stack_pointer);
void memsig_leave_wrapper(HWord stack_pointer);

/* ---- Blocks --------------------------------------------------------------------------------- */

/* What one execution of a part of a block is: a part ends where code may leave the block. */
struct part {
    UInt instructions, loads, stores, load_bytes, store_bytes;
    UInt flops_scalar, flops_vector, flops_fused, divides, float_instructions;
    UInt integer_instructions; /* that write a general register */
    UInt branches;             /* that may go on here or there */
};

/* An instruction's access. The first two are read and written by translated code. */
struct site {
    Addr last;
    ULong stride; /* between the two accesses before, as a difference of addresses */
    struct block *block;
    UInt part, bytes;
    UInt kind; /* MEMSIG_LOAD, MEMSIG_DEPENDENT or MEMSIG_STORE */
    ULong run; /* how often its part had been executed when this stride began */
    Addr nearby[MEMSIG_NEARBY];
    UInt next_nearby;
    ULong waits; /* of each machine, the caches that have not got it; 0: it is there in time */
};

enum { MEMSIG_WAIT_BITS = 4, MEMSIG_WAIT_MASK = 15 }; /* of a machine */

/* Lines that were touched: those whose hash has zeros where MASK, its last bits, has ones; in a table that never grows large. */
struct footprint {
    UInt mask, used, room;
    UInt *hashes; /* 0: empty */
};
UInt memsig_line_hash(Addr line);
void memsig_keep_line(struct footprint *footprint, UInt hash);
/* Most lines of many are none of those that are kept. */
static inline void memsig_touch(struct footprint *footprint, UInt hash)
{
    if ((hash & footprint->mask) == 0)
        memsig_keep_line(footprint, hash);
}
ULong memsig_touched(const struct footprint *footprint);
enum { MEMSIG_TOUCHED_BYTES = 64 };

/*
 * What is noted of accesses while they are simulated: of all in conflict, the lines that their conflict is between;
 * loads near an access of their instruction, but not near its last one; accesses to two lines.
 */
struct noted {
#define COLUMN(name, merge)
#define NOTED(name) ULong name;
#include "columns.def"
#undef COLUMN
};

/* Numbers of a block in a region. */
struct row {
    VgHashNode node;  /* among those of all blocks */
    struct row *next; /* of the block */
    struct block *block;
    UInt region;
    struct footprint footprint, scattered; /* of all accesses; of random and dependent ones */
    ULong strides[MEMSIG_ENDS + 1];        /* the last one: random */
    ULong kinds[MEMSIG_KINDS];             /* accesses */
    struct noted noted;
    ULong runs;                   /* of executions that follow each other */
    ULong guesses, wrong_guesses; /* of branches, see branches.h */
    ULong timed;                  /* executions that cores have run, see core.h … */
    ULong *took, *waited;         /* … by machine; of that, by machine and level as in FOUND */
    ULong *found;        /* of each kind, by machine and level, from the second one to memory */
    ULong *simulated;    /* of COUNTS, those whose accesses were; sampling only */
    ULong *mark;         /* COUNTS when a burst began … */
    ULong missed_before; /* … and misses of the first machine's first level */
    ULong counts[];      /* executions of each part, which translated code adds to */
};

struct block {
    struct block *next;      /* of all */
    struct block *next_here; /* at the same address */
    struct row *row;         /* that is counted in now … */
    struct row *before;      /* … and before that: programs go to and fro */
    UInt region;             /* its region, MEMSIG_NO_REGION when there is none */
    UInt nparts, nsites, line;
    Addr in_module; /* its address */
    struct function *function;
    struct part *parts;
    struct site *sites;
    struct steps *steps;
    struct row *rows;
};
enum { MEMSIG_NO_REGION = 0xffffffff };

extern struct block *memsig_blocks;
extern struct block *memsig_last; /* that was executed; NULL: none, in this region */
extern Bool memsig_plain;         /* what is translated now counts executions only */
/* Strides, kinds and working sets are left out: accesses are near ones, all of them. */
extern Bool memsig_only_caches;

/* What translated code calls. */
VG_REGPARM(1) void memsig_begin_run(struct block *block);
VG_REGPARM(2) void memsig_access(struct site *site, Addr address);
VG_REGPARM(2) void memsig_guarded_access(struct site *site, Addr address);
/* The same two where only caches are simulated. */
VG_REGPARM(2) void memsig_cached(const struct site *site, Addr address);
VG_REGPARM(2) void memsig_guarded_cached(const struct site *site, Addr address);

/* Accesses that were not counted one by one are, up to now. */
void memsig_flush(struct block *block);
/* Numbers begin anew: those of a forked child are its own. */
void memsig_clear(void);

/* ---- Strides and caches of an access -------------------------------------------------------- */

extern const ULong memsig_ends[MEMSIG_ENDS];
UInt memsig_class(ULong stride);
/* ACCESSES of a class, which SITE has made, are counted. */
void memsig_count(struct row *row, const struct site *site, UInt class, ULong accesses);
/*
 * Returns how many caches have not got what is accessed, of the machines whose cores are known, as a site has it. REGULAR: it
 * is as far from another access of its instruction as that was from one before, or near it.
 */
ULong memsig_reference(struct row *row, UInt kind, Bool regular, Addr address, UInt bytes);

/* ---- Sampling ------------------------------------------------------------------------------- */

extern Bool memsig_samples, memsig_counting; /* counting: accesses that are simulated count */
extern ULong memsig_burst;                   /* blocks; a tenth of all are in bursts */
void memsig_begin_sampling(void);
/* Before thread TID runs; DISPATCHED blocks have run. */
void memsig_sample(ThreadId tid, ULong dispatched);
extern UInt memsig_stale; /* 1: what was translated is to be translated anew */
void memsig_end_sampling(void);
void memsig_clear_bursts(void);
double memsig_sampling_error(void); /* below 0: not known */

/* ---- The file ------------------------------------------------------------------------------- */

extern UInt memsig_nthreads;
Bool memsig_write(const HChar *path, Bool complete);

#endif
