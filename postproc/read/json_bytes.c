/* json_bytes.c - bytes of a JSON file through a buffer of fixed size, and error messages. */
#include "config.h"

#include "postproc/read/json_parts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Errors -------------------------------------------------------------------------------- */

bool json_failed(const struct json *json)
{
    return json->failed;
}

static uint64_t position(const struct json *json)
{
    return json->passed + (uint64_t)(json->at - json->buffer);
}

static __attribute__((format(printf, 3, 0))) void fail(struct json *json, bool whole,
                                                       const char *format, va_list arguments)
{
    if (json->failed)
        return;
    json->failed = true;
    progress_end(&json->progress);
    fprintf(stderr, "%s: %s: ", json->who, json->name);
    if (!whole)
        fprintf(stderr, "line %llu, byte %llu: ", (unsigned long long)json->line,
                (unsigned long long)(position(json) - json->line_start + 1));
    vfprintf(stderr, format, arguments);
    if (!whole && json->hint)
        fputs(json->hint, stderr);
    fputc('\n', stderr);
}

void json_hint(struct json *json, const char *hint)
{
    json->hint = hint;
}

void json_fail(struct json *json, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(json, false, format, arguments);
    va_end(arguments);
}

void json_fail_whole(struct json *json, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(json, true, format, arguments);
    va_end(arguments);
}

void json_no_memory(struct json *json)
{
    json_fail_whole(json, "there is no memory to read it");
}

void json_cut(struct json *json)
{
    json_fail(json, "the file is cut off here");
}

void json_expected(struct json *json, const char *expected)
{
    char found[EXCERPT + 1];
    size_t n = 0;
    for (const char *c = json->at; c < json->end && n < EXCERPT; c++, n++) {
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
            break;
        found[n] = *c;
    }
    found[n] = '\0';
    if (json->at == json->end)
        json_cut(json);
    else if (n == 0)
        json_fail(json, "expected %s, not a byte 0x%02x", expected, (unsigned char)*json->at);
    else
        json_fail(json, "expected %s, not: %s", expected, found);
}

/* ---- Bytes --------------------------------------------------------------------------------- */

struct json *json_new(const char *who, const char *name, int fd)
{
    struct stat status;
    struct json *json = calloc(1, sizeof *json);
    if (!json) {
        fprintf(stderr, "%s: %s: there is no memory to read it\n", who, name);
        return NULL;
    }
    json->who = who;
    json->name = name;
    json->fd = fd;
    json->line = 1;
    json->at = json->end = json->buffer;
    snprintf(json->what, sizeof json->what, "reading %s", name);
    bool sized = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    json->progress = progress_begin(json->what, sized ? (uint64_t)status.st_size : 0);
    return json;
}

void json_free(struct json *json)
{
    if (!json)
        return;
    progress_end(&json->progress);
    free(json->text);
    free(json);
}

/* Append data to the buffer. */
static void fill(struct json *json)
{
    size_t used = (size_t)(json->end - json->buffer);
    while (!json->ended && used < BUFFER_SIZE) {
        ssize_t n = read(json->fd, json->buffer + used, BUFFER_SIZE - used);
        if (n > 0) {
            json->end += n;
            return;
        }
        if (n == 0 || errno != EINTR) {
            json->ended = true;
            if (n < 0)
                json_fail_whole(json, "cannot read it: %s", strerror(errno));
        }
    }
}

bool json_refill(struct json *json)
{
    if (json->ended || json->failed)
        return false;
    json->passed = position(json);
    json->at = json->end = json->buffer;
    progress_at(&json->progress, json->passed);
    fill(json);
    return json->at < json->end;
}

const char *json_peek(struct json *json, size_t *size)
{
    size_t wanted = *size < BUFFER_SIZE ? *size : BUFFER_SIZE;
    while (!json->ended && (size_t)(json->end - json->at) < wanted)
        fill(json);
    *size = (size_t)(json->end - json->at);
    return json->at;
}

int json_next(struct json *json)
{
    while (!json->failed && json_more(json)) {
        char c = *json->at;
        if (c == '\n') {
            json->line++;
            json->line_start = position(json) + 1;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return (unsigned char)c;
        }
        json->at++;
    }
    return -1;
}

bool json_take(struct json *json, char c, const char *expected)
{
    if (json_next(json) != (unsigned char)c) {
        json_expected(json, expected);
        return false;
    }
    json->at++;
    return true;
}
