/*
 * machine.h - the profile of a machine, machine.json: how many accesses it makes in a second, by their
 * pattern and the memory that they go over, its caches, its arithmetic and its network.
 * doc/machine.schema.json describes the file.
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
    MACHINE_LOAD_STORE, /* of the same element, which are two accesses */
    MACHINE_COPY,       /* as many from one half of the working set to the other */
    MACHINE_NOPERATIONS
};
enum machine_access {
    MACHINE_SEQUENTIAL, /* one element after the other */
    MACHINE_STRIDE,     /* one element in each line, or in each 2nd, 4th … line */
    MACHINE_RANDOM,     /* lines in any order; the next is known before this one is there */
    MACHINE_DEPENDENT,  /* the same, but the next stands in this one: latency */
    MACHINE_CONFLICT,   /* one element in each 4 KiB: all are in the same set of the first cache */
    MACHINE_SPLIT,      /* one element over the end of each line, one after the other */
    MACHINE_BESIDE,     /* sequential in both halves, beside five such streams in the first cache */
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

/* What they are called in the file. */
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
    unsigned associativity; /* 0: not known */
    unsigned shared_by_cores;
    enum machine_source source;
};

/* What a curve is of. */
struct machine_kind {
    enum machine_operation operation;
    enum machine_access access;
    enum machine_width width;
    enum machine_pages pages;
    unsigned stride_lines; /* of MACHINE_STRIDE; 0 of others */
    unsigned access_bytes;
    unsigned cores; /* at work at the same time, each in memory of its own */
};

struct machine_point {
    uint64_t working_set_bytes; /* of a core */
    double accesses_per_second; /* of a core */
    double spread;              /* (median - least) / least of the times of the repeats */
};

/* At least one point; from small to large working sets. */
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
    double flops_per_second; /* of a core; a multiply_add is two of them */
    double latency_seconds;  /* 0: not known */
};

struct machine_message {
    uint64_t bytes;
    /* What is not known, but for the first one, is 0; doc/machine.schema.json says what each is. */
#define PART(name, kind) double name;
#include "postproc/machine/message.def"
#undef PART
};

struct machine_network {
    double latency_seconds;
    double bytes_per_second;
    uint64_t eager_bytes; /* larger messages wait for their receiver; valid if knows_eager */
    bool knows_eager;
    struct machine_message *messages;
    size_t nmessages;
};

struct machine_core { /* 0: not known */
#define TIME(name) double name;
#include "postproc/machine/core.def"
#undef TIME
};

/* How a profile was measured; all 0: not known. */
struct machine_measurement {
    double seconds;
    unsigned points;         /* of all curves */
    unsigned skipped_points; /* left out because time was short, or a signal came */
    bool reduced;            /* time was short: fewer points and samples than planned */
    bool interrupted;        /* by a signal */
};

struct machine {
    char *name;
    char *made_from; /* the machine that this one was made from by edits, or NULL */
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
    double instructions_per_second; /* 0: not known */
    struct machine_core core;
    /* Begun while one waits for memory: instructions, those of whole numbers, those of vectors, stores; 0: not known. */
    double window_instructions, window_integers, window_vectors, window_stores;
    /* Instructions that wait for a vector unit while others begin; 0: not known. */
    double waiting_vectors;
    double new_bytes_per_second[MACHINE_NPAGES]; /* of memory that is got anew; 0: not known */
    struct machine_network *network;             /* NULL: not known */
    struct machine_measurement measurement;
};

/* Reads PATH. Returns 0, or -1 after a message that WHO begins. Free it in both cases. */
int machine_read(struct machine *machine, const char *who, const char *path);
void machine_write(const struct machine *machine, struct gptl_out *out);
void machine_free(struct machine *machine);

/* MESSAGE on a network on which it takes SCALE times as long, with what ranks do themselves as it is. */
void machine_scale_message(struct machine_message *message, double scale);

/* ---- Rates --------------------------------------------------------------------------------- */

/*
 * Accesses in a second of a core over WORKING_SET bytes: between the points of a curve, the time of an
 * access is linear in the logarithm of the working set; beyond them it is that of the last one.
 */
double machine_curve_at(const struct machine_curve *curve, double working_set);

/*
 * The curve that is most like KIND: of the same access before all, then operation, pages, width,
 * bytes of an access, stride and cores. NULL if the profile has no curve.
 */
const struct machine_curve *machine_curve_like(const struct machine *machine,
                                               const struct machine_kind *kind);

/*
 * The same for strides and numbers of cores between those that have curves: the time of an access is
 * linear in the logarithm of the stride, and in the number of cores. 0 if the profile has no curve.
 */
double machine_rate(const struct machine *machine, const struct machine_kind *kind,
                    double working_set);

/*
 * The working sets from *LEAST to *MOST whose accesses LEVEL serves, from 0 (the first cache) to ncaches
 * (memory), when CORES are at work; *MOST is infinite for memory.
 */
void machine_level_span(const struct machine *machine, size_t level, unsigned cores, double *least,
                        double *most);

/* The rate where LEVEL serves nearly all accesses: the median of a curve's points in the middle. */
double machine_level_rate(const struct machine *machine, const struct machine_kind *kind,
                          size_t level);

/* The unit that does this, or NULL. */
const struct machine_unit *machine_unit_of(const struct machine *machine,
                                           enum machine_arithmetic operation,
                                           enum machine_width width,
                                           enum machine_precision precision);

#endif
