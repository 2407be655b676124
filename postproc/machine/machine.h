/*
 * machine.h - the profile of a machine, machine.json: access rates by pattern and working set,
 * caches, arithmetic and network. doc/machine.schema.json describes the file.
 */
#ifndef GPTL_POSTPROC_MACHINE_MACHINE_H
#define GPTL_POSTPROC_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/out.h"

enum machine_operation {
    MACHINE_LOAD,
    MACHINE_STORE,
    MACHINE_LOAD_STORE, /* a load and a store of the same element, counted as two accesses */
    /* loads from one half of the working set, stores to the other; each counts */
    MACHINE_COPY,
    MACHINE_NOPERATIONS
};
enum machine_access {
    MACHINE_SEQUENTIAL, /* consecutive elements */
    MACHINE_STRIDE,     /* one element in each line, or in each 2nd, 4th … line */
    MACHINE_RANDOM,     /* lines in random order; the next address does not depend on the load */
    MACHINE_DEPENDENT,  /* lines in random order; each load contains the next address: latency */
    MACHINE_CONFLICT,   /* one element in each 4 KiB: all map to the same set of the first cache */
    MACHINE_SPLIT,      /* elements that cross the end of each line, sequentially */
    /* sequential in both halves, next to five such streams in the first cache */
    MACHINE_BESIDE,
    MACHINE_NACCESSES
};
enum machine_width { MACHINE_SCALAR, MACHINE_VECTOR, MACHINE_NWIDTHS };
enum machine_pages { MACHINE_SMALL, MACHINE_HUGE, MACHINE_NPAGES };
enum machine_arithmetic {
    MACHINE_ADD,
    MACHINE_MULTIPLY,
    MACHINE_MULTIPLY_ADD,
    MACHINE_DIVIDE,
    MACHINE_SQRT,
    MACHINE_NARITHMETIC
};
enum machine_precision { MACHINE_DOUBLE, MACHINE_SINGLE, MACHINE_NPRECISIONS };
enum machine_source { MACHINE_KERNEL, MACHINE_MEASURED, MACHINE_EDITED, MACHINE_NSOURCES };

/* Names in the file. */
extern const char *const machine_operations[MACHINE_NOPERATIONS];
extern const char *const machine_accesses[MACHINE_NACCESSES];
extern const char *const machine_widths[MACHINE_NWIDTHS];
extern const char *const machine_pages_names[MACHINE_NPAGES];
extern const char *const machine_arithmetics[MACHINE_NARITHMETIC];
extern const char *const machine_precisions[MACHINE_NPRECISIONS];
extern const char *const machine_sources[MACHINE_NSOURCES];

struct machine_cache {
    unsigned level;
    uint64_t bytes;
    unsigned line_bytes;
    unsigned associativity; /* 0: unknown */
    unsigned shared_by_cores;
    enum machine_source source;
};

/* Properties of a curve. */
struct machine_kind {
    enum machine_operation operation;
    enum machine_access access;
    enum machine_width width;
    enum machine_pages pages;
    unsigned stride_lines; /* of MACHINE_STRIDE; otherwise 0 */
    unsigned access_bytes;
    unsigned cores; /* concurrently active cores, each with separate memory */
};

struct machine_point {
    uint64_t working_set_bytes; /* per core */
    double accesses_per_second; /* per core */
    double spread;              /* (median - minimum) / minimum of the times of the repetitions */
};

/* At least one point; sorted by working set. */
struct machine_curve {
    struct machine_kind kind;
    struct machine_point *points;
    size_t npoints;
};

struct machine_unit {
    enum machine_arithmetic operation;
    enum machine_width width;
    enum machine_precision precision;
    unsigned lanes;
    double flops_per_second; /* per core; a multiply_add counts twice */
    double latency_seconds;  /* 0: unknown */
};

struct machine_message {
    uint64_t bytes;
    /* Seconds; 0 if unknown, except for the first one. doc/machine.schema.json describes each. */
#define PART(name, kind) double name;
#include "postproc/machine/message.def"
#undef PART
};

struct machine_network {
    double latency_seconds;
    double bytes_per_second;
    uint64_t eager_bytes; /* eager limit: larger messages use rendezvous; valid if knows_eager */
    bool knows_eager;
    struct machine_message *messages;
    size_t nmessages;
    unsigned missing; /* sizes of which not all was measured, as time was over */
};

struct machine_core { /* seconds; 0: unknown */
#define TIME(name) double name;
#include "postproc/machine/core.def"
#undef TIME
};

/* Circumstances of the measurement; all 0: unknown. */
struct machine_measurement {
    double seconds;
    unsigned points;         /* sum over all curves */
    unsigned skipped_points; /* omitted because of the deadline or a signal */
    bool reduced;            /* short of time: fewer points and samples than planned */
    bool interrupted;        /* ended by a signal */
};

struct machine {
    char *name;
    char *made_from; /* the machine that was edited to make this one, or NULL */
    char **edits;
    size_t nedits;
    char *host, *date, *processor;
    unsigned cores;
    unsigned line_bytes;
    struct machine_cache *caches; /* from the first level on */
    size_t ncaches;
    struct machine_curve *curves;
    size_t ncurves;
    struct machine_unit *units;
    size_t nunits;
    double instructions_per_second; /* 0: unknown */
    struct machine_core core;
    /*
     * Instructions that a core can issue while one waits for memory, i.e. the sizes of reorder
     * buffer, integer and vector register files, and store buffer; 0: unknown.
     */
    double window_instructions, window_integers, window_vectors, window_stores;
    /* Size of the vector units' scheduler in instructions; 0: unknown. */
    double waiting_vectors;
    /* first touch of new memory, by page size; 0: unknown */
    double new_bytes_per_second[MACHINE_NPAGES];
    struct machine_network *network; /* NULL: unknown */
    struct machine_measurement measurement;
};

/* Read PATH. Returns 0, or -1 after a message prefixed with WHO; always free the machine. */
int machine_read(struct machine *machine, const char *who, const char *path);
void machine_write(const struct machine *machine, struct gptl_out *out);
void machine_free(struct machine *machine);

/*
 * Scale the times of MESSAGE to a network that takes SCALE times as long, except for the ranks' own
 * work.
 */
void machine_scale_message(struct machine_message *message, double scale);

/* ---- Rates --------------------------------------------------------------------------------- */

/*
 * Return accesses per second of a core over WORKING_SET bytes: between the points of a curve, the
 * time of an access is linear in the logarithm of the working set; outside, it is constant.
 */
double machine_curve_at(const struct machine_curve *curve, double working_set);

/*
 * Return the curve most similar to KIND. The priority is access, operation, pages, width, bytes of
 * an access, stride, cores. NULL if the profile lacks curves.
 */
const struct machine_curve *machine_curve_like(const struct machine *machine,
                                               const struct machine_kind *kind);

/*
 * Return accesses per second of a core, interpolated between curves: the time of an access is
 * linear in the logarithm of the stride, and in the number of cores. 0 if the profile lacks curves.
 */
double machine_rate(const struct machine *machine, const struct machine_kind *kind,
                    double working_set);

/*
 * Return the range *LEAST to *MOST of working sets that LEVEL serves, from 0 (the first cache) to
 * ncaches (memory), with CORES active; *MOST is infinite for memory.
 */
void machine_level_span(const struct machine *machine, size_t level, unsigned cores, double *least,
                        double *most);

/*
 * Return the rate at which LEVEL serves nearly all accesses: the median of a curve's points in the
 * middle of the level.
 */
double machine_level_rate(const struct machine *machine, const struct machine_kind *kind,
                          size_t level);

/* Return the arithmetic unit, or NULL. */
const struct machine_unit *machine_unit_of(const struct machine *machine,
                                           enum machine_arithmetic operation,
                                           enum machine_width width,
                                           enum machine_precision precision);

#endif
