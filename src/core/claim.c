/* claim.c - files in the directory of a `gptl run` by which its processes coordinate. */
#include "config.h"

#include "core/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/descriptor.h"

uint64_t gptl_claim_key(uint64_t before, const char *text)
{
    for (; *text; text++)
        before = (before ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return before;
}

static char *append(char *end, const char *text)
{
    while (*text)
        *end++ = *text++;
    return end;
}

/* Write the path of the claim. A signal handler must not call snprintf. */
static void name_of(char *end, const char *folder, const char *kind, uint64_t key)
{
    end = append(append(append(end, folder), "/" GPTL_CLAIM_PREFIX), kind);
    *end++ = '.';
    for (int shift = 60; shift >= 0; shift -= 4)
        *end++ = "0123456789abcdef"[key >> shift & 15];
    *end = '\0';
}

int gptl_claim(const char *folder, const char *kind, uint64_t key, const char *content)
{
    char path[PATH_MAX + 64];
    int error = errno, result = -1;
    if (!*folder || strlen(folder) + strlen(kind) >= PATH_MAX)
        return -1;
    name_of(path, folder, kind, key);
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    fd = gptl_descriptor_raise((int)fd);
    if (fd >= 0) {
        result = 1;
        if (content && syscall(SYS_write, fd, content, strlen(content)) < 0)
            result = -1;
        syscall(SYS_close, fd);
    } else if (errno == EEXIST) {
        result = 0;
    }
    errno = error;
    return result;
}

bool gptl_claim_is_made(const char *folder, const char *kind, uint64_t key)
{
    char path[PATH_MAX + 64];
    int error = errno;
    if (!*folder || strlen(folder) + strlen(kind) >= PATH_MAX)
        return false;
    name_of(path, folder, kind, key);
    bool is_made = syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
    errno = error;
    return is_made;
}

/* ---- The end of the directory -------------------------------------------------------------- */

/* Layout of the kernel's directory entries. */
struct entry {
    uint64_t inode, next;
    unsigned short size;
    unsigned char type;
    char name[];
};

enum { ENTRIES = 4096 };

/* Remove the claims if REMOVE. Return whether the directory contains only claims. */
static bool each_claim(int fd, bool remove)
{
    _Alignas(struct entry) char bytes[ENTRIES];
    long n;
    if (syscall(SYS_lseek, fd, 0, SEEK_SET) < 0)
        return false;
    while ((n = syscall(SYS_getdents64, fd, bytes, sizeof bytes)) > 0)
        for (long at = 0; at < n;) {
            const struct entry *entry = (const void *)(bytes + at);
            bool is_claim = strncmp(entry->name, GPTL_CLAIM_PREFIX, strlen(GPTL_CLAIM_PREFIX)) == 0;
            if (is_claim && remove)
                syscall(SYS_unlinkat, fd, entry->name, 0);
            else if (!is_claim && strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
                return false;
            at += entry->size;
        }
    return n == 0;
}

void gptl_claim_leave(const char *folder)
{
    /* directories of rundir.h; empty when all files have been moved */
    static const char *const trees[] = {"/here", "/root", NULL};
    char ended[PATH_MAX + 64];
    int error = errno;
    if (!*folder || strlen(folder) >= PATH_MAX)
        return;
    name_of(ended, folder, GPTL_CLAIM_ENDED, 0);
    if (syscall(SYS_faccessat, AT_FDCWD, ended, F_OK) == 0) {
        for (const char *const *t = trees; *t; t++) {
            *append(append(ended, folder), *t) = '\0';
            syscall(SYS_unlinkat, AT_FDCWD, ended, AT_REMOVEDIR);
        }
        long fd = syscall(SYS_openat, AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 && each_claim((int)fd, false) && each_claim((int)fd, true))
            syscall(SYS_unlinkat, AT_FDCWD, folder, AT_REMOVEDIR);
        if (fd >= 0)
            syscall(SYS_close, fd);
    }
    errno = error;
}
