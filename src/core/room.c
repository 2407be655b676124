/* room.c - limit of the memory for files of a run; see room.h. */
#include "config.h"

#include "core/room.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/claim.h"
#include "core/descriptor.h"
#include "core/kernel.h"

/* ---- Free memory --------------------------------------------------------------------------- */

enum { TEXT = 16384 };

static bool read_text(const char *path, char text[TEXT])
{
    int fd = gptl_descriptor_open(path, O_RDONLY, 0);
    long n = fd >= 0 ? gptl_kernel_call(SYS_read, fd, text, TEXT - 1) : -1;
    if (fd >= 0)
        gptl_kernel_call(SYS_close, fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* Return the number after KEY at the start of a line, or 0. */
static uint64_t number_of(const char *text, const char *key)
{
    size_t n = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, n) == 0 && (line[n] == ' ' || line[n] == ':'))
            return strtoull(line + n + 1, NULL, 10);
    }
    return 0;
}

static bool path_in(char to[PATH_MAX], const char *root, const char *group, size_t length,
                    const char *file)
{
    size_t n = strlen(root), m = strlen(file);
    if (n + length + m + 1 > PATH_MAX)
        return false;
    memcpy(to, root, n);
    memcpy(to + n, group, length);
    memcpy(to + n + length, file, m + 1);
    return true;
}

static const struct version {
    const char *prefix; /* prefix of the line in /proc/self/cgroup, after its number */
    const char *root, *limit, *used;
    /* keys in memory.stat of the cached and the shared part of the used memory */
    const char *cached, *shared;
} versions[] = {
    {":", "/sys/fs/cgroup", "/memory.max", "/memory.current", "file", "shmem"},
    {"memory:", "/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes",
     "total_cache", "total_shmem"},
};

/*
 * Return the bytes left in the control group named by the first LENGTH bytes of GROUP. Cached pages
 * of files count as free, since the kernel can drop them.
 */
static uint64_t left_in(const struct version *v, const char *group, size_t length)
{
    char path[PATH_MAX], text[TEXT];
    if (!path_in(path, v->root, group, length, v->limit) || !read_text(path, text) || *text < '0' ||
        *text > '9')
        return UINT64_MAX;
    uint64_t limit = strtoull(text, NULL, 10), used = 0, dropped = 0;
    if (path_in(path, v->root, group, length, v->used) && read_text(path, text))
        used = strtoull(text, NULL, 10);
    if (path_in(path, v->root, group, length, "/memory.stat") && read_text(path, text)) {
        uint64_t cached = number_of(text, v->cached), shared = number_of(text, v->shared);
        dropped = cached > shared ? cached - shared : 0;
    }
    used -= dropped < used ? dropped : used;
    return limit > used ? limit - used : 0;
}

/* Return the minimum over the group and its ancestors. */
static uint64_t least_of(const struct version *v, const char *group, size_t length)
{
    uint64_t least = UINT64_MAX;
    for (;;) {
        uint64_t left = left_in(v, group, length);
        least = left < least ? left : least;
        if (length == 0)
            return least;
        while (length > 0 && group[--length] != '/')
            continue;
    }
}

uint64_t gptl_room_memory(void)
{
    char groups[TEXT], text[TEXT];
    uint64_t least = UINT64_MAX;
    if (read_text("/proc/meminfo", text))
        least = number_of(text, "MemAvailable") * 1024;
    if (!read_text("/proc/self/cgroup", groups))
        return least;
    for (const char *line = groups; *line;) {
        size_t length = strcspn(line, "\n");
        const char *of = memchr(line, ':', length);
        for (const struct version *v = versions; of && v < versions + 2; v++) {
            size_t n = strlen(v->prefix);
            if (strncmp(of + 1, v->prefix, n) != 0)
                continue;
            uint64_t left = least_of(v, of + 1 + n, length - (size_t)(of + 1 + n - line));
            least = left < least ? left : least;
        }
        line += length + (line[length] == '\n');
    }
    return least;
}

/* ---- The counter file ---------------------------------------------------------------------- */

#define ROOM "/" GPTL_CLAIM_PREFIX "room"

static bool path_of(char path[PATH_MAX], const char *directory)
{
    return path_in(path, directory, "", 0, ROOM);
}

static bool is_memory(const char *directory, struct statfs *s)
{
    enum { TMPFS = 0x01021994, RAMFS = 0x858458f6 };
    return gptl_kernel_call(SYS_statfs, directory, s) == 0 &&
           (s->f_type == TMPFS || (unsigned long)s->f_type == RAMFS);
}

bool gptl_room_is_memory(const char *directory)
{
    struct statfs s;
    return is_memory(directory, &s);
}

static uint64_t room_in(const char *directory)
{
    struct statfs s;
    if (!is_memory(directory, &s))
        return UINT64_MAX;
    uint64_t memory = gptl_room_memory() / GPTL_ROOM_PARTS;
    uint64_t half = (uint64_t)s.f_bavail * (uint64_t)s.f_bsize / 2;
    return s.f_blocks > 0 && half < memory ? half : memory;
}

bool gptl_room_make(const char *directory)
{
    static_assert(sizeof(struct gptl_room_file) < 1024, "ulimit -f 2 leaves 1024 bytes");
    char path[PATH_MAX];
    struct gptl_room_file room = {.left = room_in(directory)};
    if (!path_of(path, directory))
        return false;
    int fd = gptl_descriptor_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return false;
    bool done = gptl_kernel_call(SYS_write, fd, &room, sizeof room) == (long)sizeof room;
    int error = done ? 0 : errno;
    gptl_kernel_call(SYS_close, fd);
    if (!done)
        gptl_kernel_call(SYS_unlinkat, AT_FDCWD, path, 0);
    errno = error;
    return done;
}

struct gptl_room_file *gptl_room_map(const char *directory)
{
    enum { ACCESS = PROT_READ | PROT_WRITE };
    char path[PATH_MAX];
    if (!path_of(path, directory))
        return NULL;
    int fd = gptl_descriptor_open(path, O_RDWR | O_NOFOLLOW, 0);
    if (fd < 0)
        return NULL;
    /* A shorter file, from a full disk, would kill its readers by SIGBUS. */
    bool is_whole =
        gptl_kernel_call(SYS_lseek, fd, 0L, SEEK_END) == (long)sizeof(struct gptl_room_file);
    long at = is_whole ? gptl_kernel_call(SYS_mmap, NULL, sizeof(struct gptl_room_file), ACCESS,
                                          MAP_SHARED, fd, 0L)
                       : -1;
    gptl_kernel_call(SYS_close, fd);
    return at == -1 ? NULL : (struct gptl_room_file *)at;
}

static void unmap(struct gptl_room_file *room)
{
    gptl_kernel_call(SYS_munmap, room, sizeof *room);
}

/* Copy the end of a long path, which is more informative than its beginning. */
static void copy_name(char *to, size_t size, const char *name)
{
    size_t n = strlen(name);
    name += n < size ? 0 : n - size + 1;
    for (size_t i = 0; name[i]; i++)
        to[i] = name[i];
}

void gptl_room_count(struct gptl_room_file *room, enum gptl_room_reason reason, const char *name)
{
    if (atomic_fetch_add(&room->unmeasured[reason], 1) != 0)
        return;
    copy_name(room->first[reason], sizeof room->first[reason], name);
    if (reason == GPTL_ROOM_OTHER_ROOT)
        copy_name(room->root_starter, sizeof room->root_starter, program_invocation_short_name);
}

uint64_t gptl_room_left(const char *directory)
{
    struct gptl_room_file *room = gptl_room_map(directory);
    if (!room)
        return UINT64_MAX;
    uint64_t left = atomic_load(&room->left);
    unmap(room);
    return left;
}

bool gptl_room_take(const char *directory, uint64_t size)
{
    struct gptl_room_file *room = gptl_room_map(directory);
    if (!room)
        return true;
    uint_least64_t left = atomic_load(&room->left);
    while (left >= size && left != UINT64_MAX &&
           !atomic_compare_exchange_weak(&room->left, &left, left - size))
        continue;
    unmap(room);
    return left >= size;
}
