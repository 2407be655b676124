/*
 * io_calls.c - makes every call that libgptl_io records, and prints the expected contents of the
 * log on stdout, a pipe: a line `name type fd data at asked second path path2 made gone` for each,
 * with - for missing values. A function is called by its name in the dynamic linker, without macros
 * of headers; functions that this libc lacks are printed as `missing name`.
 */
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>

static void *libc;
static char out[1 << 20];
static size_t nout;

/* ---- What must be there ----------------------------------------------------------------------- */

static struct expected {
    const char *type;
    long fd, data;
    long at, asked, second, gone, made;
    const char *path, *path2;
} want;

enum { NO = -999999 };

static void begin(const char *type, long fd)
{
    want = (struct expected){type, fd, 0, NO, NO, NO, NO, NO, NULL, NULL};
}

static void number(long value)
{
    nout += (size_t)(value == NO ? sprintf(out + nout, " -") : sprintf(out + nout, " %ld", value));
}

static void told(const char *name, long result)
{
    want.data = result < 0 && result > -4096 ? result : result;
    nout += (size_t)sprintf(out + nout, "%s %s", name, want.type);
    number(want.fd);
    number(want.data);
    number(want.at);
    number(want.asked);
    number(want.second);
    number(want.made);
    number(want.gone);
    nout += (size_t)sprintf(out + nout, " %s %s\n", want.path ? want.path : "-",
                            want.path2 ? want.path2 : "-");
}

static void *find(const char *name)
{
    if (!dlsym(libc, name)) {
        nout += (size_t)sprintf(out + nout, "missing %s\n", name);
        return NULL;
    }
    return dlsym(RTLD_DEFAULT, name);
}

/* Call RESULT = name ARGS of type TYPE, if the function exists. */
#define DO(ret, name, params, args)                                                                \
    do {                                                                                           \
        ret(*function) params = (ret(*) params)find(#name);                                        \
        if (function) {                                                                            \
            errno = 0;                                                                             \
            long result = (long)(function args);                                                   \
            told(#name, result == -1 ? -errno : result);                                           \
        }                                                                                          \
    } while (0)

static int fd;
static char buffer[4096];
static struct iovec pieces[2] = {{buffer, 3}, {buffer + 3, 4}};

static int file(const char *name, int flags)
{
    int made = open(name, flags | O_CREAT, 0600);
    begin("open", made);
    want.path = name;
    told("open", NO);
    return made;
}

static void closed(int which)
{
    begin("close", which);
    told("close", close(which));
}

/* ---- Bytes ------------------------------------------------------------------------------------ */

#define MOVE(type, name, params, args, n)                                                          \
    do {                                                                                           \
        begin(type, fd);                                                                           \
        want.asked = NO;                                                                           \
        DO(ssize_t, name, params, args);                                                           \
        if (lseek(fd, 0, SEEK_SET) == 0) {                                                         \
            begin("lseek", fd);                                                                    \
            told("lseek", 0);                                                                      \
        }                                                                                          \
    } while (0)
#define MOVE_AT(type, name, params, args, n, offset)                                               \
    do {                                                                                           \
        begin(type, fd);                                                                           \
        want.at = offset;                                                                          \
        DO(ssize_t, name, params, args);                                                           \
    } while (0)

static void bytes(void)
{
    fd = file("bytes", O_RDWR);
    MOVE("write", write, (int, const void *, size_t), (fd, buffer, 100), 100);
    MOVE("write", __write, (int, const void *, size_t), (fd, buffer, 101), 101);
    MOVE("write", writev, (int, const struct iovec *, int), (fd, pieces, 2), 7);
    MOVE("read", read, (int, void *, size_t), (fd, buffer, 11), 11);
    MOVE("read", __read, (int, void *, size_t), (fd, buffer, 12), 12);
    MOVE("read", __read_chk, (int, void *, size_t, size_t), (fd, buffer, 13, 4096), 13);
    MOVE("read", readv, (int, const struct iovec *, int), (fd, pieces, 2), 7);
    MOVE_AT("read", pread, (int, void *, size_t, off_t), (fd, buffer, 8, 5), 8, 5);
    MOVE_AT("read", pread64, (int, void *, size_t, off_t), (fd, buffer, 8, 6), 8, 6);
    MOVE_AT("read", __pread64, (int, void *, size_t, off_t), (fd, buffer, 8, 7), 8, 7);
    MOVE_AT("read", __libc_pread, (int, void *, size_t, off_t), (fd, buffer, 8, 8), 8, 8);
    MOVE_AT("read", __pread_chk, (int, void *, size_t, off_t, size_t), (fd, buffer, 8, 9, 4096), 8,
            9);
    MOVE_AT("read", __pread64_chk, (int, void *, size_t, off_t, size_t), (fd, buffer, 8, 9, 4096),
            8, 9);
    MOVE_AT("read", preadv, (int, const struct iovec *, int, off_t), (fd, pieces, 2, 3), 7, 3);
    MOVE_AT("read", preadv64, (int, const struct iovec *, int, off_t), (fd, pieces, 2, 3), 7, 3);
    MOVE_AT("read", preadv2, (int, const struct iovec *, int, off_t, int), (fd, pieces, 2, 3, 0), 7,
            3);
    MOVE_AT("read", preadv64v2, (int, const struct iovec *, int, off_t, int), (fd, pieces, 2, 3, 0),
            7, 3);
    MOVE("read", preadv2, (int, const struct iovec *, int, off_t, int), (fd, pieces, 2, -1, 0), 7);
    MOVE_AT("write", pwrite, (int, const void *, size_t, off_t), (fd, buffer, 8, 5), 8, 5);
    MOVE_AT("write", pwrite64, (int, const void *, size_t, off_t), (fd, buffer, 8, 1L << 33), 8,
            1L << 33);
    MOVE_AT("write", __pwrite64, (int, const void *, size_t, off_t), (fd, buffer, 8, 5), 8, 5);
    MOVE_AT("write", __libc_pwrite, (int, const void *, size_t, off_t), (fd, buffer, 8, 5), 8, 5);
    MOVE_AT("write", pwritev, (int, const struct iovec *, int, off_t), (fd, pieces, 2, 3), 7, 3);
    MOVE_AT("write", pwritev64, (int, const struct iovec *, int, off_t), (fd, pieces, 2, 3), 7, 3);
    MOVE_AT("write", pwritev2, (int, const struct iovec *, int, off_t, int), (fd, pieces, 2, 3, 0),
            7, 3);
    MOVE_AT("write", pwritev64v2, (int, const struct iovec *, int, off_t, int),
            (fd, pieces, 2, 3, 0), 7, 3);
    /* Short, at the end, and failed. */
    begin("ftruncate", fd);
    told("ftruncate", ftruncate(fd, 20) == 0 ? 20 : -1);
    begin("read", fd);
    want.asked = 4096;
    DO(ssize_t, read, (int, void *, size_t), (fd, buffer, 4096));
    begin("read", fd);
    want.asked = 4096;
    DO(ssize_t, read, (int, void *, size_t), (fd, buffer, 4096));
    begin("read", fd);
    want.at = -5;
    want.asked = 10;
    DO(ssize_t, pread, (int, void *, size_t, off_t), (fd, buffer, 10, -5));
    begin("read", 4321);
    want.asked = 10;
    DO(ssize_t, read, (int, void *, size_t), (4321, buffer, 10));
    begin("write", fd);
    want.asked = 10;
    DO(ssize_t, write, (int, const void *, size_t), (fd, (void *)8, 10));
    begin("read", fd);
    want.asked = 0; /* nobody can tell */
    DO(ssize_t, readv, (int, const struct iovec *, int), (fd, (void *)8, 2));
    closed(fd);
}

static void transfers(void)
{
    off64_t at = 2, to_at = 7;
    int in = file("bytes", O_RDWR), to = file("to", O_RDWR);
    begin("read", in);
    want.second = to;
    want.asked = NO;
    DO(ssize_t, sendfile, (int, int, off_t *, size_t), (to, in, NULL, 4));
    begin("read", in);
    want.second = to;
    want.at = 2;
    DO(ssize_t, sendfile64, (int, int, off64_t *, size_t), (to, in, &at, 4));
    begin("read", in);
    want.second = to;
    want.at = 6;
    DO(ssize_t, copy_file_range, (int, off64_t *, int, off64_t *, size_t, unsigned),
       (in, &at, to, &to_at, 5, 0));
    int ends[2];
    if (pipe(ends) == 0) {
        begin("read", in);
        at = 1;
        want.at = 1;
        DO(ssize_t, splice, (int, off64_t *, int, off64_t *, size_t, unsigned),
           (in, &at, ends[1], NULL, 6, 0));
        begin("write", to);
        DO(ssize_t, splice, (int, off64_t *, int, off64_t *, size_t, unsigned),
           (ends[0], NULL, to, NULL, 6, 0));
        close(ends[0]);
        close(ends[1]);
    }
    closed(in);
    closed(to);
}

/* ---- Descriptors ------------------------------------------------------------------------------ */

#define ABOUT(name, params, args)                                                                  \
    do {                                                                                           \
        begin("other", fd);                                                                        \
        DO(int, name, params, args);                                                               \
    } while (0)

static void descriptors(void)
{
    struct stat s;
    struct statfs fs;
    struct statvfs vfs;
    struct timespec times[2] = {{1, 0}, {2, 0}};
    struct timeval short_times[2] = {{1, 0}, {2, 0}};
    fd = file("about", O_RDWR);
    begin("lseek", fd);
    DO(off_t, lseek, (int, off_t, int), (fd, 77, SEEK_SET));
    begin("lseek", fd);
    DO(off_t, lseek64, (int, off_t, int), (fd, 3, SEEK_CUR));
    begin("lseek", fd);
    DO(off_t, __lseek, (int, off_t, int), (fd, -1000, SEEK_CUR));
    begin("fsync", fd);
    DO(long, fsync, (int), (fd));
    begin("fsync", fd);
    DO(int, fdatasync, (int), (fd));
    begin("fsync", fd);
    DO(int, syncfs, (int), (fd));
    begin("ftruncate", fd);
    told("ftruncate64", ((int (*)(int, off_t))find("ftruncate64"))(fd, 1000) == 0 ? 1000 : -1);
    begin("fsync", fd);
    want.asked = 20;
    DO(int, sync_file_range, (int, off_t, off_t, unsigned), (fd, 10, 20, 2));
    want.asked = 30;
    begin("other", fd);
    want.asked = 30;
    DO(int, fallocate, (int, int, off_t, off_t), (fd, 0, 10, 30));
    begin("other", fd);
    want.asked = 30;
    DO(int, fallocate64, (int, int, off_t, off_t), (fd, 0x4000, 10, 30));
    begin("other", fd);
    want.asked = 30;
    DO(int, posix_fallocate, (int, off_t, off_t), (fd, 10, 30));
    begin("other", fd);
    want.asked = 0;
    told("posix_fallocate64", -((int (*)(int, off_t, off_t))find("posix_fallocate64"))(fd, 10, 0));
    begin("other", fd);
    want.asked = 30;
    DO(int, posix_fadvise, (int, off_t, off_t, int), (fd, 10, 30, 3));
    begin("other", fd);
    want.asked = 30;
    DO(int, posix_fadvise64, (int, off_t, off_t, int), (fd, 10, 30, 3));
    begin("other", fd);
    want.asked = 30;
    DO(ssize_t, readahead, (int, off_t, size_t), (fd, 10, 30));
    begin("other", fd);
    want.asked = 5;
    DO(int, lockf, (int, int, off_t), (fd, F_LOCK, 5));
    begin("other", fd);
    want.asked = 5;
    DO(int, lockf64, (int, int, off_t), (fd, F_ULOCK, 5));
    ABOUT(flock, (int, int), (fd, 2));
    ABOUT(fchmod, (int, mode_t), (fd, 0644));
    ABOUT(fchown, (int, uid_t, gid_t), (fd, (uid_t)-1, (gid_t)-1));
    ABOUT(futimens, (int, const struct timespec *), (fd, times));
    ABOUT(futimes, (int, const struct timeval *), (fd, short_times));
    ABOUT(fstat, (int, struct stat *), (fd, &s));
    ABOUT(fstat64, (int, struct stat *), (fd, &s));
    ABOUT(__fxstat, (int, int, struct stat *), (1, fd, &s));
    ABOUT(__fxstat64, (int, int, struct stat *), (1, fd, &s));
    ABOUT(fstatfs, (int, struct statfs *), (fd, &fs));
    ABOUT(fstatfs64, (int, struct statfs *), (fd, &fs));
    ABOUT(fstatvfs, (int, struct statvfs *), (fd, &vfs));
    ABOUT(fstatvfs64, (int, struct statvfs *), (fd, &vfs));
    ABOUT(fpathconf, (int, int), (fd, _PC_NAME_MAX));
    ABOUT(fgetxattr, (int, const char *, void *, size_t), (fd, "user.none", buffer, 10));
    ABOUT(fsetxattr, (int, const char *, const void *, size_t, int), (fd, "no.such", "x", 1, 0));
    ABOUT(flistxattr, (int, char *, size_t), (fd, buffer, 10));
    ABOUT(fremovexattr, (int, const char *), (fd, "user.none"));
    ABOUT(fcntl, (int, int, ...), (fd, F_GETFL));
    ABOUT(fcntl64, (int, int, ...), (fd, F_SETFD, FD_CLOEXEC));
    ABOUT(__fcntl, (int, int, ...), (fd, F_GETFD));
    ABOUT(ioctl, (int, unsigned long, ...), (fd, FICLONE, -1));
    ABOUT(fchdir, (int), (fd));
}

#define COPY(to, name, params, args)                                                               \
    do {                                                                                           \
        begin("other", fd);                                                                        \
        want.made = to;                                                                            \
        DO(int, name, params, args);                                                               \
    } while (0)

static void copies(void)
{
    COPY(fd + 1, dup, (int), (fd));
    COPY(100, dup2, (int, int), (fd, 100));
    begin("other", fd);
    want.made = want.gone = 100;
    DO(int, dup2, (int, int), (fd, 100));
    COPY(101, __dup2, (int, int), (fd, 101));
    COPY(102, dup3, (int, int, int), (fd, 102, O_CLOEXEC));
    COPY(103, fcntl, (int, int, ...), (fd, F_DUPFD, 103));
    COPY(104, fcntl64, (int, int, ...), (fd, F_DUPFD_CLOEXEC, 104));
    begin("other", fd);
    DO(int, dup2, (int, int), (fd, -3));
    begin("write", 103);
    DO(ssize_t, write, (int, const void *, size_t), (103, buffer, 9));
    begin("close", 104);
    DO(int, __close, (int), (104));
    begin("other", -1);
    want.gone = 102;
    DO(int, close_range, (unsigned, unsigned, int), (102, 103, 0));
    begin("other", -1);
    want.gone = 90;
    void (*function)(int) = (void (*)(int))find("closefrom");
    if (function) {
        function(90);
        told("closefrom", 0);
    }
    closed(fd + 1);
    closed(fd);
}

/* ---- Opening ---------------------------------------------------------------------------------- */

#define OPENS(type_, name, params, args, its_path)                                                 \
    do {                                                                                           \
        int(*function) params = (int(*) params)find(#name);                                        \
        if (function) {                                                                            \
            int made = function args;                                                              \
            begin(type_, made < 0 ? -errno : made);                                                \
            want.path = its_path;                                                                  \
            told(#name, NO);                                                                       \
            if (made >= 0)                                                                         \
                closed(made);                                                                      \
        }                                                                                          \
    } while (0)

static char *pattern(const char *text)
{
    static char patterns[16][32];
    static int n;
    return strcpy(patterns[n++ % 16], text);
}

static void openings(void)
{
    char *p;
    int dir = open(".", O_RDONLY | O_DIRECTORY);
    begin("open", dir);
    want.path = ".";
    told("open", NO);
    OPENS("open", open, (const char *, int, ...), ("opened", O_RDWR | O_CREAT, 0600), "opened");
    OPENS("open", open, (const char *, int, ...), ("none", O_RDWR), "none");
    OPENS("open", open, (const char *, int, ...), (".", O_RDWR | O_TMPFILE, 0600), ".");
    OPENS("open", open64, (const char *, int, ...), ("opened", O_RDONLY), "opened");
    OPENS("open", __open, (const char *, int, ...), ("opened", O_RDONLY), "opened");
    OPENS("open", __open64, (const char *, int, ...), ("opened", O_RDONLY), "opened");
    OPENS("open", openat, (int, const char *, int, ...), (dir, "opened", O_RDONLY), "./opened");
    OPENS("open", openat, (int, const char *, int, ...), (AT_FDCWD, "opened", O_RDONLY), "opened");
    OPENS("open", openat64, (int, const char *, int, ...),
          (dir, "opened", O_WRONLY | O_CREAT, 0600), "./opened");
    OPENS("open", __open_2, (const char *, int), ("opened", O_RDONLY), "opened");
    OPENS("open", __open64_2, (const char *, int), ("opened", O_RDONLY), "opened");
    OPENS("open", __openat_2, (int, const char *, int), (dir, "opened", O_RDONLY), "./opened");
    OPENS("open", __openat64_2, (int, const char *, int), (dir, "opened", O_RDONLY), "./opened");
    OPENS("creat", creat, (const char *, mode_t), ("created", 0600), "created");
    OPENS("creat", creat64, (const char *, mode_t), ("created", 0600), "created");
    OPENS("open", mkstemp, (char *), (p = pattern("m1-XXXXXX")), p);
    OPENS("open", mkstemp64, (char *), (p = pattern("m2-XXXXXX")), p);
    OPENS("open", mkostemp, (char *, int), (p = pattern("m3-XXXXXX"), O_CLOEXEC), p);
    OPENS("open", mkostemp64, (char *, int), (p = pattern("m4-XXXXXX"), O_CLOEXEC), p);
    OPENS("open", mkstemps, (char *, int), (p = pattern("m5-XXXXXX.a"), 2), p);
    OPENS("open", mkstemps64, (char *, int), (p = pattern("m6-XXXXXX.a"), 2), p);
    OPENS("open", mkostemps, (char *, int, int), (p = pattern("m7-XXXXXX.a"), 2, 0), p);
    OPENS("open", mkostemps64, (char *, int, int), (p = pattern("m8-XXXXXX.a"), 2, 0), p);
    OPENS("open", memfd_create, (const char *, unsigned), ("in_memory", 0), "in_memory");
    OPENS("open", shm_open, (const char *, int, mode_t), ("/gptl-io-calls-none", O_RDONLY, 0),
          "/gptl-io-calls-none");
    closed(dir);
}

static void directories(void)
{
    struct dirent entry, *result;
    DIR *dir = opendir(".");
    begin("open", dirfd(dir));
    want.path = ".";
    told("opendir", NO);
    long entries = 0;
    while (((struct dirent * (*)(DIR *)) find("readdir"))(dir))
        entries++;
    begin("other", dirfd(dir));
    told("readdir", entries);
    rewinddir(dir);
    ((struct dirent * (*)(DIR *)) find("readdir64"))(dir);
    told("readdir64", 1);
    ((int (*)(DIR *, struct dirent *, struct dirent **))find("readdir_r"))(dir, &entry, &result);
    told("readdir_r", 1);
    ((int (*)(DIR *, struct dirent *, struct dirent **))find("readdir64_r"))(dir, &entry, &result);
    told("readdir64_r", 1);
    begin("close", dirfd(dir));
    told("closedir", closedir(dir));
    int made = open(".", O_RDONLY);
    begin("open", made);
    want.path = ".";
    told("open", NO);
    dir = fdopendir(made);
    begin("other", made);
    told("fdopendir", 0);
    begin("close", made);
    told("closedir", closedir(dir));
}

/* ---- Names ------------------------------------------------------------------------------------ */

#define NAME(name, params, args, its_path)                                                         \
    do {                                                                                           \
        begin("other", -1);                                                                        \
        want.path = its_path;                                                                      \
        DO(long, name, params, args);                                                              \
    } while (0)
#define TWO(name, params, args, one, two)                                                          \
    do {                                                                                           \
        begin("other", -1);                                                                        \
        want.path = one;                                                                           \
        want.path2 = two;                                                                          \
        DO(int, name, params, args);                                                               \
    } while (0)
#define POINTER(name, params, args, its_path)                                                      \
    do {                                                                                           \
        char *(*function)params = (char *(*)params)find(#name);                                    \
        begin("other", -1);                                                                        \
        char *got = function args;                                                                 \
        want.path = its_path;                                                                      \
        told(#name, got ? 0 : -errno);                                                             \
    } while (0)

/* In "here" there are a file "f" and a directory "d"; an int result is read as such. */
static void names(void)
{
    char *p;
    void *b = buffer;
    struct utimbuf utimbuf = {1, 2};
    struct timeval tv[2] = {{1, 0}, {2, 0}};
    struct timespec ts[2] = {{1, 0}, {2, 0}};
    int at = AT_FDCWD;
    closed(file("f", O_WRONLY));
#define I(name, params, args, its_path)                                                            \
    do {                                                                                           \
        begin("other", -1);                                                                        \
        want.path = its_path;                                                                      \
        DO(int, name, params, args);                                                               \
    } while (0)
    I(stat, (const char *, void *), ("f", b), "f");
    I(stat64, (const char *, void *), ("f", b), "f");
    I(lstat, (const char *, void *), ("no", b), "no");
    I(lstat64, (const char *, void *), ("f", b), "f");
    I(__xstat, (int, const char *, void *), (1, "f", b), "f");
    I(__xstat64, (int, const char *, void *), (1, "f", b), "f");
    I(__lxstat, (int, const char *, void *), (1, "f", b), "f");
    I(__lxstat64, (int, const char *, void *), (1, "f", b), "f");
    I(fstatat, (int, const char *, void *, int), (at, "f", b, 0), "f");
    I(fstatat64, (int, const char *, void *, int), (at, "f", b, 0), "f");
    I(__fxstatat, (int, int, const char *, void *, int), (1, at, "f", b, 0), "f");
    I(__fxstatat64, (int, int, const char *, void *, int), (1, at, "f", b, 0), "f");
    I(statx, (int, const char *, int, unsigned, void *), (at, "f", 0, 0, b), "f");
    I(statfs, (const char *, void *), ("f", b), "f");
    I(statfs64, (const char *, void *), ("f", b), "f");
    I(statvfs, (const char *, void *), ("f", b), "f");
    I(statvfs64, (const char *, void *), ("f", b), "f");
    I(access, (const char *, int), ("f", 4), "f");
    I(eaccess, (const char *, int), ("f", 4), "f");
    I(euidaccess, (const char *, int), ("f", 4), "f");
    I(faccessat, (int, const char *, int, int), (at, "f", 4, 0), "f");
    I(chmod, (const char *, mode_t), ("f", 0600), "f");
    I(lchmod, (const char *, mode_t), ("f", 0600), "f");
    I(fchmodat, (int, const char *, mode_t, int), (at, "f", 0600, 0), "f");
    I(chown, (const char *, uid_t, gid_t), ("f", (uid_t)-1, (gid_t)-1), "f");
    I(lchown, (const char *, uid_t, gid_t), ("f", (uid_t)-1, (gid_t)-1), "f");
    I(fchownat, (int, const char *, uid_t, gid_t, int), (at, "f", (uid_t)-1, (gid_t)-1, 0), "f");
    I(utime, (const char *, void *), ("f", &utimbuf), "f");
    I(utimes, (const char *, void *), ("f", tv), "f");
    I(lutimes, (const char *, void *), ("f", tv), "f");
    I(futimesat, (int, const char *, void *), (at, "f", tv), "f");
    I(utimensat, (int, const char *, void *, int), (at, "f", ts, 0), "f");
    I(mkdir, (const char *, mode_t), ("d", 0700), "d");
    I(mkdirat, (int, const char *, mode_t), (at, "d2", 0700), "d2");
    I(mknod, (const char *, mode_t, dev_t), ("node", S_IFREG | 0600, 0), "node");
    I(mknodat, (int, const char *, mode_t, dev_t), (at, "node", S_IFREG | 0600, 0), "node");
    I(mkfifo, (const char *, mode_t), ("fifo", 0600), "fifo");
    I(mkfifoat, (int, const char *, mode_t), (at, "fifo", 0600), "fifo");
    TWO(symlink, (const char *, const char *), ("f", "l"), "=f", "l");
    TWO(symlinkat, (const char *, int, const char *), ("f", at, "l"), "=f", "l");
    NAME(readlink, (const char *, char *, size_t), ("l", buffer, 99), "l");
    NAME(readlinkat, (int, const char *, char *, size_t), (at, "l", buffer, 99), "l");
    NAME(__readlink_chk, (const char *, char *, size_t, size_t), ("l", buffer, 99, 4096), "l");
    NAME(__readlinkat_chk, (int, const char *, char *, size_t, size_t), (at, "l", buffer, 99, 4096),
         "l");
    POINTER(mkdtemp, (char *), (p = pattern("t-XXXXXX")), p);
    POINTER(realpath, (const char *, char *), ("l", buffer), "l");
    POINTER(__realpath_chk, (const char *, char *, size_t), ("l", buffer, 4096), "l");
    POINTER(canonicalize_file_name, (const char *), ("not/there"), "not/there");
    NAME(pathconf, (const char *, int), ("f", _PC_NAME_MAX), "f");
    NAME(getxattr, (const char *, const char *, void *, size_t), ("f", "user.no", b, 9), "f");
    NAME(lgetxattr, (const char *, const char *, void *, size_t), ("f", "user.no", b, 9), "f");
    I(setxattr, (const char *, const char *, const void *, size_t, int), ("f", "no.such", b, 9, 0),
      "f");
    I(lsetxattr, (const char *, const char *, const void *, size_t, int), ("f", "no.such", b, 9, 0),
      "f");
    NAME(listxattr, (const char *, char *, size_t), ("f", b, 0), "f");
    NAME(llistxattr, (const char *, char *, size_t), ("f", b, 0), "f");
    I(removexattr, (const char *, const char *), ("f", "user.no"), "f");
    I(lremovexattr, (const char *, const char *), ("f", "user.no"), "f");
    I(shm_unlink, (const char *), ("/gptl-io-calls-none"), "/gptl-io-calls-none");
    TWO(link, (const char *, const char *), ("f", "g"), "f", "g");
    TWO(linkat, (int, const char *, int, const char *, int), (at, "f", at, "h", 0), "f", "h");
    TWO(rename, (const char *, const char *), ("g", "i"), "g", "i");
    TWO(renameat, (int, const char *, int, const char *), (at, "h", at, "j"), "h", "j");
    TWO(renameat2, (int, const char *, int, const char *, unsigned), (at, "j", at, "k", 0), "j",
        "k");
    begin("other", -1);
    want.path = "i";
    told("truncate", ((int (*)(const char *, off_t))find("truncate"))("i", 12) == 0 ? 12 : -1);
    begin("other", -1);
    want.path = "i";
    told("truncate64", ((int (*)(const char *, off_t))find("truncate64"))("i", 13) == 0 ? 13 : -1);
    I(unlink, (const char *), ("i"), "i");
    I(unlinkat, (int, const char *, int), (at, "k", 0), "k");
    I(remove, (const char *), ("node"), "node");
    I(rmdir, (const char *), ("d2"), "d2");
    I(stat, (const char *, void *), ((const char *)8, b), NULL); /* no address */
    I(chdir, (const char *), ("d"), "d");
    int inner = open("inner", O_WRONLY | O_CREAT, 0600);
    begin("open", inner);
    want.path = "d/inner";
    told("open", NO);
    closed(inner);
    I(chdir, (const char *), (".."), "d/..");
    I(chroot, (const char *), ("not there"), "not%20there");
}

/* ---- Memory, and what goes on by itself ------------------------------------------------------- */

static void maps(void)
{
    fd = file("mapped", O_RDWR);
    begin("ftruncate", fd);
    told("ftruncate", ftruncate(fd, 8192) == 0 ? 8192 : -1);
    begin("other", fd);
    want.asked = 8192;
    void *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    told("mmap", (long)p);
    begin("other", -1);
    want.asked = 4096;
    DO(int, msync, (void *, size_t, int), (p, 4096, MS_SYNC));
    begin("other", -1);
    want.asked = 8192;
    DO(int, munmap, (void *, size_t), (p, 8192));
    void *q = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* not told */
    munmap(q, 4096);
    begin("other", fd);
    want.asked = 4096;
    DO(long, mmap64, (void *, size_t, int, int, int, off_t),
       (NULL, 4096, PROT_READ, MAP_SHARED, fd, 4096));
    closed(fd);
}

#define ONE_AIO(submit, name_of_return, operation, n, offset)                                      \
    do {                                                                                           \
        struct aiocb a = {                                                                         \
            .aio_fildes = fd, .aio_buf = buffer, .aio_nbytes = n, .aio_offset = offset};           \
        begin("other", fd);                                                                        \
        want.at = offset;                                                                          \
        want.asked = n;                                                                            \
        DO(int, submit, (struct aiocb *), (&a));                                                   \
        while (aio_error(&a) == EINPROGRESS)                                                       \
            usleep(1000);                                                                          \
        begin(operation, fd);                                                                      \
        want.at = offset;                                                                          \
        DO(ssize_t, name_of_return, (struct aiocb *), (&a));                                       \
    } while (0)

static void asynchronous(void)
{
    fd = file("aio", O_RDWR);
    ONE_AIO(aio_write, aio_return, "write", 50, 3);
    ONE_AIO(aio_write64, aio_return64, "write", 50, 4);
    ONE_AIO(aio_read, aio_return, "read", 20, 5);
    ONE_AIO(aio_read64, aio_return64, "read", 20, 6);
    struct aiocb a = {.aio_fildes = fd};
    for (int i = 0; i < 2; i++) {
        begin("other", fd);
        if (i == 0)
            DO(int, aio_fsync, (int, struct aiocb *), (O_SYNC, &a));
        else
            DO(int, aio_fsync64, (int, struct aiocb *), (O_SYNC, &a));
        while (aio_error(&a) == EINPROGRESS)
            usleep(1000);
        begin("fsync", fd);
        DO(ssize_t, aio_return, (struct aiocb *), (&a));
    }
    struct aiocb *list[1] = {&a};
    a = (struct aiocb){
        .aio_fildes = fd, .aio_buf = buffer, .aio_nbytes = 9, .aio_lio_opcode = LIO_READ};
    for (int i = 0; i < 2; i++) {
        begin("other", fd);
        want.at = 0;
        want.asked = 9;
        if (i == 0)
            DO(int, lio_listio, (int, struct aiocb **, int, void *), (LIO_WAIT, list, 1, NULL));
        else
            DO(int, lio_listio64, (int, struct aiocb **, int, void *), (LIO_WAIT, list, 1, NULL));
        begin("read", fd);
        want.at = 0;
        DO(ssize_t, aio_return, (struct aiocb *), (&a));
    }
    closed(fd);
}

void stdio_calls(void);
#include "io_stdio_calls.h"

static int finish(void)
{
    fflush(stdout);
    for (size_t done = 0; done < nout;) {
        long n = syscall(SYS_write, 1, out + done, nout - done);
        if (n <= 0)
            return 1;
        done += (size_t)n;
    }
    return 0;
}

int main(void)
{
    libc = dlopen("libc.so.6", RTLD_LAZY);
    if (!libc || mkdir("work", 0700) != 0)
        return 1;
    begin("other", -1);
    want.path = "work";
    told("mkdir", 0);
    begin("other", -1);
    want.path = "work";
    told("chdir", chdir("work"));
    bytes();
    transfers();
    descriptors();
    copies();
    openings();
    directories();
    names();
    maps();
    asynchronous();
    stdio_calls();
    return finish();
}
