/* query.h - queries of the rest of the core. */
#ifndef GPTL_CORE_QUERY_H
#define GPTL_CORE_QUERY_H

#include <stdbool.h>

#include "core/names.h"

struct gptl_thread;

/*
 * Return the region NAME of thread T, or of any thread if T is NULL; of several kinds, the first
 * one. Return NULL if it does not exist. Requires the lock.
 */
struct gptl_region *gptl_query_find(struct gptl_name name, const struct gptl_thread *t);

#endif
