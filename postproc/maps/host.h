/* host.h - the kernel's description of the machine available to this process. */
#ifndef GPTL_POSTPROC_MAPS_HOST_H
#define GPTL_POSTPROC_MAPS_HOST_H

#include <stdint.h>

#include "postproc/machine/machine.h"

struct host {
    int *processors; /* usable processors: one per core, all of one kind */
    unsigned ncores;
    unsigned nothers;      /* omitted cores of another kind */
    uint64_t memory_bytes; /* memory that is safe to use: a tenth of the free memory */
};

/* Fill in HOST and the names, cores and caches of MACHINE. Always free both. */
void host_look(struct host *host, struct machine *machine);
void host_free(struct host *host);

#endif
