/*
 * trace_stream.h - internal interface of the trace: the records of one thread on their way to the
 * file.
 */
#ifndef GPTL_MPI_TRACE_STREAM_H
#define GPTL_MPI_TRACE_STREAM_H

#include "mpi/trace.h"

/* Encoded numbers, seven bits per byte; LOST: memory ran out. */
struct gptl_mpi_trace_buffer {
    unsigned char *bytes;
    size_t size, room;
    bool lost;
};
void gptl_mpi_trace_add(struct gptl_mpi_trace_buffer *to, const void *bytes, size_t size);
void gptl_mpi_trace_add_number(struct gptl_mpi_trace_buffer *to, uint64_t number);
void gptl_mpi_trace_add_signed(struct gptl_mpi_trace_buffer *to, int64_t number);
void gptl_mpi_trace_add_text(struct gptl_mpi_trace_buffer *to, const char *text);

struct gptl_mpi_stream {
    struct gptl_mpi_stream *next;
    unsigned thread;
    bool taken;          /* in use by a running thread */
    const char *frame;   /* of the outermost tracing function; NULL: none */
    uint64_t last;       /* end of the time accounted for */
    int64_t owed;        /* accumulated rounding of the clock's cost, in parts of a nanosecond */
    bool wrapped;        /* the thread is in a wrapper */
    bool called;         /* the wrapper's call is traced */
    uint64_t passed;     /* time of calls without events */
    uint64_t polled;     /* time of failed tests and probes, not yet classified */
    uint64_t unreplayed; /* time of failed tests for operations that are not replayed */
    const char *unreplayed_name;       /* the latest such operation, a literal */
    uint64_t computed;                 /* since the last record */
    uint64_t request;                  /* latest request in a record */
    uint64_t mentioned;                /* latest request in the body of the next record */
    uint64_t lost;                     /* number of lost records */
    struct gptl_mpi_trace_buffer out;  /* complete records */
    struct gptl_mpi_trace_buffer body; /* body of the next record */
    struct gptl_mpi_trace_regions *regions;
};

/* ---- trace_other.c -------------------------------------------------------------------------- */

/* Write a record for failed tests that wait for an operation that is not replayed. */
void gptl_mpi_trace_put_unreplayed(struct gptl_mpi_stream *stream);

/* ---- trace_file.c: called by one thread at a time -------------------------------------------- */

/* Create the file of RANK. False if it cannot be written, which is reported. */
bool gptl_mpi_trace_file_open(int rank, int nranks);
bool gptl_mpi_trace_file_is_open(void);
bool gptl_mpi_trace_file_write(const unsigned char *bytes, size_t size);
void gptl_mpi_trace_file_close(void);

#endif
