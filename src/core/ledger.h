/*
 * ledger.h - sums that are no node's, by a name and a number: what other libraries keep of a process
 * besides its tree, such as the bytes that went to each peer. Each thread has rows of its own, which
 * nobody else writes, and they lie where a kill does not lose them.
 */
#ifndef GPTL_CORE_LEDGER_H
#define GPTL_CORE_LEDGER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "core/measured.h"

struct gptl_ledger_row {
    _Atomic uint32_t ledger; /* enum gptl_ledger and one; 0: the row is free */
    uint32_t size;           /* of the name, with its NUL; 0: none */
    int64_t number;
    uintptr_t key;    /* the name's address where it was given */
    const char *name; /* a copy, or NULL */
    _Atomic int64_t values[GPTL_LEDGER_VALUES];
};

/* Rows are found by a hash. At most half of them are taken. */
struct gptl_ledger_table {
    uint32_t room, used;
    size_t size;                                /* of this memory */
    struct gptl_ledger_row rest[GPTL_NLEDGERS]; /* of rows that there was no memory for */
    struct gptl_ledger_row rows[];
};

struct gptl_thread;

/* With the lock held, or by the owner: all sums are 0 again, and the thread's memory goes. */
void gptl_ledger_reset(struct gptl_thread *t);
void gptl_ledger_free(struct gptl_thread *t);

/* Adds a row to a copy, unless all its sums are 0. Returns 0, or -1 without memory. */
int gptl_accounts_add(struct gptl_accounts *to, const struct gptl_ledger_row *row,
                      const char *name);

#endif
