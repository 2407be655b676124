/* neighbors.h - lines that came with their neighbors: processors bring lines from memory in pairs. */
#ifndef GPTL_MEMSIG_NEIGHBORS_H
#define GPTL_MEMSIG_NEIGHBORS_H

#include "memsig.h"

/* What an access to ADDRESS waits for that a processor did not foresee, which so many caches are MISSING, as a site has both. */
ULong memsig_waits(Addr address, ULong missing);

#endif
