/* neighbors.h - models adjacent-line prefetching: processors load lines from memory in pairs. */
#ifndef GPTL_MEMSIG_NEIGHBORS_H
#define GPTL_MEMSIG_NEIGHBORS_H

#include "memsig.h"

/*
 * Return the waits of an access to ADDRESS that was not prefetched. MISSING: levels that lack its
 * line. Both use the format of struct site.
 */
ULong memsig_waits(Addr address, ULong missing);

#endif
