/*
 * log.c - the sections of logs, and the processes that wrote them.
 *
 * This file reads only the parts before the records. A section is found by its magic number and is
 * valid if its header's checksum is correct; bytes between sections are damage.
 */
#include "config.h"

#include "postproc/ioc/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postproc/ioc/blocks.h"
#include "postproc/ioc/crc.h"
#include "postproc/ioc/memory.h"
#include "postproc/ioc/salvage.h"
#include "postproc/ioc/window.h"

static const char magic[16] = GPTL_IOC_MAGIC;

void log_add_damage(struct log *log, uint32_t source, uint64_t at, uint64_t size, const char *what)
{
    log->damage =
        memory_room(log->damage, &log->damage_room, log->ndamage + 1, sizeof *log->damage);
    log->damage[log->ndamage++] = (struct log_damage){source, at, size, what};
}

void log_add_text(struct log *log, bool unseen, const char *text, size_t size)
{
    uint64_t hash = unseen ? 14695981039346656037u : 1099511628211u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    uint64_t *known = map_put(&log->texts, hash);
    if (*known)
        return;
    *known = 1;
    char ***list = unseen ? &log->unseen : &log->notes;
    size_t *n = unseen ? &log->nunseen : &log->nnotes;
    *list =
        memory_room(*list, unseen ? &log->unseen_room : &log->notes_room, *n + 1, sizeof **list);
    char *copy = memory_zeros(size + 1, 1);
    memcpy(copy, text, size);
    (*list)[(*n)++] = copy;
}

/* ---- Sections ------------------------------------------------------------------------------ */

static bool header_at(struct window *window, uint64_t at, struct gptl_ioc_header *header)
{
    const void *bytes = window_at(window, at, sizeof *header);
    if (!bytes)
        return false;
    memcpy(header, bytes, sizeof *header);
    uint32_t size = header->header_size;
    if (memcmp(header->magic, magic, sizeof magic) != 0 || size < sizeof *header || size > 65536 ||
        header->section_size < size || !(bytes = window_at(window, at, size)))
        return false;
    const size_t hole = offsetof(struct gptl_ioc_header, crc);
    uint32_t crc = crc_of(0, bytes, hole);
    crc = crc_of(crc, "\0\0\0\0", 4);
    return crc_of(crc, (const char *)bytes + hole + 4, size - hole - 4) == header->crc;
}

/* Return the position of the next magic number from AT on, or the end. */
static uint64_t find_magic(struct window *window, uint64_t at)
{
    enum { PIECE = 1 << 16 };
    while (window->end - at >= sizeof magic) {
        size_t n = window->end - at < PIECE ? (size_t)(window->end - at) : PIECE;
        const char *bytes = window_at(window, at, n), *found;
        if (!bytes)
            break;
        if ((found = memmem(bytes, n, magic, sizeof magic)))
            return at + (uint64_t)(found - bytes);
        at += n - (sizeof magic - 1);
    }
    return window->end;
}

static bool find_header(struct window *window, uint64_t from, uint64_t *at,
                        struct gptl_ioc_header *header)
{
    for (*at = find_magic(window, from); *at < window->end; *at = find_magic(window, *at + 1))
        if (header_at(window, *at, header))
            return true;
    return false;
}

static bool has_magic(struct window *window, uint64_t at)
{
    const void *bytes = window_at(window, at, sizeof magic);
    return bytes && memcmp(bytes, magic, sizeof magic) == 0;
}

/* Return the end of the section at AT, which may precede the end in its header. */
static uint64_t section_end(struct log *log, uint32_t source, struct window *window, uint64_t at,
                            const struct gptl_ioc_header *header)
{
    uint64_t size = header->section_size, next;
    struct gptl_ioc_header other;
    if (size <= window->end - at && (at + size == window->end || has_magic(window, at + size)))
        return at + size;
    uint64_t end = size <= window->end - at ? at + size : window->end;
    if (find_header(window, at + header->header_size, &next, &other) && next < end)
        end = next;
    if (end - at < size)
        log_add_damage(log, source, end, 0,
                       end == window->end ? "the file ends within a section"
                                          : "a section is cut off by another");
    return end;
}

/* Find the sections. Returns whether the file has any of a supported version. */
static bool find_sections(struct log *log, uint32_t source, struct window *window,
                          uint32_t *version)
{
    struct gptl_ioc_header header;
    bool found = false;
    for (uint64_t at = 0, section; at < window->end;) {
        bool is_there = find_header(window, at, &section, &header);
        if (section > at)
            log_add_damage(log, source, at, section - at,
                           has_magic(window, at) ? "the header of a section is damaged"
                                                 : "no section begins here");
        if (!is_there)
            break;
        at = section_end(log, source, window, section, &header);
        *version = header.version;
        if (header.version != GPTL_IOC_VERSION) {
            log_add_damage(log, source, section, at - section, "a section of another version");
            continue;
        }
        log->sections = memory_room(log->sections, &log->sections_room, log->nsections + 1,
                                    sizeof *log->sections);
        log->sections[log->nsections++] =
            (struct log_section){.source = source, .at = section, .end = at, .header = header};
        found = true;
    }
    return found;
}

/* ---- Processes ----------------------------------------------------------------------------- */

static void take_value(char **to, const char *text, const char *key)
{
    size_t n = strlen(key);
    if (strncmp(text, key, n) == 0 && !*to)
        *to = memory_text(text + n);
}

static void take_process_block(struct log *log, struct log_process *process, const char *content,
                               size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t n = strnlen(content + at, size - at);
        if (n == size - at)
            return; /* unterminated, so not written by this recorder */
        take_value(&process->host, content + at, "host=");
        take_value(&process->program, content + at, "program=");
        take_value(&process->directory, content + at, "directory=");
        if (strncmp(content + at, "note=", 5) == 0)
            log_add_text(log, false, content + at + 5, n - 5);
        at += n + 1;
    }
}

/* Read the description of the section's process, before the first records. */
static struct log_process process_of(struct log *log, struct log_section *section,
                                     struct window *window)
{
    const struct gptl_ioc_header *h = &section->header;
    struct log_process process = {
        .pid = h->pid, .rank = h->rank, .start_wall = h->start_wall, .start_ticks = h->start_ticks};
    struct blocks blocks;
    blocks_begin(&blocks, log, section, window);
    section->checked = true; /* the section's reader will report its damage */
    while (!process.host && blocks_next(&blocks) && blocks.type != GPTL_IOC_CHUNK) {
        const unsigned char *content =
            blocks.type == GPTL_IOC_PROCESS ? blocks_content(&blocks) : NULL;
        if (content)
            take_process_block(log, &process, (const char *)content, blocks.size);
    }
    section->checked = false;
    return process;
}

static uint64_t process_key(const struct log_process *process)
{
    uint64_t key = (uint64_t)process->start_wall * 31 + process->start_ticks;
    for (const char *c = process->host ? process->host : ""; *c; c++)
        key = (key ^ (unsigned char)*c) * 1099511628211u;
    return key * 31 + (uint64_t)process->pid;
}

static bool is_same(const struct log_process *a, const struct log_process *b)
{
    return a->pid == b->pid && a->start_wall == b->start_wall && a->start_ticks == b->start_ticks &&
           strcmp(a->host, b->host) == 0;
}

static void process_free(struct log_process *process)
{
    free(process->host);
    free(process->program);
    free(process->directory);
    free(process->label);
}

/* Return the number of the process, adding it if new. */
static uint32_t number_of(struct log *log, struct map *known, struct log_process *process)
{
    if (!process->host)
        process->host = memory_text("unknown");
    uint64_t key = process_key(process);
    for (uint64_t *number; (number = map_find(known, key)); key++)
        if (is_same(&log->processes[*number], process)) {
            process_free(process);
            return (uint32_t)*number;
        }
    *map_put(known, key) = log->nprocesses;
    if (!process->program)
        process->program = memory_text("");
    if (!process->directory)
        process->directory = memory_text("");
    log->processes = memory_room(log->processes, &log->processes_room, log->nprocesses + 1,
                                 sizeof *log->processes);
    log->processes[log->nprocesses] = *process;
    return (uint32_t)log->nprocesses++;
}

static void add_header(struct log *log, struct log_process *process,
                       const struct gptl_ioc_header *header)
{
    process->flags |= header->flags;
    if (header->flags & GPTL_IOC_UNLOCKED)
        process->lock_errno = header->lock_errno;
    process->lost += header->lost;
    process->calls += header->calls;
    process->memory = header->memory;
    if (process->rank < 0)
        process->rank = header->rank;
    if (header->start_wall < log->begin)
        log->begin = header->start_wall;
    if (header->end_wall > log->end)
        log->end = header->end_wall;
}

static void find_processes(struct log *log)
{
    struct map known = {0};
    struct window window = {0};
    uint32_t source = UINT32_MAX;
    log->begin = INT64_MAX;
    log->end = INT64_MIN;
    for (size_t i = 0; i < log->nsections; i++) {
        struct log_section *section = &log->sections[i];
        if (section->source != source) {
            window_free(&window);
            source = section->source;
            window =
                (struct window){.fd = log->sources[source].fd, .end = log->sources[source].size};
        }
        struct log_process process = process_of(log, section, &window);
        section->process = number_of(log, &known, &process);
        add_header(log, &log->processes[section->process], &section->header);
    }
    window_free(&window);
    map_free(&known);
}

/* ---- Order --------------------------------------------------------------------------------- */

static const struct log *sorted; /* qsort lacks a context argument */

static int compare_processes(const void *x, const void *y)
{
    const struct log_process *a = &sorted->processes[*(const uint32_t *)x];
    const struct log_process *b = &sorted->processes[*(const uint32_t *)y];
    if (a->rank != b->rank)
        return (a->rank < 0) != (b->rank < 0) ? (a->rank < 0) - (b->rank < 0)
                                              : (a->rank > b->rank) - (a->rank < b->rank);
    int hosts = strcmp(a->host, b->host);
    if (hosts)
        return hosts;
    if (a->start_wall != b->start_wall)
        return a->start_wall < b->start_wall ? -1 : 1;
    return a->pid != b->pid ? (a->pid < b->pid ? -1 : 1) : a < b ? -1 : a > b;
}

static int compare_sections(const void *x, const void *y)
{
    const struct log_section *a = x, *b = y;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->header.part != b->header.part)
        return a->header.part < b->header.part ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static void put_in_order(struct log *log)
{
    size_t n = log->nprocesses;
    uint32_t *order = memory_zeros(n, sizeof *order), *number = memory_zeros(n, sizeof *number);
    struct log_process *processes = memory_zeros(n, sizeof *processes);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    sorted = log;
    qsort(order, n, sizeof *order, compare_processes);
    for (size_t i = 0; i < n; i++) {
        processes[i] = log->processes[order[i]];
        number[order[i]] = (uint32_t)i;
    }
    for (size_t i = 0; i < log->nsections; i++)
        log->sections[i].process = number[log->sections[i].process];
    qsort(log->sections, log->nsections, sizeof *log->sections, compare_sections);
    for (size_t i = log->nsections; i-- > 0;) {
        struct log_process *process = &processes[log->sections[i].process];
        process->first = (uint32_t)i;
        process->n++;
    }
    free(log->processes);
    log->processes = processes;
    log->processes_room = n;
    free(order);
    free(number);
}

/* ---- Files --------------------------------------------------------------------------------- */

static int cannot(const char *path, const char *why)
{
    fprintf(stderr, "gptl ioc: %s: %s\n", path, why);
    return -1;
}

static int open_source(struct log *log, const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cannot(path, strerror(errno));
    log->sources =
        memory_room(log->sources, &log->sources_room, log->nsources + 1, sizeof *log->sources);
    struct log_source *source = &log->sources[log->nsources++];
    *source = (struct log_source){.path = path, .fd = fd};
    if (fstat(fd, &status) != 0)
        return cannot(path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return cannot(path,
                      "a log is read more than once, so it must be a file, no pipe or folder");
    source->size = (uint64_t)status.st_size;
    log->whole += source->size;
    return source->size > 0 ? 0
                            : cannot(path, "it is empty: no process has written its calls there");
}

static int read_source(struct log *log, const char *path)
{
    if (open_source(log, path))
        return -1;
    uint32_t source = (uint32_t)(log->nsources - 1), version = 0;
    struct window window = {.fd = log->sources[source].fd, .end = log->sources[source].size};
    bool found = find_sections(log, source, &window, &version);
    bool begins = has_magic(&window, 0);
    const char *head = window_at(&window, 0, sizeof magic);
    bool is_salvage = head && ioc_salvage_is_head(head);
    window_free(&window);
    if (found)
        return 0;
    char why[160];
    if (version)
        snprintf(why, sizeof why, "its version is %u; this gptl reads version %d", version,
                 GPTL_IOC_VERSION);
    else
        snprintf(why, sizeof why, "%s",
                 begins ? "it is a log of I/O calls, but nothing of it can be read"
                 : is_salvage
                     ? "a process that ended without writing its calls left it: `gptl ioc salvage` "
                       "puts what it has into a log"
                     : "this is no log of I/O calls");
    return cannot(path, why);
}

int log_open(struct log *log, char *const *paths, int npaths)
{
    struct rlimit files;
    *log = (struct log){0};
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    int failed = 0;
    for (int i = 0; i < npaths; i++)
        failed |= read_source(log, paths[i]);
    if (failed)
        return -1;
    find_processes(log);
    put_in_order(log);
    log_label(log);
    return 0;
}

static void free_texts(char **texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
    free(texts);
}

void log_free(struct log *log)
{
    for (size_t i = 0; i < log->nsources; i++)
        close(log->sources[i].fd);
    for (size_t i = 0; i < log->nprocesses; i++)
        process_free(&log->processes[i]);
    free_texts(log->unseen, log->nunseen);
    free_texts(log->notes, log->nnotes);
    map_free(&log->texts);
    free(log->sources);
    free(log->sections);
    free(log->processes);
    free(log->damage);
    *log = (struct log){0};
}
