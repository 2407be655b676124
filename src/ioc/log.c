/*
 * log.c - the log's file.
 *
 * It is open only while a section is written, so a program that closes all descriptors cannot hit it.
 * The section's size is known before: what has no room is not begun. Everything here is safe in a
 * signal handler and in a child of fork: no memory of malloc, no stdio, no locks but the file's.
 */
#include "config.h"

#include "ioc/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "posix/raw.h"

enum { BUFFER = 1 << 20 };

/* ---- Messages -------------------------------------------------------------------------------- */

static dev_t error_device;
static ino_t error_inode;
static bool has_error;
static char run_folder[4096];

void gptl_ioc_say_begin(void)
{
    struct stat s;
    has_error = gptl_raw_fstat(STDERR_FILENO, &s) == 0;
    error_device = s.st_dev;
    error_inode = s.st_ino;
}

/*
 * Writing may raise a signal, which would end the program: it is held, and taken back. By a raw call,
 * as libc's is a point of cancellation: a thread that ended here would stay the one that writes.
 */
static void hold_signals(sigset_t *before)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGPIPE);
    sigaddset(&held, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &held, before);
}

static void release_signals(const sigset_t *before)
{
    sigset_t mine;
    struct timespec none = {0, 0};
    sigemptyset(&mine);
    if (!sigismember(before, SIGPIPE))
        sigaddset(&mine, SIGPIPE);
    if (!sigismember(before, SIGXFSZ))
        sigaddset(&mine, SIGXFSZ);
    while (syscall(SYS_rt_sigtimedwait, &mine, NULL, &none, _NSIG / 8) > 0)
        continue;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void gptl_ioc_say_once(const char *folder)
{
    gptl_raw_append(run_folder, run_folder + sizeof run_folder, folder);
}

/* Whether no other process of a `gptl run` has said LINE: thousands may have the same to say. */
static bool is_first_to_say(const char *line, size_t length)
{
    char path[sizeof run_folder + 64], *limit = path + sizeof path;
    if (!*run_folder)
        return true;
    char *end = gptl_raw_append(path, limit, run_folder);
    end = gptl_raw_append(end, limit, GPTL_IOC_CLAIM);
    gptl_raw_decimal(end, gptl_ioc_crc(0, line, length));
    int fd = gptl_raw_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    bool first = fd >= 0 || errno != EEXIST;
    if (fd >= 0)
        gptl_raw_close(fd);
    return first;
}

void gptl_ioc_say(const char *a, const char *b, const char *c, const char *d)
{
    char line[5000], *limit = line + sizeof line - 1, *end = line;
    struct stat s;
    sigset_t signals;
    /* A program that closed it may have a file of its own there. */
    if (!has_error || gptl_raw_fstat(STDERR_FILENO, &s) != 0 || s.st_dev != error_device ||
        s.st_ino != error_inode)
        return;
    /* What nobody reads is left for others to say. */
    if (S_ISCHR(s.st_mode) && s.st_rdev == makedev(1, 3))
        return;
    end = gptl_raw_append(end, limit, "gptl ioc: ");
    end = gptl_raw_append(end, limit, a);
    end = gptl_raw_append(end, limit, b);
    end = gptl_raw_append(end, limit, c);
    end = gptl_raw_append(end, limit, d);
    *end++ = '\n';
    if (!is_first_to_say(line, (size_t)(end - line)))
        return;
    hold_signals(&signals);
    gptl_raw_write(STDERR_FILENO, line, (size_t)(end - line));
    release_signals(&signals);
}

static void say_errno(const char *what, const char *path, int error)
{
    char number[32] = "error ";
    gptl_raw_decimal(number + strlen(number), (uint64_t)error);
    const char *why = number;
#ifdef HAVE_STRERRORDESC_NP
    if (strerrordesc_np(error))
        why = strerrordesc_np(error);
#endif
    gptl_ioc_say(what, path, ": ", why);
}

/* ---- The file -------------------------------------------------------------------------------- */

static int lock(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    while (syscall(SYS_fcntl, fd, F_SETLKW, &whole) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

/* A lock that was waited for may be that of a file that has been removed or replaced since. */
static bool is_still(int fd, const char *path)
{
    struct stat now, mine;
    return syscall(SYS_newfstatat, AT_FDCWD, path, &now, 0) == 0 &&
           gptl_raw_fstat(fd, &mine) == 0 && now.st_dev == mine.st_dev && now.st_ino == mine.st_ino;
}

/* Not onto a descriptor that the program takes for one of its standard ones. */
static int open_high(const char *path)
{
    int fd = gptl_raw_open(path, O_RDWR | O_CREAT | O_APPEND | O_NOCTTY, 0666);
    if (fd < 0 && errno == EACCES) /* one may write and not read it */
        fd = gptl_raw_open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY, 0666);
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int high = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    gptl_raw_close(fd);
    errno = error;
    return high;
}

bool gptl_ioc_log_open(struct gptl_ioc_log *log, const char *path, uint64_t size)
{
    struct stat s;
    struct rlimit most;
    *log = (struct gptl_ioc_log){.fd = -1};
    for (int tries = 0; tries < 8; tries++) {
        log->fd = open_high(path);
        if (log->fd < 0) {
            say_errno("the calls are not recorded; cannot open ", path, errno);
            return false;
        }
        log->lock_errno = lock(log->fd);
        if (log->lock_errno || is_still(log->fd, path))
            break;
        gptl_raw_close(log->fd);
        log->fd = -1;
    }
    if (log->fd < 0 || gptl_raw_fstat(log->fd, &s) != 0) {
        say_errno("the calls are not recorded; cannot open ", path, errno);
        return false;
    }
    log->begin = s.st_size;
    log->buffer = gptl_raw_pages(BUFFER);
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
        (uint64_t)s.st_size + size > most.rlim_cur) {
        log->failed = true;
        errno = EFBIG;
    } else if (!log->buffer) {
        log->failed = true;
        errno = ENOMEM;
    }
    if (log->failed) {
        say_errno("the calls are not recorded; cannot write ", path, errno);
        gptl_raw_close(log->fd);
        return false;
    }
    hold_signals(&log->signals);
    return true;
}

static void flush(struct gptl_ioc_log *log)
{
    for (size_t done = 0; done < log->used && !log->failed;) {
        ssize_t n = gptl_raw_write(log->fd, log->buffer + done, log->used - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            log->failed = true;
    }
    log->written += log->used;
    log->used = 0;
}

void gptl_ioc_log_put(struct gptl_ioc_log *log, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0 && !log->failed) {
        size_t n = BUFFER - log->used < size ? BUFFER - log->used : size;
        memcpy(log->buffer + log->used, from, n);
        log->used += n;
        from += n;
        size -= n;
        if (log->used == BUFFER)
            flush(log);
    }
}

bool gptl_ioc_log_close(struct gptl_ioc_log *log, const char *path)
{
    flush(log);
    int error = errno;
    /* Without a lock others may have written behind it: what is there stays, and readers see it. */
    if (log->failed && !log->lock_errno)
        syscall(SYS_ftruncate, log->fd, log->begin);
    gptl_raw_close(log->fd); /* which also unlocks it */
    gptl_raw_free(log->buffer, BUFFER);
    release_signals(&log->signals);
    if (log->failed)
        say_errno("the calls are not recorded; cannot write ", path, error);
    return !log->failed;
}

/* ---- CRC-32, as zlib's ------------------------------------------------------------------------ */

uint32_t gptl_ioc_crc(uint32_t crc, const void *bytes, size_t size)
{
    static uint32_t table[8][256];
    static bool made;
    const unsigned char *p = bytes;
    for (uint32_t i = 0; i < 256 && !made; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++)
            c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
        table[0][i] = c;
    }
    for (uint32_t i = 0; i < 256 && !made; i++)
        for (int t = 1; t < 8; t++)
            table[t][i] = table[t - 1][i] >> 8 ^ table[0][table[t - 1][i] & 255];
    made = true;
    crc = ~crc;
    for (; size >= 8; size -= 8, p += 8) {
        uint32_t a, b;
        memcpy(&a, p, 4);
        memcpy(&b, p + 4, 4);
        a ^= crc;
        crc = table[7][a & 255] ^ table[6][a >> 8 & 255] ^ table[5][a >> 16 & 255] ^
              table[4][a >> 24] ^ table[3][b & 255] ^ table[2][b >> 8 & 255] ^
              table[1][b >> 16 & 255] ^ table[0][b >> 24];
    }
    while (size-- > 0)
        crc = table[0][(crc ^ *p++) & 255] ^ crc >> 8;
    return ~crc;
}
