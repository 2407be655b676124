/*
 * trace_messages.c - messages in the trace: peer, size, data layout and location.
 */
#include "config.h"

#include "mpi/trace_stream.h"

/*
 * Add a peer and its communicator. Return false if the peer is MPI_PROC_NULL, or the message is not
 * replayed.
 */
static bool put_peer(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way, int peer,
                     MPI_Comm comm)
{
    if (peer == MPI_PROC_NULL) {
        gptl_mpi_trace_nothing(call, way);
        return false;
    }
    int rank =
        peer == MPI_ANY_SOURCE ? GPTL_TI_ANY : gptl_mpi_world_rank(gptl_mpi_peers_of(comm), peer);
    int64_t number = gptl_mpi_trace_comm(call, comm);
    if ((rank < 0 && peer != MPI_ANY_SOURCE) || number < 0) {
        gptl_mpi_trace_other(call, "a message to or from another world");
        return false;
    }
    gptl_mpi_trace_signed(call, rank);
    gptl_mpi_trace_number(call, (uint64_t)number);
    return true;
}

/* Return the record type for data with the layout PIECES, whose numbers come last. */
static enum gptl_ti in_pieces(struct gptl_mpi_trace_call *call, enum gptl_ti what,
                              struct gptl_mpi_trace_pieces pieces)
{
    if (pieces.piece == 0)
        return what;
    gptl_mpi_trace_put_pieces(call, pieces);
    return what | GPTL_TI_MORE;
}

void gptl_mpi_trace_send(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                         enum gptl_ti_mode mode, const void *buffer, MPI_Count count,
                         MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    struct gptl_mpi_trace_memory memory = {buffer, gptl_mpi_bytes(count, type)};
    gptl_mpi_trace_number(call, mode);
    if (!put_peer(call, way, to, comm)) {
        call->stream->body.size = 0;
        return;
    }
    gptl_mpi_trace_signed(call, tag);
    gptl_mpi_trace_number(call, (uint64_t)memory.bytes);
    gptl_mpi_trace_message(call, way,
                           in_pieces(call, GPTL_TI_SEND, gptl_mpi_trace_pieces(count, type)),
                           memory, false, NULL);
}

void gptl_mpi_trace_received(struct gptl_mpi_trace_call *call, enum gptl_ti what,
                             struct gptl_mpi_trace_pieces pieces, MPI_Comm comm,
                             const MPI_Status *status)
{
    if (!put_peer(call, (struct gptl_mpi_trace_way){NULL, false}, status->MPI_SOURCE, comm))
        return;
    gptl_mpi_trace_signed(call, status->MPI_TAG);
    gptl_mpi_trace_number(call, (uint64_t)gptl_mpi_status_bytes(status));
    gptl_mpi_trace_record(call, in_pieces(call, what, pieces), 0);
}

void gptl_mpi_trace_recv(struct gptl_mpi_trace_call *call, const void *buffer, MPI_Count count,
                         MPI_Datatype type, MPI_Comm comm, const MPI_Status *status)
{
    gptl_mpi_trace_takes(call,
                         (struct gptl_mpi_trace_memory){buffer, gptl_mpi_status_bytes(status)});
    gptl_mpi_trace_received(call, GPTL_TI_RECV, gptl_mpi_trace_pieces(count, type), comm, status);
}

void gptl_mpi_trace_irecv(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                          const void *buffer, MPI_Count count, MPI_Datatype type, int from, int tag,
                          MPI_Comm comm)
{
    struct gptl_mpi_trace_memory memory = {buffer, gptl_mpi_bytes(count, type)};
    bool open = from == MPI_ANY_SOURCE || tag == MPI_ANY_TAG;
    if (!put_peer(call, way, from, comm))
        return;
    gptl_mpi_trace_signed(call, tag == MPI_ANY_TAG ? GPTL_TI_ANY : tag);
    gptl_mpi_trace_number(call, 0);
    gptl_mpi_trace_message(call, way,
                           in_pieces(call, GPTL_TI_RECV, gptl_mpi_trace_pieces(count, type)),
                           memory, open, open ? gptl_mpi_peers_of(comm) : NULL);
}

/* Either side may be MPI_PROC_NULL. */
void gptl_mpi_trace_sendrecv(struct gptl_mpi_trace_call *call, const void *buffer, MPI_Count count,
                             MPI_Datatype type, int to, int tag, const void *rbuffer,
                             MPI_Count rcount, MPI_Datatype rtype, int from, MPI_Comm comm,
                             const MPI_Status *status)
{
    struct gptl_mpi_trace_way now = {NULL, false};
    if (from == MPI_PROC_NULL) {
        gptl_mpi_trace_send(call, now, GPTL_TI_STANDARD, buffer, count, type, to, tag, comm);
        return;
    }
    if (to == MPI_PROC_NULL) {
        gptl_mpi_trace_recv(call, rbuffer, rcount, rtype, comm, status);
        return;
    }
    int rank = gptl_mpi_world_rank(gptl_mpi_peers_of(comm), status->MPI_SOURCE);
    if (!put_peer(call, now, to, comm))
        return;
    if (rank < 0) {
        gptl_mpi_trace_other(call, "a message to or from another world");
        return;
    }
    gptl_mpi_trace_signed(call, tag);
    struct gptl_mpi_trace_memory from_there = {buffer, gptl_mpi_bytes(count, type)};
    struct gptl_mpi_trace_memory to_there = {rbuffer, gptl_mpi_status_bytes(status)};
    gptl_mpi_trace_number(call, (uint64_t)from_there.bytes);
    gptl_mpi_trace_signed(call, rank);
    gptl_mpi_trace_signed(call, status->MPI_TAG);
    gptl_mpi_trace_number(call, (uint64_t)to_there.bytes);
    struct gptl_mpi_trace_pieces goes = gptl_mpi_trace_pieces(count, type);
    struct gptl_mpi_trace_pieces comes = gptl_mpi_trace_pieces(rcount, rtype);
    bool told = goes.piece || comes.piece;
    if (told) {
        gptl_mpi_trace_put_pieces(call, goes);
        gptl_mpi_trace_put_pieces(call, comes);
    }
    /* In this order, so that replaced memory counts: MPI keeps a copy of it, and writes both. */
    gptl_mpi_trace_gives(from_there);
    gptl_mpi_trace_takes(call, to_there);
    gptl_mpi_trace_record(call, told ? GPTL_TI_SENDRECV | GPTL_TI_MORE : GPTL_TI_SENDRECV, 0);
}
