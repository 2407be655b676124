/*
 * kept.h - data kept until a later call completes the operation: pending requests and asynchronous
 * operations.
 */
#ifndef GPTL_IOSTACK_LAYERS_KEPT_H
#define GPTL_IOSTACK_LAYERS_KEPT_H

#include <stdbool.h>
#include <stdint.h>

enum gptl_kept_kind {
    GPTL_KEPT_REQUEST,   /* PnetCDF: owner is the file, number the request */
    GPTL_KEPT_OPERATION, /* PVFS: owner is 0, number the operation */
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

/*
 * Add VALUE to the entry of KEY, creating it if necessary. When out of memory, the data is dropped.
 */
void gptl_kept_add(struct gptl_kept_key key, const struct gptl_kept *value);
/* Remove the entry; false if it does not exist. */
bool gptl_kept_take(struct gptl_kept_key key, struct gptl_kept *value);
/* Remove the entries of a kind and owner: all of them, or those accepted by TAKES. */
void gptl_kept_take_all(enum gptl_kept_kind kind, uint64_t owner,
                        bool (*takes)(void *to, const struct gptl_kept *value), void *to);

#endif
