/*
 * file_spans.c - MPI-IO calls as spans, and the required information about a file: its name, its
 * opening, the number of collective calls, and the location of its bytes.
 */
#include "config.h"

#include "mpi/file_spans.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iostack/on.h"
#include "mpi/notes.h"
#include "mpi/types.h"

enum { NBUCKETS = 256, MOST_PATH = 4096 };

struct gptl_mpi_file {
    struct gptl_mpi_file *next;
    MPI_File handle;
    char *path;
    uint64_t name; /* number in logs; 0: not determined yet */
    uint64_t opening;
    _Atomic uint64_t collectives;
    GPTLcallid split;   /* the active split collective */
    bool is_sequential; /* has no offsets */
    bool is_plain;      /* the view is contiguous from DISPLACEMENT on */
    MPI_Offset displacement;
    int64_t etype;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct gptl_mpi_file *files[NBUCKETS];

/* ---- Files ----------------------------------------------------------------------------------- */

static unsigned bucket_of(MPI_File handle)
{
    return (unsigned)((uint64_t)(uintptr_t)handle * 0x9e3779b97f4a7c15u >> 56);
}

static struct gptl_mpi_file **place_of(MPI_File handle)
{
    struct gptl_mpi_file **at = &files[bucket_of(handle)];
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    return at;
}

/* This thread's latest lookup: a lock for each call would take longer than the rest of its span. */
static __thread struct latest {
    MPI_File handle;
    struct gptl_mpi_file *file; /* or NULL */
    unsigned closed;
} latest __attribute__((tls_model("initial-exec")));
static atomic_uint closed; /* number of closed files */

static GPTL_SELDOM struct gptl_mpi_file *look_up(MPI_File handle)
{
    pthread_mutex_lock(&mutex);
    struct gptl_mpi_file *file = *place_of(handle);
    latest = (struct latest){handle, file, atomic_load(&closed)};
    pthread_mutex_unlock(&mutex);
    return file;
}

static inline struct gptl_mpi_file *find(MPI_File handle)
{
    if (gptl_mpi_likely(latest.file && latest.handle == handle &&
                        latest.closed == atomic_load_explicit(&closed, memory_order_acquire)))
        return latest.file;
    return look_up(handle);
}

static void forget(MPI_File handle)
{
    pthread_mutex_lock(&mutex);
    struct gptl_mpi_file **at = place_of(handle), *file = *at;
    if (file) {
        *at = file->next;
        atomic_fetch_add(&closed, 1);
    }
    pthread_mutex_unlock(&mutex);
    if (file)
        free(file->path);
    free(file);
}

/* Return a hash of the group's world ranks, which is the same in all its processes. */
static uint64_t hash_of_group(MPI_Comm comm)
{
    int size = 0, initialized = 0;
    MPI_Group group, world;
    gptl_mpi_next.MPI_Comm_size(comm, &size);
    uint64_t hash = GPTLprobe_add_member(0, size);
    gptl_mpi_next.MPI_Initialized(&initialized);
    int *ranks = initialized && size > 0 ? malloc(2 * (size_t)size * sizeof *ranks) : NULL;
    if (!ranks) /* with sessions only, MPI lacks a world */
        return hash;
    gptl_mpi_next.MPI_Comm_group(comm, &group);
    gptl_mpi_next.MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    gptl_mpi_next.MPI_Group_translate_ranks(group, size, ranks, world, ranks + size);
    for (int i = 0; i < size; i++)
        hash = GPTLprobe_add_member(hash, ranks[size + i]);
    gptl_mpi_next.MPI_Group_free(&world);
    gptl_mpi_next.MPI_Group_free(&group);
    free(ranks);
    return hash;
}

static void remember(MPI_File handle, MPI_Comm comm, const char *path, int mode)
{
    struct gptl_mpi_file *file = calloc(1, sizeof *file);
    forget(handle); /* remove a file whose closing was not observed */
    if (!file || !(file->path = strdup(path))) {
        free(file);
        return;
    }
    file->handle = handle;
    file->opening = GPTLprobe_new_opening(path, hash_of_group(comm));
    atomic_init(&file->collectives, 1);
    GPTLprobe_opened(GPTL_LAYER_MPI, file->opening);
    file->is_sequential = (mode & MPI_MODE_SEQUENTIAL) != 0;
    file->is_plain = true;
    file->etype = 1;
    pthread_mutex_lock(&mutex);
    file->next = files[bucket_of(handle)];
    files[bucket_of(handle)] = file;
    pthread_mutex_unlock(&mutex);
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Return the path used by lower layers: absolute, without a prefix that selects the file system. */
static void path_of(const char *name, char path[MOST_PATH])
{
    size_t n = 0;
    const char *colon = strchr(name, ':'), *slash = strchr(name, '/');
    if (colon && colon > name + 1 && (!slash || colon < slash) &&
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789") == (size_t)(colon - name))
        name = colon + 1;
    if (*name != '/' && getcwd(path, MOST_PATH - 1)) {
        n = strlen(path);
        path[n++] = '/';
    }
    path[n] = '\0';
    strncat(path, name, MOST_PATH - 1 - n);
}

static GPTL_SELDOM void tell_name(struct gptl_mpi_file *file)
{
    file->name = GPTLprobe_name(GPTL_LAYER_MPI, file->path);
}

static inline uint64_t name_of(struct gptl_mpi_file *file)
{
    if (!gptl_mpi_likely(file->name && GPTLprobe_has_name(GPTL_LAYER_MPI, file->name)))
        tell_name(file);
    return file->name;
}

/* ---- Spans ----------------------------------------------------------------------------------- */

/* Call a function of MPI for the attributes of a span, bypassing statistics. */
#define UNNOTED(name) (gptl_mpi_under.name ? gptl_mpi_under.name : gptl_mpi_next.name)

/*
 * Return the offset in bytes from the start of the file; -1: unknown. In a view with holes, MPI
 * would have to traverse the entire file to determine its pointer.
 */
static int64_t offset_of(const struct gptl_mpi_file *file, int64_t at)
{
    MPI_Offset position = at;
    if (file->is_sequential || at == GPTL_MPI_AT_UNKNOWN)
        return -1;
    if (!file->is_plain)
        return at >= 0 &&
                       UNNOTED(MPI_File_get_byte_offset)(file->handle, at, &position) == MPI_SUCCESS
                   ? position
                   : -1;
    if (at == GPTL_MPI_AT_POINTER &&
        UNNOTED(MPI_File_get_position)(file->handle, &position) != MPI_SUCCESS)
        return -1;
    return position < 0 ? -1 : file->displacement + position * file->etype;
}

/* Return the attributes of a call on FILE, which may be NULL. */
static GPTLspan about(struct gptl_mpi_file *file, int operation, enum gptl_mpi_part part,
                      int64_t at)
{
    GPTLspan span = {.layer = GPTL_LAYER_MPI, .operation = operation, .bytes = -1, .offset = -1};
    if (!file)
        return span;
    span.file = name_of(file);
    span.offset = offset_of(file, at);
    if (part == GPTL_MPI_COLLECTIVE) {
        span.opening = file->opening;
        span.collective = atomic_fetch_add(&file->collectives, 1) + 1;
    }
    return span;
}

static void begin_call(struct gptl_mpi_access *access, const GPTLspan *span)
{
    GPTLprobe_begin_span(span);
    access->way = GPTL_MPI_CALL;
    gptl_mpi_tls.access = GPTL_MPI_CALL;
}

/* Begin a span that outlasts the call or was begun by an earlier call. */
static GPTL_SELDOM void begin_part(struct gptl_mpi_access *access, int operation,
                                   enum gptl_mpi_part part, int64_t at)
{
    struct gptl_mpi_thread *t = &gptl_mpi_tls;
    if (access->way == GPTL_MPI_ENDS) {
        if (!access->file || access->file->split.process == 0) {
            access->way = GPTL_MPI_NO_SPAN;
            return;
        }
        access->id = access->file->split;
    } else {
        GPTLspan span = about(access->file, operation, part, at);
        access->id = GPTLprobe_open_span(&span);
    }
    access->before = GPTLprobe_set_current(access->id);
    t->access = GPTL_MPI_BEGINS;
    t->before = access->before;
}

void gptl_mpi_access_begin_span(struct gptl_mpi_access *access, MPI_File handle, int operation,
                                enum gptl_mpi_part part, int64_t at)
{
    if (!gptl_mpi_likely(gptl_iostack_is_on())) {
        access->way = GPTL_MPI_NO_SPAN;
        return;
    }
    access->file = find(handle);
    if (access->way == GPTL_MPI_CALL) {
        GPTLspan span = about(access->file, operation, part, at);
        begin_call(access, &span);
    } else {
        begin_part(access, operation, part, at);
    }
}

/* Restore the thread's open span: its later work is not part of the call. */
static void leave(const struct gptl_mpi_access *access)
{
    GPTLprobe_set_current(access->before);
    gptl_mpi_tls.access = GPTL_MPI_NO_SPAN;
}

static GPTL_SELDOM void end_part(struct gptl_mpi_access *access, int64_t bytes)
{
    switch (access->way) {
    case GPTL_MPI_BEGINS: /* split collective: one at a time per file */
        leave(access);
        if (access->file && bytes >= 0)
            access->file->split = access->id;
        else
            GPTLprobe_close(access->id, -1);
        break;
    case GPTL_MPI_ENDS:
        leave(access);
        GPTLprobe_close(access->id, bytes);
        access->file->split = (GPTLcallid){0, 0};
        break;
    default:
        break;
    }
}

void gptl_mpi_access_end(struct gptl_mpi_access *access, int64_t bytes)
{
    if (gptl_mpi_likely(access->way == GPTL_MPI_CALL)) {
        GPTLprobe_end_with(GPTL_LAYER_MPI, bytes);
        gptl_mpi_tls.access = GPTL_MPI_NO_SPAN;
    } else {
        end_part(access, bytes);
    }
}

void gptl_mpi_access_posted(struct gptl_mpi_access *access, int rc, void *node,
                            enum gptl_mpi_what what, const MPI_Request *request)
{
    bool posted = rc == MPI_SUCCESS && *request != MPI_REQUEST_NULL;
    if (access->way == GPTL_MPI_NO_SPAN) {
        if (posted && node)
            gptl_mpi_posted(node, what, request);
        return;
    }
    leave(access);
    if (!posted || !gptl_mpi_posted_span(node, what, request, access->id))
        GPTLprobe_close(access->id, posted ? -1 : 0);
}

void gptl_mpi_access_left(void)
{
    struct gptl_mpi_thread *t = &gptl_mpi_tls;
    if (t->access == GPTL_MPI_CALL)
        GPTLprobe_end_with(GPTL_LAYER_MPI, -1);
    else if (t->access)
        GPTLprobe_set_current(t->before);
    t->access = GPTL_MPI_NO_SPAN;
}

/* ---- Opening and closing files --------------------------------------------------------------- */

/*
 * Begin the span of a call with a file name; NAME NULL: the program is erroneous, and MPI will
 * report it.
 */
static struct gptl_mpi_access begin_named(char *frame, int operation, const char *name,
                                          char path[MOST_PATH])
{
    struct gptl_mpi_access access = {.way = GPTL_MPI_NO_SPAN};
    path[0] = '\0';
    if (gptl_mpi_likely(!GPTLprobe_begin_span) || !gptl_mpi_is_outermost(frame) || !name ||
        !gptl_iostack_is_on())
        return access;
    path_of(name, path);
    GPTLspan span = {.layer = GPTL_LAYER_MPI,
                     .operation = operation,
                     .bytes = -1,
                     .offset = -1,
                     .file = GPTLprobe_name(GPTL_LAYER_MPI, path)};
    begin_call(&access, &span);
    return access;
}

#undef MPI_File_open
GPTL_MPI_WRAPPER int MPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info,
                                   MPI_File *fh)
{
    char *frame = gptl_mpi_frame(), path[MOST_PATH];
    GPTL_MPI_NEED(MPI_File_open);
    void *node = gptl_mpi_begin("MPI_File_open", frame);
    struct gptl_mpi_access access = begin_named(frame, GPTL_OP_OPEN, filename, path);
    int rc = gptl_mpi_next.MPI_File_open(comm, filename, amode, info, fh);
    if (access.way && rc == MPI_SUCCESS)
        remember(*fh, comm, path, amode);
    gptl_mpi_access_end(&access, -1);
    if (node)
        gptl_mpi_stop("MPI_File_open");
    if (access.way && rc == MPI_SUCCESS)
        GPTLprobe_disk(GPTL_LAYER_MPI, path);
    gptl_mpi_pass(frame);
    return rc;
}

#undef MPI_File_close
GPTL_MPI_WRAPPER int MPI_File_close(MPI_File *fh)
{
    char *frame = gptl_mpi_frame();
    MPI_File handle = fh ? *fh : MPI_FILE_NULL;
    GPTL_MPI_NEED(MPI_File_close);
    void *node = gptl_mpi_begin("MPI_File_close", frame);
    struct gptl_mpi_access access = gptl_mpi_access_begin(
        frame, GPTL_MPI_CALL, handle, GPTL_OP_CLOSE, GPTL_MPI_COLLECTIVE, GPTL_MPI_AT_UNKNOWN);
    int rc = gptl_mpi_next.MPI_File_close(fh);
    gptl_mpi_access_end(&access, -1);
    if (node)
        gptl_mpi_stop("MPI_File_close");
    if (access.way && rc == MPI_SUCCESS) {
        if (access.file)
            GPTLprobe_disk(GPTL_LAYER_MPI, access.file->path);
        forget(handle);
    }
    gptl_mpi_pass(frame);
    return rc;
}

#undef MPI_File_delete
GPTL_MPI_WRAPPER int MPI_File_delete(const char *filename, MPI_Info info)
{
    char *frame = gptl_mpi_frame(), path[MOST_PATH];
    GPTL_MPI_NEED(MPI_File_delete);
    void *node = gptl_mpi_begin("MPI_File_delete", frame);
    struct gptl_mpi_access access = begin_named(frame, GPTL_OP_METADATA, filename, path);
    int rc = gptl_mpi_next.MPI_File_delete(filename, info);
    gptl_mpi_access_end(&access, -1);
    if (node)
        gptl_mpi_stop("MPI_File_delete");
    gptl_mpi_pass(frame);
    return rc;
}

/* Determine whether a view is contiguous, with elements of one type. */
static void look_at_view(struct gptl_mpi_file *file, MPI_Offset displacement, MPI_Datatype etype,
                         MPI_Datatype filetype)
{
    MPI_Count size = 0, extent = 0, lower = 0;
    file->is_plain = false;
    if (displacement < 0 || etype != filetype)
        return;
    if (etype == MPI_BYTE) {
        size = extent = 1;
    } else {
        gptl_mpi_next.MPI_Type_size_x(etype, &size);
        gptl_mpi_next.MPI_Type_get_extent_x(etype, &lower, &extent);
    }
    file->is_plain = size > 0 && size == extent && lower == 0;
    file->displacement = displacement;
    file->etype = size;
}

#undef MPI_File_set_view
GPTL_MPI_WRAPPER int MPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype,
                                       MPI_Datatype filetype, const char *datarep, MPI_Info info)
{
    char *frame = gptl_mpi_frame();
    GPTL_MPI_NEED(MPI_File_set_view);
    void *node = gptl_mpi_begin("MPI_File_set_view", frame);
    struct gptl_mpi_access access = gptl_mpi_access_begin(
        frame, GPTL_MPI_CALL, fh, GPTL_OP_METADATA, GPTL_MPI_COLLECTIVE, GPTL_MPI_AT_UNKNOWN);
    int rc = gptl_mpi_next.MPI_File_set_view(fh, disp, etype, filetype, datarep, info);
    gptl_mpi_access_end(&access, -1);
    if (node)
        gptl_mpi_stop("MPI_File_set_view");
    if (access.way && access.file && rc == MPI_SUCCESS)
        look_at_view(access.file, disp, etype, filetype);
    gptl_mpi_pass(frame);
    return rc;
}
