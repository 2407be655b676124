/*
 * trace.h - the time-independent trace (trace=ti): what the process computed between the calls of MPI,
 * and what each call asked for, so that `gptl net` can replay it on another machine.
 *
 * As with notes.h, wrappers know nothing of it: where the option asks for a trace, functions that
 * trace.awk makes take the place of MPI's in gptl_mpi_next.
 */
#ifndef GPTL_MPI_TRACE_H
#define GPTL_MPI_TRACE_H

#include "mpi/amounts.h"
#include "mpi/peers.h"
#include "mpi/trace_format.h"

struct gptl_mpi_tracer {
    size_t place; /* in gptl_mpi_next */
    void (*function)(void);
};
#define GPTL_MPI_TRACER(name)                                                                      \
    {                                                                                              \
        offsetof(struct gptl_mpi_next, name), (void (*)(void))tracing_##name                       \
    }
extern const struct gptl_mpi_tracer gptl_mpi_tracers[];         /* those that are made … */
extern const struct gptl_mpi_tracer gptl_mpi_request_tracers[]; /* … and written */

/* What gptl_mpi_next was before, as far as it is not now. */
extern struct gptl_mpi_next gptl_mpi_untraced;

/* MPI is initialized, and has a world: the trace begins if the option asks for one. */
void gptl_mpi_trace_begin(void);
/* MPI comes to its end without a world: a trace that was asked for is missed. */
void gptl_mpi_trace_absent(void);
/* MPI comes to its end: all is written. */
void gptl_mpi_trace_end(void);

/* ---- A call -------------------------------------------------------------------------------- */

struct gptl_mpi_trace_call {
    struct gptl_mpi_stream *stream; /* NULL: it is not traced, as it is part of another */
    uint64_t began, ended, ns;
    bool counts;      /* what memory the process gets anew in it: */
    uint64_t renewed; /* bytes; before it has come back, of the thread so far */
    uint64_t reused;  /* what comes, into so many bytes that it gave from: of the next record */
    struct gptl_work work;
};

/* CALL lies in the frame of the function that takes MPI's place. */
void gptl_mpi_trace_enter(struct gptl_mpi_trace_call *call);
/* After that, of a collective: to sum, MPI takes buffers, whose pages the C library may give back each time. */
void gptl_mpi_trace_count(struct gptl_mpi_trace_call *call);
/* The call has come back with RC: whether there is something to record. */
bool gptl_mpi_trace_returned(struct gptl_mpi_trace_call *call, int rc);
void gptl_mpi_trace_leave(struct gptl_mpi_trace_call *call);
/* It is no event: its time goes to the next one that is. */
void gptl_mpi_trace_passed(struct gptl_mpi_trace_call *call);

/* ---- trace_other.c -------------------------------------------------------------------------- */

/* The call is not replayed. NAME is a literal. */
void gptl_mpi_trace_other(struct gptl_mpi_trace_call *call, const char *name);
/* Whether enough time has passed in tests in vain to find out if they wait for an operation that is not replayed. */
bool gptl_mpi_trace_counts_poll(const struct gptl_mpi_trace_call *call);
/*
 * A test or probe in vain: MPI has had time for what is on its way, which is a wait for none if the program has
 * computed for long before, or else no event. UNKNOWN: it waits for what is not replayed and keeps its time, as a
 * call of this name, a literal; NULL: for a message that is replayed.
 */
void gptl_mpi_trace_polled(struct gptl_mpi_trace_call *call, const char *unknown);

/* ---- Bodies of records: trace.c ------------------------------------------------------------ */

void gptl_mpi_trace_number(struct gptl_mpi_trace_call *call, uint64_t number);
void gptl_mpi_trace_signed(struct gptl_mpi_trace_call *call, int64_t number);
/* What the numbers belong to, which are none any more. REQUEST 0: it is no POSTED one. */
void gptl_mpi_trace_record(struct gptl_mpi_trace_call *call, enum gptl_ti what, uint64_t request);

/* Where a message lies. */
struct gptl_mpi_trace_memory {
    const void *buffer;
    int64_t bytes;
};

/* The numbers so far, as they would be recorded; taken. NULL without memory. */
struct gptl_mpi_trace_body {
    enum gptl_ti what;
    struct gptl_mpi_trace_memory memory; /* of a message */
    size_t size;
    unsigned char bytes[];
};
struct gptl_mpi_trace_body *gptl_mpi_trace_take(struct gptl_mpi_trace_call *call,
                                                enum gptl_ti what);
void gptl_mpi_trace_body(struct gptl_mpi_trace_call *call, const struct gptl_mpi_trace_body *body);

/* ---- Requests: trace_requests.c ------------------------------------------------------------ */

/*
 * How a call goes on: it is over (NULL, false), REQUEST waits for it, or starts it again and again if
 * it is PERSISTENT.
 */
struct gptl_mpi_trace_way {
    const MPI_Request *request;
    bool persistent;
};

/* What has been put together, as all of WHAT it is. */
void gptl_mpi_trace_goes(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                         enum gptl_ti what);
/* A call without a record. To wait for its request takes no time in the replay. */
void gptl_mpi_trace_nothing(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way);
/* The same of a message from or to MEMORY; OPEN: a receive of which a status will tell more, with PEERS. */
void gptl_mpi_trace_message(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                            enum gptl_ti what, struct gptl_mpi_trace_memory memory, bool open,
                            struct gptl_mpi_peers *peers);

/* ---- Data in pieces: trace_pieces.c -------------------------------------------------------- */

/*
 * How data lies in pieces of memory: how many bytes of it each has, on the average, and each of the largest parts
 * that the type is made of, as the rows of a plane. 0: it is in one piece, or there is no saying. LIST: what each block
 * has of lists of blocks at any places, 0 if there are none, and below 0 if they have different lengths.
 */
struct gptl_mpi_trace_pieces {
    uint64_t piece, row;
    int64_t list;
};
struct gptl_mpi_trace_pieces gptl_mpi_trace_pieces(MPI_Count count, MPI_Datatype type);
void gptl_mpi_trace_put_pieces(struct gptl_mpi_trace_call *call,
                               struct gptl_mpi_trace_pieces pieces);

/* ---- Messages: trace_messages.c ------------------------------------------------------------ */

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
/* WHAT STATUS says is there, whose data lies in PIECES. */
void gptl_mpi_trace_received(struct gptl_mpi_trace_call *call, enum gptl_ti what,
                             struct gptl_mpi_trace_pieces pieces, MPI_Comm comm,
                             const MPI_Status *status);

/* ---- Memory that is used again: trace_reused.c --------------------------------------------- */

/* Data has gone from there. */
void gptl_mpi_trace_gives(struct gptl_mpi_trace_memory from);
/* It comes to there: CALL's next record will say how much the process gave from there last. */
void gptl_mpi_trace_takes(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_memory to);
/* CALL, a collective, has moved AMOUNT from the one and to the other. */
void gptl_mpi_trace_moved(struct gptl_mpi_trace_call *call, struct gptl_mpi_amount amount,
                          const void *from, const void *to);

/* ---- Collectives: trace_collectives.c ------------------------------------------------------ */

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

/* What a neighborhood collective gives to each of its neighbors. */
struct gptl_mpi_trace_blocks {
    MPI_Count count;
    const void *counts; /* or NULL: all have the same */
    size_t size;
    MPI_Datatype type;
    const MPI_Datatype *types; /* or NULL */
};
void gptl_mpi_trace_neighbors(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                              struct gptl_mpi_trace_blocks blocks, MPI_Comm comm);

/* ---- Communicators: trace_comms.c ---------------------------------------------------------- */

/* Its number; it is recorded before if it is new. -1: it is not known. */
int64_t gptl_mpi_trace_comm(struct gptl_mpi_trace_call *call, MPI_Comm comm);
/* The world ranks of GROUP, -1 for who is not of this world, to be freed; NULL without memory. */
int *gptl_mpi_trace_world_ranks(MPI_Group group, int *n);
/*
 * Records a communicator under a new number: the processes of GROUP, and of OTHER if not null; the number of its PARENT,
 * or -1; the TAG, or GPTL_TI_ANY.
 */
int64_t gptl_mpi_trace_new_comm(struct gptl_mpi_trace_call *call, MPI_Group group, MPI_Group other,
                                int64_t parent, int tag);
/* COMM has been made of PARENT, which may be null, with TAG; all processes of OVER have called the function. */
void gptl_mpi_trace_made(struct gptl_mpi_trace_call *call, MPI_Comm parent, int tag, MPI_Comm over,
                         MPI_Comm comm);
/* The same of MPI_Comm_idup: COMM cannot be used before the request of WAY is complete. */
void gptl_mpi_trace_being_made(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                               MPI_Comm parent, MPI_Comm comm);

/* ---- One-sided communication: trace_windows.c ---------------------------------------------- */

/*
 * The number of a window, which is that of a communicator with its processes; -1: it is not known. WIN is
 * the program's, and may be one that MPI will refuse.
 */
int64_t gptl_mpi_trace_window(const struct gptl_mpi_trace_call *call, const MPI_Win *win);
/* WIN has been made of COMM. */
void gptl_mpi_trace_window_made(struct gptl_mpi_trace_call *call, MPI_Comm comm,
                                const MPI_Win *win);
/* WINDOW, by its number, is no more. */
void gptl_mpi_trace_window_freed(struct gptl_mpi_trace_call *call, int64_t window);
void gptl_mpi_trace_onesided(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                             struct gptl_mpi_amount amount, int target, MPI_Win win);
/* Of all of the window, of TARGET's memory, or with a group. */
void gptl_mpi_trace_epoch(struct gptl_mpi_trace_call *call, enum gptl_ti_epoch what, MPI_Win win);
void gptl_mpi_trace_epoch_at(struct gptl_mpi_trace_call *call, enum gptl_ti_epoch what, int target,
                             MPI_Win win);
void gptl_mpi_trace_epoch_of(struct gptl_mpi_trace_call *call, enum gptl_ti_epoch what,
                             MPI_Group group, MPI_Win win);

/* ---- Regions: trace_regions.c -------------------------------------------------------------- */

struct gptl_mpi_trace_regions; /* what a thread knows of its regions, and has computed in each */
struct gptl_mpi_trace_regions *gptl_mpi_trace_regions_new(void);
void gptl_mpi_trace_computed(struct gptl_mpi_trace_regions *regions, const void *node, uint64_t ns);
/* Tells, for each region since the last time, its number and nanoseconds; before, what is new. */
struct gptl_mpi_stream;
void gptl_mpi_trace_tell_computed(struct gptl_mpi_trace_regions *regions,
                                  struct gptl_mpi_stream *stream);
void gptl_mpi_trace_put(struct gptl_mpi_stream *stream, uint64_t number);

#endif
