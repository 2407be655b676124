/* trace_other.c - calls that are not replayed and keep their time. */
#include "config.h"

#include <pthread.h>

#include "mpi/trace_stream.h"

enum { NAMES = 512 }; /* upper bound of the number of MPI functions */
static const char *names[NAMES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Return the number of NAME, a literal; a new name is recorded first. */
static uint64_t name_number(struct gptl_mpi_stream *stream, const char *name)
{
    uint64_t i = 0;
    pthread_mutex_lock(&mutex);
    while (i < NAMES - 1 && names[i] && names[i] != name)
        i++;
    bool is_new = names[i] != name;
    names[i] = name;
    pthread_mutex_unlock(&mutex);
    if (is_new) {
        gptl_mpi_trace_put(stream, GPTL_TI_NAME);
        gptl_mpi_trace_put(stream, i);
        gptl_mpi_trace_add_text(&stream->out, name);
    }
    return i;
}

void gptl_mpi_trace_other(struct gptl_mpi_trace_call *call, const char *name)
{
    struct gptl_mpi_stream *stream = call->stream;
    stream->body.size = 0; /* discard the body of the event */
    call->reused = 0;
    if (stream->unreplayed_name == name) {
        call->ns += stream->unreplayed;
        stream->unreplayed = 0;
    }
    gptl_mpi_trace_number(call, name_number(stream, name));
    gptl_mpi_trace_record(call, GPTL_TI_OTHER, 0);
}

/* ---- Failed tests and probes ----------------------------------------------------------------- */

enum { POLL = 10000 }; /* ns; shorter ones are accumulated */

bool gptl_mpi_trace_counts_poll(const struct gptl_mpi_trace_call *call)
{
    const struct gptl_mpi_stream *stream = call->stream;
    return stream->computed >= POLL || stream->polled + call->ns >= POLL;
}

void gptl_mpi_trace_polled(struct gptl_mpi_trace_call *call, const char *unknown)
{
    struct gptl_mpi_stream *stream = call->stream;
    stream->polled += call->ns;
    call->ns = 0;
    if (unknown) {
        if (stream->unreplayed_name != unknown)
            gptl_mpi_trace_put_unreplayed(stream);
        stream->unreplayed_name = unknown;
        stream->unreplayed += stream->polled;
        stream->polled = 0;
    }
    if (stream->computed < POLL)
        return;
    gptl_mpi_trace_number(call, 0);
    gptl_mpi_trace_record(call, GPTL_TI_WAIT, 0);
}

void gptl_mpi_trace_put_unreplayed(struct gptl_mpi_stream *stream)
{
    if (stream->unreplayed == 0)
        return;
    uint64_t number = name_number(stream, stream->unreplayed_name);
    gptl_mpi_trace_put(stream, GPTL_TI_OTHER);
    gptl_mpi_trace_put(stream, stream->unreplayed);
    gptl_mpi_trace_put(stream, number);
    stream->unreplayed = 0;
}
