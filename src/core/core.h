/*
 * core.h - interface of the core to the other modules.
 *
 * The core measures; it does not know reports, MPI, counters or result files. Other modules
 * register with it (struct gptl_room, gptl_clock), and read the measurements as flat copies
 * (core/measured.h), one per thread, never the live trees.
 */
#ifndef GPTL_CORE_CORE_H
#define GPTL_CORE_CORE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks functions that companion libraries of the same release may call as well. */
#define GPTL_FOR_SISTERS __attribute__((visibility("default")))

/* ---- Regions ------------------------------------------------------------------------------- */

/*
 * A region is a kind and a name: GPTLstart("MPI_Send") and the call MPI_Send are two regions, and
 * never a recursion of each other. Only the program itself starts the first two kinds.
 */
enum gptl_kind {
    GPTL_KIND_USER,     /* named by GPTLstart and related functions */
    GPTL_KIND_FUNCTION, /* function reported by a compiler's hooks */
    GPTL_KIND_MPI,
    GPTL_KIND_IO,     /* call of an I/O library */
    GPTL_KIND_FOLDED, /* represents regions for which memory was lacking */
    GPTL_NKINDS
};

/* ---- Modules linked into this library ------------------------------------------------------ */

struct gptl_room {
    const char *name;
    void (*setup)(void); /* called once, when the library is loaded */
    /* called once after setup, when the options of the environment are known */
    void (*begin)(void);
    /*
     * keep_report is called by GPTLfinalize. It saves the data for an automatic report that is
     * written later and returns 0, or returns 1 if the report is due now. automatic_report writes
     * the report and returns 0, -1 on failure, or 1 if there is nothing to report.
     */
    int (*keep_report)(void);
    int (*automatic_report)(void);
    void (*finish)(void); /* called at the end of the process */
};

/* Modules of a library or program that contains the core, defined once in each; ends with NULL. */
extern const struct gptl_room *const gptl_rooms[];

/* ---- Errors -------------------------------------------------------------------------------- */

/*
 * Count an error, print it on stderr unless many were printed already, terminate the process if
 * requested, and return -1.
 */
GPTL_FOR_SISTERS int gptl_core_error(const char *function, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* Count and print a warning in the same way, for news that is not a failure, and return 0. */
GPTL_FOR_SISTERS int gptl_core_warn(const char *function, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/*
 * Report an error or warning that concerns all processes of a job, such as a mistake in
 * GPTL_OPTIONS. Only the first process prints it, if the launcher identifies that process.
 */
int gptl_core_error_job(const char *function, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
GPTL_FOR_SISTERS int gptl_core_warn_job(const char *function, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
/*
 * Count a warning that appears in the report but is not printed; return the number of printed
 * warnings.
 */
void gptl_core_count_quiet_warning(void);
uint64_t gptl_core_printed_warnings(void);

/* Return the rank that the launcher sets in the environment; -1: unknown. */
GPTL_FOR_SISTERS int gptl_core_launched_rank(void);

/* Print one line on stderr if the option verbose is on. */
GPTL_FOR_SISTERS void gptl_core_say(const char *format, ...)
    __attribute__((format(printf, 1, 2), cold));

/* ---- Signals ------------------------------------------------------------------------------- */

/*
 * Block and restore all signals, except those that the thread's own instructions raise, which
 * cannot be blocked. A signal handler may jump out of any code. It must not do so where a lock
 * would stay locked or memory would stay half changed.
 */
sigset_t gptl_core_hold_signals(void);
void gptl_core_release_signals(sigset_t before);

/*
 * Take and release the core's lock; the thread is then inside the library. The bare lock suits
 * short code: if a signal handler jumps out of it, the library notices later. Longer code also
 * needs blocked signals.
 */
void gptl_core_lock(void);
void gptl_core_unlock(void);
/* Call DO_THIS with the lock held and signals blocked. */
void gptl_core_guarded(void (*do_this)(void *), void *argument);

/* ---- Options ------------------------------------------------------------------------------- */

enum gptl_option_id {
#define OPTION(id, number, key, type, initial, least, most, doc) GPTL_OPT_##id,
#define STRING_OPTION(id, key, initial, doc)
#include "core/options.def"
#undef OPTION
#undef STRING_OPTION
    GPTL_NOPTIONS
};

enum gptl_string_id {
#define OPTION(id, number, key, type, initial, least, most, doc)
#define STRING_OPTION(id, key, initial, doc) GPTL_STR_##id,
#include "core/options.def"
#undef OPTION
#undef STRING_OPTION
    GPTL_NSTRINGS
};

/*
 * Values of the option `layout`. AUTO means GPTL, until a call of the program implies another
 * layout.
 */
enum gptl_file_layout { GPTL_LAYOUT_AUTO, GPTL_LAYOUT_GPTL, GPTL_LAYOUT_GPTL8, GPTL_LAYOUT_CESM };

/*
 * Record that the program called FUNCTION, which only the climate models' GPTL has; see abi.c.
 * SCRIPTS: the scripts that read its reports expect that layout.
 */
void gptl_core_saw_fork(const char *function, bool scripts);

/* Set the option `append`; allowed at any time. */
void gptl_core_set_append(bool on);

/*
 * Set the options in TEXT, `key=value;key=value`, and return the number of mistakes. FROM names the
 * origin of TEXT in messages.
 */
int gptl_core_set_options(const char *text, const char *from);

/*
 * Set an option by key, with the value as text; options that are texts are excluded. The rules of
 * GPTLsetoption apply: allowed before GPTLinitialize, and the environment takes precedence. Return
 * 0, or -1 after an error that FUNCTION reports.
 */
int gptl_core_set_option(const char *function, const char *key, const char *value);

GPTL_FOR_SISTERS long long gptl_core_option(enum gptl_option_id id);
/* Return the address of the option's value, for frequent reads. */
GPTL_FOR_SISTERS const _Atomic(long long) *gptl_core_option_at(enum gptl_option_id id);
GPTL_FOR_SISTERS const char *gptl_core_string(enum gptl_string_id id);
bool gptl_core_string_is_set(enum gptl_string_id id);

/* Return whether the environment or gptl_core_set_options sets the option. */
GPTL_FOR_SISTERS bool gptl_core_option_is_set(enum gptl_option_id id);

/*
 * Parse TEXT as the value of option ID. Return false if KEY is not the option's key or TEXT is not
 * a valid value.
 */
bool gptl_core_option_read(enum gptl_option_id id, const char *key, const char *text,
                           long long *value);

/* Return whether TEXT, as gptl_core_option_text prints it, is the default of option KEY. */
bool gptl_core_option_is_default(const char *key, const char *text);

/*
 * Describe the I-th option, in the order of options.def, as text. Return false past the last one.
 */
struct gptl_option_text {
    const char *key;
    const char *doc;
    char value[4096];
    bool changed; /* the value differs from the default */
};
bool gptl_core_option_text(int i, struct gptl_option_text *out);

/* ---- Clocks -------------------------------------------------------------------------------- */

struct gptl_clock {
    int number; /* enum GPTLclock */
    const char *name;
    const char *doc;
    uint64_t (*read)(void);  /* returns ticks since an arbitrary fixed moment */
    double ticks_per_second; /* 0: determined by calibration against CLOCK_MONOTONIC */
    /*
     * returns the reason why the clock cannot be used here, or NULL; the pointer itself may be NULL
     */
    const char *(*unfit)(void);
};

/*
 * Add a clock (MPI_Wtime, PAPI), or announce that an added clock has become usable. The struct must
 * stay valid. Return 0, or -1 if the table is full.
 */
GPTL_FOR_SISTERS int gptl_core_add_clock(const struct gptl_clock *clock);

/* Results of the check at start for the clock in use. */
struct gptl_clock_finding {
    const char *name;
    const char *source; /* time source in words */
    const char *kernel; /* the kernel's clock source, or "unknown" */
    double cost;        /* seconds per reading */
    double resolution;  /* smallest observed step, in seconds */
    double seconds_per_tick;
    double calibrated_over; /* seconds between the two calibration points; 0: exact by definition */
    bool monotonic;
    char rejected[160];   /* the better clocks that were rejected, and the reasons; "" if none */
    char correction[640]; /* periods excluded from the rate because clocks disagreed; "" if none */
};
void gptl_core_clock_finding(struct gptl_clock_finding *out);

/* Warn if an option demands MPI_Wtime and MPI is absent. */
void gptl_core_check_clock(void);

/*
 * Return nanoseconds since an arbitrary fixed moment, for times outside of nodes, by the cheapest
 * available method.
 */
GPTL_FOR_SISTERS uint64_t gptl_core_nanoseconds(void);

/*
 * Return nanoseconds of the kernel's CLOCK (clockid_t), regardless of clocks that the program
 * disables or fakes.
 */
GPTL_FOR_SISTERS uint64_t gptl_core_read_systime(int clock);

/* ---- Meters -------------------------------------------------------------------------------- */

/* Scope of an event. Only counts per thread can be summed over threads. */
enum gptl_scope { GPTL_SCOPE_THREAD, GPTL_SCOPE_PROCESS, GPTL_SCOPE_MACHINE };

enum gptl_metric_kind {
    GPTL_METRIC_COUNTED, /* read at each start and stop */
    GPTL_METRIC_DERIVED, /* computed from counted values at report time */
    GPTL_METRIC_REFUSED, /* requested, but cannot be counted */
};

/* Description of a value other than time. Texts are never NULL. */
struct gptl_metric {
    enum gptl_metric_kind kind;
    enum gptl_scope scope;
    bool shown;     /* requested by the user; otherwise counted only as input of derived values */
    bool estimated; /* multiplexed: shares its hardware counter with other events */
    bool lost;      /* a thread could no longer read it: the values cover the calls until then */
    /* For estimated values: seconds in a region below which a value is meaningless. */
    double least_seconds;
    uint32_t slot; /* for counted values: index among the values of a node */
    const char *name, *description, *unit;
    const char *component; /* PAPI component that counts it; "" if none */
    /* for derived values: formula in the names of other values, see counters/expression.h */
    const char *expression;
    const char *why; /* for refused values: the reason */
};

struct gptl_metrics {
    struct gptl_metric *metric; /* rows in the order of their columns */
    uint32_t n, nslots;
    char *text;
};

/*
 * Read all values in order; NUMBER is the meter's identifier. Return 0, or an error code; errno may
 * change on failure.
 */
typedef int gptl_direct_read(int number, long long *values);

/*
 * Interface of a meter, which reads values at each start and stop. All members except read are
 * called with the core's lock held and signals blocked, by a thread that is inside the library.
 */
struct gptl_meter {
    /*
     * Returns a number that changes whenever other values are requested; 0: no values are
     * requested.
     */
    uint32_t (*wanted)(void);
    /*
     * Decides which values are read and describes them. When values were added since the last call,
     * the previous ones keep their slots. The texts stay valid until the next call.
     */
    void (*plan)(struct gptl_metrics *metrics);
    /*
     * Opens the meter for the calling thread, which will be its only user; NULL: this thread lacks
     * values.
     */
    void *(*open)(void);
    void (*read)(void *opened, int64_t *values); /* reads one value for each slot */
    void (*close)(void *opened, bool exits);     /* closes it; EXITS: the thread is exiting */
    /*
     * Returns a function that reads all values with one call less, and its number; NULL if it does
     * not exist. The pointer itself may be NULL.
     */
    gptl_direct_read *(*direct)(void *opened, int *number);
    /*
     * Handles a nonzero RC of that function; errno is as the function left it. Called without the
     * lock.
     */
    void (*lost)(int number, int rc);
    /*
     * Handles a GPTLsetoption whose number is not an option of the core. Returns 0, or -1 after an
     * error.
     */
    int (*set)(const char *function, int number, bool on);
    /* Called in a fork child: the opened state belongs to the parent. */
    void (*forked)(void);
    /* Called after the end of the measurement: forgets the requested values. */
    void (*end)(void);
};

/* Register the meter; only one is supported. The struct must stay valid. */
void gptl_core_set_meter(const struct gptl_meter *meter);
/* Mark the value in this slot of the meter as no longer readable. Allowed during a reading. */
void gptl_core_lost(uint32_t slot);

/*
 * Describe the values of the current or last measurement. Return 0, or -1 without memory; the
 * caller frees OUT.
 */
int gptl_core_metrics(struct gptl_metrics *out);
void gptl_core_metrics_free(struct gptl_metrics *metrics);

/*
 * Sum the values of region NAME in thread T (negative: the calling thread), at most N of them, and
 * its seconds. Return the number of values, or -1 after an error that FUNCTION reports.
 */
int gptl_core_query(const char *function, const char *name, int t, int64_t *values, uint32_t n,
                    double *seconds);

/* ---- Companion libraries ------------------------------------------------------------------- */

/* Begin measuring, unless it has ended with GPTLfinalize. Return whether the library is on. */
GPTL_FOR_SISTERS bool gptl_core_turn_on(void);
/*
 * Finish at the end of the process: write the automatic report, unless a report was written
 * already.
 */
GPTL_FOR_SISTERS void gptl_core_finish(void);
/* Write the automatic report while the process continues; it will be written again later. */
GPTL_FOR_SISTERS void gptl_core_flush(void);
GPTL_FOR_SISTERS void gptl_core_set_rank(int rank);
/*
 * Declare that other processes have the same ranks and file names: files of this process get its
 * process id.
 */
GPTL_FOR_SISTERS void gptl_core_share_names(void);

/*
 * Register TELL, which returns the names of functions, separated by spaces, that are called but not
 * measured.
 */
GPTL_FOR_SISTERS void gptl_core_set_unwrapped(const char *(*tell)(void));
const char *gptl_core_unwrapped(void); /* NULL if there are none */

/*
 * Start the region LITERAL of KIND, which is GPTL_KIND_MPI or later. The library that contains the
 * literal is never unloaded. Return the node, for gptl_core_add, if gptl_core_end must stop the
 * region; NULL if the region was not started, as nothing is measured here or now.
 */
GPTL_FOR_SISTERS void *gptl_core_begin(const char *literal, enum gptl_kind kind);
GPTL_FOR_SISTERS void gptl_core_end(const char *literal, enum gptl_kind kind);

/*
 * Bytes that calls transferred. A report shows them as MORE describes; its slots are these amounts
 * and, last, the calls of nodes with any amount. A node's value in the report includes the nodes
 * below it.
 */
#define GPTL_AMOUNT_UNIT "bytes" /* unit by which reports recognize them */
enum gptl_amount { GPTL_SENT, GPTL_RECEIVED, GPTL_NAMOUNTS };
struct gptl_metrics;
/* MORE must stay valid */
GPTL_FOR_SISTERS void gptl_core_set_amounts(const struct gptl_metrics *more);
/*
 * Add BYTES to the node; only for the thread that began the node's call. An amount of 0 reserves
 * space for later additions.
 */
GPTL_FOR_SISTERS void gptl_core_add(void *node, enum gptl_amount what, int64_t bytes);
/* Add BYTES to the node later, from any thread, after a gptl_core_add for the node. */
GPTL_FOR_SISTERS void gptl_core_add_later(void *node, enum gptl_amount what, int64_t bytes);
/*
 * Register FORGET, which GPTLfinalize calls with the core's lock held before it frees the nodes of
 * its measurement: afterwards nothing may be added to them. Only one function is supported.
 */
GPTL_FOR_SISTERS void gptl_core_set_forget(void (*forget)(void));

/*
 * Keyed counters (ledgers): sums by a name and a number instead of by node. The meaning of the
 * numbers and sums is defined in src/report (ledger.c there). The calling thread adds to its own
 * rows, if it measures.
 */
enum gptl_ledger { GPTL_LEDGER_PEERS, GPTL_LEDGER_SIZES, GPTL_LEDGER_FILES, GPTL_NLEDGERS };
enum { GPTL_LEDGER_VALUES = 6 };
#define GPTL_LEDGER_REST INT64_MIN /* number and name of the row for keys without memory */
#define GPTL_LEDGER_REST_NAME "(other)"
/* Add VALUES to a row. A name is identified by its address, and must stay valid; NULL: no name. */
GPTL_FOR_SISTERS void gptl_core_account(enum gptl_ledger ledger, const char *name, int64_t number,
                                        const int64_t *values);

/*
 * Return the node of the innermost region that is open on this thread, or NULL. Names stay valid as
 * long as the process, nodes until GPTLfinalize. libgptl_io calls these functions if libgptl is in
 * the process: they take no lock, allocate no memory, and may be called in a signal handler.
 */
GPTL_FOR_SISTERS const void *gptl_core_here(void);
/* NULL for an outermost region */
GPTL_FOR_SISTERS const void *gptl_core_node_parent(const void *node);
GPTL_FOR_SISTERS const char *gptl_core_node_name(const void *node);
GPTL_FOR_SISTERS enum gptl_kind gptl_core_node_kind(const void *node);
/*
 * Return the number of the measurement to which this thread's nodes belong: each GPTLfinalize ends
 * one.
 */
GPTL_FOR_SISTERS uint32_t gptl_core_measurement(void);

/*
 * Register FOLLOWER, which each thread calls when it starts or stops a region. The argument is the
 * node that was innermost until then, or NULL; GPTL_FOLLOWED_WORK means that the library itself
 * worked until then (gptl_core_work_begin). Calls for short throttled regions may be omitted.
 * FOLLOWER must not take a lock of the core or start a region. Only one is supported; NULL: none.
 */
typedef void gptl_follower(const void *node);
#define GPTL_FOLLOWED_WORK ((const void *)1)
GPTL_FOR_SISTERS void gptl_core_follow(gptl_follower *follower);

/* ---- Functions that compilers' hooks identify by address ----------------------------------- */

/*
 * Finder: describe the location of the function at ADDRESS. If it leaves PLACE unchanged, the
 * address itself is the offset in a module without a path. Called without the core's lock and with
 * signals blocked, by a thread that is inside the library.
 */
enum { GPTL_BUILD_ID_SIZE = 2 * 64 + 1 };
struct gptl_place {
    const char *path;                  /* path; valid as long as the module */
    char build_id[GPTL_BUILD_ID_SIZE]; /* hexadecimal digits, or "" */
    uint64_t offset;
    /* gptl_core_forget_functions will be called before ADDRESS can belong to another function */
    bool stays;
    bool left_out; /* excluded by a filter */
};
typedef void gptl_finder(const void *address, struct gptl_place *place);
void gptl_core_set_finder(gptl_finder *finder);

/* Forget the functions at the addresses from BEGIN to END, which were unloaded. */
void gptl_core_forget_functions(uintptr_t begin, uintptr_t end);

/* ---- The library's own cost ---------------------------------------------------------------- */

/*
 * Work of the library whose time is charged to no region of the thread: reports, communication of
 * ranks, notes of calls. Pairs of begin and end may be nested. Both are ignored in a thread without
 * a tree, and in a thread interrupted inside the library. They cost two clock readings and one
 * store per open region.
 */
struct gptl_work {
    uint64_t begin, moved;
    const struct gptl_clock *clock; /* NULL: nothing is measured */
    uint32_t epoch;
};
GPTL_FOR_SISTERS void gptl_core_work_begin(struct gptl_work *work);
GPTL_FOR_SISTERS void gptl_core_work_end(const struct gptl_work *work);

/* Cost in seconds of one start and stop of a region, measured on the real functions. */
struct gptl_overhead {
    double self;   /* part inside the region's own time */
    double parent; /* additional part inside the parent's time */
    double self_spread,
        /* half-width of the range of 90 % of the measurements, estimated from the quartiles */
        parent_spread;
};
int gptl_core_overhead(struct gptl_overhead *out);

/* ---- The process --------------------------------------------------------------------------- */

struct gptl_process {
    long pid;
    const char *program; /* path of the program; "unknown" if the system does not provide it */
    double started;      /* start of the measurement in seconds since 1970 */
    double elapsed;      /* seconds since then */
    size_t memory;       /* bytes that the library uses: names and all threads */
    size_t names_memory;
    size_t budget;
    uint32_t nregions;
    uint64_t errors, warnings;
    bool on, explicitly; /* explicitly: by GPTLinitialize */
    bool reported;       /* the user requested a report, or the automatic one was written */
    int rank;            /* rank set by a launcher or MPI, or -1 */
    /* file names collide with files of other processes: a fork child, or spawned by MPI */
    bool shares_names;
};
GPTL_FOR_SISTERS void gptl_core_process(struct gptl_process *out);

/* Return whether any thread has measured anything. */
bool gptl_core_has_measured(void);
/* Record that the user's report was written: the automatic one is omitted. */
void gptl_core_reported(void);
/*
 * Return whether the automatic report is still due. A program that calls GPTLinitialize prints its
 * own reports, so it has an automatic one only if the option output requests it.
 */
bool gptl_core_report_is_due(void);

/* Record that all data in the salvage file are reported: from now on a kill loses nothing. */
void gptl_core_salvage_done(void);

#endif
