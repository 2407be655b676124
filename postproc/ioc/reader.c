/*
 * reader.c - the calls of one process, with their files and offsets.
 *
 * A plain read or write starts where the previous one ended. The offset is tracked for each open
 * file description through all calls that move it; duplicates of a descriptor share it. If others
 * may move it too, and with O_APPEND, the record itself contains the start, or marks it as unknown.
 */
#include "config.h"

#include "postproc/ioc/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

#include "report/number.h"

/* ---- Files --------------------------------------------------------------------------------- */

/* Return the absolute path of FILE, or the known part of it. */
static char *whole_path(const struct section *section, const struct section_file *file)
{
    enum { MOST_BASES = 64 };
    char *path = memory_text(file->path);
    for (int i = 0; i < MOST_BASES && file->base; i++) {
        file = section_file(section, file->base);
        if (!file)
            break;
        size_t base = strlen(file->path), size = base + strlen(path) + 2;
        char *longer = memory_zeros(size, 1);
        snprintf(longer, size, "%s%s%s", file->path, *path && *path != '/' && base ? "/" : "",
                 path);
        free(path);
        path = longer;
    }
    return path;
}

static bool has_path(const struct section_file *file)
{
    return file->kind <= GPTL_IOC_DIRECTORY || file->kind == GPTL_IOC_DEVICE ||
           file->path[0] == '/';
}

/*
 * Add the files of the section. Each section lists all files of its process again; known ones are
 * unchanged.
 */
static void learn_files(struct reader *reader)
{
    for (size_t i = 0; i < reader->section.nfiles; i++) {
        const struct section_file *file = &reader->section.files[i];
        uint64_t *place = map_put(&reader->numbers, file->number);
        if (*place)
            continue;
        char *path = has_path(file) ? whole_path(&reader->section, file) : memory_text(file->path);
        reader->own =
            memory_room(reader->own, &reader->own_room, reader->nown + 1, sizeof *reader->own);
        struct file_identity identity = {reader->log->processes[reader->process].host, file->device,
                                         file->inode, file->birth};
        reader->own[reader->nown++] = (struct own_file){
            .file = files_number(reader->files, path, file->kind, &identity), .size = file->size};
        *place = reader->nown;
        free(path);
    }
}

static uint32_t file_of(const struct reader *reader, uint32_t number)
{
    const uint64_t *place = map_find(&reader->numbers, number);
    return place ? reader->own[*place - 1].file : 0;
}

static struct file *file_at(struct reader *reader, uint32_t file)
{
    return &reader->files->files[file];
}

/* Set the size. The size that the process saw is valid when it first opens the file. */
static void note_size(struct reader *reader, uint32_t number, uint32_t flags)
{
    const uint64_t *place = map_find(&reader->numbers, number);
    if (!place)
        return;
    struct own_file *own = &reader->own[*place - 1];
    struct file *file = file_at(reader, own->file);
    if (!own->used && own->size >= 0)
        file->end = own->size;
    own->used = true;
    if (flags & O_TRUNC || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
        file->end = 0;
}

static bool has_offsets(const struct reader *reader, uint32_t file)
{
    uint32_t kind = reader->files->files[file].kind;
    return kind < GPTL_IOC_PIPE || kind == GPTL_IOC_DEVICE;
}

static void open_file(struct reader *reader, int32_t fd, int64_t data, int64_t position)
{
    uint32_t number = (uint32_t)data, flags = (uint32_t)((uint64_t)data >> 32);
    uint32_t file = file_of(reader, number);
    note_size(reader, number, flags);
    descriptors_open(&reader->descriptors, fd, file, flags,
                     has_offsets(reader, file) ? position : -1);
}

static void learn_descriptors(struct reader *reader)
{
    for (size_t i = 0; i < reader->section.ndescriptors; i++) {
        const struct gptl_ioc_descriptor *d = &reader->section.descriptors[i];
        /*
         * If nothing was lost since the previous section, its state is equally valid, and shared by
         * duplicates.
         */
        struct description *known = descriptors_of(&reader->descriptors, d->fd);
        if (known->file && known->file == file_of(reader, d->file))
            continue;
        uint32_t flags = d->flags & ~(uint32_t)(O_TRUNC | O_CREAT | O_EXCL);
        open_file(reader, d->fd, (int64_t)((uint64_t)flags << 32 | d->file), d->offset);
    }
}

/* ---- Sections ------------------------------------------------------------------------------ */

static void leave_section(struct reader *reader)
{
    if (!reader->header)
        return;
    reader->log->done += reader->header->section_size;
    cursor_free(&reader->cursor);
    section_free(&reader->section);
    reader->header = NULL;
}

static bool next_section(struct reader *reader)
{
    const struct log_process *process = &reader->log->processes[reader->process];
    leave_section(reader);
    if (reader->next == process->n)
        return false;
    struct log_section *from = &reader->log->sections[process->first + reader->next++];
    const struct log_source *source = &reader->log->sources[from->source];
    window_free(&reader->window);
    reader->window = (struct window){.fd = source->fd, .end = source->size};
    section_load(&reader->section, reader->log, from, &reader->window);
    reader->header = &from->header;
    double rate = from->header.ticks_per_second;
    reader->ns_per_tick = isfinite(rate) && rate > 0 ? 1e9 / rate : 1;
    if (from->header.lost > 0) {
        /* The effect of the lost calls on offsets is unknown. */
        descriptors_free(&reader->descriptors);
        descriptors_begin(&reader->descriptors);
    }
    learn_files(reader);
    learn_descriptors(reader);
    cursor_begin(&reader->cursor, &reader->section, source->fd);
    window_free(&reader->window);
    return true;
}

void reader_begin(struct reader *reader, struct log *log, struct files *files, uint32_t process)
{
    *reader = (struct reader){.log = log, .files = files, .process = process};
    descriptors_begin(&reader->descriptors);
}

void reader_free(struct reader *reader)
{
    leave_section(reader);
    window_free(&reader->window);
    descriptors_free(&reader->descriptors);
    map_free(&reader->numbers);
    free(reader->own);
    *reader = (struct reader){0};
}

/* ---- Time ---------------------------------------------------------------------------------- */

static int64_t whole(double ns)
{
    return ns > 9e18 ? (int64_t)9e18 : ns < -9e18 ? (int64_t)-9e18 : (int64_t)llrint(ns);
}

static int64_t difference(int64_t a, int64_t b)
{
    int64_t result;
    return __builtin_sub_overflow(a, b, &result) ? (a > b ? INT64_MAX : INT64_MIN) : result;
}

int64_t reader_start(const struct log *log, uint32_t process)
{
    return difference(log->processes[process].start_wall, log->begin);
}

static int64_t time_of(const struct reader *reader, int64_t unit)
{
    unsigned shift = reader->header->unit_shift < 64 ? reader->header->unit_shift : 63;
    int64_t ticks = (int64_t)(((uint64_t)unit << shift) - reader->header->start_ticks);
    int64_t since = difference(reader->header->start_wall, reader->log->begin);
    return gptl_number_sum(whole((double)ticks * reader->ns_per_tick), since);
}

/* ---- Calls --------------------------------------------------------------------------------- */

bool call_is_read(const struct call *call)
{
    return call->type == GPTL_IOC_READ;
}

bool call_is_write(const struct call *call)
{
    return call->type == GPTL_IOC_WRITE;
}

bool call_is_stream_read(const struct call *call)
{
    return call->type == GPTL_IOC_STDIO_READ;
}

bool call_is_stream_write(const struct call *call)
{
    return call->type == GPTL_IOC_STDIO_WRITE;
}

bool call_contains_others(const struct call *call)
{
    return call->type == GPTL_IOC_STDIO_READ || call->type == GPTL_IOC_STDIO_WRITE ||
           (call->type == GPTL_IOC_STDIO && !strstr(call->name, "open"));
}

bool call_renames(const struct call *call)
{
    return call->other && call->result >= 0 && strncmp(call->name, "rename", 6) == 0;
}

const char *call_type_name(enum gptl_ioc_type type)
{
    static const char *const names[GPTL_IOC_NTYPES] = {
        "none",      "read",       "write",       "open",  "close", "creat",     "lseek",  "fsync",
        "ftruncate", "stdio_read", "stdio_write", "stdio", "other", "extension", "detail", "start"};
    return names[type];
}

/* Register descriptors opened by calls outside the recorder's view. */
static void learn_found(struct reader *reader, const struct raw_call *raw)
{
    for (unsigned i = 0; i < raw->nfound; i++)
        open_file(reader, raw->found[i].fd, raw->found[i].data, -1);
}

/* Set the offsets before a call, or mark them unknown: others move the offset too. */
static void learn_positions(struct reader *reader, const struct raw_call *raw)
{
    for (unsigned p = 0; p < raw->npositions; p++) {
        struct description *d = descriptors_of(&reader->descriptors, raw->positions[p].fd);
        if (d->file)
            d->position = raw->positions[p].data;
    }
}

static bool has_position(const struct raw_call *raw, int32_t fd)
{
    for (unsigned p = 0; p < raw->npositions; p++)
        if (raw->positions[p].fd == fd)
            return true;
    return false;
}

/* Return whether a write appends regardless of its offset. */
static bool appends(const struct reader *reader, const struct description *d,
                    const struct raw_call *raw)
{
    enum { CALL_APPENDS = 0x10 }; /* RWF_APPEND */
    return d->flags & O_APPEND ||
           (strncmp(reader->call.name, "pwritev", 7) == 0 && raw->arg & CALL_APPENDS);
}

/*
 * Transfer N bytes from or to FD at OFFSET, or, if -1, at the descriptor's offset, which advances.
 */
static struct end move(struct reader *reader, const struct raw_call *raw, int32_t fd,
                       int64_t offset, int64_t n, bool writes)
{
    struct description *d = descriptors_of(&reader->descriptors, fd);
    struct file *file = file_at(reader, d->file);
    bool own = offset == -1;
    if (writes && appends(reader, d, raw) && !has_position(raw, fd)) {
        offset = -1; /* the end of the file, which others may move */
        d->position = own ? -1 : d->position;
    } else if (own || (writes && appends(reader, d, raw))) {
        offset = d->position;
    }
    int64_t after = offset >= 0 && n > 0 ? gptl_number_sum(offset, n) : offset;
    if (own && offset >= 0)
        d->position = after;
    if (writes && n > 0 && offset < 0)
        file->end = -1;
    if (writes && n > 0 && d->file && file->end >= 0 && after > file->end)
        file->end = after;
    return (struct end){fd, d->file, has_offsets(reader, d->file) ? offset : -1};
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static void change_size(struct reader *reader, const struct raw_call *raw, const char *name)
{
    enum { KEEPS_SIZE = 1 };
    uint32_t number = descriptors_of(&reader->descriptors, raw->fd)->file;
    if (raw->data < 0)
        return;
    if (strncmp(name, "truncate", 8) == 0 && raw->nfiles > 0) {
        file_at(reader, file_of(reader, raw->files[0]))->end = raw->data;
    } else if (raw->type == GPTL_IOC_FTRUNCATE) {
        file_at(reader, number)->end = raw->data;
    } else if ((strncmp(name, "fallocate", 9) == 0 && raw->arg == 0) ||
               strncmp(name, "posix_fallocate", 15) == 0) {
        int64_t after = gptl_number_sum(raw->value, raw->asked);
        if (raw->has_asked && file_at(reader, number)->end >= 0 &&
            after > file_at(reader, number)->end)
            file_at(reader, number)->end = after;
    }
    file_at(reader, 0)->end = -1; /* an unknown file has an unknown size */
}

/* Close the descriptors in the range, except a duplicate created there. */
static void close_range_but_made(struct reader *reader, const struct raw_call *raw)
{
    struct descriptors *d = &reader->descriptors;
    int64_t first = raw->gone.fd;
    for (unsigned i = 0; i < raw->nmade; i++)
        if (raw->is_duplicate[i] && raw->made[i].fd >= first && raw->made[i].fd <= raw->gone.data) {
            descriptors_close(d, (int32_t)first, (int64_t)raw->made[i].fd - 1);
            first = (int64_t)raw->made[i].fd + 1;
        }
    if (first <= INT32_MAX)
        descriptors_close(d, (int32_t)first, raw->gone.data);
}

/* Apply the descriptors that a call closed and created; its own file must already be resolved. */
static void follow(struct reader *reader, const struct raw_call *raw)
{
    struct descriptors *d = &reader->descriptors;
    if (raw->type == GPTL_IOC_CLOSE && raw->data != -EBADF)
        descriptors_close(d, raw->fd, raw->fd);
    int32_t from = raw->fd;
    for (unsigned i = 0; i < raw->nmade; i++)
        if (raw->is_duplicate[i] && !(raw->has_gone && raw->made[i].fd == from))
            descriptors_duplicate(d, from, raw->made[i].fd);
    if (raw->has_gone)
        close_range_but_made(reader, raw);
    for (unsigned i = 0; i < raw->nmade; i++)
        if (!raw->is_duplicate[i])
            open_file(reader, raw->made[i].fd, raw->made[i].data, 0);
}

static void moved(struct reader *reader, const struct raw_call *raw)
{
    struct call *call = &reader->call;
    int64_t n = raw->data > 0 ? raw->data : 0;
    int64_t at = raw->has_at ? raw->value : -1;
    if (call_is_write(call)) {
        call->has_to = true;
        call->to = call->from = move(reader, raw, raw->fd, at, n, true);
        call->written = n;
        return;
    }
    call->from = move(reader, raw, raw->fd, at, n, false);
    call->read = n;
    if (raw->has_second) {
        call->has_to = true;
        call->to = move(reader, raw, raw->second.fd, raw->second.data, n, true);
        call->written = n;
    }
}

static void opened(struct reader *reader, const struct raw_call *raw)
{
    static const char *const memory[] = {"shm_open", "memfd_create", NULL};
    struct call *call = &reader->call;
    int64_t data = raw->data;
    if (raw->type == GPTL_IOC_CREAT)
        data |= (int64_t)((uint64_t)O_TRUNC << 32);
    if (raw->fd >= 0)
        open_file(reader, raw->fd, data, 0);
    call->result = raw->fd;
    call->from = (struct end){raw->fd, file_of(reader, (uint32_t)raw->data), -1};
    if (is_one_of(call->name, memory))
        file_at(reader, call->from.file)->in_memory = true;
}

/* Apply changed flags. After O_APPEND is cleared, the offset is unknown. */
static void set_flags(struct reader *reader, const struct raw_call *raw)
{
    struct description *d = descriptors_of(&reader->descriptors, raw->fd);
    if (d->flags & O_APPEND)
        d->position = -1;
    d->flags = (d->flags & ~(uint32_t)O_APPEND) | ((uint32_t)raw->value & O_APPEND);
}

static void other(struct reader *reader, const struct raw_call *raw)
{
    struct call *call = &reader->call;
    const struct description *d = descriptors_of(&reader->descriptors, raw->fd);
    uint32_t file = d->file;
    if (raw->nfiles > 0)
        file = file_of(reader, raw->files[0]);
    else if (file == 0 && raw->nmade > 0)
        file = file_of(reader, (uint32_t)raw->made[0].data);
    if (raw->nfiles > 1)
        call->other = file_of(reader, raw->files[1]);
    if (call_renames(call) && (call->from.file = file))
        reader->renamed = true;
    call->from = (struct end){raw->fd, file, raw->has_at ? raw->value : -1};
    if (raw->type == GPTL_IOC_STDIO_READ || raw->type == GPTL_IOC_STDIO_WRITE)
        call->streamed = raw->data > 0 ? raw->data : 0;
    if (raw->type == GPTL_IOC_LSEEK && raw->data >= 0) {
        descriptors_of(&reader->descriptors, raw->fd)->position = raw->data;
        call->from.offset = raw->data;
    }
    if (strstr(call->name, "fcntl") && raw->arg == F_SETFL && raw->data == 0)
        set_flags(reader, raw);
    change_size(reader, raw, call->name);
}

static void resolve(struct reader *reader, const struct raw_call *raw)
{
    struct call *call = &reader->call;
    const char *name = raw->has_name ? section_call(&reader->section, raw->number) : NULL;
    *call = (struct call){.process = reader->process,
                          .thread = raw->thread,
                          .time = time_of(reader, raw->time),
                          .type = raw->type,
                          .name = name ? name : call_type_name(raw->type),
                          .result = raw->data,
                          .asked = raw->has_asked ? raw->asked : -1,
                          .n = 1,
                          .duration = -1,
                          .section = &reader->section};
    if (raw->has_detail) {
        call->duration = whole((double)raw->duration * reader->ns_per_tick);
        call->path = raw->path;
    }
    bool is_joined = raw->type == GPTL_IOC_STDIO_READ || raw->type == GPTL_IOC_STDIO_WRITE ||
                     (raw->type == GPTL_IOC_OTHER && strncmp(call->name, "readdir", 7) == 0);
    if (is_joined && raw->has_name && !raw->has_at && raw->value > 1)
        call->n = (uint64_t)raw->value;
    learn_found(reader, raw);
    learn_positions(reader, raw);
    if (call_is_read(call) || call_is_write(call))
        moved(reader, raw);
    else if (raw->type == GPTL_IOC_OPEN || raw->type == GPTL_IOC_CREAT)
        opened(reader, raw);
    else
        other(reader, raw);
    follow(reader, raw);
}

void reader_learn(struct log *log, struct files *files, uint32_t process)
{
    struct reader reader;
    reader_begin(&reader, log, files, process);
    while (next_section(&reader))
        continue;
    reader_free(&reader);
}

bool reader_next(struct reader *reader)
{
    const struct raw_call *raw = NULL;
    if (reader->renamed) /* the call itself still uses the old name */
        files_renamed(reader->files, reader->call.from.file, reader->call.other);
    reader->renamed = false;
    while (!reader->header || !(raw = cursor_next(&reader->cursor)))
        if (!next_section(reader))
            return false;
    resolve(reader, raw);
    return true;
}
