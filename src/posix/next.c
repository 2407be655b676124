/*
 * next.c - finds the definitions that follow ours in the order of the dynamic linker.
 *
 * All are found at load: later, a thread that is missing after fork, or the code that a signal
 * handler interrupted, could hold the linker's lock. A wrapper that is called earlier finds only
 * its own next function.
 *
 * The first call may come from an allocator: jemalloc reads its settings from a symbolic link
 * during its initialization, and its malloc would wait for the end of that initialization. dlsym
 * allocates memory only for the error message about a missing name. Therefore dlsym is not called
 * for names that no object after ours defines.
 */
#include "config.h"

#include "posix/next.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "core/object.h"
#include "posix/posix.h"
#include "posix/setup.h"

static const char *const names[] = {
    "",
#define CALL(name, ret, params, args) #name,
#define VARIADIC(name) #name,
#include "posix/calls.def"
};

/* Replaces a function that this libc lacks. No program was linked with it. */
static long missing(void)
{
    errno = ENOSYS;
    return -1;
}

void *gptl_posix_find(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    return found ? found : (void *)missing;
}

/*
 * Initial pointers, for calls before setup. The cast is the only conversion of dlsym's result to a
 * function that ISO C permits.
 */
#define CALL(name, ret, params, args)                                                              \
    static ret first_##name params                                                                 \
    {                                                                                              \
        gptl_posix_setup_early();                                                                  \
        if (gptl_posix_next.name == first_##name)                                                  \
            *(void **)&gptl_posix_next.name = gptl_posix_find(#name);                              \
        return gptl_posix_next.name args;                                                          \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include "posix/calls.def"
#pragma GCC diagnostic pop

struct gptl_posix_next gptl_posix_next = {
#define CALL(name, ret, params, args) .name = first_##name,
#include "posix/calls.def"
};

/* ---- Which of them exist ------------------------------------------------------------------- */

struct search {
    uint32_t hash[GPTL_NCALLS];
    bool found[GPTL_NCALLS];
    bool unknown; /* an object lacks a GNU hash table: any name may exist */
};

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

static bool has(const struct gptl_object *o, const char *name, uint32_t hash)
{
    enum { BITS = sizeof(ElfW(Addr)) * CHAR_BIT };
    uint32_t buckets = o->hash[0], first = o->hash[1], words = o->hash[2], shift = o->hash[3];
    const ElfW(Addr) *filter = (const void *)(o->hash + 4);
    const uint32_t *bucket = (const void *)(filter + words), *chain = bucket + buckets;
    if (buckets == 0 || words == 0)
        return false;
    ElfW(Addr) word = filter[hash / BITS % words];
    if (!(word >> hash % BITS & word >> (hash >> shift) % BITS & 1))
        return false;
    for (uint32_t i = bucket[hash % buckets]; i >= first && i > 0; i++) {
        const ElfW(Sym) *symbol = o->symbols + i;
        if ((chain[i - first] | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
            strcmp(o->strings + symbol->st_name, name) == 0)
            return true;
        if (chain[i - first] & 1)
            break;
    }
    return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *to)
{
    struct search *search = to;
    struct gptl_object o = gptl_object_read(info);
    (void)size;
    if (o.dynamic == _DYNAMIC) /* this library itself */
        return 0;
    search->unknown |= o.symbols && !o.hash && !strstr(info->dlpi_name, "vdso");
    for (unsigned i = 1; o.hash && o.symbols && o.strings && i < GPTL_NCALLS; i++)
        search->found[i] = search->found[i] || has(&o, names[i], search->hash[i]);
    return 0;
}

static void search_all(struct search *search)
{
    memset(search, 0, sizeof *search);
    for (unsigned i = 1; i < GPTL_NCALLS; i++)
        search->hash[i] = hash_of(names[i]);
    dl_iterate_phdr(look_at, search);
}

void gptl_posix_find_next(void)
{
    struct search search;
    search_all(&search);
#define CALL(name, ret, params, args)                                                              \
    *(void **)&gptl_posix_next.name = search.found[GPTL_CALL_##name] || search.unknown             \
                                          ? gptl_posix_find(#name)                                 \
                                          : (void *)missing;
#include "posix/calls.def"
    gptl_posix_find_confining();
    dlerror(); /* the program must not see our error */
}

void *gptl_posix_next_vfork(void)
{
    if (gptl_posix_next.vfork == first_vfork)
        gptl_posix_setup_early();
    if (gptl_posix_next.vfork == first_vfork)
        *(void **)&gptl_posix_next.vfork = gptl_posix_find("vfork");
    void *found;
    memcpy(&found, &gptl_posix_next.vfork, sizeof found);
    return found;
}

const char *gptl_posix_call_name(unsigned call)
{
    return call < GPTL_NCALLS ? names[call] : "";
}

unsigned gptl_posix_ncalls(void)
{
    return GPTL_NCALLS;
}
