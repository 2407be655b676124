/* rundir.c - the private directory of a `gptl run`; see rundir.h. */
#include "config.h"

#include "core/rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/claim.h"
#include "core/descriptor.h"
#include "core/kernel.h"
#include "core/room.h"

/* ---- Paths --------------------------------------------------------------------------------- */

/* Join A, B and C. Return false with ENAMETOOLONG if they are too long. */
static bool join(char to[PATH_MAX], const char *a, const char *b, const char *c)
{
    size_t n = strlen(a), m = strlen(b), k = strlen(c);
    if (n + m + k >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(to, a, n);
    memcpy(to + n, b, m);
    memcpy(to + n + m, c, k + 1);
    return true;
}

static bool make(const char *path)
{
    return gptl_kernel_call(SYS_mkdirat, AT_FDCWD, path, 0700) == 0;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- Places -------------------------------------------------------------------------------- */

/*
 * Return the directory in a variable, or "". A relative one would change with the working
 * directory.
 */
static const char *named_by(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value && *value == '/' && strlen(value) < PATH_MAX - 600 ? value : "";
}

enum place { RUN_DIR, STATE, HOME, SHM, TMPDIR, TMP, VAR_TMP, END };

static const enum place orders[][END + 1] = {
    [GPTL_RUNDIR_LOCAL] = {RUN_DIR, SHM, TMPDIR, TMP, VAR_TMP, END},
    [GPTL_RUNDIR_JOB] = {RUN_DIR, STATE, HOME, SHM, TMPDIR, TMP, VAR_TMP, END},
    [GPTL_RUNDIR_SHARED] = {RUN_DIR, STATE, HOME, END},
    [GPTL_RUNDIR_DISK] = {TMPDIR, TMP, VAR_TMP, RUN_DIR, END},
};

bool gptl_rundir_place(enum gptl_rundir_places places, int index, char to[PATH_MAX])
{
    const char *base = "", *rest = "";
    int error = errno;
    switch (orders[places][index]) {
    case RUN_DIR:
        base = named_by("GPTL_RUN_DIR");
        break;
    case STATE:
        base = named_by("XDG_STATE_HOME");
        rest = "/gptl";
        break;
    case HOME:
        base = named_by("HOME");
        rest = "/.gptl";
        break;
    case SHM:
        base = "/dev/shm";
        break;
    case TMPDIR:
        base = named_by("TMPDIR");
        break;
    case TMP:
        base = "/tmp";
        break;
    case VAR_TMP:
        base = "/var/tmp";
        break;
    case END:
        return false;
    }
    join(to, base, *base ? rest : "", "");
    errno = error;
    return true;
}

bool gptl_rundir_is_own(const char *path)
{
    struct stat s;
    int error = errno;
    bool is_own = gptl_kernel_call(SYS_newfstatat, AT_FDCWD, path, &s, AT_SYMLINK_NOFOLLOW) == 0 &&
                  S_ISDIR(s.st_mode) && s.st_uid == geteuid() && (s.st_mode & 0777) == 0700;
    errno = error;
    return is_own;
}

/* Create the user's directory for files of programs; directories of the system exist. */
static void make_place(const char *place)
{
    const char *last = last_part(place);
    char above[PATH_MAX];
    if (strcmp(last, ".gptl") != 0 && strcmp(last, "gptl") != 0)
        return;
    if (make(place) || errno != ENOENT || *last == '.' || !join(above, place, "", ""))
        return; /* a missing home directory is not ours to create */
    above[last - place - 1] = '\0';
    if (make(above))
        make(place);
}

bool gptl_rundir_make(const char *place, const char *name, bool is_shared, char path[PATH_MAX])
{
    if (!*place || !join(path, place, "/", name))
        return false;
    make_place(place);
    if (!make(path))
        return errno == EEXIST && is_shared && gptl_rundir_is_own(path);
    if (gptl_room_make(path))
        return true;
    int error = errno;
    gptl_kernel_call(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
    errno = error;
    return false;
}

static bool find_same(const char *directory, char path[PATH_MAX])
{
    char place[PATH_MAX];
    for (int i = 0; gptl_rundir_place(GPTL_RUNDIR_SHARED, i, place); i++)
        if (gptl_rundir_make(place, last_part(directory), true, path))
            return true;
    return false;
}

bool gptl_rundir_find(const char *directory, char path[PATH_MAX])
{
    struct stat s;
    int error = errno;
    bool found = true;
    if (gptl_kernel_call(SYS_newfstatat, AT_FDCWD, directory, &s, AT_SYMLINK_NOFOLLOW) == 0)
        found = gptl_rundir_is_own(directory) && join(path, directory, "", "");
    else if (errno == EACCES)
        found = false;
    else if (!find_same(directory, path))
        *path = '\0';
    errno = error;
    return found;
}

bool gptl_rundir_overflow(const char *directory, char path[PATH_MAX])
{
    char place[PATH_MAX];
    int error = errno;
    bool found = !gptl_room_is_memory(directory) && join(path, directory, "", "");
    for (int i = 0; !found && gptl_rundir_place(GPTL_RUNDIR_DISK, i, place); i++)
        found = *place && join(path, place, "/", last_part(directory)) &&
                gptl_rundir_is_own(path) && !gptl_room_is_memory(path);
    errno = error;
    return found;
}

bool gptl_rundir_take(const char *directory, uint64_t size)
{
    int error = errno;
    bool taken = gptl_room_take(directory, size);
    errno = error;
    return taken;
}

/* ---- Staged files -------------------------------------------------------------------------- */

static bool leaves_its_directory(const char *path)
{
    for (const char *at = strstr(path, ".."); at; at = strstr(at + 1, ".."))
        if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
            return true;
    return false;
}

static void make_above(char *path, char *from)
{
    for (char *slash = from; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        make(path);
        *slash = '/';
    }
}

bool gptl_rundir_stage(const char *directory, const char *path, char staged[PATH_MAX])
{
    char absolute[PATH_MAX];
    int error = errno;
    if (*path != '/' && leaves_its_directory(path)) {
        if (!gptl_rundir_absolute(directory, path, absolute))
            return false;
        path = absolute;
    }
    bool is_absolute = *path == '/';
    bool fits = join(staged, directory,
                     is_absolute ? "/" GPTL_RUNDIR_ROOT : "/" GPTL_RUNDIR_HERE "/", path);
    if (fits)
        make_above(staged, staged + strlen(directory) + 1);
    errno = error;
    return fits;
}

bool gptl_rundir_stage_large(const char *directory, const char *path, char staged[PATH_MAX])
{
    char disk[PATH_MAX];
    if (gptl_rundir_has_ended(directory))
        return false;
    bool has_disk = gptl_rundir_overflow(directory, disk);
    return gptl_rundir_stage(has_disk ? disk : directory, path, staged);
}

const char *gptl_rundir_target(const char *directory, const char *staged)
{
    static const char here[] = "/" GPTL_RUNDIR_HERE "/", root[] = "/" GPTL_RUNDIR_ROOT "/";
    size_t n = strlen(directory);
    if (n == 0 || strncmp(staged, directory, n) != 0)
        return NULL;
    staged += n;
    if (strncmp(staged, here, sizeof here - 1) == 0)
        return staged + sizeof here - 1;
    return strncmp(staged, root, sizeof root - 1) == 0 ? staged + sizeof root - 2 : NULL;
}

bool gptl_rundir_has_ended(const char *directory)
{
    int error = errno;
    bool has_ended = gptl_claim_is_made(directory, GPTL_CLAIM_ENDED, 0);
    errno = error;
    return has_ended;
}

/* Return the value of KEY in the description of the run in DIRECTORY. */
static bool read_about(const char *directory, const char *key, char value[PATH_MAX])
{
    char path[PATH_MAX], text[3 * PATH_MAX];
    if (!join(path, directory, "/", GPTL_RUNDIR_ABOUT))
        return false;
    int fd = gptl_descriptor_open(path, O_RDONLY | O_NOFOLLOW, 0);
    long n = fd >= 0 ? gptl_kernel_call(SYS_read, fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        gptl_kernel_call(SYS_close, fd);
    text[n > 0 ? n : 0] = '\0';
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        size_t length = strlen(key);
        *end = '\0';
        if (strncmp(line, key, length) == 0 && line[length] == '=')
            return join(value, line + length + 1, "", "");
    }
    return false;
}

bool gptl_rundir_absolute(const char *directory, const char *path, char to[PATH_MAX])
{
    char home[PATH_MAX];
    int error = errno;
    bool done = *path == '/' ? join(to, path, "", "")
                             : read_about(directory, "home", home) && join(to, home, "/", path);
    errno = error;
    return done;
}
