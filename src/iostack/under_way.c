/*
 * under_way.c - the MPI-IO operations in progress in this process. A thread that works for an
 * operation without being inside an MPI-IO call (a thread of MPI, or one that waits) finds the
 * operation by its file here.
 *
 * The table has a few places, allocated and released by atomic operations. A place of the first
 * half stays with the thread that allocated it for a call, which publishes its next call there by
 * plain stores: calls are sequential, and an atomic operation would wait for all earlier stores.
 * Operations without a place are counted: while there are any, no operation can be proven to be the
 * only one on its file.
 */
#include "config.h"

#include "iostack/state.h"

enum { NPLACES = 128, MOST_KEPT = 64, NO_PLACE = NPLACES + 1 };
enum { FREE, TAKEN, SHOWN, NSTATES = 4 }; /* state of a place: its version modulo NSTATES */

static struct place {
    _Alignas(64) atomic_uint version;
    uint64_t file;
    struct gptl_iostack_operation operation;
} places[NPLACES];
static atomic_uint end; /* end of the places ever used */
static atomic_uint without_place;

/* Allocate a place from FIRST on. */
static unsigned take(unsigned first)
{
    for (unsigned i = first; i < NPLACES; i++) {
        unsigned version = atomic_load_explicit(&places[i].version, memory_order_relaxed);
        if (version % NSTATES == FREE &&
            atomic_compare_exchange_strong(&places[i].version, &version, version + TAKEN)) {
            unsigned before = atomic_load_explicit(&end, memory_order_relaxed);
            while (before <= i && !atomic_compare_exchange_weak(&end, &before, i + 1))
                continue;
            return i + 1;
        }
    }
    return NO_PLACE;
}

/* Return whether the thread's reserved place is empty. */
static bool own_is_free(const struct gptl_iostack_thread *t)
{
    return t && t->place > 0 &&
           atomic_load_explicit(&places[t->place - 1].version, memory_order_relaxed) % NSTATES ==
               TAKEN;
}

/* Allocate a place other than T's reserved one, or reserve one for T. */
GPTL_SELDOM static unsigned other_place(struct gptl_iostack_thread *t)
{
    unsigned place = take(t && t->place == 0 ? 0 : MOST_KEPT);
    if (t && t->place == 0 && place <= MOST_KEPT)
        t->place = place;
    if (place == NO_PLACE)
        atomic_fetch_add(&without_place, 1);
    return place;
}

static void set_version(struct place *p, unsigned add)
{
    unsigned version = atomic_load_explicit(&p->version, memory_order_relaxed);
    atomic_store_explicit(&p->version, version + add, memory_order_release);
}

unsigned gptl_iostack_under_way(struct gptl_iostack_thread *t, const GPTLspan *span,
                                uint64_t number)
{
    unsigned place = __builtin_expect(own_is_free(t), 1) ? t->place : other_place(t);
    if (place == NO_PLACE)
        return place;
    struct place *p = &places[place - 1];
    p->file = span->file;
    p->operation = (struct gptl_iostack_operation){number, span->opening, span->collective};
    set_version(p, SHOWN - TAKEN);
    return place;
}

GPTL_SELDOM static void leave_other(unsigned place)
{
    if (place == NO_PLACE)
        atomic_fetch_sub(&without_place, 1);
    else if (place > 0)
        atomic_fetch_add_explicit(&places[place - 1].version, NSTATES - SHOWN,
                                  memory_order_release);
}

void gptl_iostack_no_more(const struct gptl_iostack_thread *t, unsigned place)
{
    if (__builtin_expect(t && place > 0 && place == t->place, 1)) {
        set_version(&places[place - 1], NSTATES + TAKEN - SHOWN);
        /* orders this before the next writes to the place */
        atomic_thread_fence(memory_order_release);
    } else {
        leave_other(place);
    }
}

void gptl_iostack_leave_place(struct gptl_iostack_thread *t)
{
    struct place *p = t->place > 0 ? &places[t->place - 1] : NULL;
    t->place = 0;
    if (p)
        set_version(p, NSTATES - atomic_load(&p->version) % NSTATES);
}

/* Read place P; return whether it was published and unchanged during the reading. */
static bool read_place(struct place *p, uint64_t *file, struct gptl_iostack_operation *operation)
{
    unsigned version = atomic_load_explicit(&p->version, memory_order_acquire);
    if (version % NSTATES != SHOWN)
        return false;
    *file = p->file;
    *operation = p->operation;
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&p->version, memory_order_relaxed) == version;
}

/* Remove the operation; if it is not found, it had no place. */
void gptl_iostack_no_more_of(uint64_t number)
{
    struct gptl_iostack_operation operation;
    uint64_t file;
    unsigned n = atomic_load(&end);
    for (unsigned i = 0; i < n; i++)
        if (read_place(&places[i], &file, &operation) && operation.number == number) {
            gptl_iostack_no_more(NULL, i + 1);
            return;
        }
    if (atomic_load(&without_place) > 0)
        gptl_iostack_no_more(NULL, NO_PLACE);
}

unsigned gptl_iostack_find_under_way(uint64_t file, struct gptl_iostack_operation *operation)
{
    struct gptl_iostack_operation found;
    uint64_t its;
    unsigned n = atomic_load_explicit(&end, memory_order_acquire), many = 0;
    for (unsigned i = 0; i < n && many < 2; i++)
        if (read_place(&places[i], &its, &found) && its == file) {
            *operation = found;
            many++;
        }
    return n > 0 && atomic_load(&without_place) > 0 ? 2 : many;
}

void gptl_iostack_under_way_forget(void)
{
    for (unsigned i = 0; i < NPLACES; i++)
        atomic_store(&places[i].version, 0);
    atomic_store(&end, 0);
    atomic_store(&without_place, 0);
}
