/*
 * regions.h - which regions of several profiles are the same one.
 *
 * A region is known by its kind and name. A function is known by its place, module and offset,
 * where all profiles have the same build of that module. Otherwise it is known by its name and,
 * where all functions of that name have a source, by the last part of that file's name; those of
 * one profile that are still alike are counted in the order of their places. So two static
 * functions of one name stay two, and a function is the same one in two builds of a program. Where
 * regions that are not the same have one name, functions are shown with their source or their
 * place behind it, calls of libraries with their kind: "init [solver.c]", "MPI_Barrier [mpi]".
 */
#ifndef GPTL_POSTPROC_REGIONS_H
#define GPTL_POSTPROC_REGIONS_H

#include "report/report.h"

struct region {
    const char *name;
    const struct gptl_function *function; /* of the first profile that has it, or NULL */
    uint32_t kind;                        /* enum gptl_kind */
};

/* Names that are in no profile, in a list. */
struct made_name {
    struct made_name *next;
    char text[];
};

struct regions {
    uint32_t nregions;
    struct region *region; /* from 1 to nregions */
    uint32_t **of;         /* of each profile and the numbers that its nodes have: the region */
    int nprofiles;
    struct made_name *names; /* to be freed with free() by whom they are passed on to */
};

/* Returns 0, or -1 when there is no memory; free it also then. */
int regions_make(struct regions *regions, const struct gptl_profile *const *profiles,
                 int nprofiles);
void regions_free(struct regions *regions);

#endif
