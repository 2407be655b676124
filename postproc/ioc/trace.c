/* trace.c - a program's reads and writes of files as seen by strace. */
#include "config.h"

#include "postproc/ioc/trace.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

const char *const trace_inside_names[NINSIDE] = {"the dynamic linker's", "for locales",
                                                 "for names of users and groups", "for time zones"};

static const struct inside {
    enum trace_inside inside;
    const char *pattern;
} insides[] = {
    {INSIDE_LINKER, "*.so"},
    {INSIDE_LINKER, "*.so.*"},
    {INSIDE_LINKER, "*/ld.so.cache"},
    {INSIDE_LINKER, "*/ld.so.preload"},
    {INSIDE_LOCALES, "*/locale*"},
    {INSIDE_LOCALES, "*/gconv*"},
    {INSIDE_LOCALES, "*/LC_*"},
    {INSIDE_LOCALES, "*.mo"},
    {INSIDE_USERS, "/etc/passwd"},
    {INSIDE_USERS, "/etc/group"},
    {INSIDE_USERS, "/etc/nsswitch.conf"},
    {INSIDE_ZONES, "*/zoneinfo/*"},
    {INSIDE_ZONES, "/etc/localtime"},
};

/* ---- Calls --------------------------------------------------------------------------------- */

/* Write NAME without the parts in which variants differ. */
static void stem_of(const char *name, char *stem, size_t size)
{
    static const char stream[] = "_IO_file_"; /* internal functions of streams */
    if (strncmp(name, stream, sizeof stream - 1) == 0)
        name += sizeof stream - 1;
    while (*name == '_')
        name++;
    size_t n = strcspn(name, "62_"); /* the kernel's preadv2 is libc's preadv64v2 */
    if (strncmp(name, "copy_file_range", 15) == 0)
        n = 15;
    n = n < size ? n : size - 1;
    memcpy(stem, name, n);
    stem[n] = '\0';
}

static uint64_t hash_of(int64_t thread, const char *stem, int64_t fd, int64_t result)
{
    uint64_t hash = 14695981039346656037u;
    const int64_t numbers[] = {thread, fd, result};
    for (int i = 0; i < 3; i++)
        hash = (hash ^ (uint64_t)numbers[i]) * 0x9e3779b97f4a7c15u ^ hash >> 29;
    for (; *stem; stem++)
        hash = (hash ^ (unsigned char)*stem) * 1099511628211u;
    return hash;
}

struct trace_calls *trace_find(const struct trace *trace, int64_t thread, const char *name,
                               int64_t fd, int64_t result)
{
    char stem[32];
    stem_of(name, stem, sizeof stem);
    const uint64_t *first = map_find(&trace->by_hash, hash_of(thread, stem, fd, result));
    for (size_t i = first ? *first : 0; i; i = trace->calls[i - 1].same) {
        struct trace_calls *c = &trace->calls[i - 1];
        if (c->thread == thread && c->fd == fd && c->result == result && strcmp(c->name, stem) == 0)
            return c;
    }
    return NULL;
}

/*
 * Return whether the dynamic linker read the header of a plugin that is not named like a shared library
 * (Octave's *.oct, Node's *.node): its first read is always of 832 bytes.
 */
static bool is_plugin_header(const char *path, int64_t result)
{
    enum { HEADER = 832 };
    char magic[4] = "";
    FILE *file = result == HEADER ? fopen(path, "rb") : NULL;
    if (!file)
        return false;
    size_t n = fread(magic, 1, sizeof magic, file);
    fclose(file);
    return n == sizeof magic && memcmp(magic, "\177ELF", sizeof magic) == 0;
}

/* Return the part of the C library that made a call on PATH, or NINSIDE: the program did. */
static enum trace_inside inside_of(const char *path, int64_t result)
{
    for (size_t i = 0; i < sizeof insides / sizeof *insides; i++)
        if (fnmatch(insides[i].pattern, path, 0) == 0)
            return insides[i].inside;
    return is_plugin_header(path, result) ? INSIDE_LINKER : NINSIDE;
}

static void add(struct trace *trace, int64_t thread, const char *name, int64_t fd, int64_t result,
                const char *path)
{
    struct trace_calls *c = trace_find(trace, thread, name, fd, result);
    if (!c) {
        char stem[32];
        stem_of(name, stem, sizeof stem);
        uint64_t *first = map_put(&trace->by_hash, hash_of(thread, stem, fd, result));
        trace->calls = memory_room(trace->calls, &trace->room, trace->n + 1, sizeof *trace->calls);
        c = &trace->calls[trace->n++];
        *c = (struct trace_calls){.name = memory_text(stem),
                                  .path = memory_text(path),
                                  .thread = thread,
                                  .fd = fd,
                                  .result = result,
                                  .same = (size_t)*first};
        *first = trace->n;
    }
    c->seen++;
    enum trace_inside inside = inside_of(path, result);
    if (inside < NINSIDE) {
        c->inside[inside]++;
        agree_inside(trace->agree, path);
    }
}

void trace_free(struct trace *trace)
{
    for (size_t i = 0; i < trace->n; i++) {
        free(trace->calls[i].name);
        free(trace->calls[i].path);
    }
    free(trace->calls);
    map_free(&trace->by_hash);
    *trace = (struct trace){0};
}

/* ---- Lines --------------------------------------------------------------------------------- */

bool trace_is_file(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return path[0] == '/' && strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/proc/", 6) != 0 &&
           strncmp(path, "/sys/", 5) != 0 && strncmp(path, "/memfd:", 7) != 0 &&
           (n == 0 || strncmp(path, folder, n) != 0 || path[n] != '/');
}

/*
 * Find the next "3</path>" in TEXT, or "3</path>(deleted)", and terminate the path with a NUL.
 * Returns NULL if not found.
 */
static char *next_end(char *text, long *fd, char **path)
{
    for (char *open; (open = strchr(text, '<')); text = open + 1) {
        char *digits = open, *close = strchr(open, '>');
        while (digits > text && digits[-1] >= '0' && digits[-1] <= '9')
            digits--;
        if (digits == open || !close)
            continue;
        *fd = strtol(digits, NULL, 10);
        *path = open + 1;
        *close = '\0';
        /* older versions print it inside the brackets */
        static const char deleted[] = " (deleted)";
        size_t n = strlen(*path), tail = sizeof deleted - 1;
        if (n > tail && strcmp(*path + n - tail, deleted) == 0)
            (*path)[n - tail] = '\0';
        return close + 1;
    }
    return NULL;
}

static bool begins_with(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

/* Return whether NAME writes to descriptor END of its arguments. */
static bool writes_to(const char *name, int end)
{
    if (begins_with(name, "sendfile"))
        return end == 0;
    if (begins_with(name, "copy_file_range") || begins_with(name, "splice"))
        return end == 1;
    return begins_with(name, "write") || begins_with(name, "pwrite");
}

/* Parse "name(3</path>, ...) = 100". */
static void take_call(struct trace *trace, int64_t thread, char *call, const char *folder)
{
    char *open = strchr(call, '('), *result = NULL, *rest = open;
    if (!open)
        return;
    for (char *at = open; (at = strstr(at, " = ")); at += 3)
        result = at + 3;
    if (!result || *result < '0' || *result > '9')
        return;
    int64_t n = strtoll(result, NULL, 10);
    *open = '\0';
    for (int end = 0; end < 2 && rest; end++) {
        long fd;
        char *path;
        rest = next_end(rest + (rest == open), &fd, &path);
        if (!rest || !trace_is_file(path, folder))
            continue;
        if (end == 0)
            add(trace, thread, call, fd, n, path);
        agree_add(trace->agree, BY_STRACE, path, writes_to(call, end), (uint64_t)n);
    }
}

/* The first line of a call that was interrupted by calls of other threads. */
struct begun {
    int64_t thread;
    char *call;
};

struct list {
    struct begun *begun;
    size_t n, room;
};

static char **place_of(struct list *list, int64_t thread)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->begun[i].thread == thread)
            return &list->begun[i].call;
    list->begun = memory_room(list->begun, &list->room, list->n + 1, sizeof *list->begun);
    list->begun[list->n] = (struct begun){.thread = thread};
    return &list->begun[list->n++].call;
}

static void take_line(struct trace *trace, struct list *list, char *line, const char *folder)
{
    char *rest, *mark;
    int64_t thread = strtoll(line, &rest, 10);
    rest += strspn(rest, " ");
    if ((mark = strstr(rest, " <unfinished ...>"))) {
        char **place = place_of(list, thread);
        *mark = '\0';
        free(*place);
        *place = memory_text(rest);
        return;
    }
    if (strncmp(rest, "<... ", 5) != 0) {
        take_call(trace, thread, rest, folder);
        return;
    }
    char **place = place_of(list, thread);
    mark = strchr(rest, '>');
    if (!*place || !mark)
        return;
    size_t size = strlen(*place) + strlen(mark + 1) + 1;
    char *whole = memory_zeros(size, 1);
    snprintf(whole, size, "%s%s", *place, mark + 1);
    take_call(trace, thread, whole, folder);
    free(whole);
    free(*place);
    *place = NULL;
}

void trace_read(struct trace *trace, struct agree *agree, FILE *from, const char *folder)
{
    trace->agree = agree;
    struct list list = {0};
    char *line = NULL;
    size_t size = 0;
    ssize_t n;
    while ((n = getline(&line, &size, from)) > 0) {
        if (line[n - 1] == '\n')
            line[n - 1] = '\0';
        take_line(trace, &list, line, folder);
    }
    for (size_t i = 0; i < list.n; i++)
        free(list.begun[i].call);
    free(list.begun);
    free(line);
}
