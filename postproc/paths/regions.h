/*
 * regions.h - matches regions between profiles.
 *
 * The identity of a region is its kind and name. The identity of a function is its place, i.e.
 * module and offset, if all profiles have the same build of that module. Otherwise it is the name
 * and, if the sources of all functions of that name are known, the last component of the source
 * file; functions of one profile that are still equal are numbered in the order of their places. So
 * two static functions of one name stay separate, and a function is matched between two builds of a
 * program. If different regions share a name, the displayed name has a suffix: the source or place
 * of a function, the kind of a library call: "init [solver.c]", "MPI_Barrier [mpi]".
 */
#ifndef GPTL_POSTPROC_REGIONS_H
#define GPTL_POSTPROC_REGIONS_H

#include "report/report.h"

struct region {
    const char *name;
    const struct gptl_function *function; /* of the first profile that has it, or NULL */
    uint32_t kind;                        /* enum gptl_kind */
};

/* List of generated names, absent from the profiles. */
struct made_name {
    struct made_name *next;
    char text[];
};

struct regions {
    uint32_t nregions;
    struct region *region; /* from 1 to nregions */
    uint32_t **of;         /* by profile and region number of its nodes: the region */
    int nprofiles;
    struct made_name *names; /* owned by the caller after a transfer; released with free() */
};

/* Match the regions. Returns 0, or -1 if out of memory; always free the result. */
int regions_make(struct regions *regions, const struct gptl_profile *const *profiles,
                 int nprofiles);
void regions_free(struct regions *regions);

#endif
