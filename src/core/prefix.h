/* prefix.h - names that get a prefix when they are started. */
#ifndef GPTL_CORE_PREFIX_H
#define GPTL_CORE_PREFIX_H

#include "core/thread.h"

/* Puts the thread's prefix before NAME, and its length into *LENGTH. False: no memory. */
bool gptl_prefix_add(struct gptl_thread *t, struct gptl_name *name, uint32_t *length);

#endif
