/*
 * kept.c - the recorder's memory, which must survive a kill; see kept.h.
 *
 * A child of fork must never store into its parent's mapping, so it starts with separate memory. A
 * child created by a raw system call finds its lanes empty, takes the slow path, and detects there
 * that it is a new process.
 */
#include "config.h"

#include "ioc/kept.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "core/claim.h"
#include "ioc/options.h"
#include "ioc/salvage_file.h"
#include "posix/apart.h"
#include "posix/raw.h"

enum {
    CHUNK_BYTES = GPTL_IOC_CHUNK_RECORDS * sizeof(struct gptl_ioc_record),
    TEXT_BYTES = 4 << 20,
    PATH_NAME_BYTES = 16 << 20,
    STEP = 32 * CHUNK_BYTES, /* smallest claim; pages are requested in such groups */
    LONGEST_STEP = 8 << 20
};

struct gptl_ioc_kept gptl_ioc_kept;

static atomic_flag claiming = ATOMIC_FLAG_INIT;
static _Atomic uint64_t claimed_ring, claimed_base, claimed_names; /* claimed bytes of each area */
static _Atomic uint64_t bound_ring = UINT64_MAX, bound_base = UINT64_MAX, bound_names = UINT64_MAX;
static bool no_more_names;
enum { STRANGE, BEING_ADOPTED, UNSAVED, BEING_SAVED, KNOWN };
static atomic_int *mine; /* in a page that is empty in children */

/* ---- Space ----------------------------------------------------------------------------------- */

static void hold(gptl_raw_signals *before)
{
    gptl_ioc_kept_block(before);
    while (atomic_flag_test_and_set_explicit(&claiming, memory_order_acquire))
        sched_yield();
}

static void release(const gptl_raw_signals *before)
{
    atomic_flag_clear_explicit(&claiming, memory_order_release);
    gptl_raw_unblock(before);
}

/* Map zeroed private memory over SIZE bytes at AT. */
static void put_own_pages(void *at, uint64_t size)
{
    gptl_kernel_call(SYS_mmap, at, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* Return the upper limit of AREA in bytes. */
static uint64_t bound_of(const struct gptl_ioc_area *area)
{
    const struct gptl_ioc_salvage *head = gptl_ioc_kept.head;
    uint64_t most = atomic_load(area == &head->ring   ? &bound_ring
                                : area == &head->base ? &bound_base
                                                      : &bound_names);
    return most < area->size ? most : area->size;
}

struct need {
    const struct gptl_ioc_area *area;
    _Atomic uint64_t *claimed;
    uint64_t end;
    bool done;
};

static void make_room_apart(void *arg)
{
    struct need *need = arg;
    const struct gptl_ioc_area *area = need->area;
    _Atomic uint64_t *claimed = need->claimed;
    uint64_t end = need->end;
    struct gptl_ioc_salvage *head = gptl_ioc_kept.head;
    gptl_raw_signals before;
    hold(&before);
    uint64_t from = atomic_load(claimed), step = from < STEP ? STEP : from;
    uint64_t to = from + (step < LONGEST_STEP ? step : LONGEST_STEP);
    bool done = true;
    to = (end > to ? end + STEP - 1 : to) / STEP * STEP;
    uint64_t most = bound_of(area);
    to = to > most ? most : to;
    if (end > from && gptl_ioc_kept.shared) {
        done = gptl_ioc_salvage_claim(area->at + from, to - from);
        if (!done) {
            head->is_short = 1;
            put_own_pages((char *)head + area->at + from, most - from);
            to = most;
        }
        atomic_store(claimed, to);
    }
    release(&before);
    need->done = done;
}

/*
 * Make AREA writable up to END. Return false if the file is out of space; the rest of the area is
 * then private memory.
 */
static bool make_room(const struct gptl_ioc_area *area, _Atomic uint64_t *claimed, uint64_t end)
{
    struct need need = {area, claimed, end, false};
    int error = errno;
    gptl_posix_apart(make_room_apart, &need);
    errno = error;
    return need.done;
}

void gptl_ioc_kept_chunk(uint32_t slot)
{
    uint64_t end = ((uint64_t)slot + 1) * CHUNK_BYTES;
    if (gptl_ioc_kept.shared && end > atomic_load_explicit(&claimed_ring, memory_order_relaxed))
        make_room(&gptl_ioc_kept.head->ring, &claimed_ring, end);
}

bool gptl_ioc_kept_base(int fd)
{
    uint64_t end = ((uint64_t)fd + 1) * sizeof(struct gptl_ioc_open);
    if (end > atomic_load_explicit(&bound_base, memory_order_relaxed))
        return false;
    if (gptl_ioc_kept.shared && end > atomic_load_explicit(&claimed_base, memory_order_relaxed)) {
        if (gptl_posix_is_sealed)
            return false;
        make_room(&gptl_ioc_kept.head->base, &claimed_base, end);
    }
    return true;
}

bool gptl_ioc_kept_has_chunk(uint32_t slot)
{
    uint64_t end = ((uint64_t)slot + 1) * CHUNK_BYTES;
    if (end > atomic_load_explicit(&bound_ring, memory_order_relaxed))
        return false;
    return !gptl_ioc_kept.shared || !gptl_posix_is_sealed ||
           end <= atomic_load_explicit(&claimed_ring, memory_order_relaxed);
}

bool gptl_ioc_kept_seal(void)
{
    enum { RING = 4 << 20, NAMES = 1 << 20, BASE = 1024 * sizeof(struct gptl_ioc_open) };
    struct gptl_ioc_salvage *head = gptl_ioc_kept.head;
    if (!gptl_ioc_kept.shared)
        return false;
    make_room(&head->ring, &claimed_ring, RING < head->ring.size ? RING : head->ring.size);
    make_room(&head->names, &claimed_names, NAMES < head->names.size ? NAMES : head->names.size);
    make_room(&head->base, &claimed_base, BASE);
    return true;
}

/* Make AREA inaccessible from LIMIT on, or from CLAIMED on if larger. Return the new end. */
static uint64_t cut(const struct gptl_ioc_area *area, uint64_t limit, uint64_t claimed)
{
    limit = limit > claimed ? limit : claimed;
    limit = (limit + STEP - 1) / STEP * STEP;
    if (limit < area->size)
        gptl_kernel_call(SYS_mmap, (char *)gptl_ioc_kept.head + area->at + limit,
                         area->size - limit, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return limit;
}

/* Claims and limits are multiples of STEP, so no claim reaches into the unmapped part. */
void gptl_ioc_kept_bound(void)
{
    enum { RING = 4 << 20, NAMES = 1 << 20, BASE = 1 << 20 };
    struct gptl_ioc_salvage *head = gptl_ioc_kept.head;
    bool shared = gptl_ioc_kept.shared;
    gptl_raw_signals before;
    if (atomic_load(&bound_ring) != UINT64_MAX)
        return;
    gptl_ioc_kept_seal();
    hold(&before);
    uint64_t next = atomic_load(&head->next_slot), nslots = gptl_ioc_kept.ring.nslots;
    uint64_t used =
        shared ? atomic_load(&claimed_ring) : (next < nslots ? next + 1 : nslots) * CHUNK_BYTES;
    atomic_store(&bound_base, BASE); /* first, so that no thread uses the rest */
    atomic_store(&bound_names, NAMES);
    atomic_store(&bound_ring, used > RING ? used : RING);
    atomic_store(&bound_ring, cut(&head->ring, RING, used));
    used = shared ? atomic_load(&claimed_base)
                  : (uint64_t)head->base_end * sizeof(struct gptl_ioc_open);
    atomic_store(&bound_base, cut(&head->base, BASE, used));
    if (shared)
        atomic_store(&bound_names, cut(&head->names, NAMES, atomic_load(&claimed_names)));
    if (shared) /* texts are written only once */
        cut(&head->texts, 0, head->process_size + head->calls_size + head->unseen_size);
    release(&before);
}

/* Return true if the mapping still belongs to the parent. */
static bool is_unknown(void)
{
    return mine && atomic_load(mine) == STRANGE;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/*
 * Return space for an entry of SIZE bytes, or NULL. The entry becomes valid when its mark is
 * stored.
 */
static char *take_entry(size_t size)
{
    struct gptl_ioc_salvage *head = gptl_ioc_kept.head;
    if (!gptl_ioc_kept.shared || no_more_names)
        return NULL;
    uint64_t at = atomic_fetch_add(&head->names_used, size), end = at + size;
    if (end > head->names.size || end > atomic_load(&bound_names) ||
        (end > atomic_load_explicit(&claimed_names, memory_order_relaxed) &&
         !make_room(&head->names, &claimed_names, end))) {
        no_more_names = true;
        head->is_short = 1;
        return NULL;
    }
    return (char *)head + head->names.at + at;
}

static void *put_entry(uint32_t mark, const void *what, size_t size, const char *name,
                       size_t name_size)
{
    size_t whole = size + (name_size + 7) / 8 * 8;
    char *at = take_entry(sizeof(struct gptl_ioc_entry) + whole);
    if (!at)
        return NULL;
    char *content = at + sizeof(struct gptl_ioc_entry);
    memcpy(content, what, size);
    memcpy(content + size, name, name_size);
    __atomic_store_n((uint64_t *)at, mark | (uint64_t)whole << 32, __ATOMIC_RELEASE);
    return content;
}

void gptl_ioc_kept_file(struct gptl_posix_file *f)
{
    struct gptl_ioc_file file = {f->number, f->base, f->device, f->inode,
                                 f->birth,  f->size, f->kind,   f->name_size};
    if (!gptl_ioc_kept.shared || is_unknown())
        return;
    if (f->kept)
        memcpy(f->kept, &file, sizeof file);
    else
        f->kept = put_entry(GPTL_IOC_ENTRY_FILE, &file, sizeof file, f->name, f->name_size);
}

void gptl_ioc_kept_path(const struct gptl_ioc_path *p)
{
    struct gptl_ioc_name name = {p->number, p->parent, (uint32_t)strlen(p->name), 0};
    if (gptl_ioc_kept.shared && !is_unknown())
        put_entry(GPTL_IOC_ENTRY_PATH, &name, sizeof name, p->name, name.size);
}

/* ---- Start and end --------------------------------------------------------------------------- */

static uint64_t place(struct gptl_ioc_area *area, uint64_t at, uint64_t size)
{
    size = (size + GPTL_IOC_SALVAGE_ALIGN - 1) / GPTL_IOC_SALVAGE_ALIGN * GPTL_IOC_SALVAGE_ALIGN;
    *area = (struct gptl_ioc_area){at, size};
    return at + size;
}

/* The layout, which also initializes the emptied memory of a child. */
static struct gptl_ioc_salvage layout;

static void lay_out(uint64_t bytes, bool salvage)
{
    uint64_t nslots = bytes / CHUNK_BYTES;
    struct gptl_ioc_salvage *l = &layout;
    uint64_t end =
        (sizeof *l + GPTL_IOC_SALVAGE_ALIGN - 1) / GPTL_IOC_SALVAGE_ALIGN * GPTL_IOC_SALVAGE_ALIGN;
    l->version = GPTL_IOC_SALVAGE_VERSION;
    l->slot_size = sizeof(struct gptl_ioc_slot);
    end = place(&l->slots, end, nslots * sizeof(struct gptl_ioc_slot));
    end = place(&l->texts, end, salvage ? TEXT_BYTES : 0);
    end = place(&l->base, end, GPTL_POSIX_NFDS * sizeof(struct gptl_ioc_open));
    end = place(&l->names, end, salvage ? bytes + PATH_NAME_BYTES : 0);
    l->size = place(&l->ring, end, bytes);
}

/* Keep children from copying the ring, which they do not use. Older kernels refuse. */
static void spare_children(void)
{
    if (!gptl_ioc_kept.shared)
        gptl_kernel_call(SYS_madvise, gptl_ioc_kept.ring.records, layout.ring.size,
                         MADV_WIPEONFORK);
}

bool gptl_ioc_kept_begin(uint64_t bytes, bool salvage)
{
    if (salvage && !mine) {
        mine = gptl_raw_pages(sizeof *mine);
        if (mine && gptl_kernel_call(SYS_madvise, mine, sizeof *mine, MADV_WIPEONFORK) != 0)
            mine = NULL;
        if (mine)
            atomic_store(mine, KNOWN);
    }
    lay_out(bytes, salvage && mine);
    char *pages = gptl_raw_pages(layout.size);
    if (!pages)
        return false;
    struct gptl_ioc_kept *k = &gptl_ioc_kept;
    k->head = (struct gptl_ioc_salvage *)pages;
    k->base = (struct gptl_ioc_open *)(pages + layout.base.at);
    k->ring.records = (struct gptl_ioc_record *)(pages + layout.ring.at);
    k->ring.slots = (struct gptl_ioc_slot *)(pages + layout.slots.at);
    k->ring.nslots = (uint32_t)(bytes / CHUNK_BYTES);
    memcpy(k->head, &layout, sizeof layout);
    spare_children();
    return true;
}

bool gptl_ioc_kept_save(const struct gptl_ioc_text *process, const struct gptl_ioc_text *calls,
                        const struct gptl_ioc_text *unseen)
{
    struct gptl_ioc_salvage *head = gptl_ioc_kept.head;
    uint64_t size = process->used + calls->used + unseen->used;
    if (!mine || size > head->texts.size || process->failed || calls->failed || unseen->failed) {
        errno = mine ? ENOMEM : ENOSYS;
        return false;
    }
    char *texts = (char *)head + head->texts.at;
    if (process->used)
        memcpy(texts, process->bytes, process->used);
    if (calls->used)
        memcpy(texts + process->used, calls->bytes, calls->used);
    if (unseen->used)
        memcpy(texts + process->used + calls->used, unseen->bytes, unseen->used);
    head->process_size = process->used;
    head->calls_size = calls->used;
    head->unseen_size = unseen->used;
    atomic_store(&claimed_ring, 0);
    atomic_store(&claimed_names, 0);
    no_more_names = false;
    uint64_t used = (uint64_t)head->base_end * sizeof(struct gptl_ioc_open);
    uint64_t base = (used + STEP - 1) / STEP * STEP;
    if (!gptl_ioc_salvage_make(size, used, base))
        return false;
    atomic_store(&claimed_base, base);
    gptl_ioc_kept.shared = true;
    for (const struct gptl_posix_file *f = gptl_posix_files(); f; f = f->next) {
        struct gptl_posix_file *own = (struct gptl_posix_file *)(uintptr_t)f;
        own->kept = NULL;
        gptl_ioc_kept_file(own);
    }
    for (const struct gptl_ioc_path *p = gptl_ioc_paths(); p; p = p->next)
        gptl_ioc_kept_path(p);
    atomic_signal_fence(memory_order_release);
    memcpy(head->magic, GPTL_IOC_SALVAGE_MAGIC, sizeof head->magic);
    return true;
}

bool gptl_ioc_kept_is_strange(void)
{
    return mine && atomic_load_explicit(mine, memory_order_acquire) < UNSAVED;
}

bool gptl_ioc_kept_is_unsaved(void)
{
    return mine && atomic_load_explicit(mine, memory_order_acquire) < KNOWN;
}

static bool take(int state, gptl_raw_signals *signals)
{
    int is = state;
    gptl_ioc_kept_block(signals);
    if (!mine || atomic_compare_exchange_strong(mine, &is, state + 1))
        return true;
    gptl_raw_unblock(signals);
    while (atomic_load_explicit(mine, memory_order_acquire) == state + 1)
        sched_yield();
    return false;
}

static void give(int state, const gptl_raw_signals *signals)
{
    if (mine)
        atomic_store(mine, state);
    gptl_raw_unblock(signals);
}

bool gptl_ioc_kept_adopt(gptl_raw_signals *signals)
{
    return take(STRANGE, signals);
}

void gptl_ioc_kept_adopted(const gptl_raw_signals *signals)
{
    give(gptl_ioc_options.salvage ? UNSAVED : KNOWN, signals);
}

bool gptl_ioc_kept_begin_save(gptl_raw_signals *signals)
{
    return take(UNSAVED, signals);
}

void gptl_ioc_kept_saved(const gptl_raw_signals *signals)
{
    give(KNOWN, signals);
}

void gptl_ioc_kept_child(void)
{
    atomic_flag_clear(&claiming);
    atomic_store(&bound_ring, UINT64_MAX);
    atomic_store(&bound_base, UINT64_MAX);
    atomic_store(&bound_names, UINT64_MAX);
    gptl_ioc_kept.shared = false;
    put_own_pages(gptl_ioc_kept.head, layout.size);
    memcpy(gptl_ioc_kept.head, &layout, sizeof layout);
    spare_children();
}

void gptl_ioc_kept_done(void)
{
    if (gptl_ioc_kept.shared && gptl_ioc_salvage_remove())
        gptl_claim_leave(gptl_ioc_options.salvage_dir);
}
