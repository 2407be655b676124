/*
 * unseen.c - finds the I/O functions without a wrapper that the program and its libraries import.
 *
 * There are two kinds: known I/O functions that we exclude, and new variants of wrapped functions,
 * which each libc release adds. A variant is a name that equals a wrapped name except for the
 * prefixes and suffixes of variants.
 */
#include "config.h"

#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "core/object.h"
#include "posix/next.h"
#include "posix/own.h"
#include "posix/posix.h"

/* Excluded functions. `syscall` may be any call. */
static const char *const left_out[] = {"syscall",
                                       "io_uring_queue_init",
                                       "io_uring_submit",
                                       "io_submit",
                                       "vmsplice",
                                       "tee",
                                       "getdents64",
                                       "scandir",
                                       "scandirat",
                                       "ftw",
                                       "nftw",
                                       "fts_open",
                                       "fts_read",
                                       "glob",
                                       "mremap",
                                       "remap_file_pages",
                                       "sendmmsg",
                                       "recvmmsg",
                                       "sync",
                                       "fgetgrent",
                                       "fgetpwent",
                                       "getmntent",
                                       "getmntent_r",
                                       "posix_spawn_file_actions_addopen",
                                       "name_to_handle_at"};
enum { NLEFT = sizeof left_out / sizeof left_out[0], NSLOTS = 2048, MOST_NAME = 64 };

static const char *name_of(unsigned i)
{
    return i < GPTL_NCALLS ? gptl_posix_call_name(i) : left_out[i - GPTL_NCALLS];
}

static bool cut_front(const char **name, const char *prefix)
{
    size_t n = strlen(prefix);
    if (strncmp(*name, prefix, n) != 0)
        return false;
    *name += n;
    return true;
}

/*
 * Store NAME without the prefixes and suffixes of variants in STEM, of MOST_NAME bytes. Return its
 * length.
 */
static size_t stem_of(const char *name, char *stem)
{
    static const char *const suffixes[] = {"_chk", "_2", "64", "v2", "_unlocked", "_nocancel"};
    while (cut_front(&name, "__") || cut_front(&name, "isoc99_") || cut_front(&name, "isoc23_") ||
           cut_front(&name, "_IO_") || cut_front(&name, "libc_"))
        continue;
    size_t n = strnlen(name, MOST_NAME - 1);
    memcpy(stem, name, n);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        size_t length = strlen(suffixes[i]);
        if (n > length && memcmp(stem + n - length, suffixes[i], length) == 0) {
            n -= length;
            i = (size_t)-1; /* there may be several */
        }
    }
    stem[n] = '\0';
    return n;
}

static unsigned hash_of(const char *stem, size_t n)
{
    unsigned h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)stem[i]) * 16777619u;
    return h % NSLOTS;
}

struct search {
    unsigned short slots[NSLOTS]; /* number of a name, hashed by its stem; 0: free */
    void (*tell)(void *arg, const char *object, const char *call);
    void *arg;
};

static void fill(struct search *s)
{
    char stem[MOST_NAME];
    for (unsigned i = 1; i < GPTL_NCALLS + NLEFT; i++) {
        size_t n = stem_of(name_of(i), stem);
        unsigned h = hash_of(stem, n);
        while (s->slots[h])
            h = (h + 1) % NSLOTS;
        s->slots[h] = (unsigned short)i;
    }
}

static bool is_unseen(const struct search *s, const char *name)
{
    char stem[MOST_NAME], other[MOST_NAME];
    bool related = false;
    size_t n = stem_of(name, stem);
    for (unsigned h = hash_of(stem, n); s->slots[h]; h = (h + 1) % NSLOTS) {
        unsigned i = s->slots[h];
        if (i < GPTL_NCALLS && strcmp(name_of(i), name) == 0)
            return false;
        stem_of(name_of(i), other);
        related |= strcmp(stem, other) == 0;
    }
    return related;
}

static bool is_libc(const char *object)
{
    static const char *const names[] = {"libc.so", "ld-linux", "libgptl", "linux-vdso",
                                        "libpthread"};
    const char *base = strrchr(object, '/');
    base = base ? base + 1 : object;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(base, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *search)
{
    struct search *s = search;
    struct gptl_object o = gptl_object_read(info);
    (void)size;
    if (!o.symbols || !o.strings || is_libc(info->dlpi_name))
        return 0;
    size_t n = gptl_object_imports(&o);
    for (size_t i = 1; i < n; i++) {
        const char *name = gptl_object_import(&o, i);
        if (name && is_unseen(s, name))
            s->tell(s->arg, info->dlpi_name, name);
    }
    return 0;
}

/* ---- The timing library ---------------------------------------------------------------------- */

struct gptl_posix_own gptl_posix_own[GPTL_POSIX_MOST_OWN];
atomic_uint gptl_posix_nown;

void gptl_posix_add_own(uintptr_t begin, size_t size)
{
    unsigned i = atomic_fetch_add(&gptl_posix_nown, 1);
    if (i < GPTL_POSIX_MOST_OWN) {
        atomic_store(&gptl_posix_own[i].begin, begin);
        atomic_store(&gptl_posix_own[i].size, size);
    }
}

static int find_own(struct dl_phdr_info *info, size_t size, void *unused)
{
    const char *base = strrchr(info->dlpi_name, '/');
    base = base ? base + 1 : info->dlpi_name;
    (void)size;
    (void)unused;
    if (strncmp(base, "libgptl", 7) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
            gptl_posix_add_own(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
                               info->dlpi_phdr[i].p_memsz);
    return 0;
}

void gptl_posix_find_own(void)
{
    dl_iterate_phdr(find_own, NULL);
}

/* ---- Calls without a wrapper ----------------------------------------------------------------- */

void gptl_posix_unseen(void (*tell)(void *arg, const char *object, const char *call), void *arg)
{
    struct search s = {.tell = tell, .arg = arg};
    fill(&s);
    dl_iterate_phdr(look_at, &s);
}
