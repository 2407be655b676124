/* host.h - what the kernel says of this machine, as far as it lets this process use it. */
#ifndef GPTL_POSTPROC_MAPS_HOST_H
#define GPTL_POSTPROC_MAPS_HOST_H

#include <stdint.h>

#include "postproc/machine/machine.h"

struct host {
    int *processors; /* that this process may use: one for each core, all of one kind */
    unsigned ncores;
    unsigned nothers;      /* cores of another kind, which are left out */
    uint64_t memory_bytes; /* that may be taken without harm: a tenth of the free memory */
};

/* Also fills the names, the cores and the caches of MACHINE. Free both in any case. */
void host_look(struct host *host, struct machine *machine);
void host_free(struct host *host);

#endif
