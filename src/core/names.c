/*
 * names.c - regions: one object per kind and name, which lives as long as the process.
 *
 * Regions outlive GPTLfinalize, so that handles in static variables of the program stay valid, as
 * do caches of threads that have not noticed the end yet. They are in one open-addressing table
 * under the lock; threads search it only for a name that is new at its position in the tree.
 */
#include "config.h"

#include "core/names.h"

#include <link.h>

#include "core/mem.h"
#include "core/state.h"

/*
 * The root's name equals no other name: it is longer than any, and begins with meaningless bytes,
 * none of which is 0, so that a comparison ends within the name compared with it.
 */
struct gptl_region gptl_region_root = {
    .size = UINT32_MAX,
    .name =
        "\xff\x97\x01\xb3\xe2\x8d\xfe\x5a\x11\xc4\xff\x6b\x9f\x03\xd8\xa1\xff\x2e\x87\xf0\x4c\xbd"
        "\x02\xeb\xff\x90\x37\xc9\x05\xa6\xfd\x71\xff\x8b\x1d\xe4\x52\xb8\x04\xcf\xff\x66\x99\x06",
};
static struct {
    struct gptl_arena arena;
    struct gptl_region **table, **by_id;
    size_t capacity; /* of both tables; a power of two */
    struct gptl_region *first, *last;
    uint32_t count;
} names;

uint64_t gptl_name_hash(struct gptl_name name)
{
    const uint64_t k = 0x9e3779b97f4a7c15u;
    const char *p = name.text;
    size_t n = name.length;
    uint64_t h = (n ^ (uint64_t)name.kind << 32) * k;
    for (; n >= 8; p += 8, n -= 8) {
        h = (h ^ gptl_load64(p)) * k;
        h ^= h >> 32;
    }
    uint64_t tail = 0;
    for (size_t i = 0; i < n; i++)
        tail |= (uint64_t)(unsigned char)p[i] << (8 * i);
    h = (h ^ tail) * k;
    return h ^ h >> 29;
}

static struct gptl_region **slot(struct gptl_name name, uint64_t hash)
{
    size_t i = hash & (names.capacity - 1);
    for (; names.table[i]; i = (i + 1) & (names.capacity - 1)) {
        struct gptl_region *r = names.table[i];
        if (r->hash == hash && gptl_name_is_of(name, r))
            break;
    }
    return &names.table[i];
}

static bool grow(void)
{
    size_t capacity = names.capacity ? 2 * names.capacity : 512;
    size_t size = 2 * capacity * sizeof(struct gptl_region *);
    struct gptl_region **pages = gptl_mem_allows(size, 16) ? gptl_mem_pages(size) : NULL;
    if (!pages)
        return false;
    sigset_t before = gptl_core_hold_signals();
    struct gptl_region **old = names.table;
    size_t old_size = 2 * names.capacity * sizeof *pages;
    names.table = pages;
    names.by_id = pages + capacity;
    names.capacity = capacity;
    for (struct gptl_region *r = names.first; r; r = r->next) {
        size_t i = r->hash & (capacity - 1);
        while (names.table[i])
            i = (i + 1) & (capacity - 1);
        names.table[i] = r;
        names.by_id[r->id] = r;
    }
    gptl_mem_free(old, old_size);
    gptl_core_release_signals(before);
    return true;
}

static struct gptl_region *make(struct gptl_name name, uint64_t hash)
{
    /* The last part of the budget is reserved for the folded paths. */
    size_t size = sizeof(struct gptl_region) + name.length + 1;
    if (name.length >= UINT32_MAX / 2 || names.count >= INT32_MAX - 1 || !gptl_mem_allows(size, 16))
        return NULL;
    struct gptl_region *r = gptl_arena_alloc(&names.arena, size, 8);
    if (!r)
        return NULL;
    r->hash = hash;
    r->id = ++names.count;
    r->size = (uint32_t)name.length + 1;
    r->kind = name.kind;
    memcpy(r->name, name.text, name.length);
    names.by_id[r->id] = r;
    if (names.last)
        names.last->next = r;
    else
        names.first = r;
    names.last = r;
    return r;
}

struct gptl_region *gptl_name_intern(struct gptl_name name, uint64_t hash)
{
    struct gptl_region *r = NULL;
    gptl_lock();
    /*
     * Without memory for a larger table this one is filled further, and its entries stay findable.
     */
    bool room = (names.count + 1) * 2 <= names.capacity || grow() ||
                (uint64_t)(names.count + 1) * 8 <= (uint64_t)names.capacity * 7;
    if (names.capacity) {
        struct gptl_region **at = slot(name, hash);
        if (!*at && room)
            *at = make(name, hash);
        r = *at;
    }
    gptl_unlock();
    return r;
}

struct gptl_region *gptl_name_find(struct gptl_name name, uint64_t hash)
{
    gptl_lock();
    struct gptl_region *r = names.capacity ? *slot(name, hash) : NULL;
    gptl_unlock();
    return r;
}

struct gptl_region *gptl_name_by_id(uint32_t id)
{
    gptl_lock();
    struct gptl_region *r = id > 0 && id <= names.count ? names.by_id[id] : NULL;
    gptl_unlock();
    return r;
}

uint32_t gptl_name_count(void)
{
    return names.count;
}

size_t gptl_name_bytes(void)
{
    return gptl_arena_bytes(&names.arena) + 2 * names.capacity * sizeof *names.table;
}

/* ---- Names that cannot change -------------------------------------------------------------- */

static struct {
    uintptr_t begin, size;
} fixed[16];
static unsigned nfixed;

static bool holds(const struct dl_phdr_info *info, const ElfW(Phdr) * header, const void *address)
{
    return header->p_type == PT_LOAD &&
           (uintptr_t)address - (info->dlpi_addr + header->p_vaddr) < header->p_memsz;
}

static int visit(struct dl_phdr_info *info, size_t size, void *visited)
{
    (void)size;
    bool stays = (*(int *)visited)++ == 0; /* the program is visited first */
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        stays |= holds(info, &info->dlpi_phdr[i], &names);
    for (unsigned i = 0; stays && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || header->p_flags & PF_W ||
            nfixed == sizeof fixed / sizeof *fixed)
            continue;
        fixed[nfixed].begin = info->dlpi_addr + header->p_vaddr;
        fixed[nfixed++].size = header->p_memsz;
    }
    return 0;
}

/* Record the read-only segments of the program and of this library, which is never unloaded. */
void gptl_name_setup(void)
{
    int visited = 0;
    dl_iterate_phdr(visit, &visited);
}

bool gptl_name_is_fixed(const char *text)
{
    for (unsigned i = 0; i < nfixed; i++)
        if ((uintptr_t)text - fixed[i].begin < fixed[i].size)
            return true;
    return false;
}
