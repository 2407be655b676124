/* lane.c - the ring of chunks and the threads' buffers (lanes); see lane.h. */
#include "config.h"

#include "ioc/lane.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "core/counter.h"
#include "core/systime.h"
#include "ioc/base.h"
#include "ioc/kept.h"
#include "ioc/options.h"
#include "posix/apart.h"
#include "posix/offer.h"
#include "posix/raw.h"

enum {
    CHUNK_BYTES = GPTL_IOC_CHUNK_RECORDS * sizeof(struct gptl_ioc_record),
    NLANES = 128,
    NAHEAD = 32 /* chunks whose pages are requested together */
};

static struct gptl_ioc_lane none; /* of a thread without records */
__thread struct gptl_ioc_lane *gptl_ioc_lane __attribute__((tls_model("initial-exec"))) = &none;

static const struct gptl_ioc_ring *const ring = &gptl_ioc_kept.ring;
static atomic_bool frozen;
static uint32_t unit_shift;
static pthread_key_t key;
static bool has_key;

bool (*gptl_ioc_when_full)(void);
void (*gptl_ioc_when_unsaved)(void);
uint32_t gptl_ioc_epoch;

/* ---- Lanes ----------------------------------------------------------------------------------- */

/* Free lanes form a stack. A count next to the index makes each head unique, against ABA errors. */
static struct gptl_ioc_lane *_Atomic blocks[4096]; /* each with NLANES lanes */
static atomic_uint nlanes;
static _Atomic uint64_t free_lanes; /* index + 1, with a count in the upper half */

static struct gptl_ioc_lane *lane_at(uint32_t i)
{
    return &atomic_load(&blocks[i / NLANES])[i % NLANES];
}

static uint32_t index_of(const struct gptl_ioc_lane *l)
{
    for (uint32_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
        const struct gptl_ioc_lane *first = atomic_load(&blocks[b]);
        if (first && l >= first && l < first + NLANES)
            return b * NLANES + (uint32_t)(l - first);
    }
    return 0;
}

static void give_lane(struct gptl_ioc_lane *l)
{
    uint64_t head = atomic_load(&free_lanes), mine = index_of(l) + 1;
    do
        l->next_free = (uint32_t)head ? lane_at((uint32_t)head - 1) : NULL;
    while (!atomic_compare_exchange_weak(&free_lanes, &head, mine | ((head >> 32) + 1) << 32));
}

static struct gptl_ioc_lane *new_lane(void)
{
    uint32_t i = atomic_fetch_add(&nlanes, 1), b = i / NLANES;
    if (b >= sizeof blocks / sizeof blocks[0])
        return NULL;
    if (!atomic_load(&blocks[b])) {
        struct gptl_ioc_lane *empty = NULL, *fresh = gptl_posix_is_sealed
                                                         ? NULL
                                                         : gptl_raw_pages(NLANES * sizeof *fresh);
        if (!fresh)
            return NULL;
        /* A child that was not noticed must not store into its parent's lanes; see kept.c. */
        if (gptl_ioc_options.salvage)
            gptl_kernel_call(SYS_madvise, fresh, NLANES * sizeof *fresh, MADV_WIPEONFORK);
        if (!atomic_compare_exchange_strong(&blocks[b], &empty, fresh))
            gptl_raw_free(fresh, NLANES * sizeof *fresh);
    }
    return lane_at(i);
}

static struct gptl_ioc_lane *take_lane(void)
{
    uint64_t head = atomic_load(&free_lanes);
    struct gptl_ioc_lane *l = NULL;
    while ((uint32_t)head) {
        l = lane_at((uint32_t)head - 1);
        uint64_t rest = l->next_free ? index_of(l->next_free) + 1 : 0;
        if (atomic_compare_exchange_weak(&free_lanes, &head, rest | ((head >> 32) + 1) << 32))
            break;
        l = NULL;
    }
    if (!l)
        l = new_lane();
    if (!l)
        return NULL;
    l->slow = true;
    l->limit = NULL;
    l->paused = false;
    l->joined = NULL;
    l->node = NULL;
    l->path = 0;
    l->thread = 0; /* the next owner begins with a start record */
    return l;
}

/* Release the lane at the end of a thread. Later handlers of this thread take a lane again. */
static void leave_lane(void *lane)
{
    struct gptl_ioc_lane *l = lane;
    gptl_ioc_lane = &none;
    atomic_signal_fence(memory_order_seq_cst);
    if (l->nested) {
        give_lane(l->nested);
        l->nested = NULL;
    }
    give_lane(l);
}

/* Return the lane that this thread may write to now, marked as busy, or NULL. */
static struct gptl_ioc_lane *enter(void)
{
    struct gptl_ioc_lane *l = gptl_ioc_lane;
    if (l == &none) {
        if (!(l = take_lane()))
            return NULL;
        if (gptl_ioc_lane != &none) { /* a signal handler intervened */
            l->slow = false;
            give_lane(l);
            return enter();
        }
        gptl_ioc_lane = l;
        atomic_signal_fence(memory_order_seq_cst);
        if (has_key)
            pthread_setspecific(key, l);
        return l;
    }
    while (l->slow || l->limit != l->full) {
        if (!l->nested)
            return l->nested = take_lane();
        l = l->nested;
    }
    l->slow = true;
    l->limit = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    return l;
}

static void leave(struct gptl_ioc_lane *l)
{
    atomic_signal_fence(memory_order_seq_cst);
    l->limit = l->full;
    l->slow = false;
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

/* Empty SLOT. Calls that are in no section are lost, except for their effects on descriptors. */
static void empty_slot(uint32_t slot)
{
    struct gptl_ioc_slot *s = &ring->slots[slot];
    struct gptl_ioc_record start;
    const struct gptl_ioc_record *first;
    if (!s->dirty) {
        s->dirty = true;
        return;
    }
    uint32_t n = gptl_ioc_ring_new(ring, slot, &first, &start);
    if (n > 0)
        atomic_fetch_add(&gptl_ioc_kept.head->lost, gptl_ioc_base_pass(&start, first, n));
    /*
     * In this order, so that a concurrent writer of a section does not take old records for new
     * ones.
     */
    s->written = GPTL_IOC_CHUNK_RECORDS;
    atomic_thread_fence(memory_order_seq_cst);
    memset(gptl_ioc_chunk(ring, slot), 0, CHUNK_BYTES);
    atomic_thread_fence(memory_order_seq_cst);
    s->planned = 0;
    s->written = 0;
}

/* Return true if SLOT holds records that are in no section. */
static bool is_full(uint32_t slot)
{
    uint16_t written = ring->slots[slot].written;
    return ring->slots[slot].dirty && written < GPTL_IOC_CHUNK_RECORDS &&
           gptl_ioc_type(&gptl_ioc_chunk(ring, slot)[written]) != GPTL_IOC_NONE;
}

/* Take a slot that no lane fills. Return false if all are in use. */
static bool find_slot(bool may_write, bool *is_waiting, uint32_t *slot)
{
    *is_waiting = false;
    for (uint32_t i = 0; i < ring->nslots && !*is_waiting; i++) {
        uint64_t next = atomic_fetch_add(&gptl_ioc_kept.head->next_slot, 1);
        uint32_t s = (uint32_t)(next % ring->nslots);
        if (!gptl_ioc_kept_has_chunk(s) || atomic_exchange(&ring->slots[s].taken, true))
            continue;
        bool full = is_full(s);
        if (!full || (!may_write && !atomic_load(&frozen))) {
            *slot = s;
            return true;
        }
        atomic_store(&ring->slots[s].taken, false);
        *is_waiting = may_write; /* a section must be written before the next search */
    }
    return false;
}

/*
 * Take a slot, and write a section if necessary. Before this thread takes an emptied slot, other
 * threads may fill it again, hence the rounds.
 */
static bool take_slot(uint32_t *slot)
{
    enum { MOST_ROUNDS = 100 };
    bool may_write = gptl_ioc_when_full && !gptl_posix_is_sealed, is_waiting;
    for (int round = 0; !find_slot(may_write, &is_waiting, slot); round++) {
        if (!may_write)
            return false;
        may_write = round < MOST_ROUNDS && (is_waiting || round == 0) && gptl_ioc_when_full();
    }
    return true;
}

/*
 * Request pages in groups once a program has filled some chunks, because single pages cost a page
 * fault each. Older kernels refuse, with no effect.
 */
static void ask_for_pages(uint32_t slot)
{
    if (!gptl_posix_is_sealed && slot % NAHEAD == 0 && slot > 0 && slot + NAHEAD <= ring->nslots &&
        !ring->slots[slot].dirty)
        gptl_kernel_call(SYS_madvise, gptl_ioc_chunk(ring, slot), (size_t)NAHEAD * CHUNK_BYTES,
                         MADV_POPULATE_WRITE);
}

static bool next_chunk(struct gptl_ioc_lane *l)
{
    uint32_t slot;
    if (gptl_ioc_kept_is_unsaved())
        gptl_ioc_when_unsaved();
    if (!take_slot(&slot))
        return false;
    gptl_ioc_kept_chunk(slot);
    ask_for_pages(slot);
    empty_slot(slot);
    if (l->chunk)
        atomic_store(&ring->slots[l->slot].taken, false);
    l->slot = slot;
    l->shift = unit_shift;
    l->chunk = l->pos = gptl_ioc_chunk(ring, slot);
    l->end = l->chunk + GPTL_IOC_CHUNK_RECORDS;
    l->full = l->end - GPTL_IOC_SHORT_RECORDS + 1;
    l->joined = NULL;
    if (!gptl_posix_is_sealed) { /* both or none: without a usable counter, time is a system call */
        gptl_ioc_kept.head->latest_ticks = gptl_counter_read();
        gptl_ioc_kept.head->latest_nanoseconds = gptl_systime_read(CLOCK_MONOTONIC);
    }
    return true;
}

/* Return the kernel's number of this thread or, if sealed, a number that no thread has. */
static int32_t number_of_thread(void)
{
    enum { NONE = 1 << 30 };
    static atomic_int strangers;
    static __thread int32_t number __attribute__((tls_model("initial-exec")));
    if (!gptl_posix_is_sealed)
        number = (int32_t)gptl_kernel_call(SYS_gettid);
    else if (number == 0)
        number = NONE + atomic_fetch_add(&strangers, 1);
    return number;
}

/* Start a sequence of records of this thread, with times relative to NOW. */
static void begin_times(struct gptl_ioc_lane *l, uint64_t now)
{
    l->thread = number_of_thread();
    l->last = now;
    l->pos->data = (int64_t)now;
    l->pos->fd = l->thread;
    atomic_signal_fence(memory_order_seq_cst);
    __atomic_store_n(&l->pos->head, GPTL_IOC_START, __ATOMIC_RELEASE);
    l->pos++;
}

/* ---- Records --------------------------------------------------------------------------------- */

/* Store the head last, so that a concurrent reader sees either no record or all of them. */
static void copy_records(struct gptl_ioc_lane *l, const struct gptl_ioc_record *records, int n)
{
    memcpy(l->pos + 1, records + 1, (size_t)(n - 1) * sizeof *records);
    l->pos->data = records->data;
    l->pos->fd = records->fd;
    __atomic_store_n(&l->pos->head, records->head, __ATOMIC_RELEASE);
    l->pos += n;
}

static struct gptl_ioc_lane *add(struct gptl_ioc_record *records, int n, uint64_t now)
{
    int error = errno;
    if (gptl_posix_is_child_of_vfork())
        return NULL;
    if (gptl_ioc_kept_is_strange())
        gptl_posix_child();
    struct gptl_ioc_lane *l = enter();
    now >>= unit_shift;
    if (l && (!l->chunk || l->end - l->pos < n + 2) && !next_chunk(l)) {
        leave(l);
        l = NULL;
    } else if (l) {
        if (l->pos == l->chunk || !l->thread)
            begin_times(l, now);
        if (now < l->last) /* counters of two processors, or an intervening signal handler */
            now = l->last;
        uint64_t gap = now - l->last;
        l->last = now;
        l->joined = NULL;
        if (gptl_ioc_type(&records[n - 1]) == GPTL_IOC_DETAIL)
            records[n - 1].fd = l->thread;
        records->head |= (uint32_t)(gap < GPTL_IOC_LONG_GAP ? gap : GPTL_IOC_LONG_GAP) << 4;
        if (gap >= GPTL_IOC_LONG_GAP) {
            memmove(records + 2, records + 1, (size_t)(n - 1) * sizeof *records);
            records[1] =
                (struct gptl_ioc_record){GPTL_IOC_EXTENSION | GPTL_IOC_GAP << 4, 0, (int64_t)gap};
            n++;
        }
        copy_records(l, records, n);
    }
    if (!l)
        atomic_fetch_add(&gptl_ioc_kept.head->lost, 1);
    errno = error;
    return l;
}

void gptl_ioc_lane_add(struct gptl_ioc_record *records, int n, uint64_t now)
{
    struct gptl_ioc_lane *l = add(records, n, now);
    if (l)
        leave(l);
}

void gptl_ioc_lane_add_joined(struct gptl_ioc_record *records, int n, uint64_t now, uint32_t key_)
{
    int32_t fd = records->fd;
    struct gptl_ioc_lane *l = add(records, n, now);
    if (!l)
        return;
    struct gptl_ioc_record *first = l->pos - n;
    if (gptl_ioc_type(first) != GPTL_IOC_EXTENSION) { /* no gap was inserted */
        l->joined = first;
        l->joined_key = key_;
        l->joined_fd = fd;
        l->joined_epoch = gptl_ioc_epoch;
    }
    leave(l);
}

void gptl_ioc_lane_pause(bool begins)
{
    struct gptl_ioc_lane *l = gptl_ioc_lane;
    if (begins && !l->slow && l->limit &&
        l->limit == l->full) { /* else busy: in a signal handler */
        l->limit = NULL;
        l->paused = true;
    } else if (!begins && l->paused) {
        l->paused = false;
        l->limit = l->full;
    }
}

/* ---- Start ----------------------------------------------------------------------------------- */

uint64_t gptl_ioc_lanes_begin(uint64_t bytes, uint32_t shift, bool salvage)
{
    enum { LEAST = 16 * CHUNK_BYTES };
    unit_shift = shift;
    if (bytes < LEAST)
        bytes = LEAST;
    bytes -= bytes % CHUNK_BYTES;
    while (!gptl_ioc_kept_begin(bytes, salvage)) {
        bytes = bytes / 2 / CHUNK_BYTES * CHUNK_BYTES;
        if (bytes < LEAST)
            return 0;
    }
    has_key = pthread_key_create(&key, leave_lane) == 0;
    return bytes;
}

void gptl_ioc_lanes_child(void)
{
    /*
     * Lanes of the parent's threads stay reserved: the thread that created this child unnoticed may
     * still use its lane.
     */
    atomic_store(&free_lanes, 0);
    atomic_store(&frozen, false);
    gptl_ioc_lane = &none;
    if (has_key)
        pthread_setspecific(key, NULL);
}

/* ---- For the section's writer ---------------------------------------------------------------- */

void gptl_ioc_lanes_freeze(bool now)
{
    gptl_ioc_epoch++; /* records in a section must not change */
    atomic_store(&frozen, now);
}
