/*
 * peers.h - the ranks of a communicator's processes in MPI_COMM_WORLD.
 *
 * The known ranks are an attribute of the communicator, so they are freed with it. A rank is
 * determined on first use: the memory depends on the number of actual peers, not on the size of the
 * communicator.
 */
#ifndef GPTL_MPI_PEERS_H
#define GPTL_MPI_PEERS_H

#include "mpi/wrap.h"

/*
 * Open and close sessions. In a program that uses only sessions, the process set mpi://WORLD
 * replaces MPI_COMM_WORLD. MPI offers no query for the session of a communicator, so all
 * communicators are compared with the processes of the oldest open session.
 */
#ifdef GPTL_HAVE_MPI_Session_init
void gptl_mpi_peers_open(MPI_Session session);
/* Call this before the session is finalized. */
void gptl_mpi_peers_close(MPI_Session session);
#endif

/* NULL means MPI_COMM_WORLD, or out of memory. */
struct gptl_mpi_peers;

/* Return the ranks of COMM, or of the remote group of an intercommunicator. */
struct gptl_mpi_peers *gptl_mpi_peers_of(MPI_Comm comm);

/* Return the rank in MPI_COMM_WORLD; GPTL_MPI_OUTSIDE for a process outside of it. */
enum { GPTL_MPI_OUTSIDE = -1 };
int gptl_mpi_world_rank(struct gptl_mpi_peers *peers, int rank);

/*
 * Increase or decrease the reference count: a message may be in flight when its communicator is
 * freed.
 */
struct gptl_mpi_peers *gptl_mpi_peers_hold(struct gptl_mpi_peers *peers);
void gptl_mpi_peers_release(struct gptl_mpi_peers *peers);

#endif
