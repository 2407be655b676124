/*
 * out.c - buffered output to a file descriptor.
 *
 * Writing must not terminate the host: on a closed pipe, or beyond the file size limit, the kernel
 * would send SIGPIPE or SIGXFSZ. Both signals are blocked in this thread during the write, and a
 * signal caused by it is consumed before the mask is restored.
 */
#include "config.h"

#include "report/out.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/stderr.h"
#include "report/number.h"

bool gptl_out_ends_by_pipe;

static void write_all(struct gptl_out *out, const char *bytes, size_t size)
{
    if (out->error || size == 0)
        return;
    struct gptl_write_signals signals;
    gptl_stderr_hold_signals(&signals);
    while (size > 0 && !out->error) {
        ssize_t n = write(out->fd, bytes, size);
        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        } else if (n == 0) {
            out->error = ENOSPC;      /* the form in which some file systems report a full disk */
        } else if (errno == EAGAIN) { /* the host made its stderr non-blocking */
            poll(&(struct pollfd){.fd = out->fd, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            out->error = errno;
        }
    }
    if (out->error == EPIPE && out->is_stdout && gptl_out_ends_by_pipe)
        pthread_sigmask(SIG_SETMASK, &signals.mask, NULL); /* delivers the signal now */
    else
        gptl_stderr_release_signals(&signals);
}

static void empty(struct gptl_out *out)
{
    write_all(out, out->buffer, out->used);
    out->used = 0;
}

struct gptl_out *gptl_out_new(int fd)
{
    struct gptl_out *out = malloc(sizeof *out);
    if (out) {
        out->fd = fd;
        out->is_stdout = fd == STDOUT_FILENO;
        out->error = 0;
        out->used = 0;
    }
    return out;
}

int gptl_out_flush(struct gptl_out *out)
{
    empty(out);
    return out->error;
}

char *gptl_out_reserve(struct gptl_out *out, size_t size)
{
    if (sizeof out->buffer - out->used < size)
        empty(out);
    return out->buffer + out->used;
}

void gptl_out_commit(struct gptl_out *out, const char *end)
{
    out->used = (size_t)(end - out->buffer);
}

void gptl_out_bytes(struct gptl_out *out, const char *bytes, size_t size)
{
    if (sizeof out->buffer - out->used < size)
        empty(out);
    if (size > sizeof out->buffer) {
        write_all(out, bytes, size);
        return;
    }
    memcpy(out->buffer + out->used, bytes, size);
    out->used += size;
}

void gptl_out_text(struct gptl_out *out, const char *text)
{
    gptl_out_bytes(out, text, strlen(text));
}

void gptl_out_char(struct gptl_out *out, char c)
{
    *gptl_out_reserve(out, 1) = c;
    out->used++;
}

void gptl_out_blanks(struct gptl_out *out, size_t n)
{
    while (n > 0) {
        size_t part = n < 1024 ? n : 1024;
        memset(gptl_out_reserve(out, part), ' ', part);
        out->used += part;
        n -= part;
    }
}

void gptl_out_uint(struct gptl_out *out, uint64_t value)
{
    char *to = gptl_out_reserve(out, GPTL_NUMBER_SIZE);
    out->used += gptl_number_uint(to, value);
}

void gptl_out_seconds(struct gptl_out *out, uint64_t ns)
{
    char *to = gptl_out_reserve(out, GPTL_NUMBER_SIZE);
    out->used += gptl_number_exact_seconds(to, ns);
}

void gptl_out_wide_seconds(struct gptl_out *out, struct gptl_wide ns)
{
    char *to = gptl_out_reserve(out, GPTL_WIDE_SIZE);
    out->used += gptl_wide_exact_seconds(to, ns);
}

void gptl_out_wide_uint(struct gptl_out *out, struct gptl_wide value)
{
    char *to = gptl_out_reserve(out, GPTL_WIDE_SIZE);
    out->used += gptl_wide_uint(to, value);
}

void gptl_out_real(struct gptl_out *out, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    gptl_out_text(out, text);
}

void gptl_out_format(struct gptl_out *out, const char *format, ...)
{
    char *to = gptl_out_reserve(out, 1024);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to, 1024, format, arguments);
    va_end(arguments);
    if (length > 0)
        out->used += (size_t)(length < 1024 ? length : 1023);
}
