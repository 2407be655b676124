/*
 * trace.c - the trace of this process: the records of each thread, and the trace's start and end.
 *
 * A thread collects records and writes them as soon as they fill a chunk, so memory is bounded.
 */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "mpi/trace_stream.h"

enum {
    CHUNK = 64 << 10,
    PARTS = 100 /* of a nanosecond, unit of the clock's cost */
};

struct gptl_mpi_next gptl_mpi_untraced;

static atomic_bool on;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* for the following variables */
static struct gptl_mpi_stream *streams;
static unsigned nstreams;
static pthread_key_t key;
static uint64_t began, clock_cost, page;

__attribute__((tls_model("initial-exec"))) static __thread struct gptl_mpi_stream *own;

static uint64_t now(void)
{
    return gptl_core_read_systime(CLOCK_MONOTONIC);
}

/*
 * Return the time between two clock readings, in parts of a nanosecond: every measured interval
 * includes it. It is averaged over many readings, because some clocks advance in steps of about
 * that size.
 */
static uint64_t cost_of_clock(void)
{
    enum { TRIES = 10 };
    uint64_t least = UINT64_MAX;
    for (int try = 0; try < TRIES; try++) {
        uint64_t first = now(), last = first;
        for (int i = 0; i < PARTS; i++)
            last = now();
        if (last - first < least)
            least = last - first;
    }
    return least;
}

/* ---- Buffers --------------------------------------------------------------------------------- */

static bool grow(struct gptl_mpi_trace_buffer *to, size_t more)
{
    size_t room = to->room ? 2 * to->room : 256;
    while (room < to->size + more)
        room *= 2;
    unsigned char *bytes = realloc(to->bytes, room);
    if (!bytes) {
        to->lost = true;
        return false;
    }
    to->bytes = bytes;
    to->room = room;
    return true;
}

static inline bool has_room(struct gptl_mpi_trace_buffer *to, size_t more)
{
    return __builtin_expect(to->size + more <= to->room, true) || grow(to, more);
}

void gptl_mpi_trace_add(struct gptl_mpi_trace_buffer *to, const void *bytes, size_t size)
{
    if (size == 0 || !has_room(to, size))
        return;
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

void gptl_mpi_trace_add_number(struct gptl_mpi_trace_buffer *to, uint64_t number)
{
    if (!has_room(to, 10))
        return;
    for (; number >= 128; number >>= 7)
        to->bytes[to->size++] = (unsigned char)(number | 128);
    to->bytes[to->size++] = (unsigned char)number;
}

/* Add a signed number; small absolute values have short encodings. */
void gptl_mpi_trace_add_signed(struct gptl_mpi_trace_buffer *to, int64_t number)
{
    gptl_mpi_trace_add_number(to, (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0));
}

void gptl_mpi_trace_add_text(struct gptl_mpi_trace_buffer *to, const char *text)
{
    size_t length = strlen(text);
    gptl_mpi_trace_add_number(to, length);
    gptl_mpi_trace_add(to, text, length);
}

static void put_word(unsigned char *to, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(word >> 8 * i);
}

/*
 * Write a chunk; the caller holds the mutex. The buffer contains the chunk's head before its
 * records.
 */
static void flush(struct gptl_mpi_stream *stream)
{
    struct gptl_mpi_trace_buffer *out = &stream->out;
    if (out->size <= GPTL_TI_CHUNK_HEAD)
        return;
    put_word(out->bytes, GPTL_TI_CHUNK);
    put_word(out->bytes + 4, stream->thread);
    put_word(out->bytes + 8, (uint32_t)(out->size - GPTL_TI_CHUNK_HEAD));
    if (!gptl_mpi_trace_file_write(out->bytes, out->size))
        atomic_store(&on, false);
    out->size = GPTL_TI_CHUNK_HEAD;
}

/* ---- Streams --------------------------------------------------------------------------------- */

static void thread_ends(void *stream)
{
    pthread_mutex_lock(&mutex);
    flush(stream);
    ((struct gptl_mpi_stream *)stream)->taken = false;
    pthread_mutex_unlock(&mutex);
}

static struct gptl_mpi_stream *make_stream(void)
{
    struct gptl_mpi_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->regions = gptl_mpi_trace_regions_new();
    if (!stream->regions || !has_room(&stream->out, 2 * CHUNK)) {
        free(stream->regions);
        free(stream);
        return NULL;
    }
    stream->out.size = GPTL_TI_CHUNK_HEAD;
    pthread_mutex_lock(&mutex);
    stream->thread = nstreams++;
    stream->next = streams;
    stream->taken = true;
    streams = stream;
    pthread_mutex_unlock(&mutex);
    stream->last = now();
    pthread_setspecific(key, stream);
    own = stream;
    return stream;
}

static bool is_mpi(const void *node)
{
    const char *name = gptl_core_node_name(node);
    return name[0] == 'M' && name[1] == 'P' && name[2] == 'I' && name[3] == '_';
}

/*
 * Attribute the computation until TIME to NODE, or if NODE is an MPI call, to the enclosing region.
 */
static void compute_until(struct gptl_mpi_stream *stream, uint64_t time, const void *node)
{
    while (node && is_mpi(node))
        node = gptl_core_node_parent(node);
    int64_t cost = (int64_t)clock_cost;
    int64_t parts = PARTS * (int64_t)(time - stream->last) - cost - stream->owed;
    stream->owed = parts >= 0 ? -(parts % PARTS) : parts > -cost ? -parts : cost;
    uint64_t ns = parts > 0 ? (uint64_t)(parts / PARTS) : 0;
    gptl_mpi_trace_computed(stream->regions, node, ns);
    stream->computed += ns;
    stream->last = time;
}

/*
 * Callback for regions. Only threads that call MPI have a stream. The time of a wrapper before
 * and after its call is not attributed; a call that is not traced counts as computation, between
 * the start of its region and the stop.
 */
static void follow(const void *node)
{
    struct gptl_mpi_stream *stream = own;
    if (!stream || stream->frame || stream->called ||
        !atomic_load_explicit(&on, memory_order_relaxed))
        return;
    if (node == GPTL_FOLLOWED_WORK || (stream->wrapped && !(node && is_mpi(node))))
        stream->last = now();
    else
        compute_until(stream, now(), node);
}

/* Callback for the entry into the wrapper at FRAME, or the exit: NULL. */
static void edge(const char *frame)
{
    struct gptl_mpi_stream *stream = own;
    if (!stream || !atomic_load_explicit(&on, memory_order_relaxed))
        return;
    if (!frame) {
        stream->wrapped = stream->called = false;
        stream->last = now();
        return;
    }
    /* A traced function further up the stack shows that an error handler left the previous one. */
    if (stream->frame && frame < stream->frame)
        return;
    stream->frame = NULL;
    compute_until(stream, now(), gptl_core_here());
    stream->wrapped = true;
    stream->called = false;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

void gptl_mpi_trace_enter(struct gptl_mpi_trace_call *call)
{
    struct gptl_mpi_stream *stream = own;
    call->stream = NULL;
    call->counts = false;
    call->reused = 0;
    if (!atomic_load_explicit(&on, memory_order_relaxed))
        return;
    if (!stream && !(stream = make_stream()))
        return;
    /*
     * A call further up the stack than the previous one shows that an error handler left that one.
     */
    if (stream->frame && (const char *)call < stream->frame)
        return;
    stream->frame = (const char *)call;
    stream->called = stream->wrapped;
    call->stream = stream;
    call->began = now();
    if (!stream->wrapped) /* measurement is disabled */
        compute_until(stream, call->began, gptl_core_here());
}

/* Return the page-faulted bytes of this thread, without pages read from disk. */
static uint64_t renewed(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (uint64_t)usage.ru_minflt * page;
}

void gptl_mpi_trace_count(struct gptl_mpi_trace_call *call)
{
    if (!call->stream)
        return;
    gptl_core_work_begin(&call->work);
    call->counts = true;
    call->renewed = renewed();
    gptl_core_work_end(&call->work);
    call->began = now();
}

bool gptl_mpi_trace_returned(struct gptl_mpi_trace_call *call, int rc)
{
    if (!call->stream)
        return false;
    call->ended = now();
    gptl_core_work_begin(&call->work);
    call->ns = call->ended - call->began;
    if (call->counts)
        call->renewed = renewed() - call->renewed;
    if (rc == MPI_SUCCESS)
        return true;
    gptl_mpi_trace_passed(call);
    return false;
}

/* End a traced call. Recording time is charged to no region. */
void gptl_mpi_trace_leave(struct gptl_mpi_trace_call *call)
{
    struct gptl_mpi_stream *stream = call->stream;
    if (!stream)
        return;
    if (stream->out.size >= CHUNK) {
        pthread_mutex_lock(&mutex);
        flush(stream);
        pthread_mutex_unlock(&mutex);
    }
    gptl_core_work_end(&call->work);
    stream->frame = NULL;
    if (!stream->wrapped)
        stream->last = now();
}

void gptl_mpi_trace_passed(struct gptl_mpi_trace_call *call)
{
    call->stream->passed += call->ns;
}

/* ---- Records --------------------------------------------------------------------------------- */

void gptl_mpi_trace_put(struct gptl_mpi_stream *stream, uint64_t number)
{
    gptl_mpi_trace_add_number(&stream->out, number);
}

void gptl_mpi_trace_number(struct gptl_mpi_trace_call *call, uint64_t number)
{
    gptl_mpi_trace_add_number(&call->stream->body, number);
}

void gptl_mpi_trace_signed(struct gptl_mpi_trace_call *call, int64_t number)
{
    gptl_mpi_trace_add_signed(&call->stream->body, number);
}

static void record(struct gptl_mpi_trace_call *call, enum gptl_ti what, uint64_t request,
                   const unsigned char *bytes, size_t size)
{
    struct gptl_mpi_stream *stream = call->stream;
    gptl_mpi_trace_tell_computed(stream->regions, stream);
    gptl_mpi_trace_put_unreplayed(stream);
    size_t before = stream->out.size;
    bool more = what == GPTL_TI_COLLECTIVE && call->counts && call->renewed > 0;
    gptl_mpi_trace_put(stream, what | (request ? GPTL_TI_POSTED : 0u) | (more ? GPTL_TI_MORE : 0u) |
                                   (call->reused ? GPTL_TI_REUSED : 0u));
    gptl_mpi_trace_put(stream, call->ns + stream->passed + stream->polled);
    if (request) {
        gptl_mpi_trace_add_signed(&stream->out, (int64_t)(request - stream->mentioned));
        stream->mentioned = request;
    }
    gptl_mpi_trace_add(&stream->out, bytes, size);
    if (more)
        gptl_mpi_trace_put(stream, call->renewed);
    if (call->reused)
        gptl_mpi_trace_put(stream, call->reused);
    call->reused = 0;
    stream->passed = stream->polled = stream->computed = 0;
    call->ns = 0; /* a further record of this call takes no time */
    if (stream->out.lost) {
        stream->out.lost = false;
        stream->out.size = before;
        stream->mentioned = stream->request;
        stream->lost++;
    }
    stream->request = stream->mentioned;
}

void gptl_mpi_trace_record(struct gptl_mpi_trace_call *call, enum gptl_ti what, uint64_t request)
{
    struct gptl_mpi_trace_buffer *body = &call->stream->body;
    if (body->lost) {
        call->stream->mentioned = call->stream->request;
        call->stream->lost++;
    } else {
        record(call, what, request, body->bytes, body->size);
    }
    body->size = 0;
    body->lost = false;
}

struct gptl_mpi_trace_body *gptl_mpi_trace_take(struct gptl_mpi_trace_call *call, enum gptl_ti what)
{
    struct gptl_mpi_trace_buffer *from = &call->stream->body;
    struct gptl_mpi_trace_body *body = from->lost ? NULL : malloc(sizeof *body + from->size);
    if (body) {
        body->what = what;
        body->size = from->size;
        memcpy(body->bytes, from->bytes, from->size);
    }
    from->size = 0;
    from->lost = false;
    return body;
}

void gptl_mpi_trace_body(struct gptl_mpi_trace_call *call, const struct gptl_mpi_trace_body *body)
{
    gptl_mpi_trace_add(&call->stream->body, body->bytes, body->size);
}

/* ---- Start and end --------------------------------------------------------------------------- */

typedef void function(void);

static void put(const struct gptl_mpi_tracer *tracers)
{
    for (; tracers->function; tracers++) {
        function **at = (function **)(void *)((char *)&gptl_mpi_next + tracers->place);
        *(function **)(void *)((char *)&gptl_mpi_untraced + tracers->place) = *at;
        __atomic_store_n(at, tracers->function, __ATOMIC_RELEASE);
    }
}

void gptl_mpi_trace_begin(void)
{
    const char *wanted = gptl_core_string(GPTL_STR_TRACE);
    int rank = 0, nranks = 0;
    MPI_Comm parent = MPI_COMM_NULL;
    if (!*wanted || gptl_mpi_trace_file_is_open())
        return;
    if (strcmp(wanted, "ti") != 0) {
        gptl_core_warn_job("trace", "there is no trace=%s, only trace=ti; there will be no trace",
                           wanted);
        return;
    }
    gptl_mpi_next.MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        gptl_core_warn_job("trace", "processes that MPI starts later are not traced");
        return;
    }
    gptl_mpi_next.MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    gptl_mpi_next.MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    if (pthread_key_create(&key, thread_ends) != 0 || !gptl_mpi_trace_file_open(rank, nranks))
        return;
    gptl_mpi_find_next();
    put(gptl_mpi_tracers);
    put(gptl_mpi_request_tracers);
    gptl_core_follow(follow);
    gptl_mpi_edge = edge;
    clock_cost = cost_of_clock();
    page = (uint64_t)sysconf(_SC_PAGESIZE);
    began = now();
    atomic_store(&on, true);
    make_stream();
}

void gptl_mpi_trace_absent(void)
{
    if (*gptl_core_string(GPTL_STR_TRACE) && !gptl_mpi_trace_file_is_open())
        gptl_core_warn_job("trace",
                           "this program has sessions of MPI only, and no MPI_Init: there is "
                           "no trace");
}

void gptl_mpi_trace_end(void)
{
    struct gptl_mpi_trace_call call = {.stream = own};
    if (!atomic_exchange(&on, false))
        return;
    gptl_core_follow(NULL);
    if (!call.stream)
        call.stream = make_stream();
    if (call.stream)
        gptl_mpi_trace_put_unreplayed(call.stream);
    pthread_mutex_lock(&mutex);
    uint64_t lost = 0, end = now();
    for (struct gptl_mpi_stream *s = streams; s; s = s->next) {
        lost += s->lost;
        if (s != call.stream)
            flush(s);
    }
    if (call.stream) {
        compute_until(call.stream, end, gptl_core_here());
        gptl_mpi_trace_number(&call, end - began);
        gptl_mpi_trace_number(&call, lost);
        gptl_mpi_trace_record(&call, GPTL_TI_END, 0);
        flush(call.stream);
    }
    gptl_mpi_trace_file_close();
    pthread_mutex_unlock(&mutex);
}
