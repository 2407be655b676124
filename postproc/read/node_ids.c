/* node_ids.c - paged array of numbers by node id. */
#include "config.h"

#include "postproc/read/node_ids.h"

#include <stdlib.h>
#include <string.h>

uint32_t node_ids_get(const struct node_ids *ids, uint32_t id)
{
    uint32_t page = id / NODE_IDS_PAGE;
    return page < ids->npages && ids->pages[page] ? ids->pages[page][id % NODE_IDS_PAGE] : 0;
}

static bool add_pages(struct node_ids *ids, uint32_t page)
{
    uint32_t n = ids->npages < page / 2 ? page + 1 : 2 * page + 2;
    uint32_t **pages = realloc(ids->pages, n * sizeof *pages);
    if (!pages)
        return false;
    memset(pages + ids->npages, 0, (n - ids->npages) * sizeof *pages);
    ids->pages = pages;
    ids->npages = n;
    return true;
}

bool node_ids_set(struct node_ids *ids, uint32_t id, uint32_t value)
{
    uint32_t page = id / NODE_IDS_PAGE;
    if (page >= ids->npages && !add_pages(ids, page))
        return false;
    if (!ids->pages[page])
        ids->pages[page] = calloc(NODE_IDS_PAGE, sizeof **ids->pages);
    if (!ids->pages[page])
        return false;
    ids->pages[page][id % NODE_IDS_PAGE] = value;
    return true;
}

void node_ids_free(struct node_ids *ids)
{
    for (uint32_t i = 0; i < ids->npages; i++)
        free(ids->pages[i]);
    free(ids->pages);
    *ids = (struct node_ids){0};
}
