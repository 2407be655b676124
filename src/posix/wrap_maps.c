/*
 * wrap_maps.c - the wrappers of calls that map files into memory.
 *
 * The program's loads and stores in a mapping are not observable. Mappings without a file belong to
 * memory allocators and are not reported.
 */
#include "config.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "posix/apart.h"
#include "posix/next.h"
#include "posix/offer.h"

/*
 * Addresses of file mappings, to recognize them in munmap. If the table overflows, every munmap
 * counts as one of a file.
 */
enum { NMAPS = 512 };
static struct map {
    _Atomic uintptr_t from;
    _Atomic size_t size;
} maps[NMAPS];
static atomic_int nmaps; /* upper bound of the slots in use */
static atomic_bool overflown;

static void remember(uintptr_t from, size_t size)
{
    for (int i = 0; i < NMAPS; i++) {
        uintptr_t free = 0;
        if (atomic_load_explicit(&maps[i].from, memory_order_relaxed) == 0 &&
            atomic_compare_exchange_strong(&maps[i].from, &free, from)) {
            atomic_store(&maps[i].size, size);
            int n = atomic_load(&nmaps);
            while (n <= i && !atomic_compare_exchange_weak(&nmaps, &n, i + 1))
                continue;
            return;
        }
    }
    atomic_store(&overflown, true);
}

/* Return true if a file is mapped there. GOES: forget mappings that are completely in the range. */
static bool is_of_file(uintptr_t from, size_t size, bool goes)
{
    bool found = atomic_load_explicit(&overflown, memory_order_relaxed);
    for (int i = 0, n = atomic_load(&nmaps); i < n; i++) {
        uintptr_t start = atomic_load_explicit(&maps[i].from, memory_order_relaxed);
        size_t length = atomic_load_explicit(&maps[i].size, memory_order_relaxed);
        if (!start || from >= start + length || start >= from + size)
            continue;
        found = true;
        if (goes && from <= start && from + size >= start + length)
            atomic_compare_exchange_strong(&maps[i].from, &start, 0);
    }
    return found;
}

static void mapped(unsigned call, void *result, size_t size, int protection, int flags, int fd,
                   int64_t at, uint64_t start)
{
    int error = errno;
    struct gptl_posix_event event =
        gptl_posix_event(GPTL_POSIX_OTHER, call, fd, result == MAP_FAILED ? -1 : 0, start);
    if (result != MAP_FAILED)
        event.data = (int64_t)(intptr_t)result;
    event.arg = (protection & 0xffff) | (flags & 0xffff) << 16;
    event.value = at;
    event.has_asked = true;
    event.asked = (int64_t)size;
    if (gptl_posix_identify(&event, fd)) {
        if (result != MAP_FAILED)
            remember((uintptr_t)result, size);
        gptl_posix_offer(&event, error);
    }
    errno = error;
}

#define MMAP(name, offset)                                                                         \
    WRAPPER(name, void *, (void *p, size_t n, int protection, int flags, int fd, offset at))       \
    {                                                                                              \
        uint64_t start = fd < 0 ? 0 : gptl_posix_start();                                          \
        void *result = gptl_posix_next.name(p, n, protection, flags, fd, at);                      \
        if (fd >= 0 && !(flags & MAP_ANONYMOUS) && gptl_posix_is_active())                         \
            mapped(GPTL_CALL_##name, result, n, protection, flags, fd, at, start);                 \
        return result;                                                                             \
    }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

static void about_map(unsigned call, void *p, size_t n, int flags, int result, uint64_t start)
{
    int error = errno;
    struct gptl_posix_event event = gptl_posix_event(GPTL_POSIX_OTHER, call, -1, result, start);
    event.arg = flags;
    event.value = (int64_t)(intptr_t)p;
    event.has_asked = true;
    event.asked = (int64_t)n;
    gptl_posix_offer(&event, error);
}

WRAPPER(munmap, int, (void *p, size_t n))
{
    uint64_t start = gptl_posix_start();
    bool told = gptl_posix_is_active() && is_of_file((uintptr_t)p, n, true);
    int result = gptl_posix_next.munmap(p, n);
    if (told)
        about_map(GPTL_CALL_munmap, p, n, 0, result, start);
    return result;
}

WRAPPER(msync, int, (void *p, size_t n, int flags))
{
    uint64_t start = gptl_posix_start();
    int result = gptl_posix_next.msync(p, n, flags);
    if (gptl_posix_is_active() && is_of_file((uintptr_t)p, n, false))
        about_map(GPTL_CALL_msync, p, n, flags, result, start);
    return result;
}

/*
 * Frees the sinks' reserve first: locking would fill it, which takes seconds and may exceed the
 * limit.
 */
WRAPPER(mlockall, int, (int flags))
{
    if (gptl_posix_is_active() && !gptl_posix_is_sealed) {
        int error = errno;
        for (const struct gptl_posix_sink *const *s = gptl_posix_active; *s; s++)
            if ((*s)->bound)
                (*s)->bound();
        errno = error;
    }
    return gptl_posix_next.mlockall(flags);
}
