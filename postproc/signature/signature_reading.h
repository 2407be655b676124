/* signature_reading.h - between the files that read signatures. */
#ifndef GPTL_POSTPROC_SIGNATURE_READING_H
#define GPTL_POSTPROC_SIGNATURE_READING_H

#include "postproc/read/json_read.h"
#include "postproc/signature/signature.h"

enum { SIGNATURE_COLUMNS = 256 }; /* at most */

/* The arrays grow; their rooms, and what has been seen. */
struct signature_reading {
    struct json *json;
    struct signature *s;
    size_t regions, functions, blocks, strides, found, cores, command, notes; /* rooms, in items */
    bool has_format, has_version, has_machines, has_ends, has_regions, has_functions, has_columns,
        has_blocks;
    unsigned char column[SIGNATURE_COLUMNS]; /* what each is */
    unsigned ncolumns;
};

void signature_no_memory(struct signature_reading *r);

/* ARRAY with room for MORE items behind N. NULL after a message, ARRAY is as it was. */
void *signature_grow(struct signature_reading *r, void *array, size_t *room, size_t n, size_t more,
                     size_t size);

/* A list that may be there once only. */
void signature_begin_list(struct signature_reading *r, bool *has, const char *name);

void signature_read_columns(struct signature_reading *r);
void signature_read_blocks(struct signature_reading *r);

#endif
