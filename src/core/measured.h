/*
 * measured.h - measurements as flat copies of threads' trees, the input of reports.
 *
 * A copy comes from the running core, from a salvage file, or from a report.
 */
#ifndef GPTL_CORE_MEASURED_H
#define GPTL_CORE_MEASURED_H

#include "core/core.h"

/* ---- Histogram: logarithmic buckets, each split into 32 equal parts ------------------------ */

/*
 * Ticks below 32 have a bucket each; above, bucket widths are 1/32 of the power of two below, so
 * that the middle of a bucket differs from any value in it by at most 1.6 %. Ticks from 2^44 on
 * share the last bucket.
 */
enum { GPTL_HISTOGRAM_BUCKETS = 32 + (44 - 5) * 32 };

struct gptl_histogram {
    uint64_t bucket[GPTL_HISTOGRAM_BUCKETS];
};

void gptl_core_histogram_add(struct gptl_histogram *h, uint64_t ticks);
/* Return the FRACTION quantile (0 to 1) of the calls in ticks; 0 for an empty histogram. */
double gptl_core_histogram_quantile(const struct gptl_histogram *h, double fraction);

/* ---- Trees --------------------------------------------------------------------------------- */

enum { GPTL_NVALUES = 2 }; /* user and system CPU time in microseconds */

/* One node of a thread's tree. Its parent precedes it in the array. */
struct gptl_node_copy {
    const char *name;
    uint64_t count;      /* calls that ended */
    uint64_t recurse;    /* recursive calls: the region was already open */
    uint64_t total;      /* inclusive ticks */
    uint64_t max, min;   /* ticks of one call; min is UINT64_MAX before the first call */
    uint64_t latest;     /* ticks of the latest call that ended */
    uint64_t open_ticks; /* ticks since the start of the outermost call that is still open */
    uint32_t parent;     /* index of the parent; the root (index 0) is its own parent */
    uint32_t target;     /* index of the ancestor for a back edge, else of the node itself */
    uint32_t region;     /* number of the name in this process, from 1; 0 for the root */
    uint32_t kind;       /* kind of the region, enum gptl_kind */
    uint32_t open;       /* calls that are open now */
    uint32_t unstopped;  /* calls without a stop, which the library ended */
    uint32_t extra;      /* index + 1 into extras, or 0 */
};

struct gptl_extra_copy {
    /* timed calls, if not all calls were timed: then the total is an estimate; else 0 */
    uint64_t timed;
    uint64_t error; /* 95 % error bound of the estimated total, in ticks */
    int64_t values[GPTL_NVALUES];
    /* values by the slots of metrics, part of the copy's counters; NULL: all are 0 */
    int64_t *counters;
    struct gptl_histogram *histogram; /* histogram of call times, or NULL */
};

struct gptl_crossing {
    const char *stopped; /* region that was stopped */
    const char *inside;  /* inner region that was still open at that moment */
    uint64_t times;
};

struct gptl_interval_row {
    uint32_t node;
    uint64_t count, total, max, min;
};

enum { GPTL_LABEL_SIZE = 64 }; /* longer labels of GPTLmark are cut */

/* Measurements of a thread in one interval: NROWS is 0 for an inactive thread. */
struct gptl_interval {
    /* label of the mark that ended the interval; "" for the interval after the last mark */
    char label[GPTL_LABEL_SIZE];
    uint64_t marks; /* number of intervals joined into this one */
    uint32_t nrows;
    struct gptl_interval_row *rows;
};

struct gptl_copy {
    int thread;
    double seconds_per_tick;
    double bucket_tick; /* seconds per tick of the histograms; 0: seconds_per_tick */
    bool live;          /* the thread was running: the copy may be torn by one call */
    uint32_t nnodes;    /* at least 1: the root */
    struct gptl_node_copy *nodes;
    uint32_t *ids; /* numbers of the nodes for the reader of a report; NULL: their indexes */
    uint32_t nextras;
    struct gptl_extra_copy *extras;
    uint32_t ncounters; /* number of counters of each extra */
    int64_t *counters;  /* memory of all extras' counters */
    uint32_t ncrossings;
    struct gptl_crossing *crossings;
    uint64_t crossed;      /* number of all crossed stops */
    uint64_t folded_paths; /* calls of paths for which the memory budget had no room */
    uint64_t folded_names; /* calls of names for which the memory budget had no room */
    uint64_t dropped;      /* starts dropped because they interrupted the library itself */
    uint64_t unmatched;    /* stops of regions that were not open */
    uint64_t backwards;    /* calls during which the clock ran backwards; counted with 0 ticks */
    uint64_t too_deep;     /* starts below the depth limit */
    uint64_t unwound;      /* calls of functions that longjmp or an exception ended */
    uint64_t own_work;     /* ticks of the library's own work, which are charged to no region */
    uint32_t nintervals;
    struct gptl_interval *intervals;
    uint32_t nthreads_served;         /* threads that have used this slot */
    size_t memory;                    /* bytes that the library uses for this thread */
    uint32_t table_slots, table_used; /* capacity and use of the table of paths */
    uint32_t longest_probe;
    uint64_t cache_slots;
};

/*
 * Copy the trees of the threads that measured anything, in the order of their numbers. The caller
 * frees them with gptl_core_copy_free.
 */
int gptl_core_copy(struct gptl_copy **copies, int *ncopies);
void gptl_core_copy_free(struct gptl_copy *copies, int ncopies);

/* ---- Keyed counters ------------------------------------------------------------------------ */

/* One row of the keyed counters. */
struct gptl_account {
    enum gptl_ledger ledger;
    int rank;        /* rank of the row in reports per rank; else -1 */
    uint32_t nranks; /* number of ranks whose sums the row contains */
    const char *name;
    int64_t number;
    int64_t values[GPTL_LEDGER_VALUES];
};
struct gptl_accounts {
    struct gptl_account *account;
    size_t n;
};

/*
 * Copy the rows of all threads, summed, in the order of gptl_account_compare. Return 0, or -1
 * without memory; the caller frees them.
 */
int gptl_core_copy_accounts(struct gptl_accounts *out);
void gptl_core_accounts_free(struct gptl_accounts *accounts);
int gptl_account_compare(const struct gptl_account *a, const struct gptl_account *b);
/*
 * gptl_account_join adds MORE to a row with an equal key; gptl_core_accounts_join sorts all rows
 * and sums rows with equal keys.
 */
void gptl_account_join(struct gptl_account *to, const struct gptl_account *more);
void gptl_core_accounts_join(struct gptl_accounts *accounts);

/* ---- Functions that compilers' hooks identify by address ----------------------------------- */

/* An object file that contains functions: the program, or a shared library. */
struct gptl_module {
    char *label;    /* unique label of the module in names of regions */
    char *path;     /* "" when not known */
    char *build_id; /* hexadecimal digits; "" without a build id */
};

/* A region for a function that a compiler's hooks identified by address. */
struct gptl_function {
    uint32_t region; /* number of the region, as in the nodes of copies */
    uint32_t module; /* index into modules */
    uint64_t offset; /* address as in the module's symbol tables */
    char *address;   /* LABEL+0xOFFSET: the region's name in reports without a better one */
    char *name;      /* demangled name; NULL: not found */
    char *file;      /* source file; NULL: not known */
    int line;        /* line in the source; 0: not known */
};

struct gptl_function_copies {
    struct gptl_module *modules;
    uint32_t nmodules;
    struct gptl_function *functions; /* sorted by region number */
    uint32_t nfunctions;
};
/* Copy the functions that were called. Return 0, or -1 without memory; the caller frees them. */
int gptl_core_copy_functions(struct gptl_function_copies *out);
void gptl_core_sort_functions(struct gptl_function_copies *functions);
void gptl_core_functions_free(struct gptl_function_copies *functions);

/* ---- Salvage ------------------------------------------------------------------------------- */

/*
 * Read a salvage file that a killed process left: copies of trees, and the results that
 * gptl_core_process and gptl_core_clock_finding had in that process. They refer to the file, which
 * stays mapped. Return 0; 1 if the process reported all of it itself; -1 if the file cannot be
 * read, with the reason in WHY. *IS_PARTIAL: the file lacked room for some measurements.
 */
int gptl_core_salvage_read(const char *path, struct gptl_copy **copies, int *ncopies,
                           struct gptl_function_copies *functions, struct gptl_metrics *metrics,
                           struct gptl_accounts *accounts, struct gptl_process *process,
                           struct gptl_clock_finding *clock, bool *is_partial, char *why,
                           size_t whysize);

#endif
