/*
 * core.h - what the core offers to the other rooms.
 *
 * The core measures; it knows nothing of reports, MPI, counters or files of results. Other rooms
 * register with it (struct gptl_room, gptl_clock), and read what was measured as flat copies
 * (core/measured.h), one a thread, never the live trees.
 */
#ifndef GPTL_CORE_CORE_H
#define GPTL_CORE_CORE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What libraries of the same release may call as well. */
#define GPTL_FOR_SISTERS __attribute__((visibility("default")))

/* ---- Regions ------------------------------------------------------------------------------- */

/*
 * A region is a kind and a name: GPTLstart("MPI_Send") and the call MPI_Send are two regions, and never
 * recursion of each other. The program itself starts the first two kinds.
 */
enum gptl_kind {
    GPTL_KIND_USER,     /* named by GPTLstart and its like */
    GPTL_KIND_FUNCTION, /* of a compiler's hooks */
    GPTL_KIND_MPI,
    GPTL_KIND_IO,     /* a call of an I/O library */
    GPTL_KIND_FOLDED, /* stands for those that found no memory */
    GPTL_NKINDS
};

/* ---- Rooms: who is linked into this library ------------------------------------------------ */

struct gptl_room {
    const char *name;
    void (*setup)(void); /* once, when the library is loaded … */
    void (*begin)(void); /* … and then, when the options of the environment are known */
    /*
     * GPTLfinalize, and the automatic report is due later: keeps what it needs. 0: kept; 1: it is due
     * now. Then the report itself: 0, -1 failed, 1 nothing to report.
     */
    int (*keep_report)(void);
    int (*automatic_report)(void);
    void (*finish)(void); /* the process ends */
};

/* Defined once for each library or program that holds the core; ends with NULL. */
extern const struct gptl_room *const gptl_rooms[];

/* ---- Errors -------------------------------------------------------------------------------- */

/* Counts an error, says so on stderr unless there were many, ends the process if asked; is -1. */
GPTL_FOR_SISTERS int gptl_core_error(const char *function, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* The same for what the user should know but nothing failed; is 0. */
GPTL_FOR_SISTERS int gptl_core_warn(const char *function, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/*
 * The two for what is so for all processes of a job, such as a mistake in GPTL_OPTIONS: the first one
 * says so, if the launcher tells which that is.
 */
int gptl_core_error_job(const char *function, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
GPTL_FOR_SISTERS int gptl_core_warn_job(const char *function, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
/* Counts a warning that the report tells and that is not printed; how many others there were. */
void gptl_core_count_quiet_warning(void);
uint64_t gptl_core_printed_warnings(void);

/* What the launcher tells in the environment; -1: nothing. */
GPTL_FOR_SISTERS int gptl_core_launched_rank(void);

/* One line on stderr when the option verbose is on. */
GPTL_FOR_SISTERS void gptl_core_say(const char *format, ...)
    __attribute__((format(printf, 1, 2), cold));

/* ---- Signals ------------------------------------------------------------------------------- */

/*
 * A signal handler may jump away from anywhere. It must not from where a lock would stay taken, or
 * memory half changed: there all signals are held, but for those that the thread's own instructions
 * raise, which cannot be.
 */
sigset_t gptl_core_hold_signals(void);
void gptl_core_release_signals(sigset_t before);

/*
 * The core's lock: short, for what a signal handler may jump away from, which is noticed later; the
 * thread is inside the library. Longer: with signals held back as well.
 */
void gptl_core_lock(void);
void gptl_core_unlock(void);
/* Calls it with the lock held and signals held back. */
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

/* Values of the option `layout`. AUTO is GPTL, until the program's calls say otherwise. */
enum gptl_file_layout { GPTL_LAYOUT_AUTO, GPTL_LAYOUT_GPTL, GPTL_LAYOUT_GPTL8, GPTL_LAYOUT_CESM };

/*
 * The program has called FUNCTION, which only the climate models' GPTL has: see abi.c. SCRIPTS: those
 * that read its reports expect its layout.
 */
void gptl_core_saw_fork(const char *function, bool scripts);

/* Sets the option `append`, at any time. */
void gptl_core_set_append(bool on);

/* Sets what TEXT says, `key=value;key=value`; FROM names it in messages. Returns the mistakes. */
int gptl_core_set_options(const char *text, const char *from);

/*
 * What GPTLsetoption does, for an option with a key, its value as text (but not for those that are
 * texts): allowed before GPTLinitialize, and what the environment says wins. Returns 0, or -1 after
 * an error that FUNCTION reports.
 */
int gptl_core_set_option(const char *function, const char *key, const char *value);

GPTL_FOR_SISTERS long long gptl_core_option(enum gptl_option_id id);
/* Where it is kept, for who asks often. */
GPTL_FOR_SISTERS const _Atomic(long long) *gptl_core_option_at(enum gptl_option_id id);
GPTL_FOR_SISTERS const char *gptl_core_string(enum gptl_string_id id);
bool gptl_core_string_is_set(enum gptl_string_id id);

/* Whether the environment or gptl_core_set_options says what it is. */
GPTL_FOR_SISTERS bool gptl_core_option_is_set(enum gptl_option_id id);

/* What TEXT says of option ID: false when KEY is not its key, or TEXT makes no sense. */
bool gptl_core_option_read(enum gptl_option_id id, const char *key, const char *text,
                           long long *value);

/* Whether TEXT, as the next function gives it, is the default of option KEY. */
bool gptl_core_option_is_default(const char *key, const char *text);

/* The I-th option, in the order of options.def, as text: false past the last one. */
struct gptl_option_text {
    const char *key;
    const char *doc;
    char value[4096];
    bool changed; /* differs from its default */
};
bool gptl_core_option_text(int i, struct gptl_option_text *out);

/* ---- Clocks -------------------------------------------------------------------------------- */

struct gptl_clock {
    int number; /* enum GPTLclock */
    const char *name;
    const char *doc;
    uint64_t (*read)(void);     /* ticks since any fixed moment */
    double ticks_per_second;    /* 0: found by calibration against CLOCK_MONOTONIC */
    const char *(*unfit)(void); /* why it cannot be used here, or NULL; may be NULL itself */
};

/*
 * Adds a clock (MPI_Wtime, PAPI), or tells that one which was added can be used now. The struct must stay.
 * Returns 0, or -1 when there is no room.
 */
GPTL_FOR_SISTERS int gptl_core_add_clock(const struct gptl_clock *clock);

/* What the check at start found out about the clock in use. */
struct gptl_clock_finding {
    const char *name;
    const char *source; /* what the clock reads, in words */
    const char *kernel; /* the kernel's own clock source, or "unknown" */
    double cost;        /* seconds for one reading */
    double resolution;  /* smallest step seen, in seconds */
    double seconds_per_tick;
    double calibrated_over; /* seconds between the two calibration points; 0: exact by definition */
    bool monotonic;
    char rejected[160];   /* the better clocks that were passed over, and why; "" if none */
    char correction[640]; /* what its rate leaves out, where clocks disagreed; "": they agreed */
};
void gptl_core_clock_finding(struct gptl_clock_finding *out);

/* Nanoseconds since any fixed moment, for times that are in no node, by the cheapest way there is. */
GPTL_FOR_SISTERS uint64_t gptl_core_nanoseconds(void);

/* Nanoseconds of the kernel's CLOCK (clockid_t), whatever the program has disabled or fakes. */
GPTL_FOR_SISTERS uint64_t gptl_core_read_systime(int clock);

/* ---- Meters -------------------------------------------------------------------------------- */

/* Whose doings an event counts: only what threads count by themselves can be added up over them. */
enum gptl_scope { GPTL_SCOPE_THREAD, GPTL_SCOPE_PROCESS, GPTL_SCOPE_MACHINE };

enum gptl_metric_kind {
    GPTL_METRIC_COUNTED, /* read at each start and stop */
    GPTL_METRIC_DERIVED, /* computed from those when it is printed */
    GPTL_METRIC_REFUSED, /* was asked for and cannot count */
};

/* What a value besides times is. Texts are never NULL. */
struct gptl_metric {
    enum gptl_metric_kind kind;
    enum gptl_scope scope;
    bool shown;     /* asked for; else it counts for those that are derived from it */
    bool estimated; /* shares its counter with others in turn */
    bool lost;      /* some thread could not read it any more: values are of the calls until then */
    /* Estimated: below so many seconds in a region a value means nothing. */
    double least_seconds;
    uint32_t slot; /* counted: its place among the values of a node */
    const char *name, *description, *unit;
    const char *component;  /* of PAPI that counts it; "" if none */
    const char *expression; /* derived: of the names of others, see counters/expression.h */
    const char *why;        /* refused */
};

struct gptl_metrics {
    struct gptl_metric *metric; /* in the order of their columns */
    uint32_t n, nslots;
    char *text;
};

/* Reads values in their order; NUMBER says which. Returns 0, or what went wrong: then errno may change. */
typedef int gptl_direct_read(int number, long long *values);

/*
 * What reads values at each start and stop. All but read are called with the core's lock held and
 * signals held back, by a thread that is inside the library.
 */
struct gptl_meter {
    /* Changes whenever other values are asked for; 0: none are. */
    uint32_t (*wanted)(void);
    /*
     * Settles what is read, and says what it is. When more was asked for since the last time, what
     * was there keeps its slot. The texts stay until the next call.
     */
    void (*plan)(struct gptl_metrics *metrics);
    /* For the calling thread, which will be the only one to use it; NULL: it has none. */
    void *(*open)(void);
    void (*read)(void *opened, int64_t *values); /* one for each slot */
    void (*close)(void *opened, bool exits);     /* whether it is because this thread exits */
    /* What reads all the same with one call less, and its number; NULL: nothing. May be NULL itself. */
    gptl_direct_read *(*direct)(void *opened, int *number);
    /* That has returned RC, whenever it is not 0; errno is as it has left it. Without the lock. */
    void (*lost)(int number, int rc);
    /* GPTLsetoption with a number that is no option's. Returns 0, or -1 after an error. */
    int (*set)(const char *function, int number, bool on);
    /* In the child of a fork: what was opened is the parent's. */
    void (*forked)(void);
    /* The measurement has ended: what was asked for is forgotten. */
    void (*end)(void);
};

/* There is one. The struct must stay. */
void gptl_core_set_meter(const struct gptl_meter *meter);
/* What has this slot, of the meter's, cannot be read any more. Also while it is read. */
void gptl_core_lost(uint32_t slot);

/* What is, or was last, read. Returns 0, or -1 when there is no memory; free it. */
int gptl_core_metrics(struct gptl_metrics *out);
void gptl_core_metrics_free(struct gptl_metrics *metrics);

/*
 * The sums of region NAME in thread T (below 0: the calling one), and its seconds; as many values
 * as there are, at most N. Returns their number, or -1 after an error that FUNCTION reports.
 */
int gptl_core_query(const char *function, const char *name, int t, int64_t *values, uint32_t n,
                    double *seconds);

/* ---- Sister libraries ----------------------------------------------------------------------- */

/* Measuring begins, if it has not ended with GPTLfinalize. Whether it is on. */
GPTL_FOR_SISTERS bool gptl_core_turn_on(void);
/* The process comes to its end: the report that nobody asked for, unless there was one. */
GPTL_FOR_SISTERS void gptl_core_finish(void);
/* The same report while the process goes on: it will be written anew. */
GPTL_FOR_SISTERS void gptl_core_flush(void);
GPTL_FOR_SISTERS void gptl_core_set_rank(int rank);
/* Other processes have the same ranks and the same names of files: this one's get its number. */
GPTL_FOR_SISTERS void gptl_core_share_names(void);

/* TELL gives the names of functions, with blanks between, that are called and not measured. */
GPTL_FOR_SISTERS void gptl_core_set_unwrapped(const char *(*tell)(void));
const char *gptl_core_unwrapped(void); /* NULL if there are none */

/*
 * Starts the region LITERAL of KIND, which is GPTL_KIND_MPI or later. The literal's library is never
 * unloaded. Returns its node, for gptl_core_add, if it is to be stopped by gptl_core_end;
 * NULL if nothing was started, as nothing is measured here or now.
 */
GPTL_FOR_SISTERS void *gptl_core_begin(const char *literal, enum gptl_kind kind);
GPTL_FOR_SISTERS void gptl_core_end(const char *literal, enum gptl_kind kind);

/*
 * What calls moved, in bytes. A report shows it as MORE says, whose slots are these and, last, the
 * calls of nodes that anything was added to; and what lies below a node is added to its own.
 */
#define GPTL_AMOUNT_UNIT "bytes" /* by which reports know them */
enum gptl_amount { GPTL_SENT, GPTL_RECEIVED, GPTL_NAMOUNTS };
struct gptl_metrics;
GPTL_FOR_SISTERS void gptl_core_set_amounts(const struct gptl_metrics *more); /* which must stay */
/* By the thread that began the node's call. An amount of 0 makes place for what comes later. */
GPTL_FOR_SISTERS void gptl_core_add(void *node, enum gptl_amount what, int64_t bytes);
/* By any thread, later, once that has been done. */
GPTL_FOR_SISTERS void gptl_core_add_later(void *node, enum gptl_amount what, int64_t bytes);
/*
 * GPTLfinalize calls FORGET, with the core's lock held, before the nodes of its measurement go: nothing may be added
 * to them any more. There is one.
 */
GPTL_FOR_SISTERS void gptl_core_set_forget(void (*forget)(void));

/*
 * Ledgers: sums that are no node's, by a name and a number. What the numbers and sums are, src/report
 * knows (ledger.c there). By the calling thread, if it measures.
 */
enum gptl_ledger { GPTL_LEDGER_PEERS, GPTL_LEDGER_SIZES, GPTL_LEDGER_FILES, GPTL_NLEDGERS };
enum { GPTL_LEDGER_VALUES = 6 };
#define GPTL_LEDGER_REST INT64_MIN /* number and name of what there was no memory for */
#define GPTL_LEDGER_REST_NAME "(other)"
/* A name is known by its address, and must stay; NULL: none. */
GPTL_FOR_SISTERS void gptl_core_account(enum gptl_ledger ledger, const char *name, int64_t number,
                                        const int64_t *values);

/*
 * The node of the innermost region that is open on this thread, or NULL. Names stay for as long as the
 * process, nodes until GPTLfinalize. libgptl_io calls these if libgptl is in the process: they take no
 * lock and no memory, and may be called in a signal handler.
 */
GPTL_FOR_SISTERS const void *gptl_core_here(void);
GPTL_FOR_SISTERS const void *gptl_core_node_parent(const void *node); /* NULL: the first one */
GPTL_FOR_SISTERS const char *gptl_core_node_name(const void *node);
GPTL_FOR_SISTERS enum gptl_kind gptl_core_node_kind(const void *node);
/* Which measurement this thread's nodes are of: each GPTLfinalize ends one. */
GPTL_FOR_SISTERS uint32_t gptl_core_measurement(void);

/*
 * FOLLOWER is called when a thread starts or stops a region, by that thread, with the node of the one
 * that was innermost until then, or NULL; of a short region that is throttled, perhaps not; or with
 * GPTL_FOLLOWED_WORK, when the library itself worked until then (gptl_core_work_begin). It takes no lock of the core
 * and starts no region. There is one; NULL: none.
 */
typedef void gptl_follower(const void *node);
#define GPTL_FOLLOWED_WORK ((const void *)1)
GPTL_FOR_SISTERS void gptl_core_follow(gptl_follower *follower);

/* ---- Functions that compilers' hooks name by their addresses -------------------------------- */

/*
 * Says where the function at ADDRESS lies. If it says nothing, the address itself is the offset in
 * a module without a path. Called without the core's lock and with signals held, by a thread that is
 * inside the library.
 */
enum { GPTL_BUILD_ID_SIZE = 2 * 64 + 1 };
struct gptl_place {
    const char *path;                  /* stays as long as the module does */
    char build_id[GPTL_BUILD_ID_SIZE]; /* hexadecimal digits, or "" */
    uint64_t offset;
    bool stays;    /* gptl_core_forget_functions will be called before ADDRESS can mean another */
    bool left_out; /* by a filter */
};
typedef void gptl_finder(const void *address, struct gptl_place *place);
void gptl_core_set_finder(gptl_finder *finder);

/* What was at these addresses is not there any more. */
void gptl_core_forget_functions(uintptr_t begin, uintptr_t end);

/* ---- The library's own cost ---------------------------------------------------------------- */

/*
 * Work of the library whose time is charged to no region of the thread: reports, agreements of ranks,
 * notes of calls. From begin to end, which may lie within others; both do nothing in a thread that has no
 * tree, or is interrupted inside the library. They cost two clock readings and a store per open region.
 */
struct gptl_work {
    uint64_t begin, moved;
    const struct gptl_clock *clock; /* NULL: nothing is measured */
    uint32_t epoch;
};
GPTL_FOR_SISTERS void gptl_core_work_begin(struct gptl_work *work);
GPTL_FOR_SISTERS void gptl_core_work_end(const struct gptl_work *work);

/* Seconds for one start and stop of a region, on the real functions. */
struct gptl_overhead {
    double self;   /* the part that a region's own time contains */
    double parent; /* the part that its parent's time contains besides */
    double self_spread,
        parent_spread; /* 90 % of the measurements are this near, by their quartiles */
};
int gptl_core_overhead(struct gptl_overhead *out);

/* ---- The process --------------------------------------------------------------------------- */

struct gptl_process {
    long pid;
    const char *program; /* path of the program, "unknown" if the system does not tell */
    double started;      /* seconds since 1970 when the measurement began */
    double elapsed;      /* seconds since then */
    size_t memory;       /* bytes that the library uses: names and all threads */
    size_t names_memory;
    size_t budget;
    uint32_t nregions;
    uint64_t errors, warnings;
    bool on, explicitly; /* explicitly: by GPTLinitialize */
    bool reported;       /* a report was asked for, or the automatic one was written */
    int rank;            /* as a launcher or MPI said, or -1 */
    bool shares_names;   /* of files with others: a child of a fork, or spawned by MPI */
};
GPTL_FOR_SISTERS void gptl_core_process(struct gptl_process *out);

/* Whether any thread measured anything. */
bool gptl_core_has_measured(void);
/* A report that the user asked for was written: none comes by itself any more. */
void gptl_core_reported(void);
/*
 * Whether the automatic report is still due. A program that calls GPTLinitialize prints its own reports,
 * so it has an automatic one only if the option output requests it.
 */
bool gptl_core_report_is_due(void);

/* Everything that salvage keeps is reported: a kill loses nothing from now on. */
void gptl_core_salvage_done(void);

#endif
