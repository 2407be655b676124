/*
 * kept.h - what is to be remembered between calls: requests that wait, operations that go on, and how
 * many collective calls a file has had.
 */
#ifndef GPTL_IOSTACK_LAYERS_KEPT_H
#define GPTL_IOSTACK_LAYERS_KEPT_H

#include <stdbool.h>
#include <stdint.h>

enum gptl_kept_kind {
    GPTL_KEPT_REQUEST,     /* of PnetCDF: owner ncid, number of the request */
    GPTL_KEPT_OPERATION,   /* of PVFS: owner 0, number of the operation */
    GPTL_KEPT_COLLECTIVES, /* of a file: owner the layer, what knows the file */
    GPTL_KEPT_KINDS
};

struct gptl_kept_key {
    enum gptl_kept_kind kind;
    uint64_t owner, number;
};

struct gptl_kept {
    int64_t read, written; /* bytes; of a count, written is the count */
    uint64_t id[2];        /* of a count, the opening of the file */
    const void *response;
};

/* Adds to what is there of KEY, or begins with VALUE. Without memory it is forgotten. */
void gptl_kept_add(struct gptl_kept_key key, const struct gptl_kept *value);
/* Removes it; false if it is not there. */
bool gptl_kept_take(struct gptl_kept_key key, struct gptl_kept *value);
/* Takes those of a kind and owner, all or those that TAKES. */
void gptl_kept_take_all(enum gptl_kept_kind kind, uint64_t owner,
                        bool (*takes)(void *to, const struct gptl_kept *value), void *to);

/* A file is opened anew, within a span: as MPI-IO below has told, if it was opened there. */
void gptl_kept_opened(int layer, uint64_t file);
/* Which opening it is; 0: not known. */
uint64_t gptl_kept_opening(int layer, uint64_t file);
/* The number of a collective call on it, of the OPENING; the first is 1, or 2 where opening it was one. */
uint64_t gptl_kept_collective(int layer, uint64_t file, uint64_t *opening);

#endif
