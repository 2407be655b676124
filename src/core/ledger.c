/* ledger.c - rows of keyed counters of a thread, and their copies. */
#include "config.h"

#include "core/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/thread.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

enum { FIRST_ROOM = 32 };

/* ---- Rows ---------------------------------------------------------------------------------- */

static uint32_t hash_of(uint32_t ledger, uintptr_t key, int64_t number)
{
    uint64_t hash = ((uint64_t)key ^ (uint64_t)number * 0x9e3779b97f4a7c15u) + ledger;
    hash *= 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 32);
}

/* Return the row with this key, or the free row for it. */
static struct gptl_ledger_row *find(struct gptl_ledger_table *table, uint32_t ledger, uintptr_t key,
                                    int64_t number)
{
    uint32_t i = hash_of(ledger, key, number);
    for (;; i++) {
        struct gptl_ledger_row *row = &table->rows[i & (table->room - 1)];
        uint32_t there = load(&row->ledger);
        if (there == 0 || (there == ledger && row->key == key && row->number == number))
            return row;
    }
}

static struct gptl_ledger_table *new_table(uint32_t room)
{
    size_t size = sizeof(struct gptl_ledger_table) + room * sizeof(struct gptl_ledger_row);
    struct gptl_ledger_table *table = gptl_mem_allows(size, 16) ? gptl_mem_kept_pages(size) : NULL;
    if (table) {
        table->room = room;
        table->size = size;
        for (uint32_t i = 0; i < GPTL_NLEDGERS; i++) {
            table->rest[i].number = GPTL_LEDGER_REST;
            store(&table->rest[i].ledger, i + 1);
        }
    }
    return table;
}

/* Replace the thread's table by a larger one, and return it; return the old one without memory. */
static struct gptl_ledger_table *grow(struct gptl_thread *t)
{
    struct gptl_ledger_table *old = t->ledger;
    struct gptl_ledger_table *table = new_table(old ? 2 * old->room : FIRST_ROOM);
    if (!table)
        return old;
    if (old) {
        memcpy(table->rest, old->rest, sizeof table->rest);
        for (uint32_t i = 0; i < old->room; i++) {
            const struct gptl_ledger_row *row = &old->rows[i];
            if (load(&row->ledger))
                memcpy(find(table, load(&row->ledger), row->key, row->number), row, sizeof *row);
        }
        table->used = old->used;
    }
    gptl_lock(); /* other threads read it */
    t->ledger = table;
    if (old)
        gptl_mem_free(old, old->size);
    gptl_unlock();
    return table;
}

static const char *keep_name(struct gptl_thread *t, const char *name, size_t size)
{
    char *kept = size <= UINT32_MAX ? gptl_arena_alloc(&t->extras, size, 1) : NULL;
    if (kept)
        memcpy(kept, name, size);
    return kept;
}

static struct gptl_ledger_row *make_row(struct gptl_thread *t, enum gptl_ledger ledger,
                                        const char *name, int64_t number)
{
    struct gptl_ledger_table *table = t->ledger;
    if (!table || 2 * table->used >= table->room)
        table = grow(t);
    if (!table)
        return NULL;
    size_t size = name ? strlen(name) + 1 : 0;
    const char *kept = name ? keep_name(t, name, size) : NULL;
    if (2 * table->used >= table->room || (name && !kept))
        return &table->rest[ledger];
    struct gptl_ledger_row *row = find(table, ledger + 1, (uintptr_t)name, number);
    row->key = (uintptr_t)name;
    row->name = kept;
    row->size = (uint32_t)size;
    row->number = number;
    table->used++;
    atomic_store_explicit(&row->ledger, ledger + 1, memory_order_release);
    return row;
}

/* Return a new row; NULL without any memory. */
static __attribute__((cold, noinline)) struct gptl_ledger_row *new_row(struct gptl_thread *t,
                                                                       enum gptl_ledger ledger,
                                                                       const char *name,
                                                                       int64_t number)
{
    sigset_t before = gptl_core_hold_signals();
    struct gptl_ledger_row *row = make_row(t, ledger, name, number);
    gptl_core_release_signals(before);
    return row;
}

void gptl_core_account(enum gptl_ledger ledger, const char *name, int64_t number,
                       const int64_t *values)
{
    struct gptl_thread *t = gptl_thread_own();
    if (!t || t->epoch != load(&gptl_g.epoch) || !gptl_is_on())
        return;
    struct gptl_ledger_row *row =
        t->ledger ? find(t->ledger, ledger + 1, (uintptr_t)name, number) : NULL;
    if (!row || load(&row->ledger) == 0)
        row = new_row(t, ledger, name, number);
    for (int i = 0; row && i < GPTL_LEDGER_VALUES; i++)
        store(&row->values[i], (int64_t)((uint64_t)load(&row->values[i]) + (uint64_t)values[i]));
}

void gptl_ledger_reset(struct gptl_thread *t)
{
    struct gptl_ledger_table *table = t->ledger;
    for (uint32_t i = 0; table && i < GPTL_NLEDGERS + table->room; i++) {
        struct gptl_ledger_row *row =
            i < GPTL_NLEDGERS ? &table->rest[i] : &table->rows[i - GPTL_NLEDGERS];
        for (int k = 0; k < GPTL_LEDGER_VALUES; k++)
            store(&row->values[k], 0);
    }
}

void gptl_ledger_free(struct gptl_thread *t)
{
    if (t->ledger)
        gptl_mem_free(t->ledger, t->ledger->size);
    t->ledger = NULL;
}

/* ---- Copies -------------------------------------------------------------------------------- */

int gptl_accounts_add(struct gptl_accounts *to, const struct gptl_ledger_row *row, const char *name)
{
    struct gptl_account account = {.ledger = (enum gptl_ledger)(load(&row->ledger) - 1),
                                   .rank = -1,
                                   .nranks = 1,
                                   .number = row->number};
    bool any = false;
    for (int i = 0; i < GPTL_LEDGER_VALUES; i++) {
        account.values[i] = load(&row->values[i]);
        any |= account.values[i] != 0;
    }
    if (!any || (unsigned)account.ledger >= GPTL_NLEDGERS)
        return 0;
    if ((to->n & (to->n - 1)) == 0) { /* the capacity is a power of two */
        struct gptl_account *more = realloc(to->account, (to->n ? 2 * to->n : 1) * sizeof *more);
        if (!more)
            return -1;
        to->account = more;
    }
    account.name = strdup(name ? name : "");
    if (!account.name)
        return -1;
    to->account[to->n++] = account;
    return 0;
}

int gptl_account_compare(const struct gptl_account *a, const struct gptl_account *b)
{
    if (a->ledger != b->ledger)
        return a->ledger > b->ledger ? 1 : -1;
    if (a->rank != b->rank)
        return a->rank > b->rank ? 1 : -1;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

static int compare(const void *a, const void *b)
{
    return gptl_account_compare(a, b);
}

/*
 * Return the sum of unsigned 64-bit values. The maximum is one less than UINT64_MAX; reports print
 * it with a ">".
 */
static uint64_t sum(uint64_t a, uint64_t b)
{
    uint64_t all;
    return __builtin_add_overflow(a, b, &all) || all == UINT64_MAX ? UINT64_MAX - 1 : all;
}

void gptl_account_join(struct gptl_account *to, const struct gptl_account *more)
{
    for (int i = 0; i < GPTL_LEDGER_VALUES; i++)
        to->values[i] = (int64_t)sum((uint64_t)to->values[i], (uint64_t)more->values[i]);
}

void gptl_core_accounts_join(struct gptl_accounts *accounts)
{
    size_t n = 0;
    if (accounts->n > 1)
        qsort(accounts->account, accounts->n, sizeof *accounts->account, compare);
    for (size_t i = 0; i < accounts->n; i++) {
        struct gptl_account *account = &accounts->account[i];
        if (n > 0 && gptl_account_compare(&accounts->account[n - 1], account) == 0) {
            gptl_account_join(&accounts->account[n - 1], account);
            free((char *)(uintptr_t)account->name);
        } else {
            accounts->account[n++] = *account;
        }
    }
    accounts->n = n;
}

static int copy_table(struct gptl_accounts *to, const struct gptl_ledger_table *table)
{
    int result = 0;
    for (uint32_t i = 0; result == 0 && i < GPTL_NLEDGERS; i++)
        result = gptl_accounts_add(to, &table->rest[i], GPTL_LEDGER_REST_NAME);
    for (uint32_t i = 0; result == 0 && i < table->room; i++) {
        const struct gptl_ledger_row *row = &table->rows[i];
        if (atomic_load_explicit(&row->ledger, memory_order_acquire))
            result = gptl_accounts_add(to, row, row->name);
    }
    return result;
}

int gptl_core_copy_accounts(struct gptl_accounts *out)
{
    int result = 0;
    *out = (struct gptl_accounts){0};
    gptl_lock();
    for (uint32_t slot = 0; result == 0 && slot < gptl_g.nthreads; slot++) {
        const struct gptl_thread *t = gptl_g.threads[slot];
        if (t && t->epoch == load(&gptl_g.epoch) && t->ledger && !t->orders.reset)
            result = copy_table(out, t->ledger);
    }
    gptl_unlock();
    if (result)
        gptl_core_accounts_free(out);
    else
        gptl_core_accounts_join(out);
    return result;
}

void gptl_core_accounts_free(struct gptl_accounts *accounts)
{
    for (size_t i = 0; i < accounts->n; i++)
        free((char *)(uintptr_t)accounts->account[i].name);
    free(accounts->account);
    *accounts = (struct gptl_accounts){0};
}
