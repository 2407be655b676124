/*
 * kept.h - what is to be remembered until another call ends it: requests that wait, operations that go on.
 */
#ifndef GPTL_IOSTACK_LAYERS_KEPT_H
#define GPTL_IOSTACK_LAYERS_KEPT_H

#include <stdbool.h>
#include <stdint.h>

enum gptl_kept_kind {
    GPTL_KEPT_REQUEST,   /* of PnetCDF: owner the file, number of the request */
    GPTL_KEPT_OPERATION, /* of PVFS: owner 0, number of the operation */
    GPTL_KEPT_KINDS
};

struct gptl_kept_key {
    enum gptl_kept_kind kind;
    uint64_t owner, number;
};

struct gptl_kept {
    int64_t read, written; /* bytes */
    uint64_t id[2];
    const void *response;
};

/* Adds to what is there of KEY, or begins with VALUE. Without memory it is forgotten. */
void gptl_kept_add(struct gptl_kept_key key, const struct gptl_kept *value);
/* Removes it; false if it is not there. */
bool gptl_kept_take(struct gptl_kept_key key, struct gptl_kept *value);
/* Takes those of a kind and owner, all or those that TAKES. */
void gptl_kept_take_all(enum gptl_kept_kind kind, uint64_t owner,
                        bool (*takes)(void *to, const struct gptl_kept *value), void *to);

#endif
