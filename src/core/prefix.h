/* prefix.h - prefixes added to names at their start. */
#ifndef GPTL_CORE_PREFIX_H
#define GPTL_CORE_PREFIX_H

#include "core/thread.h"

/*
 * Prepend the thread's prefix to NAME, and return its length in *LENGTH. Return false without
 * memory.
 */
bool gptl_prefix_add(struct gptl_thread *t, struct gptl_name *name, uint32_t *length);

#endif
