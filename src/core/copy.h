/* copy.h - one node's numbers, while its owner may be changing them. */
#ifndef GPTL_CORE_COPY_H
#define GPTL_CORE_COPY_H

#include "core/thread.h"

/*
 * Fills all but name, parent and extra of OUT as the node stands once pending orders are executed.
 * With the lock held.
 */
void gptl_copy_node(const struct gptl_thread *t, struct gptl_node *node, double seconds_per_tick,
                    struct gptl_node_copy *out);

/* Whether anything was ever started or given under this node. */
bool gptl_copy_is_region(const struct gptl_thread *t, const struct gptl_node *node);

#endif
