/* claim.c - what processes of a `gptl run` leave in its folder, for one another and for it. */
#include "config.h"

#include "core/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* Not by snprintf, which a signal handler must not call. */
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
