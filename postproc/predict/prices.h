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
    PRICES_LEVELS = 16, /* at most, with memory */
    PRICES_WIDTHS = 4,  /* bytes of an access that may have curves of their own */
    PRICES_STRIDES = 4, /* 1, 2, 4, 8 lines */
    PRICES_OCTAVES = 32,
    PRICES_STEPS = 16, /* of an octave */
};

/* Seconds of an access by working set, from 4 KiB on in even steps of its logarithm. */
struct prices_curve {
    bool known; /* otherwise the profile has none */
    double seconds[PRICES_OCTAVES * PRICES_STEPS];
};

/* Accesses in order; between the widths that are known their time is linear. */
struct prices_by_width {
    double bytes[PRICES_WIDTHS];
    struct prices_curve curves[PRICES_WIDTHS];
    size_t n;
};

/* Accesses to lines in any order: as a curve, and where a level serves all. */
struct prices_scattered {
    bool in_turn; /* the curve's loop comes back to a line when it has been at all others */
    struct prices_curve curve;
    double levels[PRICES_LEVELS];
};

struct prices {
    const struct machine *machine;
    enum machine_pages pages;
    unsigned cores;
    size_t nlevels;
    double line_bytes;
    double cache_bytes[PRICES_LEVELS]; /* what a core has of it; memory has no end */
    struct prices_by_width sequential[MACHINE_NOPERATIONS];
    struct prices_curve strided[MACHINE_NOPERATIONS][PRICES_STRIDES];
    struct prices_scattered random[MACHINE_NOPERATIONS], dependent;
    struct prices_curve conflict[MACHINE_LOAD_STORE]; /* that the first cache has in one set */
    double
        split_seconds[MACHINE_LOAD_STORE]; /* what an access to two lines takes more than to one */
    /* Of a line of loads in order beside five other streams: in the first cache, from memory; 0: not known. */
    double beside_first, beside_memory;
    double float_seconds;       /* an add, multiply or fused instruction of any lanes */
    double divide_seconds[2];   /* a scalar instruction, one of vectors */
    double instruction_seconds; /* 0: not known */
    /* Begun while one waits for memory: instructions, those of whole numbers, stores; 0: not known. */
    double window, window_integers, window_stores;
    double
        page_seconds; /* of a page of memory that is got anew, SIGNATURE_PAGE_BYTES of it; 0: not known */
};

/*
 * Returns the prices, to be freed, or NULL after a message that WHO begins: there is no memory, or
 * the profile lacks what no prediction can do without. MACHINE must stay.
 */
struct prices *prices_make(const char *who, const struct machine *machine, enum machine_pages pages,
                           unsigned cores);

/*
 * The last one of several caches, or memory: for lines from there and from beyond a core has only so many places to keep
 * what is on its way.
 */
static inline size_t prices_far_level(const struct prices *prices)
{
    return prices->nlevels > 2 ? prices->nlevels - 2 : prices->nlevels - 1;
}

/*
 * The working set to look up for accesses that LEVEL serves, of a block that goes over WORKING_SET
 * bytes: WORKING_SET if LEVEL would serve it alone, the beginning of the level if WORKING_SET is smaller,
 * or else the middle of the level.
 */
double prices_place(const struct prices *prices, size_t level, double working_set);

/* An access of BYTES in order. */
double prices_sequential(const struct prices *prices, enum machine_operation operation,
                         double bytes, double working_set);

/*
 * A line that is brought from LEVEL by accesses in order: from caches at the rate of those that are
 * fastest at that, from memory of those of BYTES. How many lines are on their long way from there
 * depends on how many accesses there are to each. Of copies, two lines: one that is loaded and another one
 * that is stored to.
 */
double prices_line(const struct prices *prices, enum machine_operation operation, size_t level,
                   double bytes, double working_set);

/*
 * What a line from memory, by loads of BYTES, takes longer where there are BESIDE other lines to each that what
 * foresees lines has to follow as well.
 */
double prices_beside(const struct prices *prices, double beside, double bytes, double working_set);

/* An access STRIDE lines from the one before. */
double prices_strided(const struct prices *prices, enum machine_operation operation,
                      double stride_lines, double working_set);

/*
 * A store to a line that the first cache lost to LINES others of its set, or a load of one of LINES that come to a set
 * one after the other, where that curve is known.
 */
double prices_conflict(const struct prices *prices, enum machine_operation operation, double lines);

/*
 * The mean of scattered accesses of which SHARE[level] are served by each level; they sum up to 1. They
 * go over SCATTERED_SET bytes, all accesses of the block over WORKING_SET. *FAR: what of it the last
 * cache and memory take.
 */
double prices_scattered(const struct prices *prices, const struct prices_scattered *of,
                        const double *share, double scattered_set, double working_set, double *far);

/*
 * How often a core can begin no more INSTRUCTIONS, of which INTEGERS write an integer register, while one waits that it
 * began before; 0 where the profile does not tell.
 */
double prices_windows(const struct prices *prices, double instructions, double integers);

/* The same of STORES, which a core keeps until those before them have their lines. */
double prices_windows_of_stores(const struct prices *prices, double stores);

/* What an access to a random place over SCATTERED_SET bytes waits for LEVEL; 0 where the profile does not tell. */
double prices_latency(const struct prices *prices, size_t level, double scattered_set);

/*
 * What a core waits for a line of LEVEL longer than for one that the first cache has, of a block that goes over
 * WORKING_SET bytes and SCATTERED_SET in no order: the latter, if LEVEL would serve it alone, or else the former, or
 * else as little as LEVEL may take.
 */
double prices_wait(const struct prices *prices, size_t level, double scattered_set,
                   double working_set);

#endif
