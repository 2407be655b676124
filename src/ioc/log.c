/*
 * log.c - the log file.
 *
 * The file is open only while a section is written, so a program that closes all descriptors does
 * no harm. The section's size is known in advance, so a section without enough space is not begun.
 * Everything here is safe in signal handlers and in a child of fork: it uses neither malloc nor
 * stdio, and only the file's lock.
 */
#include "config.h"

#include "ioc/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/descriptor.h"
#include "posix/raw.h"
#include "posix/say.h"

enum { BUFFER = 1 << 20 };

/* ---- Messages -------------------------------------------------------------------------------- */

void gptl_ioc_say(const char *a, const char *b, const char *c, const char *d)
{
    gptl_posix_say("gptl ioc: ", a, b, c, d);
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

bool gptl_ioc_log_is_collected;

/*
 * Print a message, unless `gptl run` will add the salvaged calls to the log. `gptl ioc salvage` can
 * do so too.
 */
static void say_unwritten(const struct gptl_ioc_log *log, const char *why, const char *path,
                          int error)
{
    char what[80], *limit = what + sizeof what, *end = what;
    if (log->is_kept && gptl_ioc_log_is_collected)
        return;
    end = gptl_raw_append(end, limit, "the calls ");
    end =
        gptl_raw_append(end, limit, log->is_kept ? "stay in the salvage file" : "are not recorded");
    gptl_raw_append(end, limit, why);
    say_errno(what, path, error);
}

/* ---- The file -------------------------------------------------------------------------------- */

static int lock(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    while (gptl_kernel_call(SYS_fcntl, fd, F_SETLKW, &whole) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

/*
 * Return true if FD is still the file PATH. While this process waited for the lock, the file may
 * have been removed or replaced.
 */
static bool is_still(int fd, const char *path)
{
    struct stat now, mine;
    return gptl_kernel_call(SYS_newfstatat, AT_FDCWD, path, &now, 0) == 0 &&
           gptl_raw_fstat(fd, &mine) == 0 && now.st_dev == mine.st_dev && now.st_ino == mine.st_ino;
}

static int open_log(const char *path)
{
    int fd = gptl_descriptor_open(path, O_RDWR | O_CREAT | O_APPEND | O_NOCTTY, 0666);
    if (fd < 0 && errno == EACCES) /* a log may be writable and not readable */
        fd = gptl_descriptor_open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY, 0666);
    return fd;
}

bool gptl_ioc_log_open(struct gptl_ioc_log *log, const char *path, uint64_t size, bool is_kept)
{
    struct stat s;
    struct rlimit most;
    *log = (struct gptl_ioc_log){.fd = -1, .is_kept = is_kept};
    for (int tries = 0; tries < 8; tries++) {
        log->fd = open_log(path);
        if (log->fd < 0) {
            say_unwritten(log, "; cannot open ", path, errno);
            return false;
        }
        log->lock_errno = lock(log->fd);
        if (log->lock_errno || is_still(log->fd, path))
            break;
        gptl_raw_close(log->fd);
        log->fd = -1;
    }
    if (log->fd < 0 || gptl_raw_fstat(log->fd, &s) != 0) {
        say_unwritten(log, "; cannot open ", path, errno);
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
        say_unwritten(log, "; cannot write ", path, errno);
        gptl_raw_close(log->fd);
        return false;
    }
    gptl_stderr_hold_signals(&log->signals);
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
    /*
     * Without a lock, others may have appended more: leave the partial section, which readers
     * detect.
     */
    if (log->failed && !log->lock_errno)
        gptl_kernel_call(SYS_ftruncate, log->fd, log->begin);
    gptl_raw_close(log->fd); /* also unlocks it */
    gptl_raw_free(log->buffer, BUFFER);
    gptl_stderr_release_signals(&log->signals);
    if (log->failed)
        say_unwritten(log, "; cannot write ", path, error);
    return !log->failed;
}

/* ---- CRC-32 as in zlib ----------------------------------------------------------------------- */

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
