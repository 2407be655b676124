/* copy.h - a copy of one node's numbers, while its owner may be changing them. */
#ifndef GPTL_CORE_COPY_H
#define GPTL_CORE_COPY_H

#include "core/thread.h"

/*
 * Fill OUT, except for name, parent and extra, with the node's numbers after pending requests.
 * Requires the lock.
 */
void gptl_copy_node(const struct gptl_thread *t, struct gptl_node *node, double seconds_per_tick,
                    struct gptl_node_copy *out);

/* Return whether any region was ever started or any time given under this node. */
bool gptl_copy_is_region(const struct gptl_thread *t, const struct gptl_node *node);

#endif
