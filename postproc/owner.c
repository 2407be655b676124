/* owner.c - state of the processes that own salvage files, of profiles and of I/O calls. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "postproc/commands.h"

/* Return the process of this host whose number ends the name, or 0. */
static pid_t owner(const char *path)
{
    char end[sizeof(struct utsname) + 32];
    struct utsname host;
    const char *dot = strrchr(path, '.');
    long pid = dot ? strtol(dot + 1, NULL, 10) : 0;
    if (pid <= 0 || uname(&host) != 0)
        return 0;
    size_t n = (size_t)snprintf(end, sizeof end, ".%s.%ld", host.nodename, pid);
    return strlen(path) >= n && strcmp(path + strlen(path) - n, end) == 0 ? (pid_t)pid : 0;
}

static bool is_gone(pid_t pid)
{
    return kill(pid, 0) != 0 && errno == ESRCH;
}

bool gptl_salvage_never_began(const char *path)
{
    static const char zeros[16]; /* both kinds store their magic number last */
    char begin[sizeof zeros] = {0};
    pid_t pid = owner(path);
    int fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
    bool is_blank = fd >= 0 && pread(fd, begin, sizeof begin, 0) >= 0 &&
                    memcmp(begin, zeros, sizeof begin) == 0;
    if (fd >= 0)
        close(fd);
    return is_blank && is_gone(pid);
}

/*
 * The process number may have been reused; and if the process executed another program, it does not
 * map the file.
 */
bool gptl_salvage_still_runs(const char *path)
{
    struct stat status;
    char name[64], line[8192];
    pid_t pid = owner(path);
    if (pid == 0 || is_gone(pid) || stat(path, &status) != 0)
        return false;
    snprintf(name, sizeof name, "/proc/%lld/maps", (long long)pid);
    FILE *maps = fopen(name, "re");
    if (!maps)
        return access("/proc/self/maps", R_OK) == 0; /* belongs to another user */
    bool found = false;
    while (!found && fgets(line, sizeof line, maps)) {
        unsigned long long inode = 0;
        found = sscanf(line, "%*s %*s %*s %*s %llu", &inode) == 1 && inode == status.st_ino;
    }
    fclose(maps);
    return found;
}

static bool one_runs(const char *folder)
{
    struct dirent *entry;
    char path[4400];
    bool found = false;
    DIR *entries = opendir(folder);
    while (entries && !found && (entry = readdir(entries))) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        found = gptl_salvage_still_runs(path);
    }
    if (entries)
        closedir(entries);
    return found;
}

void gptl_salvage_await(const char *folder)
{
    enum { TURNS = 200 };
    const struct timespec turn = {.tv_nsec = 10000000};
    for (int i = 0; i < TURNS && one_runs(folder); i++)
        nanosleep(&turn, NULL);
}
