/*
 * kernels.h - loops with one memory access pattern each. Compilers cannot omit, merge or serialize
 * the accesses.
 */
#ifndef GPTL_POSTPROC_MAPS_KERNELS_H
#define GPTL_POSTPROC_MAPS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "postproc/machine/machine.h"

/* UNIT: accesses per round of a random kernel. */
enum { KERNEL_LINE = 64, KERNEL_PAGE = 4096, KERNEL_CHAINS = 8, KERNEL_UNIT = 16 };

/*
 * Random accesses go to PLACES, counted in doubles (32 GiB at most), from a base that moves over
 * one ROOM-th of the working set.
 */
enum { KERNEL_PLACES = 1024, KERNEL_ROOM = 16 };

/* State of a kernel. */
struct walk {
    char *from;
    size_t bytes;
    size_t stride;          /* bytes between accesses of MACHINE_STRIDE, _CONFLICT and _SPLIT */
    size_t apart;           /* bytes between load and store, or between two loads in halves */
    size_t n;               /* number of sweeps; for random kernels, number of units */
    uint64_t random;        /* state of the random number generator */
    const uint32_t *places; /* table of random accesses */
    /* Index of the next access in PLACES; number of lines that the base of PLACES varies over. */
    size_t place, room;
    void *links[KERNEL_CHAINS]; /* dependent accesses: current positions */
};

typedef void (*kernel)(struct walk *walk);

/* Return the width in bytes of the widest supported vectors that kernels exist for. */
unsigned kernel_widest(void);

/* Return the kernel of KIND, or NULL. Dependent loads follow pointers in one chain. */
kernel kernel_of(const struct machine_kind *kind);

/*
 * MACHINE_BESIDE: each sequential load has KERNEL_BESIDE others, which proceed up to KERNEL_BEHIND
 * bytes before it, also in the arena. Lines alternate between both halves, as between several
 * arrays in programs: with one stream a core takes 2.7 or 4.6 ns per line, depending on the
 * training of its prefetcher, with two always 4.1.
 */
enum { KERNEL_BESIDE = 5, KERNEL_BEHIND = 11 << 10 };

/* Make KERNEL_PLACES places in WALK's memory; PLACES must live as long as WALK. */
void kernel_make_places(struct walk *walk, uint32_t *places);

/* Load along all chains in turn: random loads without address computation. */
void kernel_chains(struct walk *walk);

#endif
