/*
 * convolve.h - the cost of a block on a machine: its accesses and instructions times their prices.
 */
#ifndef GPTL_POSTPROC_PREDICT_CONVOLVE_H
#define GPTL_POSTPROC_PREDICT_CONVOLVE_H

#include "postproc/predict/prices.h"

/* Address patterns of an instruction. */
enum use_class {
    USE_NEAR,    /* within a line of the previous address */
    USE_STRIDED, /* farther, but by a repeated stride */
    USE_RANDOM,
    USE_NCLASSES
};

/* Demand of a block on a machine with simulated caches; sums over all executions. */
struct use {
    /* by operation (load, store), class and level */
    double accesses[MACHINE_LOAD_STORE][USE_NCLASSES][PRICES_LEVELS];
    double conflicts[MACHINE_LOAD_STORE];      /* accesses in conflict with lines of their set */
    double conflict_lines[MACHINE_LOAD_STORE]; /* number of these lines per access */
    double splits[MACHINE_LOAD_STORE];         /* accesses that cross a line boundary */
    /* loads whose address the previous execution loaded */
    double dependent[PRICES_LEVELS];
    double bytes[MACHINE_LOAD_STORE]; /* mean size of an access */
    /* bytes touched by all accesses; by random and dependent ones */
    double working_set, scattered_set;
    double stride_lines;           /* mean stride in lines */
    double in_turn;                /* near loads of instructions that alternate between places */
    double floats;                 /* add, multiply and fused instructions */
    double divides[2];             /* instructions: scalar, vector */
    double instructions, integers; /* all; instructions that write an integer register */
    double core;                   /* seconds of a core without waits for lines; 0: unknown */
    double waits[PRICES_LEVELS];   /* waits for lines, by level */
    double executions, runs;       /* runs: sequences of consecutive executions; 0: unknown */
    double new_pages;              /* page faults of first touches */
};

/* Cost in seconds. */
struct cost {
    /* memory: accesses in the first cache; lines; scattered accesses */
    double first, lines, scattered;
    double memory; /* overlapped sum of these */
    double arithmetic, issue;
    double core;  /* instructions with their dependences, and waits for lines */
    double pages; /* page faults and clearing of new pages by the kernel */
    double total; /* overlapped memory, instructions and interleaved blocks, plus pages */
};

/* Sums over all blocks of a function in a region, which execute interleaved. */
struct beside {
    /* Lines that sequential loads fetch from memory, and other streams at the same time. */
    double lines, others;
    /*
     * Times of the instructions that overlap with other blocks in the reorder buffer, and the sum
     * of their overlapped times by block.
     */
    double first, arithmetic, core, apart;
};

/* Add a block to SUM. */
void convolve_beside(const struct prices *prices, const struct use *use, struct beside *sum);

/* Return the cost of a block. BESIDE sums up all blocks that it is interleaved with. */
struct cost convolve(const struct prices *prices, const struct use *use,
                     const struct beside *beside);

#endif
