/*
 * prices.h - prices of accesses and instructions on a machine in seconds, from its profile.
 *
 * Levels are the caches from 0 on, followed by memory. convolve.c computes the cost of a block;
 * doc/prediction.md describes the model.
 */
#ifndef GPTL_POSTPROC_PREDICT_PRICES_H
#define GPTL_POSTPROC_PREDICT_PRICES_H

#include <stdbool.h>
#include <stddef.h>

#include "postproc/machine/machine.h"

enum {
    PRICES_LEVELS = 16, /* maximum, including memory */
    PRICES_WIDTHS = 4,  /* access widths with separate curves */
    PRICES_STRIDES = 4, /* 1, 2, 4, 8 lines */
    PRICES_OCTAVES = 32,
    PRICES_STEPS = 16, /* per octave */
};

/* Seconds per access by working set, from 4 KiB in equal steps of its logarithm. */
struct prices_curve {
    bool known; /* false: the profile lacks it */
    double seconds[PRICES_OCTAVES * PRICES_STEPS];
};

/* Sequential accesses; the time is interpolated linearly between the known widths. */
struct prices_by_width {
    double bytes[PRICES_WIDTHS];
    struct prices_curve curves[PRICES_WIDTHS];
    size_t n;
};

/* Scattered accesses to lines: a curve, and the time if one level serves all. */
struct prices_scattered {
    bool in_turn; /* cyclic: the loop returns to a line after visiting all others */
    struct prices_curve curve;
    double levels[PRICES_LEVELS];
};

struct prices {
    const struct machine *machine;
    enum machine_pages pages;
    unsigned cores;
    size_t nlevels;
    double line_bytes;
    double cache_bytes[PRICES_LEVELS]; /* a core's share; infinite for memory */
    struct prices_by_width sequential[MACHINE_NOPERATIONS];
    struct prices_curve strided[MACHINE_NOPERATIONS][PRICES_STRIDES];
    struct prices_scattered random[MACHINE_NOPERATIONS], dependent;
    struct prices_curve conflict[MACHINE_LOAD_STORE]; /* lines in one set of the first cache */
    double split_seconds[MACHINE_LOAD_STORE]; /* additional time of an access that crosses lines */
    /*
     * Seconds per line of sequential loads next to five other streams: in the first cache, from
     * memory; 0: unknown.
     */
    double beside_first, beside_memory;
    double float_seconds;       /* add, multiply or fused instruction of any width */
    double divide_seconds[2];   /* scalar, vector instruction */
    double instruction_seconds; /* 0: unknown */
    /*
     * Instructions that a core can issue while one waits for memory: all, integer, stores; 0:
     * unknown.
     */
    double window, window_integers, window_stores;
    double page_seconds; /* first touch of a page of SIGNATURE_PAGE_BYTES; 0: unknown */
};

/*
 * Return the prices, which the caller frees and which borrow MACHINE, or NULL after a message
 * prefixed with WHO: out of memory, or the profile lacks indispensable data.
 */
struct prices *prices_make(const char *who, const struct machine *machine, enum machine_pages pages,
                           unsigned cores);

/*
 * Return the last of several caches, or memory: the first level from which a core's line fill
 * buffers limit the transfers.
 */
static inline size_t prices_far_level(const struct prices *prices)
{
    return prices->nlevels > 2 ? prices->nlevels - 2 : prices->nlevels - 1;
}

/*
 * Return the working set to look up for accesses served by LEVEL in a block that touches
 * WORKING_SET bytes: WORKING_SET if LEVEL would serve it alone, the lower end of the level if
 * WORKING_SET is smaller, otherwise the middle of the level.
 */
double prices_place(const struct prices *prices, size_t level, double working_set);

/* Return the price of a sequential access of BYTES. */
double prices_sequential(const struct prices *prices, enum machine_operation operation,
                         double bytes, double working_set);

/*
 * Return the price of a line fetched from LEVEL by sequential accesses: from caches at the rate of
 * the fastest accesses, from memory at the rate of accesses of BYTES, because the number of
 * outstanding lines depends on the number of accesses per line. For copies, the price covers two
 * lines: one loaded and one stored.
 */
double prices_line(const struct prices *prices, enum machine_operation operation, size_t level,
                   double bytes, double working_set);

/*
 * Return the additional time of a line from memory, fetched by loads of BYTES, if the hardware
 * prefetcher must track BESIDE other lines per line.
 */
double prices_beside(const struct prices *prices, double beside, double bytes, double working_set);

/* Return the price of an access STRIDE lines from the previous one. */
double prices_strided(const struct prices *prices, enum machine_operation operation,
                      double stride_lines, double working_set);

/*
 * Return the price of a store to a line evicted from the first cache by LINES others of its set, or
 * of a load of one of LINES that are accessed cyclically in a set, where that curve is known.
 */
double prices_conflict(const struct prices *prices, enum machine_operation operation, double lines);

/*
 * Return the mean price of scattered accesses; SHARE[level] is the fraction served by each level,
 * with sum 1. They touch SCATTERED_SET bytes, all accesses of the block touch WORKING_SET. *FAR
 * gets the part of the last cache and memory.
 */
double prices_scattered(const struct prices *prices, const struct prices_scattered *of,
                        const double *share, double scattered_set, double working_set, double *far);

/*
 * Return how often INSTRUCTIONS, of which INTEGERS write an integer register, fill the reorder
 * buffer or the registers while an instruction waits; 0 if the profile lacks the data.
 */
double prices_windows(const struct prices *prices, double instructions, double integers);

/*
 * Return how often STORES fill the store buffer, which holds a store until all earlier stores have
 * their lines.
 */
double prices_windows_of_stores(const struct prices *prices, double stores);

/*
 * Return the latency of a random access over SCATTERED_SET bytes from LEVEL; 0 if the profile lacks
 * it.
 */
double prices_latency(const struct prices *prices, size_t level, double scattered_set);

/*
 * Return the additional wait for a line of LEVEL, compared with the first cache, in a block with
 * working set WORKING_SET and scattered working set SCATTERED_SET: looked up at the latter if LEVEL
 * would serve it alone, otherwise at the former, otherwise the minimum of the level.
 */
double prices_wait(const struct prices *prices, size_t level, double scattered_set,
                   double working_set);

#endif
