/*
 * measured.h - what was measured, as flat copies of threads' trees, for who reports it.
 *
 * They come from the core as it measures, from a salvage file, or are read from a report.
 */
#ifndef GPTL_CORE_MEASURED_H
#define GPTL_CORE_MEASURED_H

#include "core/core.h"

/* ---- Histogram: logarithmic buckets, each split into 32 equal parts ------------------------- */

/*
 * Ticks below 32 have a bucket each; above, bucket widths are 1/32 of the power of two below, so
 * that the middle of a bucket is off by at most 1.6 %. Ticks from 2^44 on share the last bucket.
 */
enum { GPTL_HISTOGRAM_BUCKETS = 32 + (44 - 5) * 32 };

struct gptl_histogram {
    uint64_t bucket[GPTL_HISTOGRAM_BUCKETS];
};

void gptl_core_histogram_add(struct gptl_histogram *h, uint64_t ticks);
/* The value in ticks below which FRACTION (0 to 1) of the calls lie, 0 for an empty histogram. */
double gptl_core_histogram_quantile(const struct gptl_histogram *h, double fraction);

/* ---- Trees --------------------------------------------------------------------------------- */

enum { GPTL_NVALUES = 2 }; /* user and system CPU time in microseconds */

/* One node of a thread's tree. Its parent stands before it in the array. */
struct gptl_node_copy {
    const char *name;
    uint64_t count;      /* calls that ended */
    uint64_t recurse;    /* those that found the region open */
    uint64_t total;      /* ticks */
    uint64_t max, min;   /* ticks of one call; min is UINT64_MAX when there was none */
    uint64_t latest;     /* ticks of the latest call that ended */
    uint64_t open_ticks; /* since the start of the outermost call that is still open */
    uint32_t parent;     /* index of the parent; the root (index 0) is its own */
    uint32_t target;     /* for an edge that leads back to an ancestor: that node, else itself */
    uint32_t region;     /* number of the name in this process, from 1; 0 for the root */
    uint32_t kind;       /* the region's, enum gptl_kind */
    uint32_t open;       /* calls that are open now */
    uint32_t unstopped;  /* calls that were never stopped, but ended by the library */
    uint32_t extra;      /* index + 1 into extras, or 0 */
};

struct gptl_extra_copy {
    uint64_t timed; /* calls that were timed, if not all were: then the total is estimated, … */
    uint64_t error; /* … and the true one is most likely (95 %) not further away than these ticks */
    int64_t values[GPTL_NVALUES];
    int64_t *counters; /* by the slots of metrics; part of the copy's counters; NULL: all are 0 */
    struct gptl_histogram *histogram; /* or NULL */
};

struct gptl_crossing {
    const char *stopped; /* the region that was stopped … */
    const char *inside;  /* … while this one, opened inside it, was still open */
    uint64_t times;
};

struct gptl_interval_row {
    uint32_t node;
    uint64_t count, total, max, min;
};

enum { GPTL_LABEL_SIZE = 64 }; /* longer labels of GPTLmark are cut */

/* What a thread did in one interval: NROWS is 0 for a thread that did nothing. */
struct gptl_interval {
    char
        label[GPTL_LABEL_SIZE]; /* of the mark that ended it; "" for what came after the last one */
    uint64_t marks;             /* how many intervals were joined into this one */
    uint32_t nrows;
    struct gptl_interval_row *rows;
};

struct gptl_copy {
    int thread;
    double seconds_per_tick;
    double bucket_tick; /* seconds a tick of the histograms; 0: the same as all others */
    bool live;          /* its thread was running: the copy may be torn by one call */
    uint32_t nnodes;    /* at least 1: the root */
    struct gptl_node_copy *nodes;
    uint32_t *ids; /* the nodes' numbers for the reader of a report; NULL: their indexes */
    uint32_t nextras;
    struct gptl_extra_copy *extras;
    uint32_t ncounters; /* of each extra */
    int64_t *counters;  /* their memory */
    uint32_t ncrossings;
    struct gptl_crossing *crossings;
    uint64_t crossed;      /* all crossed stops */
    uint64_t folded_paths; /* calls of paths that the memory budget had no room for */
    uint64_t folded_names; /* calls of names that it had no room for */
    uint64_t dropped;      /* starts dropped because they interrupted the library itself */
    uint64_t unmatched;    /* stops of regions that were not open */
    uint64_t backwards;    /* calls during which the clock ran backwards; counted with 0 */
    uint64_t too_deep;     /* starts below the depth limit */
    uint64_t unwound;      /* calls of functions that longjmp or an exception ended */
    uint64_t own_work;     /* ticks of the library's own work, which no region has */
    uint32_t nintervals;
    struct gptl_interval *intervals;
    uint32_t nthreads_served;         /* threads that used this slot, one after another */
    size_t memory;                    /* bytes that the library uses for this thread */
    uint32_t table_slots, table_used; /* how the table of paths is filled */
    uint32_t longest_probe;
    uint64_t cache_slots;
};

/* The threads that measured anything, in the order of their numbers. Free with the other one. */
int gptl_core_copy(struct gptl_copy **copies, int *ncopies);
void gptl_core_copy_free(struct gptl_copy *copies, int ncopies);

/* ---- Ledgers ------------------------------------------------------------------------------- */

/* A row of one. */
struct gptl_account {
    enum gptl_ledger ledger;
    int rank;        /* whose it is, where ranks are told apart; else -1 */
    uint32_t nranks; /* whose sums are in it */
    const char *name;
    int64_t number;
    int64_t values[GPTL_LEDGER_VALUES];
};
struct gptl_accounts {
    struct gptl_account *account;
    size_t n;
};

/* In the order of the next but one, those of all threads added up. Returns 0, or -1; free it. */
int gptl_core_copy_accounts(struct gptl_accounts *out);
void gptl_core_accounts_free(struct gptl_accounts *accounts);
int gptl_account_compare(const struct gptl_account *a, const struct gptl_account *b);
/* Adds MORE to an equal one; sorts all, and adds up those that are equal. */
void gptl_account_join(struct gptl_account *to, const struct gptl_account *more);
void gptl_core_accounts_join(struct gptl_accounts *accounts);

/* ---- Functions that compilers' hooks name by their addresses -------------------------------- */

/* An object file that functions lie in: the program, or a shared library. */
struct gptl_module {
    char *label;    /* what stands for it in names of regions; no two are equal */
    char *path;     /* "" when not known */
    char *build_id; /* in hexadecimal digits; "" when it has none */
};

/* A region that is a function which a compiler's hooks named by its address. */
struct gptl_function {
    uint32_t region; /* as in the copies' nodes */
    uint32_t module; /* index into modules */
    uint64_t offset; /* its address in the module's own terms, as symbol tables have it */
    char *address;   /* LABEL+0xOFFSET: the region's name when no other was found */
    char *name;      /* found for it, demangled; NULL: none */
    char *file;      /* its source; NULL: not known */
    int line;        /* 0: not known */
};

struct gptl_function_copies {
    struct gptl_module *modules;
    uint32_t nmodules;
    struct gptl_function *functions; /* in the order of their regions' numbers */
    uint32_t nfunctions;
};
/* Those that were called. Returns 0, or -1 without memory; free them. */
int gptl_core_copy_functions(struct gptl_function_copies *out);
void gptl_core_sort_functions(struct gptl_function_copies *functions);
void gptl_core_functions_free(struct gptl_function_copies *functions);

/* ---- Salvage ------------------------------------------------------------------------------- */

/*
 * Reads a salvage file that a killed process left: copies as above, and what gptl_core_process and
 * gptl_core_clock_finding would say. They refer to the file, which stays mapped. Returns 0; 1
 * when the process had reported all of it itself; -1 when it cannot be read; WHY tells why. *IS_PARTIAL: the
 * file had no room for all that was measured.
 */
int gptl_core_salvage_read(const char *path, struct gptl_copy **copies, int *ncopies,
                           struct gptl_function_copies *functions, struct gptl_metrics *metrics,
                           struct gptl_accounts *accounts, struct gptl_process *process,
                           struct gptl_clock_finding *clock, bool *is_partial, char *why,
                           size_t whysize);

#endif
