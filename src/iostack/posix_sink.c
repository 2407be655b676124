/*
 * posix_sink.c - the layer POSIX: libgptl_io reports completed calls, and each becomes a span below
 * the innermost open span of its thread, or below an operation of its process on the same file.
 *
 * libgptl_probe is referenced weakly: without it the layer does not exist. Character operations of
 * streams and reads of directory entries are not spans.
 */
#include "config.h"

#include "iostack/posix_sink.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gptl_probe.h"
#include "iostack/posix_files.h"
#include "posix/apart.h"
#include "posix/offer.h"

#pragma weak GPTLprobe_current
#pragma weak GPTLprobe_end_key_with
#pragma weak GPTLprobe_ending
#pragma weak GPTLprobe_keep
#pragma weak GPTLprobe_open_span
#pragma weak GPTLprobe_seal
#pragma weak GPTLprobe_tell

enum { NO_PATH = 63, ASKS_READ, ASKS_WRITE, ASKS_LIST, GIVES_RESULT, GIVES_NOTHING };

static const struct {
    const char *name;
    int operation;
} named_calls[] = {
    {"aio_read", ASKS_READ},
    {"aio_read64", ASKS_READ},
    {"aio_write", ASKS_WRITE},
    {"aio_write64", ASKS_WRITE},
    {"lio_listio", ASKS_LIST},
    {"lio_listio64", ASKS_LIST},
    {"aio_return", GIVES_RESULT},
    {"aio_return64", GIVES_RESULT},
    {"aio_fsync", GIVES_NOTHING},
    {"aio_fsync64", GIVES_NOTHING},
    {"fcntl", GPTL_OP_OTHER},
    {"fcntl64", GPTL_OP_OTHER},
    {"__fcntl", GPTL_OP_OTHER},
    {"flock", GPTL_OP_OTHER},
    {"lockf", GPTL_OP_OTHER},
    {"lockf64", GPTL_OP_OTHER},
    {"fallocate", GPTL_OP_RESIZE},
    {"fallocate64", GPTL_OP_RESIZE},
    {"posix_fallocate", GPTL_OP_RESIZE},
    {"posix_fallocate64", GPTL_OP_RESIZE},
    {"truncate", GPTL_OP_RESIZE},
    {"truncate64", GPTL_OP_RESIZE},
    {"msync", GPTL_OP_SYNC},
    {"shm_open", NO_PATH},
    {"memfd_create", NO_PATH},
};

/*
 * Return the operation of a call that its type does not determine, by the call's name; 0:
 * unspecific.
 */
static int named_operation(unsigned call)
{
    enum { MOST_CALLS = 1024, NOTHING_MORE = 255 };
    static uint8_t operations[MOST_CALLS]; /* 0: its name has not been examined yet */
    if (call >= MOST_CALLS || call >= gptl_posix_ncalls())
        return 0;
    uint8_t operation = __atomic_load_n(&operations[call], __ATOMIC_RELAXED);
    if (operation == 0) {
        operation = NOTHING_MORE;
        for (size_t i = 0; i < sizeof named_calls / sizeof named_calls[0]; i++)
            if (strcmp(gptl_posix_call_name(call), named_calls[i].name) == 0)
                operation = (uint8_t)named_calls[i].operation;
        __atomic_store_n(&operations[call], operation, __ATOMIC_RELAXED);
    }
    return operation == NOTHING_MORE ? 0 : operation;
}

static int operation_of(enum gptl_posix_type type, unsigned call)
{
    int named;
    switch (type) {
    case GPTL_POSIX_READ:
    case GPTL_POSIX_STDIO_READ:
        return GPTL_OP_READ;
    case GPTL_POSIX_WRITE:
    case GPTL_POSIX_STDIO_WRITE:
        return GPTL_OP_WRITE;
    case GPTL_POSIX_OPEN:
    case GPTL_POSIX_CREAT:
        return GPTL_OP_OPEN;
    case GPTL_POSIX_CLOSE:
        return GPTL_OP_CLOSE;
    case GPTL_POSIX_FSYNC:
        return GPTL_OP_SYNC;
    case GPTL_POSIX_FTRUNCATE:
        return GPTL_OP_RESIZE;
    case GPTL_POSIX_STDIO:
        return GPTL_OP_OTHER;
    default:
        named = named_operation(call);
        return named ? named : GPTL_OP_METADATA;
    }
}

/* ---- Spans ----------------------------------------------------------------------------------- */

static atomic_bool has_told; /* a span was recorded in this process */

/*
 * Return whether to record an operation. Without a cause, operations that move no bytes are
 * skipped: MPI and programs that start others examine hundreds of paths. A forked child that closes
 * inherited descriptors before exec must not create a log for that alone.
 */
static bool is_wanted(struct gptl_iostack_file *file, int operation)
{
    if (!file || gptl_posix_is_child_of_vfork())
        return false;
    if (GPTLprobe_current().process != 0)
        return true;
    return operation != GPTL_OP_METADATA && operation != GPTL_OP_OTHER &&
           (operation != GPTL_OP_CLOSE || atomic_load_explicit(&has_told, memory_order_relaxed)) &&
           !gptl_iostack_is_of_system(file);
}

static void tell(struct gptl_iostack_file *file, int operation, int64_t bytes, int64_t offset,
                 uint64_t start)
{
    if (!is_wanted(file, operation))
        return;
    GPTLspan span = {.layer = GPTL_LAYER_POSIX,
                     .operation = operation,
                     .bytes = bytes,
                     .offset = offset,
                     .file = gptl_iostack_file_name(file),
                     .begin = start};
    atomic_store_explicit(&has_told, true, memory_order_relaxed);
    GPTLprobe_tell(&span);
}

/* Record BYTES moved at the descriptor's own offset, and advance the offset. */
static void tell_moved(enum gptl_posix_type type, int fd, int64_t bytes, uint64_t start)
{
    int64_t at = -1, moved = bytes > 0 ? bytes : 0;
    bool has_stream = type == GPTL_POSIX_STDIO_READ || type == GPTL_POSIX_STDIO_WRITE;
    if (!has_stream)
        at = gptl_iostack_position(fd);
    gptl_iostack_set_position(fd, at < 0 ? -1 : at + moved);
    tell(gptl_iostack_file_of(fd), operation_of(type, 0), moved, at, start);
}

static void tell_opened(int fd, uint32_t number, int flags, uint64_t start)
{
    struct gptl_iostack_file *file = fd >= 0 ? gptl_iostack_file_of(fd) : gptl_iostack_file(number);
    if (fd >= 0)
        gptl_iostack_set_position(fd, flags & O_APPEND ? -1 : 0);
    tell(file, fd >= 0 ? GPTL_OP_OPEN : GPTL_OP_METADATA, -1, -1, start);
    if (file && fd >= 0 && !gptl_iostack_is_of_system(file))
        gptl_iostack_sample(file);
}

static void tell_call(enum gptl_posix_type type, unsigned call, int fd, int64_t data,
                      uint64_t start)
{
    switch (type) {
    case GPTL_POSIX_READ:
    case GPTL_POSIX_WRITE:
    case GPTL_POSIX_STDIO_READ:
    case GPTL_POSIX_STDIO_WRITE:
        tell_moved(type, fd, data, start);
        return;
    case GPTL_POSIX_OPEN:
    case GPTL_POSIX_CREAT:
        tell_opened(fd, (uint32_t)data, (int)(data >> 32), start);
        return;
    case GPTL_POSIX_LSEEK:
        gptl_iostack_set_position(fd, data);
        return;
    case GPTL_POSIX_CLOSE:
        tell(gptl_iostack_last_file_of(fd), GPTL_OP_CLOSE, -1, -1, start);
        return;
    default:
        tell(gptl_iostack_file_of(fd), operation_of(type, call), -1,
             type == GPTL_POSIX_FTRUNCATE ? data : -1, start);
    }
}

/* ---- Asynchronous I/O ------------------------------------------------------------------------ */

/* Return the key of an operation, from data known at both ends. */
static const void *key_of(const struct gptl_posix_event *e)
{
    return (const void *)(((uintptr_t)e->fd + 1) << (sizeof(uintptr_t) * 8 - 20) ^
                          (uintptr_t)e->value);
}

/* Record an asynchronous operation; return whether the event was one. */
static bool tell_asynchronous(const struct gptl_posix_event *e, int what)
{
    struct gptl_iostack_file *file = what >= ASKS_READ ? gptl_iostack_file_of(e->fd) : NULL;
    if (what < ASKS_READ)
        return false;
    if (what == GIVES_NOTHING || !is_wanted(file, GPTL_OP_READ))
        return true;
    if (what == GIVES_RESULT) {
        if (e->type != GPTL_POSIX_FSYNC)
            GPTLprobe_end_key_with(GPTL_LAYER_POSIX, key_of(e), e->data < 0 ? 0 : e->data);
        return true;
    }
    GPTLspan span = {.layer = GPTL_LAYER_POSIX,
                     .operation = what == ASKS_READ    ? GPTL_OP_READ
                                  : what == ASKS_WRITE ? GPTL_OP_WRITE
                                                       : GPTL_OP_OTHER,
                     .bytes = e->asked,
                     .offset = e->value,
                     .file = gptl_iostack_file_name(file),
                     .key = key_of(e)};
    if (e->data >= 0) {
        atomic_store_explicit(&has_told, true, memory_order_relaxed);
        GPTLprobe_open_span(&span);
    }
    return true;
}

/* ---- Sink ------------------------------------------------------------------------------------ */

static void plain(enum gptl_posix_type type, int fd, int64_t data, uint64_t start)
{
    tell_call(type, 0, fd, data, start);
}

static void fewer(enum gptl_posix_type type, int fd, int64_t data, int64_t asked, uint64_t start)
{
    (void)asked;
    tell_call(type, 0, fd, data, start);
}

static void named(enum gptl_posix_type type, unsigned call, int fd, int64_t data, uint64_t start)
{
    tell_call(type, call, fd, data, start);
}

static void at(enum gptl_posix_type type, unsigned call, int fd, int64_t data, int64_t offset,
               uint64_t start)
{
    tell(gptl_iostack_file_of(fd), operation_of(type, call), data, offset, start);
}

static void with(enum gptl_posix_type type, unsigned call, int fd, int64_t data, int argument,
                 int64_t value, uint64_t start)
{
    (void)argument;
    (void)value;
    if (named_operation(call) == NO_PATH)
        gptl_iostack_has_no_path((uint32_t)data);
    tell_call(type, call, fd, data, start);
}

static void joined(enum gptl_posix_type type, unsigned call, int fd, int64_t bytes)
{
    (void)type;
    (void)call;
    (void)bytes;
    gptl_iostack_set_position(fd, -1);
}

/* Record a new descriptor. A duplicate shares its offset with the original. */
static void tell_made(const struct gptl_posix_event *e)
{
    if (e->made_is_duplicate) {
        gptl_iostack_set_position(e->fd, -1);
        gptl_iostack_set_position(e->made, -1);
        gptl_iostack_file_of(e->made);
    } else
        tell_opened(e->made, (uint32_t)e->made_file, (int)(e->made_file >> 32), e->start);
}

/* Record a transfer between two files for both of them. */
static void tell_transfer(const struct gptl_posix_event *e)
{
    int64_t bytes = e->data < 0 ? 0 : e->data;
    gptl_iostack_set_position(e->fd, -1);
    tell(gptl_iostack_file_of(e->fd), GPTL_OP_READ, bytes, e->has_at ? e->value : -1, e->start);
    gptl_iostack_set_position(e->second, -1);
    tell(gptl_iostack_file_of(e->second), GPTL_OP_WRITE, bytes, e->second_at, e->start);
}

static void event(const struct gptl_posix_event *e)
{
    int operation = operation_of(e->type, e->call);
    int what = named_operation(e->call);
    bool moves = operation == GPTL_OP_READ || operation == GPTL_OP_WRITE;
    for (unsigned i = 0; i < e->nfound; i++)
        gptl_iostack_set_position(e->found[i].fd, -1);
    for (unsigned i = 0; i < e->npositions; i++)
        gptl_iostack_set_position(e->positions[i].fd, e->positions[i].offset);
    if (tell_asynchronous(e, what))
        return;
    if (e->has_second)
        tell_transfer(e);
    else if (e->has_made)
        tell_made(e);
    else if (e->has_gone && e->type == GPTL_POSIX_STDIO)
        tell(gptl_iostack_last_file_of(e->gone), GPTL_OP_CLOSE, -1, -1, e->start);
    else if (e->nfiles > 0)
        tell(gptl_iostack_file(e->files[0]), operation, -1, -1, e->start);
    else if (moves && e->has_at)
        tell(gptl_iostack_file_of(e->fd), operation, e->data < 0 ? 0 : e->data, e->value, e->start);
    else if (!e->has_gone)
        tell_call(e->type, e->call, e->fd, e->data, e->start);
}

/* ---- Start, fork, end ------------------------------------------------------------------------ */

static bool is_asked_for(char **environment)
{
    static const char name[] = "GPTL_IOSTACK=";
    for (; environment && *environment; environment++)
        if (strncmp(*environment, name, sizeof name - 1) == 0)
            return strcmp(*environment + sizeof name - 1, "off") != 0;
    return false;
}

static const struct gptl_posix_sink *setup(char **environment)
{
    if (!GPTLprobe_tell || !is_asked_for(environment))
        return NULL;
    gptl_posix_want_start();
    return &gptl_iostack_sink;
}

static void child(void)
{
    if (gptl_posix_is_sealed)
        return;
    atomic_store(&has_told, false);
    gptl_iostack_forget_positions();
}

static void leave(bool for_exec)
{
    (void)for_exec;
    GPTLprobe_ending();
}

static void confine(void)
{
    GPTLprobe_keep(GPTL_LAYER_POSIX);
}

static void seal(bool begins)
{
    if (GPTLprobe_seal)
        GPTLprobe_seal(begins);
}

const struct gptl_posix_sink gptl_iostack_sink = {
    .setup = setup,
    .plain = plain,
    .fewer = fewer,
    .named = named,
    .at = at,
    .with = with,
    .joined = joined,
    .event = event,
    .file = gptl_iostack_learn,
    .leave = leave,
    .child = child,
    .confine = confine,
    .seal = seal,
};
