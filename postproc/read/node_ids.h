/*
 * node_ids.h - a 32-bit number for each node of a JSON report, by node id. Ids are usually dense
 * but may be arbitrary, so pages are allocated on first use.
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

/* Return the number of ID, 0 if never set. */
uint32_t node_ids_get(const struct node_ids *ids, uint32_t id);
/* Set the number of ID. Returns false if out of memory. */
bool node_ids_set(struct node_ids *ids, uint32_t id, uint32_t value);
void node_ids_free(struct node_ids *ids);

#endif
