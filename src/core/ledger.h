/*
 * ledger.h - keyed counters: sums by a name and a number that other libraries keep for a process
 * next to its tree, such as the bytes sent to each peer. Each thread has separate rows, which only
 * it writes, and which survive a kill.
 */
#ifndef GPTL_CORE_LEDGER_H
#define GPTL_CORE_LEDGER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "core/measured.h"

struct gptl_ledger_row {
    _Atomic uint32_t ledger; /* enum gptl_ledger plus 1; 0: the row is free */
    uint32_t size;           /* bytes of the name with NUL; 0: no name */
    int64_t number;
    uintptr_t key;    /* address of the name given by the caller */
    const char *name; /* copy of the name, or NULL */
    _Atomic int64_t values[GPTL_LEDGER_VALUES];
};

/* A hash table of rows, at most half full. */
struct gptl_ledger_table {
    uint32_t room, used;
    size_t size;                                /* bytes of this mapping */
    struct gptl_ledger_row rest[GPTL_NLEDGERS]; /* sums of keys for which memory was lacking */
    struct gptl_ledger_row rows[];
};

struct gptl_thread;

/* Reset all sums to 0; free the thread's memory. Requires the lock, or called by the owner. */
void gptl_ledger_reset(struct gptl_thread *t);
void gptl_ledger_free(struct gptl_thread *t);

/* Append a row to a copy, unless all its sums are 0. Return 0, or -1 without memory. */
int gptl_accounts_add(struct gptl_accounts *to, const struct gptl_ledger_row *row,
                      const char *name);

#endif
