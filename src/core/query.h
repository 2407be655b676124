/* query.h - what the rest of the core asks. */
#ifndef GPTL_CORE_QUERY_H
#define GPTL_CORE_QUERY_H

#include <stdbool.h>

#include "core/names.h"

/* Whether any thread has this region in this measurement. With the lock held. */
bool gptl_query_is_known(const struct gptl_region *region);

#endif
