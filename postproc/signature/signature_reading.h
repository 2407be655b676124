/* signature_reading.h - interface between the files that read signatures. */
#ifndef GPTL_POSTPROC_SIGNATURE_READING_H
#define GPTL_POSTPROC_SIGNATURE_READING_H

#include "postproc/read/json_read.h"
#include "postproc/signature/signature.h"

enum { SIGNATURE_COLUMNS = 256 }; /* maximum */

/* State of the reader: capacities of the growing arrays, and the members seen. */
struct signature_reading {
    struct json *json;
    struct signature *s;
    /* capacities in items */
    size_t regions, functions, blocks, strides, found, cores, command, notes;
    bool has_format, has_version, has_machines, has_ends, has_regions, has_functions, has_columns,
        has_blocks;
    unsigned char column[SIGNATURE_COLUMNS]; /* meaning of each column */
    unsigned ncolumns;
};

void signature_no_memory(struct signature_reading *r);

/*
 * Return ARRAY with space for MORE items after N. Returns NULL after a message; ARRAY is unchanged
 * then.
 */
void *signature_grow(struct signature_reading *r, void *array, size_t *room, size_t n, size_t more,
                     size_t size);

/* Begin a list that may appear only once. */
void signature_begin_list(struct signature_reading *r, bool *has, const char *name);

void signature_read_columns(struct signature_reading *r);
void signature_read_blocks(struct signature_reading *r);

#endif
