/*
 * files.c - the names of the used files.
 *
 * The names are in quaternary trees indexed by hash bits, which only grow. A compare-and-swap adds
 * a name, so an interrupted thread, or a thread that is missing after fork, never holds a lock.
 * There are 512 trees to keep each one low, because lookups find the nodes cold and each level
 * costs a cache miss. The trees occupy no pages before the first name. A name consists of the path
 * as given by the caller and the number of the directory that it is relative to, so it needs no
 * system call.
 */
#include "config.h"

#include "posix/files.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/sysmacros.h>

#include "posix/apart.h"
#include "posix/fds.h"
#include "posix/next.h"
#include "posix/offer.h"
#include "posix/peek.h"
#include "posix/raw.h"

enum { BLOCK = 1 << 18, ROOT_BITS = 9 };

static _Atomic(struct gptl_posix_file *) roots[1 << ROOT_BITS];
static _Atomic(struct gptl_posix_file *) all;
static atomic_uint nfiles;
static atomic_uint working_directory; /* its number; 0: unknown */
static atomic_uint root_directory;    /* number of the root set by chroot; 0: the initial root */
static atomic_size_t taken;           /* bytes */
static atomic_ullong unnamed;
static size_t limit = (size_t)64 << 20;

/*
 * Block that names are allocated from. Its end is in the block itself, so one store replaces both.
 */
static struct block {
    atomic_size_t used;
    size_t size;
} * _Atomic block;

void gptl_posix_limit_names(size_t bytes)
{
    limit = bytes;
}

const struct gptl_posix_file *gptl_posix_files(void)
{
    return atomic_load(&all);
}

uint64_t gptl_posix_files_unnamed(void)
{
    return atomic_load(&unnamed);
}

static void *take_memory(size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (atomic_fetch_add_explicit(&taken, size, memory_order_relaxed) + size > limit)
        return NULL;
    for (;;) {
        struct block *b = atomic_load(&block);
        if (b) {
            size_t at = atomic_fetch_add(&b->used, size);
            if (at + size <= b->size)
                return (char *)b + at;
        }
        size_t bytes = size + 64 > BLOCK ? (size + 64 + 4095) & ~(size_t)4095 : BLOCK;
        struct block *fresh = gptl_posix_is_sealed ? NULL : gptl_raw_pages(bytes);
        if (!fresh)
            return NULL;
        fresh->size = bytes;
        atomic_store(&fresh->used, 64);
        if (!atomic_compare_exchange_strong(&block, &b, fresh))
            gptl_raw_free(fresh, bytes);
    }
}

static uint32_t hash_of(uint32_t base, const char *name, size_t size)
{
    uint64_t h = base * UINT64_C(0x9e3779b97f4a7c15) + size, word;
    for (; size >= 8; size -= 8, name += 8) {
        memcpy(&word, name, 8);
        h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    word = 0;
    memcpy(&word, name, size);
    h = (h ^ word) * UINT64_C(0xc4ceb9fe1a85ec53);
    return (uint32_t)(h >> 32 ^ h);
}

static bool is_same(const struct gptl_posix_file *f, const struct gptl_posix_identity *id)
{
    return f->device == id->device && f->inode == id->inode && f->birth == id->birth;
}

/* ID NULL: match the first file with this name, whatever its identity. */
static bool is(const struct gptl_posix_file *f, uint32_t hash, uint32_t base, const char *name,
               size_t size, const struct gptl_posix_identity *id)
{
    return f->hash == hash && f->base == base && f->name_size == size &&
           memcmp(f->name, name, size) == 0 && f->is_other == (id != NULL) &&
           (!id || is_same(f, id));
}

static void fill(struct gptl_posix_file *f, const struct gptl_posix_identity *id)
{
    f->device = id->device;
    f->inode = id->inode;
    f->birth = id->birth;
    f->size = id->size;
    __atomic_store_n(&f->kind, id->kind, __ATOMIC_RELEASE);
}

static struct gptl_posix_file *make(uint32_t hash, uint32_t base, const char *name, size_t size,
                                    const struct gptl_posix_identity *id)
{
    struct gptl_posix_file *fresh = take_memory(sizeof *fresh + size);
    if (!fresh || atomic_load(&nfiles) >= GPTL_POSIX_FILE_MASK) {
        atomic_fetch_add(&unnamed, 1);
        return NULL;
    }
    *fresh = (struct gptl_posix_file){.base = base, .hash = hash, .size = -1};
    fresh->name_size = (uint32_t)size;
    memcpy(fresh->name, name, size);
    if (id) {
        fill(fresh, id);
        fresh->is_other = true;
        fresh->settled = 2;
    }
    fresh->number = atomic_fetch_add(&nfiles, 1) + 1;
    return fresh;
}

static struct gptl_posix_file *find(uint32_t hash, uint32_t base, const char *name, size_t size,
                                    const struct gptl_posix_identity *id)
{
    uint32_t left = hash >> ROOT_BITS;
    struct gptl_posix_file *fresh = NULL;
    _Atomic(struct gptl_posix_file *) *place = &roots[hash & ((1 << ROOT_BITS) - 1)];
    for (;; left >>= 2) {
        struct gptl_posix_file *f = atomic_load(place);
        if (!f) {
            if (!fresh && !(fresh = make(hash, base, name, size, id)))
                return NULL;
            if (atomic_compare_exchange_strong(place, &f, fresh))
                break;
        }
        if (is(f, hash, base, name, size, id))
            return f; /* if another thread was first, our copy stays unused */
        place = &f->below[left & 3];
    }
    struct gptl_posix_file *newest = atomic_load(&all);
    do
        fresh->next = newest;
    while (!atomic_compare_exchange_weak(&all, &newest, fresh));
    OFFER(file, fresh);
    return fresh;
}

struct gptl_posix_file *gptl_posix_name_at(uint32_t base, const char *name, size_t size)
{
    return find(hash_of(base, name, size), base, name, size, NULL);
}

/*
 * After this number of files, a name refers to its first file again: programs create lock files by
 * the million.
 */
enum { MOST_OTHERS = 1000 };

struct gptl_posix_file *gptl_posix_settle(struct gptl_posix_file *f,
                                          const struct gptl_posix_identity *id)
{
    uint32_t open = 0;
    if (atomic_load_explicit(&f->settled, memory_order_acquire) == 2 && is_same(f, id))
        return f;
    if (atomic_compare_exchange_strong(&f->settled, &open, 1)) {
        fill(f, id);
        atomic_store_explicit(&f->settled, 2, memory_order_release);
        OFFER(file, f);
        return f;
    }
    uint64_t mix = (id->inode * 31 + id->device) * 31 + id->birth;
    mix *= UINT64_C(0x9e3779b97f4a7c15);
    if (atomic_load(&f->others) >= MOST_OTHERS)
        return f;
    struct gptl_posix_file *other =
        find(f->hash ^ (uint32_t)(mix >> 32), f->base, f->name, f->name_size, id);
    if (other && !atomic_exchange(&other->others, 1)) /* it is new */
        atomic_fetch_add(&f->others, 1);
    return other ? other : f;
}

/* The kernel's replies take 400 bytes, too many for a small stack. */
struct answers {
    struct statx x;
    struct stat s;
};

static bool ask(int fd, struct answers *a, struct gptl_posix_identity *id)
{
    struct statx *x = &a->x;
    struct stat *s = &a->s;
    if (gptl_kernel_call(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, x) ==
        0) {
        *s = (struct stat){.st_mode = x->stx_mode};
        s->st_dev = makedev(x->stx_dev_major, x->stx_dev_minor);
        s->st_rdev = makedev(x->stx_rdev_major, x->stx_rdev_minor);
        s->st_ino = x->stx_ino;
        s->st_size = (off_t)x->stx_size;
    } else {
        x->stx_mask = 0;
        if (gptl_raw_fstat(fd, s) != 0)
            return false;
    }
    *id = (struct gptl_posix_identity){.device = s->st_dev,
                                       .inode = s->st_ino,
                                       .size = S_ISREG(s->st_mode) ? s->st_size : -1,
                                       .kind = gptl_posix_kind_of(s)};
    if (x->stx_mask & STATX_BTIME)
        id->birth =
            (uint64_t)x->stx_btime.tv_sec * UINT64_C(1000000000) + (uint64_t)x->stx_btime.tv_nsec;
    return true;
}

bool gptl_posix_ask(int fd, struct gptl_posix_identity *id)
{
    char *room = gptl_posix_is_sealed ? NULL : gptl_posix_scratch_take();
    bool done = room && ask(fd, (struct answers *)(void *)room, id);
    gptl_posix_scratch_give(room);
    return done;
}

void gptl_posix_moved_root(const struct gptl_posix_file *root)
{
    atomic_store(&root_directory, gptl_posix_number(root));
    gptl_posix_moved_directory();
}

uint32_t gptl_posix_root(void)
{
    return atomic_load_explicit(&root_directory, memory_order_relaxed);
}

void gptl_posix_moved_directory(void)
{
    atomic_store(&working_directory, 0);
}

static __attribute__((noinline)) uint32_t find_directory(void)
{
    char *path = gptl_posix_scratch_take();
    int error = errno;
    long n = path && !gptl_posix_is_sealed ? gptl_kernel_call(SYS_getcwd, path, PATH_MAX) : 0;
    errno = error;
    struct gptl_posix_file *file = NULL;
    if (n > 1 && path[0] == '/') /* otherwise removed, or outside a changed root */
        file = gptl_posix_name_at(gptl_posix_root(), path, (size_t)n - 1);
    gptl_posix_scratch_give(path);
    if (!file)
        return 0;
    file->kind = GPTL_POSIX_DIRECTORY;
    atomic_store(&working_directory, file->number);
    return file->number;
}

static uint32_t number_of_directory(void)
{
    uint32_t number = atomic_load_explicit(&working_directory, memory_order_relaxed);
    return number ? number : find_directory();
}

/* PATH belongs to the program. Its call has read it successfully, so it is readable. */
struct gptl_posix_file *gptl_posix_name(int dir, const char *path)
{
    struct gptl_posix_found found;
    bool new;
    if (!path)
        return NULL;
    uint32_t base = 0;
    if (dir == GPTL_POSIX_TEXT)
        base = 0;
    else if (path[0] == '/')
        base = gptl_posix_root();
    else if (dir == AT_FDCWD)
        base = number_of_directory();
    else
        base = gptl_posix_look(dir, &found, &new) & GPTL_POSIX_FILE_MASK;
    return gptl_posix_name_at(base, path, strlen(path));
}

struct gptl_posix_file *gptl_posix_name_refused(int dir, const char *path, int error)
{
    if (error == EFAULT || !path || gptl_posix_is_sealed)
        return NULL;
    char *copy = gptl_posix_scratch_take();
    bool is_there = copy && gptl_posix_peek_text(copy, PATH_MAX, path) >= 0;
    struct gptl_posix_file *file = is_there ? gptl_posix_name(dir, copy) : NULL;
    gptl_posix_scratch_give(copy);
    return file;
}

enum gptl_posix_kind gptl_posix_kind_of(const struct stat *s)
{
    switch (s->st_mode & S_IFMT) {
    case S_IFREG:
    case S_IFLNK:
        return GPTL_POSIX_REGULAR;
    case S_IFDIR:
        return GPTL_POSIX_DIRECTORY;
    case S_IFIFO:
        return GPTL_POSIX_PIPE;
    case S_IFSOCK:
        return GPTL_POSIX_SOCKET;
    case S_IFBLK:
        return GPTL_POSIX_DEVICE;
    case S_IFCHR: /* major numbers of terminals: Documentation/admin-guide/devices.txt */
        return (s->st_rdev >> 8 & 0xfff) == 4 || (s->st_rdev >> 8 & 0xfff) == 5 ||
                       ((s->st_rdev >> 8 & 0xfff) >= 136 && (s->st_rdev >> 8 & 0xfff) <= 143)
                   ? GPTL_POSIX_TERMINAL
                   : GPTL_POSIX_DEVICE;
    default:
        return GPTL_POSIX_ANONYMOUS;
    }
}
