/*
 * node_ids.h - a number of 32 bits for each node of a JSON report, by the node's id. Ids are dense as
 * a rule, but any may come: they lie in pages that are there when one of theirs was set.
 */
#ifndef GPTL_POSTPROC_NODE_IDS_H
#define GPTL_POSTPROC_NODE_IDS_H

#include <stdbool.h>
#include <stdint.h>

enum { NODE_IDS_PAGE = 1024 };

struct node_ids {
    uint32_t **pages;
    uint32_t npages;
};

/* 0: it was never set. */
uint32_t node_ids_get(const struct node_ids *ids, uint32_t id);
/* False when there is no memory. */
bool node_ids_set(struct node_ids *ids, uint32_t id, uint32_t value);
void node_ids_free(struct node_ids *ids);

#endif
