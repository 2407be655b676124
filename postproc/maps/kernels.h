/*
 * kernels.h - loops that access memory in one way each. Compilers can leave out no access, put none
 * together, and wait for none that the next one does not need.
 */
#ifndef GPTL_POSTPROC_MAPS_KERNELS_H
#define GPTL_POSTPROC_MAPS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "postproc/machine/machine.h"

/* UNIT: accesses in a round of a kernel whose accesses are in no order. */
enum { KERNEL_LINE = 64, KERNEL_PAGE = 4096, KERNEL_CHAINS = 8, KERNEL_UNIT = 16 };

/*
 * Random accesses go to PLACES, counted in doubles (of 32 GiB at most), from a base that moves on over a part of the
 * set, one in ROOM.
 */
enum { KERNEL_PLACES = 1024, KERNEL_ROOM = 16 };

/* What a kernel goes over. */
struct walk {
    char *from;
    size_t bytes;
    size_t stride; /* bytes from one access to the next, of MACHINE_STRIDE, _CONFLICT and _SPLIT */
    size_t apart;  /* bytes from where to load to where to store, or to load as well: of halves */
    size_t n;      /* times that it goes over all; in no order: units of accesses */
    uint64_t random;            /* where random numbers are */
    const uint32_t *places;     /* of random accesses … */
    size_t place, room;         /* … the next one, and the lines that their base moves over */
    void *links[KERNEL_CHAINS]; /* of dependent accesses: where it is */
};

typedef void (*kernel)(struct walk *walk);

/* The bytes that the widest vectors of this processor have, of those that there are kernels for. */
unsigned kernel_widest(void);

/* NULL where there is no such kernel. Dependent loads are of pointers, one chain. */
kernel kernel_of(const struct machine_kind *kind);

/*
 * MACHINE_BESIDE: each load in order has KERNEL_BESIDE others, which go on in order up to KERNEL_BEHIND bytes
 * before it. That is memory as well. Lines come from both halves in turn, as they come from several arrays in
 * programs: with one stream a core takes 2.7 or 4.6 ns, as what ran before has taught it, with two always 4.1.
 */
enum { KERNEL_BESIDE = 5, KERNEL_BEHIND = 11 << 10 };

/* Makes KERNEL_PLACES places of WALK's memory, which are to stay as long as it does. */
void kernel_make_places(struct walk *walk, uint32_t *places);

/* Loads along all chains in turn: random loads that need no addresses to be made. */
void kernel_chains(struct walk *walk);

#endif
