/*
 * convolve.h - what a block of a program costs on a machine: its accesses and instructions, times what
 * each costs there.
 */
#ifndef GPTL_POSTPROC_PREDICT_CONVOLVE_H
#define GPTL_POSTPROC_PREDICT_CONVOLVE_H

#include "postproc/predict/prices.h"

/* How an instruction goes from one address to the next. */
enum use_class {
    USE_NEAR,    /* within a line of where it was */
    USE_STRIDED, /* farther, but by a step that it has made before */
    USE_RANDOM,
    USE_NCLASSES
};

/* What a block asks for, of a machine whose caches were simulated; numbers of all executions. */
struct use {
    double accesses[MACHINE_LOAD_STORE][USE_NCLASSES][PRICES_LEVELS]; /* loads, stores */
    double conflicts
        [MACHINE_LOAD_STORE]; /* those whose lines and others of their set drive each other out … */
    double conflict_lines[MACHINE_LOAD_STORE]; /* … which are so many */
    double splits[MACHINE_LOAD_STORE];         /* those that go over two lines */
    double dependent[PRICES_LEVELS];           /* loads whose address an execution before loaded */
    double bytes[MACHINE_LOAD_STORE];          /* of an access, on average */
    double working_set, scattered_set;         /* of all accesses; of random and dependent ones */
    double stride_lines;                       /* of a strided one */
    double in_turn;                /* near loads whose instruction was elsewhere before */
    double floats;                 /* instructions: adds, multiplies, fused ones */
    double divides[2];             /* instructions: of a number, of vectors */
    double instructions, integers; /* all; those that write an integer register */
    double core;                   /* seconds of a core that waits for no line; 0: not known */
    double waits[PRICES_LEVELS];   /* for lines, by where they are */
    double executions, runs;       /* of executions that follow each other; 0: not known */
    double new_pages;              /* that the system is asked for */
};

/* Seconds. */
struct cost {
    double first, lines, scattered; /* of memory: accesses in the first cache; lines; others */
    double memory;                  /* these, as they overlap */
    double arithmetic, issue;
    double core; /* what a core takes for instructions as they wait for each other, and for lines */
    double pages; /* that the kernel has to find and to clear */
    double total; /* as memory, these, and what is beside them overlap, and pages after that */
};

/* All blocks of a function in a region, which run in turn. */
struct beside {
    /* Lines that loads in order bring from memory, and what else moves on meanwhile. */
    double lines, others;
    /* Of what runs within a window of other blocks: what each part takes, and the overlap of these, block by block. */
    double first, arithmetic, core, apart;
};

/* Adds a block. */
void convolve_beside(const struct prices *prices, const struct use *use, struct beside *sum);

/* BESIDE: all that the block runs in turn with. */
struct cost convolve(const struct prices *prices, const struct use *use,
                     const struct beside *beside);

#endif
