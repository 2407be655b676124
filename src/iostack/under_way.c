/*
 * under_way.c - the operations of MPI-IO that are going on in this process. A thread that does their work
 * without being in a call of MPI-IO (MPI's own, or one that waits) finds the one on its file here.
 *
 * A few places, each taken and left by atomic operations. One of the first half stays with the thread that
 * took it for a call, and its next call is shown there by plain stores: calls come one after another, and an
 * atomic operation waits until all that was stored before is out of the way. Those that find no place are
 * counted: while there are any, nobody can say that an operation is the only one on its file.
 */
#include "config.h"

#include "iostack/state.h"

enum { NPLACES = 128, MOST_KEPT = 64, NO_PLACE = NPLACES + 1 };
enum { FREE, TAKEN, SHOWN, NSTATES = 4 }; /* of a place's version, by its remainder */

static struct place {
    _Alignas(64) atomic_uint version;
    uint64_t file;
    struct gptl_iostack_operation operation;
} places[NPLACES];
static atomic_uint end; /* of those that were ever taken */
static atomic_uint without_place;

/* From the place FIRST on. */
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

/* Whether nothing is shown at the place that stays with the thread. */
static bool own_is_free(const struct gptl_iostack_thread *t)
{
    return t && t->place > 0 &&
           atomic_load_explicit(&places[t->place - 1].version, memory_order_relaxed) % NSTATES ==
               TAKEN;
}

/* Another place than the one that stays with T, or the one that does from now on. */
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
        atomic_thread_fence(memory_order_release); /* before what the next one writes there */
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

/* What P says, if it is shown and stays as it is meanwhile. */
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

/* One that is not there had no place. */
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
