/* never_began.c - salvage files, of profiles and of calls for I/O, of processes that never began to measure. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "postproc/commands.h"

bool gptl_salvage_never_began(const char *path)
{
    static const char zeros[16]; /* what both kinds begin with is stored last */
    char begin[sizeof zeros] = {0}, end[sizeof(struct utsname) + 32];
    struct utsname host;
    const char *dot = strrchr(path, '.');
    long pid = dot ? strtol(dot + 1, NULL, 10) : 0;
    if (pid <= 0 || uname(&host) != 0)
        return false;
    size_t n = (size_t)snprintf(end, sizeof end, ".%s.%ld", host.nodename, pid);
    if (strlen(path) < n || strcmp(path + strlen(path) - n, end) != 0)
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    bool is_blank = fd >= 0 && pread(fd, begin, sizeof begin, 0) >= 0 &&
                    memcmp(begin, zeros, sizeof begin) == 0;
    if (fd >= 0)
        close(fd);
    return is_blank && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}
