/*
 * file_spans.h - MPI-IO calls as spans of the I/O stack, if the process contains libgptl_probe.
 *
 * libgptl_probe is referenced weakly: without it a file call costs one more test, and other calls
 * nothing.
 */
#ifndef GPTL_MPI_FILE_SPANS_H
#define GPTL_MPI_FILE_SPANS_H

#include "gptl_probe.h"

#include "mpi/requests.h"
#include "mpi/wrap.h"

#pragma weak GPTLprobe_add_member
#pragma weak GPTLprobe_begin_span
#pragma weak GPTLprobe_close
#pragma weak GPTLprobe_disk
#pragma weak GPTLprobe_end_with
#pragma weak GPTLprobe_has_name
#pragma weak GPTLprobe_name
#pragma weak GPTLprobe_new_opening
#pragma weak GPTLprobe_open_span
#pragma weak GPTLprobe_opened
#pragma weak GPTLprobe_set_current

enum gptl_mpi_way {
    GPTL_MPI_NO_SPAN,
    GPTL_MPI_CALL,   /* begins and ends with the call */
    GPTL_MPI_BEGINS, /* begins with the call: a request, or the first half of a split collective */
    GPTL_MPI_ENDS    /* second half of a split collective */
};

enum gptl_mpi_part { GPTL_MPI_ALONE, GPTL_MPI_COLLECTIVE };

/* Values for calls without an offset argument: the process's own file pointer, or a shared one. */
enum { GPTL_MPI_AT_POINTER = -1, GPTL_MPI_AT_UNKNOWN = -2 };

struct gptl_mpi_access {
    enum gptl_mpi_way way;
    GPTLcallid id, before;
    struct gptl_mpi_file *file;
};

void gptl_mpi_access_begin_span(struct gptl_mpi_access *access, MPI_File handle, int operation,
                                enum gptl_mpi_part part, int64_t at);

/*
 * Begin a span before the call of the PMPI entry point. A call nested in another wrapper gets none.
 */
GPTL_MPI_INLINED struct gptl_mpi_access gptl_mpi_access_begin(char *frame, enum gptl_mpi_way way,
                                                              MPI_File handle, int operation,
                                                              enum gptl_mpi_part part, int64_t at)
{
    struct gptl_mpi_access access = {.way = GPTL_MPI_NO_SPAN};
    if (gptl_mpi_likely(!GPTLprobe_begin_span) || !gptl_mpi_is_outermost(frame))
        return access;
    access.way = way;
    gptl_mpi_access_begin_span(&access, handle, operation, part, at);
    return access;
}

/* End the span after the call. BYTES -1: unknown, or the call failed. */
void gptl_mpi_access_end(struct gptl_mpi_access *access, int64_t bytes);

/* Do the same for a call that created REQUEST, if RC is success: the span ends with the request. */
void gptl_mpi_access_posted(struct gptl_mpi_access *access, int rc, void *node,
                            enum gptl_mpi_what what, const MPI_Request *request);

/* End the span of a wrapper that was left by a jump. */
void gptl_mpi_access_left(void);

#endif
