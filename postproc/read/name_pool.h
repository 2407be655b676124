/* name_pool.h - the regions of a profile during reading: each name once, with its region number. */
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
    struct gptl_profile memory; /* used only for the memory of the names */
    struct pool_name *names;
    uint32_t nnames, room;
    uint32_t *slots; /* index of a name plus one */
    uint32_t mask;
    uint32_t nfunctions; /* functions have the first region numbers */
    uint32_t nothers;
};

/*
 * Return the stored name TEXT of a region of KIND (enum gptl_kind), or of function FUNCTION. NULL
 * if out of memory; always free the pool.
 */
const char *name_pool_add(struct name_pool *pool, const char *text, size_t length,
                          uint32_t function, uint32_t kind, uint32_t *region);
enum { NO_FUNCTION = UINT32_MAX };

/*
 * Replace the pool by one with only the names and regions of these copies, and update the copies.
 * Returns false if out of memory; POOL and COPIES are unchanged then.
 */
bool name_pool_shrink(struct name_pool *pool, struct gptl_copy *copies, int ncopies);

void name_pool_free(struct name_pool *pool);

/* Decode \xNN in a name of a report. Returns the length, or -1 if it would contain a NUL. */
long name_decode(char *text, size_t length);

#endif
