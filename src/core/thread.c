/*
 * thread.c - the registry of threads: birth, exit, reuse of slots, and pending requests.
 *
 * A thread is registered at its first event. Its slot is its OpenMP number at level one if that is
 * free, else the next free number; 0 is reserved for the first thread of the process. Other threads
 * change a tree only by pending requests, which the owner applies before its next event, so that
 * the fast path needs no lock: nothing happens in between.
 */
#include "config.h"

#include "core/thread.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/busy.h"
#include "core/clock.h"
#include "core/fork.h"
#include "core/ledger.h"
#include "core/meter.h"
#include "core/own_stack.h"
#include "core/roll.h"
#include "core/salvage.h"
#include "core/frame.h"
#include "core/unwound.h"

/* With this size the initial memory of a thread fits into two pages. */
enum { FIRST_STACK = 56 };

/* Defined if the program has an OpenMP runtime. */
extern int omp_get_thread_num(void) __attribute__((weak));
extern int omp_get_level(void) __attribute__((weak));

static pthread_key_t exit_key;

/* ---- Slots --------------------------------------------------------------------------------- */

static bool is_free(int slot)
{
    return (uint32_t)slot >= gptl_g.nthreads || !gptl_g.threads[slot] ||
           !gptl_g.threads[slot]->live;
}

static int choose_slot(void)
{
    if (syscall(SYS_gettid) == getpid() && is_free(0))
        return 0;
    if (omp_get_level && omp_get_thread_num && omp_get_level() == 1) {
        int number = omp_get_thread_num();
        if (number > 0 && number < 1 << 20 && is_free(number))
            return number;
    }
    int slot = 1;
    while (!is_free(slot))
        slot++;
    return slot;
}

static bool reserve_slot(uint32_t slot)
{
    if (slot >= gptl_g.threads_capacity) {
        uint32_t capacity = gptl_g.threads_capacity ? gptl_g.threads_capacity : 512;
        while (capacity <= slot)
            capacity *= 2;
        struct gptl_thread **threads = gptl_mem_kept_pages(capacity * sizeof *threads);
        if (!threads)
            return false;
        if (gptl_g.nthreads)
            memcpy(threads, gptl_g.threads, gptl_g.nthreads * sizeof *threads);
        gptl_mem_free(gptl_g.threads, gptl_g.threads_capacity * sizeof *threads);
        gptl_g.threads = threads;
        gptl_g.threads_capacity = capacity;
    }
    if (slot >= gptl_g.nthreads)
        gptl_g.nthreads = slot + 1;
    return true;
}

struct gptl_thread *gptl_thread_by_slot(int slot)
{
    return slot >= 0 && (uint32_t)slot < gptl_g.nthreads ? gptl_g.threads[slot] : NULL;
}

/* ---- A thread's memory --------------------------------------------------------------------- */

/* One mapping: the state, the first frames, nodes, table entries and cache slots. */
struct own_memory {
    struct gptl_thread thread;
    struct gptl_frame stack[FIRST_STACK] __attribute__((aligned(64)));
    struct gptl_node nodes[GPTL_FIRST_NODES] __attribute__((aligned(64)));
    struct gptl_table_entry table[GPTL_FIRST_TABLE];
    uint64_t cache[GPTL_FIRST_TABLE] __attribute__((aligned(64)));
};
_Static_assert(sizeof(struct own_memory) <= 8192, "two pages");

/*
 * Set the two bounds with which the fast path compares top; while the gate is closed, they stop
 * every event. The owner may read them at any moment: it must never find one bound for measuring
 * and the other for being disabled, or a start and its stop would take different paths. So the
 * floor is closed in between. A signal handler may change the gate during this function, hence the
 * loop.
 */
static void set_bounds(struct gptl_thread *t)
{
    uint32_t gate;
    do {
        gate = atomic_load(&t->gate);
        struct gptl_frame *base = atomic_load(&t->base);
        bool open = gate == 0, disabled = gate == GPTL_GATE_DISABLED;
        atomic_store(&t->floor, GPTL_FLOOR_CLOSED);
        atomic_store(&t->limit, open       ? base + t->stack_size - 1
                                : disabled ? GPTL_LIMIT_DISABLED
                                           : GPTL_LIMIT_CLOSED);
        atomic_store(&t->floor, open ? base : disabled ? GPTL_FLOOR_DISABLED : GPTL_FLOOR_CLOSED);
    } while (gate != atomic_load(&t->gate));
}

/*
 * Set the bounds under the lock. Exception: a signal handler that has interrupted the library,
 * whose thread may be about to take the lock, or have just taken it.
 */
static void gate_changed(struct gptl_thread *t, uint32_t bits)
{
    if (bits == GPTL_GATE_DROPPED) {
        set_bounds(t);
        return;
    }
    gptl_lock();
    set_bounds(t);
    gptl_unlock();
}

void gptl_thread_gate_set(struct gptl_thread *t, uint32_t bits)
{
    if (bits & ~atomic_fetch_or(&t->gate, bits))
        gate_changed(t, bits);
}

void gptl_thread_gate_clear(struct gptl_thread *t, uint32_t bits)
{
    if (bits & atomic_fetch_and(&t->gate, ~bits))
        gate_changed(t, bits);
}

static void set_stack(struct gptl_thread *t, struct gptl_frame *base, uint32_t size)
{
    t->stack_size = size;
    atomic_store_explicit(&t->base, base, memory_order_relaxed);
    set_bounds(t);
}

/* Fill unused frames: every frame has a valid node, even before it is used; see short.h. */
static void fill_stack(struct gptl_frame *begin, struct gptl_frame *end, struct gptl_node *root)
{
    for (struct gptl_frame *f = begin; f < end; f++)
        f->node = root;
}

/* Initialize the state as for a thread without events; the slot stays. */
static bool begin(struct gptl_thread *t)
{
    struct own_memory *own = (struct own_memory *)t;
    if (!gptl_tree_init(t, own->nodes, own->table, own->cache))
        return false;
    t->own_stack = own->stack;
    fill_stack(own->stack, own->stack + FIRST_STACK, gptl_tree_node(&t->tree, 0));
    atomic_store_explicit(&t->top, own->stack, memory_order_relaxed);
    t->clock = gptl_clock_now();
    t->epoch = atomic_load_explicit(&gptl_g.epoch, memory_order_relaxed);
    atomic_store(&t->gate, gptl_g.gate);
    set_stack(t, own->stack, FIRST_STACK);
    return true;
}

/* Return the bytes of side frames and of their meter values. */
static size_t side_bytes(uint32_t size, uint32_t stride)
{
    return size * (sizeof(struct gptl_side_frame) + stride * sizeof(int64_t));
}

/* Free the memory that the thread has allocated, and forget its measurements. */
static void clear(struct gptl_thread *t)
{
    gptl_tree_free(t);
    gptl_roll_free(t);
    gptl_ledger_free(t);
    if (atomic_load(&t->base) != t->own_stack)
        gptl_mem_free(atomic_load(&t->base), t->stack_size * sizeof(struct gptl_frame));
    if (t->side)
        gptl_mem_free(t->side, side_bytes(t->side_size, t->side_stride));
    gptl_meter_close(t, false);
    if (t->meter.now)
        gptl_mem_free(t->meter.now, t->meter.size);
    if (t->prefix)
        gptl_mem_free(t->prefix, t->prefix_size);
    uint32_t busy = t->busy, served = t->live ? 1 : 0;
    int slot = t->slot;
    bool live = t->live;
    memset(t, 0, sizeof(struct own_memory));
    t->busy = busy;
    t->busy_call = (struct gptl_call){.stack = UINTPTR_MAX};
    t->nserved = served;
    t->slot = slot;
    t->live = live;
}

static struct gptl_thread *new_thread(int slot)
{
    gptl_salvage_begin();
    struct gptl_thread *t = gptl_mem_kept_pages(sizeof(struct own_memory));
    if (!t)
        return NULL;
    t->slot = slot;
    t->busy_call = (struct gptl_call){.stack = UINTPTR_MAX};
    if (!reserve_slot((uint32_t)slot) || !begin(t)) {
        gptl_mem_free(t, sizeof(struct own_memory));
        return NULL;
    }
    gptl_g.threads[slot] = t;
    gptl_salvage_update();
    return t;
}

bool gptl_thread_grow_stack(struct gptl_thread *t)
{
    struct gptl_frame *old = atomic_load_explicit(&t->base, memory_order_relaxed);
    struct gptl_frame *top = atomic_load_explicit(&t->top, memory_order_relaxed);
    uint32_t size = 2 * t->stack_size;
    struct gptl_frame *frames = gptl_mem_kept_pages(size * sizeof *frames);
    if (!frames)
        return false;
    memcpy(frames, old, t->stack_size * sizeof *frames);
    fill_stack(frames + t->stack_size, frames + size, gptl_tree_node(&t->tree, 0));
    sigset_t before = gptl_core_hold_signals();
    gptl_lock();                               /* a copy of the thread may be reading its frames */
    gptl_thread_gate_set(t, GPTL_GATE_MOVING); /* and a signal handler may start a region */
    uint32_t old_size = t->stack_size;
    set_stack(t, frames, size);
    atomic_store_explicit(&t->top, frames + (top - old), memory_order_relaxed);
    gptl_thread_gate_clear(t, GPTL_GATE_MOVING);
    if (old != t->own_stack)
        gptl_mem_free(old, old_size * sizeof *frames);
    gptl_unlock();
    gptl_core_release_signals(before);
    return true;
}

bool gptl_thread_grow_side(struct gptl_thread *t)
{
    uint32_t size = t->stack_size, stride = 2 * t->meter.n;
    if (t->side_size >= size && t->side_stride >= stride)
        return true;
    struct gptl_side_frame *side = gptl_mem_pages(side_bytes(size, stride));
    if (!side)
        return false;
    int64_t *values = (int64_t *)(side + size);
    if (t->side)
        memcpy(side, t->side, t->side_size * sizeof *side);
    for (uint32_t k = 0; k < t->side_size && stride; k++)
        memcpy(values + (size_t)k * stride, t->side_values + (size_t)k * t->side_stride,
               (t->side_stride < stride ? t->side_stride : stride) * sizeof *values);
    gptl_mem_free(t->side, side_bytes(t->side_size, t->side_stride));
    t->side = side;
    t->side_values = values;
    t->side_size = size;
    t->side_stride = stride;
    return true;
}

/* ---- Birth and exit ------------------------------------------------------------------------ */

static void be_born(void *unused)
{
    (void)unused;
    sigset_t before = gptl_core_hold_signals();
    gptl_lock();
    int slot = choose_slot();
    struct gptl_thread *t = gptl_thread_by_slot(slot);
    if (!t)
        t = new_thread(slot);
    else if (t->epoch != gptl_g.epoch) {
        clear(t);
        gptl_salvage_begin();
        if (!begin(t))
            t = NULL;
    }
    if (t && pthread_setspecific(exit_key, t) == 0) {
        t->live = true;
        t->nserved++;
        t->busy = 1; /* for the lock that is held: gptl_unlock decrements it */
        gptl_tls = t;
    }
    gptl_unlock();
    gptl_core_release_signals(before);
}

static struct gptl_thread *born(void)
{
    gptl_own_stack_call(be_born, NULL);
    return gptl_thread_own();
}

void gptl_thread_keep_swallowed(struct gptl_thread *t)
{
    uint32_t depth = gptl_thread_depth(t), n = t->nswallowed_before;
    if (n == GPTL_NSWALLOWED || (n > 0 && t->swallowed[n - 1].depth == depth))
        t->swallowed[n - 1].count += t->nswallowed;
    else
        t->swallowed[t->nswallowed_before++] = (struct gptl_swallowed){depth, t->nswallowed};
    t->nswallowed = 0;
    gptl_thread_gate_set(t, GPTL_GATE_SWALLOWED);
}

static uint32_t count_swallowed(const struct gptl_thread *t)
{
    uint32_t count = t->nswallowed;
    for (uint32_t i = 0; i < t->nswallowed_before; i++)
        count += t->swallowed[i].count;
    return count;
}

struct gptl_thread *gptl_thread_enter(const char *function, int *rc)
{
    struct gptl_thread *t = gptl_thread_own();
    *rc = 0;
    if (gptl_tls == &gptl_limbo)
        return NULL;
    if (!gptl_is_on() && (t ? t->busy : 0) == 0 && !gptl_state_turn_on()) {
        *rc = gptl_g.phase == GPTL_ENDED ? -1 : 0;
        return NULL;
    }
    if (!t) {
        t = born();
        if (!t)
            *rc = gptl_core_error(function, "no memory for the state of another thread");
    } else if (t->epoch != atomic_load_explicit(&gptl_g.epoch, memory_order_relaxed) && !t->busy) {
        /*
         * Not marked by gptl_lock, which writes to the state: in a forked child, another thread may
         * be moving it into its salvage file.
         */
        gptl_tls = &gptl_limbo;
        gptl_lock();
        /*
         * Stops of regions that were open when the measurement changed under this thread are not
         * errors.
         */
        uint32_t inherited = t->inherited + gptl_thread_depth(t) + t->skipped + count_swallowed(t);
        clear(t);
        t->inherited = inherited;
        gptl_salvage_begin();
        bool begun = begin(t);
        gptl_salvage_update();
        gptl_unlock();
        gptl_tls = t;
        if (!begun) {
            gptl_thread_gate_set(t, GPTL_GATE_ENDED);
            t->epoch--;
            *rc = gptl_core_error(function, "no memory for the state of a thread");
            return NULL;
        }
    }
    return t;
}

/* End the frames that the exiting thread left open; its tree stays for the next thread. */
static void exits(void *state)
{
    struct gptl_thread *t = state;
    /* The thread may have been ended within the library, with the lock held. */
    gptl_lock_left();
    gptl_busy_set(t, 0, NULL);
    gptl_tls = t;
    gptl_lock();
    if (t->epoch == gptl_g.epoch && gptl_is_on()) {
        gptl_thread_gate_clear(t, GPTL_GATE_MOVING);
        gptl_unwound_settle(t);
        gptl_roll_obey(t);
        gptl_frame_end_all(t);
        t->ndropped = t->skipped = t->nlate = t->inherited = t->prefix_length = 0;
        t->nswallowed = t->nswallowed_before = 0;
        gptl_thread_gate_clear(t, GPTL_GATE_DROPPED | GPTL_GATE_SKIPPING | GPTL_GATE_SWALLOWED |
                                      GPTL_GATE_PREFIX);
    }
    /* also after the measurement has ended: only this thread can close them */
    gptl_meter_close(t, true);
    gptl_busy_set(t, 0, NULL);
    t->live = false;
    /* Without the lock the state may immediately belong to another thread, or be freed. */
    gptl_tls = &gptl_limbo;
    gptl_unlock();
}

/* ---- Scratch ------------------------------------------------------------------------------- */

struct gptl_thread *gptl_thread_begin_scratch(void)
{
    struct gptl_thread *scratch = gptl_mem_pages(sizeof(struct own_memory));
    if (!scratch)
        return NULL;
    if (!begin(scratch)) {
        gptl_mem_free(scratch, sizeof(struct own_memory));
        return NULL;
    }
    /* An observer may keep nodes, and these do not last. */
    gptl_thread_gate_clear(scratch, GPTL_GATE_DISABLED | GPTL_GATE_MEMUSAGE | GPTL_GATE_FOLLOWED);
    gptl_meter_lend(gptl_thread_own(), scratch);
    gptl_tls = scratch;
    return scratch;
}

void gptl_thread_end_scratch(struct gptl_thread *scratch, struct gptl_thread *own)
{
    gptl_tls = own;
    if (gptl_thread_own() && own->meter.nsources)
        gptl_meter_give_back(scratch);
    clear(scratch);
    gptl_mem_free(scratch, sizeof(struct own_memory));
}

size_t gptl_thread_bytes(const struct gptl_thread *t)
{
    size_t bytes = sizeof(struct own_memory) + gptl_arena_bytes(&t->extras);
    if (t->ledger)
        bytes += t->ledger->size;
    if (t->tree.capacity > GPTL_FIRST_NODES)
        bytes += (t->tree.capacity - GPTL_FIRST_NODES) * sizeof(struct gptl_node);
    if (t->tree.table_capacity > GPTL_FIRST_TABLE)
        bytes += t->tree.table_capacity * sizeof(struct gptl_table_entry) +
                 gptl_cache_slots(t->tree.table_capacity) * sizeof(uint64_t);
    if (t->stack_size > FIRST_STACK)
        bytes += t->stack_size * sizeof(struct gptl_frame);
    return bytes;
}

/* ---- The end of a measurement -------------------------------------------------------------- */

void gptl_thread_end_all(void)
{
    atomic_fetch_add(&gptl_g.epoch, 1);
    for (uint32_t slot = 0; slot < gptl_g.nthreads; slot++) {
        struct gptl_thread *t = gptl_g.threads[slot];
        if (!t)
            continue;
        gptl_thread_gate_set(t, GPTL_GATE_ENDED);
        if (!t->live || t == gptl_tls) {
            uint32_t epoch = t->epoch;
            clear(t);
            t->epoch = epoch;
            gptl_thread_gate_set(t, GPTL_GATE_ENDED);
        }
        if (!t->live) {
            gptl_g.threads[slot] = NULL;
            gptl_mem_free(t, sizeof(struct own_memory));
        }
    }
}

/* ---- Load ---------------------------------------------------------------------------------- */

void gptl_thread_setup(void)
{
    pthread_key_create(&exit_key, exits);
    gptl_fork_setup();
}

/*
 * References that link all of libpthread into a static program. The run-time libraries of GCC's
 * Fortran and C++ refer weakly to pthread_key_create. If it is present, they assume that the
 * program has all of POSIX threads, and call their other weak references: in a program linked with
 * -static that crashes, unless strong references exist.
 */
typedef void function(void);
#define WANTED(name) (function *)name
static function *const wanted[] __attribute__((used)) = {
    WANTED(pthread_cancel),         WANTED(pthread_cond_broadcast),
    WANTED(pthread_cond_destroy),   WANTED(pthread_cond_init),
    WANTED(pthread_cond_signal),    WANTED(pthread_cond_timedwait),
    WANTED(pthread_cond_wait),      WANTED(pthread_create),
    WANTED(pthread_detach),         WANTED(pthread_equal),
    WANTED(pthread_getspecific),    WANTED(pthread_join),
    WANTED(pthread_key_create),     WANTED(pthread_key_delete),
    WANTED(pthread_mutex_destroy),  WANTED(pthread_mutex_init),
    WANTED(pthread_mutex_lock),     WANTED(pthread_mutex_timedlock),
    WANTED(pthread_mutex_trylock),  WANTED(pthread_mutex_unlock),
    WANTED(pthread_mutexattr_init), WANTED(pthread_mutexattr_settype),
    WANTED(pthread_once),           WANTED(pthread_self),
    WANTED(pthread_setspecific),    WANTED(sched_yield),
};
