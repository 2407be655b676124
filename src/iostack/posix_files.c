/*
 * posix_files.c - files by number, with their full paths, and the offsets of descriptors. As in the
 * posix module, everything is safe in signal handlers, and nothing is ever freed.
 */
#include "config.h"

#include "iostack/posix_files.h"

#include <stdatomic.h>
#include <string.h>

#include "gptl_probe.h"
#include "posix/apart.h"
#include "posix/raw.h"

#pragma weak GPTLprobe_disk
#pragma weak GPTLprobe_has_name
#pragma weak GPTLprobe_name

enum { PAGE = 1 << 12, NPAGES = (GPTL_POSIX_FILE_MASK + 1) / PAGE, MOST_PATH = 4096 };

struct gptl_iostack_file {
    const struct gptl_posix_file *file;
    atomic_uint_least64_t name; /* number in logs; 0: not determined yet */
    atomic_int kind;
};
enum { KIND_UNKNOWN, KIND_SYSTEM, KIND_NAMELESS, KIND_USUAL };

static _Atomic(struct gptl_iostack_file *) pages[NPAGES];

static uint32_t last_files[GPTL_POSIX_NFDS];
static atomic_int_least64_t positions[GPTL_POSIX_NFDS]; /* offset plus one; 0: unknown */

struct gptl_iostack_file *gptl_iostack_file(uint32_t number)
{
    struct gptl_iostack_file *page =
        atomic_load_explicit(&pages[(number & GPTL_POSIX_FILE_MASK) / PAGE], memory_order_acquire);
    struct gptl_iostack_file *f = page ? &page[number % PAGE] : NULL;
    return f && f->file ? f : NULL;
}

void gptl_iostack_learn(struct gptl_posix_file *file)
{
    _Atomic(struct gptl_iostack_file *) *place = &pages[file->number / PAGE];
    struct gptl_iostack_file *page = atomic_load(place), *none = NULL;
    if (!page) {
        page = gptl_raw_pages(PAGE * sizeof *page);
        if (!page)
            return;
        if (!atomic_compare_exchange_strong(place, &none, page)) {
            gptl_raw_free(page, PAGE * sizeof *page);
            page = none;
        }
    }
    page[file->number % PAGE].file = file;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/*
 * Write the absolute path of FILE so that it ends before END; return its start, or NULL: no space,
 * or not absolute.
 */
static char *path_before(const struct gptl_posix_file *file, char *begin, char *end)
{
    enum { MOST_BASES = 32 };
    for (int i = 0; i < MOST_BASES; i++) {
        if (file->name_size == 0 || (size_t)(end - begin) < (size_t)file->name_size + 1)
            return NULL;
        end -= file->name_size;
        memcpy(end, file->name, file->name_size);
        if (*end == '/')
            return end;
        const struct gptl_iostack_file *base = file->base ? gptl_iostack_file(file->base) : NULL;
        if (!base)
            return NULL;
        *--end = '/';
        file = base->file;
    }
    return NULL;
}

/* Return its full path, in ROOM of MOST_PATH bytes or NULL; NULL if the file lacks a path. */
static const char *path_of(struct gptl_iostack_file *f, char *room)
{
    if (!room)
        return NULL;
    room[MOST_PATH - 1] = '\0';
    const char *path = path_before(f->file, room, room + MOST_PATH - 1);
    if (atomic_load_explicit(&f->kind, memory_order_relaxed) == KIND_UNKNOWN)
        atomic_store(&f->kind, !path                           ? KIND_NAMELESS
                               : gptl_posix_is_of_system(path) ? KIND_SYSTEM
                                                               : KIND_USUAL);
    return path;
}

struct naming {
    struct gptl_iostack_file *file;
    uint64_t number;
};

static void put_name(void *arg)
{
    struct naming *n = arg;
    char *room = gptl_posix_scratch_take();
    const char *path = path_of(n->file, room);
    n->number = path ? GPTLprobe_name(GPTL_LAYER_POSIX, path) : 0;
    gptl_posix_scratch_give(room);
}

uint64_t gptl_iostack_file_name(struct gptl_iostack_file *f)
{
    uint64_t number = atomic_load_explicit(&f->name, memory_order_relaxed);
    if (number && GPTLprobe_has_name(GPTL_LAYER_POSIX, number))
        return number;
    if (atomic_load_explicit(&f->kind, memory_order_relaxed) == KIND_NAMELESS)
        return 0;
    struct naming naming = {f, 0};
    gptl_posix_apart(put_name, &naming); /* needs a deep stack if the log must be created */
    atomic_store_explicit(&f->name, naming.number, memory_order_relaxed);
    return naming.number;
}

bool gptl_iostack_is_of_system(struct gptl_iostack_file *f)
{
    if (atomic_load_explicit(&f->kind, memory_order_relaxed) == KIND_UNKNOWN) {
        char *room = gptl_posix_scratch_take();
        path_of(f, room);
        gptl_posix_scratch_give(room);
    }
    return atomic_load_explicit(&f->kind, memory_order_relaxed) != KIND_USUAL;
}

void gptl_iostack_has_no_path(uint32_t number)
{
    struct gptl_iostack_file *f = gptl_iostack_file(number);
    if (f)
        atomic_store(&f->kind, KIND_NAMELESS);
}

void gptl_iostack_sample(struct gptl_iostack_file *f)
{
    enum { MOST_DEVICES = 16 };
    static atomic_uint_least64_t seen[MOST_DEVICES]; /* device numbers plus 1 */
    uint64_t device = f->file->device + 1;
    if (f->file->inode == 0)
        return;
    for (int i = 0; i < MOST_DEVICES; i++) {
        uint64_t none = 0;
        if (atomic_compare_exchange_strong(&seen[i], &none, device)) {
            char *room = gptl_posix_scratch_take();
            const char *path = path_of(f, room);
            if (path)
                GPTLprobe_disk(GPTL_LAYER_POSIX, path);
            gptl_posix_scratch_give(room);
            return;
        }
        if (none == device)
            return;
    }
}

/* ---- Descriptors ----------------------------------------------------------------------------- */

static bool is_fd(int fd)
{
    return fd >= 0 && fd < GPTL_POSIX_NFDS;
}

struct gptl_iostack_file *gptl_iostack_file_of(int fd)
{
    uint32_t entry = is_fd(fd) ? __atomic_load_n(&gptl_posix_fds[fd].entry, __ATOMIC_RELAXED) : 0;
    if ((entry >> GPTL_POSIX_KIND_SHIFT & 7) != GPTL_POSIX_REGULAR)
        return NULL;
    if (last_files[fd] != (entry & GPTL_POSIX_FILE_MASK))
        __atomic_store_n(&last_files[fd], entry & GPTL_POSIX_FILE_MASK, __ATOMIC_RELAXED);
    return gptl_iostack_file(entry & GPTL_POSIX_FILE_MASK);
}

struct gptl_iostack_file *gptl_iostack_last_file_of(int fd)
{
    uint32_t number = is_fd(fd) ? __atomic_exchange_n(&last_files[fd], 0, __ATOMIC_RELAXED) : 0;
    return number ? gptl_iostack_file(number) : NULL;
}

int64_t gptl_iostack_position(int fd)
{
    return is_fd(fd) ? atomic_load_explicit(&positions[fd], memory_order_relaxed) - 1 : -1;
}

void gptl_iostack_set_position(int fd, int64_t position)
{
    if (is_fd(fd))
        atomic_store_explicit(&positions[fd], position + 1, memory_order_relaxed);
}

void gptl_iostack_forget_positions(void)
{
    int end = gptl_posix_fds_end();
    for (int fd = 0; fd < end; fd++)
        atomic_store_explicit(&positions[fd], 0, memory_order_relaxed);
}
