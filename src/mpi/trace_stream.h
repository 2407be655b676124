/*
 * trace_stream.h - what the files of the trace share: the records of one thread, on their way to the file.
 */
#ifndef GPTL_MPI_TRACE_STREAM_H
#define GPTL_MPI_TRACE_STREAM_H

#include "mpi/trace.h"

/* Numbers, seven bits a byte; LOST says that there was no memory for one. */
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
    bool taken;          /* by a thread that has not ended */
    const char *frame;   /* the outermost function that traces; NULL: none */
    uint64_t last;       /* until then, all is accounted for */
    int64_t owed;        /* what the clock cost more than a time had, or less; parts of a ns */
    bool wrapped;        /* the thread is in a wrapper, and its call … */
    bool called;         /* … is traced */
    uint64_t passed;     /* time of calls that were no events */
    uint64_t polled;     /* of tests and probes in vain, of what is not known yet */
    uint64_t unreplayed; /* of such that wait for what is not replayed, … */
    const char *unreplayed_name;       /* … the last one, a literal */
    uint64_t computed;                 /* since the last record */
    uint64_t request;                  /* the last one in a record … */
    uint64_t mentioned;                /* … or in the body of the next one */
    uint64_t lost;                     /* records */
    struct gptl_mpi_trace_buffer out;  /* records that are complete */
    struct gptl_mpi_trace_buffer body; /* of the next one */
    struct gptl_mpi_trace_regions *regions;
};

/* ---- trace_other.c -------------------------------------------------------------------------- */

/* Tests in vain that wait for what is not replayed become a record. */
void gptl_mpi_trace_put_unreplayed(struct gptl_mpi_stream *stream);

/* ---- trace_file.c: called by one thread at a time ------------------------------------------- */

/* Makes the file of RANK. False: it cannot be written, which is said. */
bool gptl_mpi_trace_file_open(int rank, int nranks);
bool gptl_mpi_trace_file_is_open(void);
bool gptl_mpi_trace_file_write(const unsigned char *bytes, size_t size);
void gptl_mpi_trace_file_close(void);

#endif
