/*
 * prices.h - what each kind of access and instruction costs on a machine, in seconds, from its profile.
 *
 * Levels are the caches from 0 on, and memory behind them. A block of the program is priced in
 * convolve.c; doc/prediction.md tells the model.
 */
#ifndef GPTL_POSTPROC_PREDICT_PRICES_H
#define GPTL_POSTPROC_PREDICT_PRICES_H

#include <stdbool.h>
#include <stddef.h>

#include "postproc/machine/machine.h"

enum {
    PRICES_LEVELS = 16,  /* at most, with memory */
    PRICES_WIDTHS = 4,   /* bytes of an access that may have curves of their own */
    PRICES_STRIDES = 4,  /* 1, 2, 4, 8 lines */
    PRICES_POINTS = 512, /* of a curve of random accesses */
};

/* Time by the bytes of an access; between those known it is linear. */
struct prices_by_width {
    double bytes[PRICES_WIDTHS];
    double seconds[PRICES_WIDTHS][PRICES_LEVELS];
    size_t n;
};

/* Accesses to lines in any order: as a curve, and where a level serves all. */
struct prices_scattered {
    const struct machine_curve *curve; /* NULL: the profile has none */
    double seconds[PRICES_LEVELS];
};

struct prices {
    const struct machine *machine;
    enum machine_pages pages;
    unsigned cores;
    size_t nlevels;
    double line_bytes;
    double cache_bytes[PRICES_LEVELS]; /* what a core has of it; memory has no end */
    struct prices_by_width sequential[MACHINE_NOPERATIONS];
    double strided[MACHINE_NOPERATIONS][PRICES_STRIDES][PRICES_LEVELS];
    struct prices_scattered random[MACHINE_NOPERATIONS], dependent;
    double float_seconds;       /* an add, multiply or fused instruction of any lanes */
    double float_latency;       /* of one that waits for the one before it */
    double divide_seconds[2];   /* a scalar instruction, one of vectors */
    double instruction_seconds; /* 0: not known */
};

/* Returns 0, or -1 after a message that WHO begins: the profile lacks what no prediction can do without. */
int prices_make(struct prices *prices, const char *who, const struct machine *machine,
                enum machine_pages pages, unsigned cores);

/* An access of BYTES in order, if LEVEL serves all lines. */
double prices_sequential(const struct prices *prices, enum machine_operation operation,
                         double bytes, size_t level);

/* The time of the accesses to lines that are STRIDE lines apart. */
double prices_strided(const struct prices *prices, enum machine_operation operation,
                      double stride_lines, size_t level);

/* The mean of scattered accesses of which SHARE[level] are served by each level; they sum up to 1. */
double prices_scattered(const struct prices *prices, const struct prices_scattered *of,
                        const double *share);

#endif
