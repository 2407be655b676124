/* query.h - what the rest of the core asks. */
#ifndef GPTL_CORE_QUERY_H
#define GPTL_CORE_QUERY_H

#include <stdbool.h>

#include "core/names.h"

struct gptl_thread;

/*
 * The region NAME of thread T, or of any thread if T is NULL; of several kinds, the first one. NULL if
 * there is none. With the lock held.
 */
struct gptl_region *gptl_query_find(struct gptl_name name, const struct gptl_thread *t);

#endif
