/*
 * trace.h - the time-independent trace (trace=ti): the computation of the process between MPI
 * calls, and the requested operation of each call, so that `gptl net` can replay them on another
 * machine.
 *
 * As with notes.h, wrappers are not involved: if the option requests a trace, functions generated
 * by trace.awk replace MPI's in gptl_mpi_next.
 */
#ifndef GPTL_MPI_TRACE_H
#define GPTL_MPI_TRACE_H

#include "mpi/amounts.h"
#include "mpi/peers.h"
#include "mpi/trace_format.h"

struct gptl_mpi_tracer {
    size_t place; /* offset in gptl_mpi_next */
    void (*function)(void);
};
#define GPTL_MPI_TRACER(name)                                                                      \
    {                                                                                              \
        offsetof(struct gptl_mpi_next, name), (void (*)(void))tracing_##name                       \
    }
extern const struct gptl_mpi_tracer gptl_mpi_tracers[];         /* generated */
extern const struct gptl_mpi_tracer gptl_mpi_request_tracers[]; /* hand-written */

/* The previous entries of gptl_mpi_next where they were replaced. */
extern struct gptl_mpi_next gptl_mpi_untraced;

/* Begin the trace if the option requests it; MPI is initialized with a world. */
void gptl_mpi_trace_begin(void);
/* Warn about a requested trace that does not exist, because MPI ends without a world. */
void gptl_mpi_trace_absent(void);
/* Write everything at the end of MPI. */
void gptl_mpi_trace_end(void);

/* ---- Calls ----------------------------------------------------------------------------------- */

struct gptl_mpi_trace_call {
    struct gptl_mpi_stream *stream; /* NULL: not traced, because it is nested in another call */
    uint64_t began, ended, ns;
    bool counts;      /* count page-faulted memory in this call: */
    uint64_t renewed; /* bytes during the call; before the return, of the thread so far */
    /* bytes received into memory from which data was sent before; for the next record */
    uint64_t reused;
    struct gptl_work work;
};

/* Begin a traced call. CALL is in the frame of the function that replaces MPI's. */
void gptl_mpi_trace_enter(struct gptl_mpi_trace_call *call);
/*
 * Then, for a collective: count page faults. For reductions, MPI allocates buffers whose pages the
 * C library may release after each call.
 */
void gptl_mpi_trace_count(struct gptl_mpi_trace_call *call);
/* Record the return of the call with RC; return whether there is an event to record. */
bool gptl_mpi_trace_returned(struct gptl_mpi_trace_call *call, int rc);
void gptl_mpi_trace_leave(struct gptl_mpi_trace_call *call);
/* End a call without an event: its time is added to the next event. */
void gptl_mpi_trace_passed(struct gptl_mpi_trace_call *call);

/* ---- trace_other.c -------------------------------------------------------------------------- */

/* Record a call that is not replayed. NAME is a literal. */
void gptl_mpi_trace_other(struct gptl_mpi_trace_call *call, const char *name);
/*
 * Return whether enough time has passed in failed tests to examine whether they wait for an
 * operation that is not replayed.
 */
bool gptl_mpi_trace_counts_poll(const struct gptl_mpi_trace_call *call);
/*
 * Record a failed test or probe, which gives MPI time for progress. After a long computation it is
 * a WAIT for no request, otherwise no event. UNKNOWN: it waits for an operation that is not
 * replayed, and keeps its time as a call of this name, a literal; NULL: it waits for a message that
 * is replayed.
 */
void gptl_mpi_trace_polled(struct gptl_mpi_trace_call *call, const char *unknown);

/* ---- Record bodies: trace.c ------------------------------------------------------------------ */

void gptl_mpi_trace_number(struct gptl_mpi_trace_call *call, uint64_t number);
void gptl_mpi_trace_signed(struct gptl_mpi_trace_call *call, int64_t number);
/* Complete a record of the numbers so far, which are then cleared. REQUEST 0: not POSTED. */
void gptl_mpi_trace_record(struct gptl_mpi_trace_call *call, enum gptl_ti what, uint64_t request);

/* Location of a message. */
struct gptl_mpi_trace_memory {
    const void *buffer;
    int64_t bytes;
};

/* The numbers so far in recorded form, removed from the call. NULL when out of memory. */
struct gptl_mpi_trace_body {
    enum gptl_ti what;
    struct gptl_mpi_trace_memory memory; /* of a message */
    size_t size;
    unsigned char bytes[];
};
struct gptl_mpi_trace_body *gptl_mpi_trace_take(struct gptl_mpi_trace_call *call,
                                                enum gptl_ti what);
void gptl_mpi_trace_body(struct gptl_mpi_trace_call *call, const struct gptl_mpi_trace_body *body);

/* ---- Requests: trace_requests.c -------------------------------------------------------------- */

/*
 * Continuation of a call: it is complete (NULL, false), REQUEST completes it, or REQUEST starts it
 * repeatedly if it is PERSISTENT.
 */
struct gptl_mpi_trace_way {
    const MPI_Request *request;
    bool persistent;
};

/* Record the collected numbers as a complete WHAT. */
void gptl_mpi_trace_goes(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                         enum gptl_ti what);
/* Continue a call without a record. Waiting for its request takes no time in the replay. */
void gptl_mpi_trace_nothing(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way);
/*
 * Record a message from or to MEMORY; OPEN: a receive whose status will provide the rest, with
 * PEERS.
 */
void gptl_mpi_trace_message(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                            enum gptl_ti what, struct gptl_mpi_trace_memory memory, bool open,
                            struct gptl_mpi_peers *peers);

/* ---- Noncontiguous data: trace_pieces.c ------------------------------------------------------ */

/*
 * Layout of noncontiguous data. PIECE: average bytes per contiguous piece. ROW: bytes per largest
 * part of the type, such as a row of a plane. 0: contiguous or unknown. LIST: bytes per block in
 * lists of arbitrarily placed blocks; 0 without lists, negative if the lengths differ.
 */
struct gptl_mpi_trace_pieces {
    uint64_t piece, row;
    int64_t list;
};
struct gptl_mpi_trace_pieces gptl_mpi_trace_pieces(MPI_Count count, MPI_Datatype type);
void gptl_mpi_trace_put_pieces(struct gptl_mpi_trace_call *call,
                               struct gptl_mpi_trace_pieces pieces);

/* ---- Messages: trace_messages.c -------------------------------------------------------------- */

void gptl_mpi_trace_send(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                         enum gptl_ti_mode mode, const void *buffer, MPI_Count count,
                         MPI_Datatype type, int to, int tag, MPI_Comm comm);
void gptl_mpi_trace_recv(struct gptl_mpi_trace_call *call, const void *buffer, MPI_Count count,
                         MPI_Datatype type, MPI_Comm comm, const MPI_Status *status);
void gptl_mpi_trace_irecv(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                          const void *buffer, MPI_Count count, MPI_Datatype type, int from, int tag,
                          MPI_Comm comm);
void gptl_mpi_trace_sendrecv(struct gptl_mpi_trace_call *call, const void *buffer, MPI_Count count,
                             MPI_Datatype type, int to, int tag, const void *rbuffer,
                             MPI_Count rcount, MPI_Datatype rtype, int from, MPI_Comm comm,
                             const MPI_Status *status);
/* Record the event WHAT with the message described by STATUS and the data layout PIECES. */
void gptl_mpi_trace_received(struct gptl_mpi_trace_call *call, enum gptl_ti what,
                             struct gptl_mpi_trace_pieces pieces, MPI_Comm comm,
                             const MPI_Status *status);

/* ---- Reused memory: trace_reused.c ----------------------------------------------------------- */

/* Record that data was sent from this memory. */
void gptl_mpi_trace_gives(struct gptl_mpi_trace_memory from);
/*
 * Record that data arrives in this memory: CALL's next record states how much the process last sent
 * from it.
 */
void gptl_mpi_trace_takes(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_memory to);
/* Record that the collective CALL moved AMOUNT from one buffer to the other. */
void gptl_mpi_trace_moved(struct gptl_mpi_trace_call *call, struct gptl_mpi_amount amount,
                          const void *from, const void *to);

/* ---- Collectives: trace_collectives.c -------------------------------------------------------- */

#define GPTL_MPI_COLLECTIVE                                                                        \
    struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way, enum gptl_ti_collective kind

void gptl_mpi_trace_plain(GPTL_MPI_COLLECTIVE, MPI_Comm comm); /* moves nothing */
void gptl_mpi_trace_bcast(GPTL_MPI_COLLECTIVE, MPI_Count count, MPI_Datatype type, int root,
                          MPI_Comm comm);
void gptl_mpi_trace_gather(GPTL_MPI_COLLECTIVE, const void *sent, MPI_Count count,
                           MPI_Datatype type, MPI_Count rcount, MPI_Datatype rtype, int root,
                           MPI_Comm comm);
void gptl_mpi_trace_gatherv(GPTL_MPI_COLLECTIVE, const void *sent, MPI_Count count,
                            MPI_Datatype type, const void *rcounts, size_t rsize,
                            MPI_Datatype rtype, int root, MPI_Comm comm);
void gptl_mpi_trace_scatter(GPTL_MPI_COLLECTIVE, MPI_Count count, MPI_Datatype type,
                            const void *received, MPI_Count rcount, MPI_Datatype rtype, int root,
                            MPI_Comm comm);
void gptl_mpi_trace_scatterv(GPTL_MPI_COLLECTIVE, const void *counts, size_t size,
                             MPI_Datatype type, const void *received, MPI_Count rcount,
                             MPI_Datatype rtype, int root, MPI_Comm comm);
void gptl_mpi_trace_allgather(GPTL_MPI_COLLECTIVE, const void *sent, MPI_Count count,
                              MPI_Datatype type, MPI_Count rcount, MPI_Datatype rtype,
                              MPI_Comm comm);
void gptl_mpi_trace_allgatherv(GPTL_MPI_COLLECTIVE, const void *sent, MPI_Count count,
                               MPI_Datatype type, const void *rcounts, size_t rsize,
                               MPI_Datatype rtype, MPI_Comm comm);
void gptl_mpi_trace_alltoall(GPTL_MPI_COLLECTIVE, const void *sent, MPI_Count count,
                             MPI_Datatype type, MPI_Count rcount, MPI_Datatype rtype,
                             MPI_Comm comm);
void gptl_mpi_trace_alltoallv(GPTL_MPI_COLLECTIVE, const void *sent, const void *counts,
                              size_t size, MPI_Datatype type, const void *rcounts, size_t rsize,
                              MPI_Datatype rtype, MPI_Comm comm);
void gptl_mpi_trace_alltoallw(GPTL_MPI_COLLECTIVE, const void *sent, const void *counts,
                              size_t size, const MPI_Datatype *types, const void *rcounts,
                              size_t rsize, const MPI_Datatype *rtypes, MPI_Comm comm);
void gptl_mpi_trace_reduce(GPTL_MPI_COLLECTIVE, MPI_Count count, MPI_Datatype type, int root,
                           MPI_Comm comm);
void gptl_mpi_trace_both(GPTL_MPI_COLLECTIVE, MPI_Count count, MPI_Datatype type, MPI_Comm comm);
void gptl_mpi_trace_exscan(GPTL_MPI_COLLECTIVE, MPI_Count count, MPI_Datatype type, MPI_Comm comm);
void gptl_mpi_trace_reduce_scatter(GPTL_MPI_COLLECTIVE, const void *counts, size_t size,
                                   MPI_Datatype type, MPI_Comm comm);
void gptl_mpi_trace_reduce_scatter_block(GPTL_MPI_COLLECTIVE, MPI_Count count, MPI_Datatype type,
                                         MPI_Comm comm);

/* Data of a neighborhood collective for each neighbor. */
struct gptl_mpi_trace_blocks {
    MPI_Count count;
    const void *counts; /* NULL: equal for all */
    size_t size;
    MPI_Datatype type;
    const MPI_Datatype *types; /* or NULL */
};
void gptl_mpi_trace_neighbors(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                              struct gptl_mpi_trace_blocks blocks, MPI_Comm comm);

/* ---- Communicators: trace_comms.c ------------------------------------------------------------ */

/* Return the number of a communicator; a new one is recorded first. -1: unknown. */
int64_t gptl_mpi_trace_comm(struct gptl_mpi_trace_call *call, MPI_Comm comm);
/*
 * Return the world ranks of GROUP, -1 for processes outside of this world; the caller frees them.
 * NULL when out of memory.
 */
int *gptl_mpi_trace_world_ranks(MPI_Group group, int *n);
/*
 * Record a communicator under a new number: the processes of GROUP, and of OTHER if it is not null;
 * the number of its PARENT, or -1; the TAG, or GPTL_TI_ANY.
 */
int64_t gptl_mpi_trace_new_comm(struct gptl_mpi_trace_call *call, MPI_Group group, MPI_Group other,
                                int64_t parent, int tag);
/*
 * Record the creation of COMM from PARENT, which may be null, with TAG; all processes of OVER
 * called the function.
 */
void gptl_mpi_trace_made(struct gptl_mpi_trace_call *call, MPI_Comm parent, int tag, MPI_Comm over,
                         MPI_Comm comm);
/* Record the creation by MPI_Comm_idup: COMM is unusable until the request of WAY is complete. */
void gptl_mpi_trace_being_made(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                               MPI_Comm parent, MPI_Comm comm);

/* ---- One-sided communication: trace_windows.c ------------------------------------------------ */

/*
 * Return the number of a window, which is the number of a communicator with its processes; -1:
 * unknown. WIN comes from the program, and may be invalid.
 */
int64_t gptl_mpi_trace_window(const struct gptl_mpi_trace_call *call, const MPI_Win *win);
/* Record the creation of WIN from COMM. */
void gptl_mpi_trace_window_made(struct gptl_mpi_trace_call *call, MPI_Comm comm,
                                const MPI_Win *win);
/* Record the end of WINDOW, a number. */
void gptl_mpi_trace_window_freed(struct gptl_mpi_trace_call *call, int64_t window);
void gptl_mpi_trace_onesided(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                             struct gptl_mpi_amount amount, int target, MPI_Win win);
/* Record an epoch of the entire window, of TARGET's memory, or with a group. */
void gptl_mpi_trace_epoch(struct gptl_mpi_trace_call *call, enum gptl_ti_epoch what, MPI_Win win);
void gptl_mpi_trace_epoch_at(struct gptl_mpi_trace_call *call, enum gptl_ti_epoch what, int target,
                             MPI_Win win);
void gptl_mpi_trace_epoch_of(struct gptl_mpi_trace_call *call, enum gptl_ti_epoch what,
                             MPI_Group group, MPI_Win win);

/* ---- Regions: trace_regions.c ---------------------------------------------------------------- */

struct gptl_mpi_trace_regions; /* regions of a thread, and its computation in each */
struct gptl_mpi_trace_regions *gptl_mpi_trace_regions_new(void);
void gptl_mpi_trace_computed(struct gptl_mpi_trace_regions *regions, const void *node, uint64_t ns);
/*
 * Record, for each region, its number and the nanoseconds since the last record; new regions are
 * recorded first.
 */
struct gptl_mpi_stream;
void gptl_mpi_trace_tell_computed(struct gptl_mpi_trace_regions *regions,
                                  struct gptl_mpi_stream *stream);
void gptl_mpi_trace_put(struct gptl_mpi_stream *stream, uint64_t number);

#endif
