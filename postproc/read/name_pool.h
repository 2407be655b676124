/* name_pool.h - the regions of a profile that is read: each name once, with its number. */
#ifndef GPTL_POSTPROC_NAME_POOL_H
#define GPTL_POSTPROC_NAME_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/report.h"

struct pool_name {
    const char *text;
    uint32_t hash, region, kind;
};

struct name_pool {
    struct gptl_profile memory; /* nothing but the memory of the names */
    struct pool_name *names;
    uint32_t nnames, room;
    uint32_t *slots; /* of names, plus one */
    uint32_t mask;
    uint32_t nfunctions; /* have the first numbers */
    uint32_t nothers;
};

/*
 * The name TEXT of a region of KIND (enum gptl_kind), or of the function FUNCTION. NULL when there is no memory;
 * free it also then.
 */
const char *name_pool_add(struct name_pool *pool, const char *text, size_t length,
                          uint32_t function, uint32_t kind, uint32_t *region);
enum { NO_FUNCTION = UINT32_MAX };

/*
 * A pool with the names and regions of these copies only, to which they then refer. False when
 * there is no memory, and then POOL and COPIES are as they were.
 */
bool name_pool_shrink(struct name_pool *pool, struct gptl_copy *copies, int ncopies);

void name_pool_free(struct name_pool *pool);

/*
 * Puts the bytes back that stand as \xNN in the names of reports. Returns the length, or -1 when
 * a NUL would be among them.
 */
long name_decode(char *text, size_t length);

#endif
