/* wrap_open.c - the wrappers of calls that open files and directories. */
#include "config.h"

#include <stdarg.h>

#include "posix/apart.h"
#include "posix/fds.h"
#include "posix/files.h"
#include "posix/next.h"
#include "posix/offer.h"
#include "posix/own.h"
#include "posix/raw.h"

struct opening {
    enum gptl_posix_type type;
    unsigned call; /* 0: a plain open has all details */
    int dir;
    const char *path;
    int flags, mode;
};

static void opened(const struct opening *o, int fd, uint64_t start)
{
    int error = errno;
    bool was_read = fd >= 0 || (error == ENOENT && !gptl_posix_is_sealed);
    struct gptl_posix_file *file = was_read ? gptl_posix_name(o->dir, o->path)
                                            : gptl_posix_name_refused(o->dir, o->path, error);
    uint32_t entry = fd >= 0 ? gptl_posix_opened(fd, file, o->flags) : GPTL_POSIX_OFFERED;
    if (entry & GPTL_POSIX_OFFERED) {
        uint32_t number = fd >= 0 ? entry & GPTL_POSIX_FILE_MASK : gptl_posix_number(file);
        int64_t data = (int64_t)(number | (uint64_t)(uint32_t)o->flags << 32);
        int result = fd < 0 ? -error : fd;
        if (o->call)
            OFFER(with, o->type, o->call, result, data, o->dir, o->mode, start);
        else
            OFFER(plain, o->type, result, data, start);
    }
    errno = error;
}

static bool takes_mode(int flags)
{
    return (flags & O_CREAT) || (flags & __O_TMPFILE) == __O_TMPFILE;
}

/* The flags determine whether there is a mode. Without one, the argument must not be read. */
#define MODE_OF(flags)                                                                             \
    mode_t mode = 0;                                                                               \
    if (takes_mode(flags)) {                                                                       \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        mode = va_arg(list, mode_t);                                                               \
        va_end(list);                                                                              \
    }

#define OPEN(name, number)                                                                         \
    __attribute__((visibility("default"))) int gptl_wrap_##name(const char *path, int flags,       \
                                                                ...) __asm__(#name);               \
    int gptl_wrap_##name(const char *path, int flags, ...)                                         \
    {                                                                                              \
        MODE_OF(flags)                                                                             \
        uint64_t start = gptl_posix_start();                                                       \
        int fd = gptl_posix_next.name(path, flags, mode);                                          \
        if (gptl_posix_is_active() && !gptl_posix_left_out(GPTL_POSIX_IS_OWN, fd))                 \
            opened(&(struct opening){GPTL_POSIX_OPEN, mode ? GPTL_CALL_##name : number, AT_FDCWD,  \
                                     path, flags, (int)mode},                                      \
                   fd, start);                                                                     \
        return fd;                                                                                 \
    }
OPEN(open, GPTL_CALL_NONE)
OPEN(open64, GPTL_CALL_open64)
OPEN(__open, GPTL_CALL___open)
OPEN(__open64, GPTL_CALL___open64)

#define OPENAT(name)                                                                               \
    __attribute__((visibility("default"))) int gptl_wrap_##name(int dir, const char *path,         \
                                                                int flags, ...) __asm__(#name);    \
    int gptl_wrap_##name(int dir, const char *path, int flags, ...)                                \
    {                                                                                              \
        MODE_OF(flags)                                                                             \
        uint64_t start = gptl_posix_start();                                                       \
        int fd = gptl_posix_next.name(dir, path, flags, mode);                                     \
        if (gptl_posix_is_active() && !gptl_posix_left_out(GPTL_POSIX_IS_OWN, fd))                 \
            opened(                                                                                \
                &(struct opening){GPTL_POSIX_OPEN, GPTL_CALL_##name, dir, path, flags, (int)mode}, \
                fd, start);                                                                        \
        return fd;                                                                                 \
    }
OPENAT(openat)
OPENAT(openat64)

/* The other calls, each with its own directory, path, flags and mode. */
#define OPENS(name, params, args, type, number, dir, path, flags, mode)                            \
    WRAPPER(name, int, params)                                                                     \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        int fd = gptl_posix_next.name args;                                                        \
        if (gptl_posix_is_active() && !gptl_posix_left_out(GPTL_POSIX_IS_OWN, fd))                 \
            opened(&(struct opening){GPTL_POSIX_##type, GPTL_CALL_##number, dir, path, flags,      \
                                     (int)(mode)},                                                 \
                   fd, start);                                                                     \
        return fd;                                                                                 \
    }
OPENS(__open_2, (const char *p, int flags), (p, flags), OPEN, __open_2, AT_FDCWD, p, flags, 0)
OPENS(__open64_2, (const char *p, int flags), (p, flags), OPEN, __open64_2, AT_FDCWD, p, flags, 0)
OPENS(__openat_2, (int dir, const char *p, int flags), (dir, p, flags), OPEN, __openat_2, dir, p,
      flags, 0)
OPENS(__openat64_2, (int dir, const char *p, int flags), (dir, p, flags), OPEN, __openat64_2, dir,
      p, flags, 0)
enum { CREATS = O_CREAT | O_WRONLY | O_TRUNC, MAKES = O_CREAT | O_EXCL | O_RDWR };
OPENS(creat, (const char *p, mode_t mode), (p, mode), CREAT, creat, AT_FDCWD, p, CREATS, mode)
OPENS(creat64, (const char *p, mode_t mode), (p, mode), CREAT, creat64, AT_FDCWD, p, CREATS, mode)
OPENS(mkstemp, (char *p), (p), OPEN, mkstemp, AT_FDCWD, p, MAKES, 0600)
OPENS(mkstemp64, (char *p), (p), OPEN, mkstemp64, AT_FDCWD, p, MAKES, 0600)
OPENS(mkostemp, (char *p, int flags), (p, flags), OPEN, mkostemp, AT_FDCWD, p, MAKES | flags, 0600)
OPENS(mkostemp64, (char *p, int flags), (p, flags), OPEN, mkostemp64, AT_FDCWD, p, MAKES | flags,
      0600)
OPENS(mkstemps, (char *p, int tail), (p, tail), OPEN, mkstemps, AT_FDCWD, p, MAKES, 0600)
OPENS(mkstemps64, (char *p, int tail), (p, tail), OPEN, mkstemps64, AT_FDCWD, p, MAKES, 0600)
OPENS(mkostemps, (char *p, int tail, int flags), (p, tail, flags), OPEN, mkostemps, AT_FDCWD, p,
      MAKES | flags, 0600)
OPENS(mkostemps64, (char *p, int tail, int flags), (p, tail, flags), OPEN, mkostemps64, AT_FDCWD, p,
      MAKES | flags, 0600)
OPENS(memfd_create, (const char *name, unsigned flags), (name, flags), OPEN, memfd_create,
      GPTL_POSIX_TEXT, name, O_RDWR, flags)
OPENS(shm_open, (const char *name, int flags, mode_t mode), (name, flags, mode), OPEN, shm_open,
      GPTL_POSIX_TEXT, name, flags, mode)

/* A handle lacks a name: the descriptor is queried, as if it had been opened without a wrapper. */
WRAPPER(open_by_handle_at, int, (int mount, struct file_handle *handle, int flags))
{
    uint64_t start = gptl_posix_start();
    int fd = gptl_posix_next.open_by_handle_at(mount, handle, flags);
    if (gptl_posix_is_active())
        gptl_posix_status_else(GPTL_POSIX_OTHER, GPTL_CALL_open_by_handle_at, fd >= 0 ? fd : mount,
                               fd, fd, flags, 0, start);
    return fd;
}

/* ---- Directories ----------------------------------------------------------------------------- */

WRAPPER(opendir, DIR *, (const char *path))
{
    uint64_t start = gptl_posix_start();
    DIR *dir = gptl_posix_next.opendir(path);
    if (gptl_posix_is_active())
        opened(&(struct opening){GPTL_POSIX_OPEN, GPTL_CALL_opendir, AT_FDCWD, path,
                                 O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0},
               dir ? dirfd(dir) : -1, start);
    return dir;
}

WRAPPER(fdopendir, DIR *, (int fd))
{
    uint64_t start = gptl_posix_start();
    DIR *dir = gptl_posix_next.fdopendir(fd);
    gptl_posix_status_else(GPTL_POSIX_OTHER, GPTL_CALL_fdopendir, fd, dir ? 0 : -1, 0, 0, 0, start);
    return dir;
}

WRAPPER(closedir, int, (DIR * dir))
{
    uint64_t start = gptl_posix_start();
    int fd = dir ? dirfd(dir) : -1;
    uint32_t entry = gptl_posix_take(fd);
    int result = gptl_posix_next.closedir(dir);
    if (entry & GPTL_POSIX_OFFERED) {
        int error = errno;
        struct gptl_posix_event event =
            gptl_posix_event(GPTL_POSIX_CLOSE, GPTL_CALL_closedir, fd, result, start);
        gptl_posix_offer(&event, error);
    }
    return result;
}

/* Entries come from a buffer, so they are counted, and consecutive calls form one record. */
static void entry_read(unsigned call, DIR *dir, bool got)
{
    int error = errno;
    int fd = dir ? dirfd(dir) : -1;
    if (got && gptl_posix_is_offered(fd))
        OFFER(joined, GPTL_POSIX_OTHER, call, fd, 1);
    errno = error;
}

WRAPPER(readdir, struct dirent *, (DIR * dir))
{
    struct dirent *entry = gptl_posix_next.readdir(dir);
    entry_read(GPTL_CALL_readdir, dir, entry != NULL);
    return entry;
}

WRAPPER(readdir64, struct dirent64 *, (DIR * dir))
{
    struct dirent64 *entry = gptl_posix_next.readdir64(dir);
    entry_read(GPTL_CALL_readdir64, dir, entry != NULL);
    return entry;
}

WRAPPER(readdir_r, int, (DIR * dir, struct dirent *entry, struct dirent **result))
{
    int status = gptl_posix_next.readdir_r(dir, entry, result);
    entry_read(GPTL_CALL_readdir_r, dir, status == 0 && *result);
    return status;
}

WRAPPER(readdir64_r, int, (DIR * dir, struct dirent64 *entry, struct dirent64 **result))
{
    int status = gptl_posix_next.readdir64_r(dir, entry, result);
    entry_read(GPTL_CALL_readdir64_r, dir, status == 0 && *result);
    return status;
}
