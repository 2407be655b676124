/*
 * peers.h - who the processes of a communicator are: their ranks in MPI_COMM_WORLD.
 *
 * What is known of a communicator is an attribute of it, so it goes when the communicator does. It
 * learns a rank when that is asked for first: its size goes with the peers that a process talks to,
 * not with the communicator.
 */
#ifndef GPTL_MPI_PEERS_H
#define GPTL_MPI_PEERS_H

#include "mpi/wrap.h"

/*
 * In a program that has only sessions, MPI_COMM_WORLD stands for the processes that each session calls
 * mpi://WORLD. What is open is to be told here; which session a communicator is of, nobody can ask MPI,
 * so all are compared with the processes of the session that was begun first.
 */
#ifdef GPTL_HAVE_MPI_Session_init
void gptl_mpi_peers_open(MPI_Session session);
/* Before it is finalized. */
void gptl_mpi_peers_close(MPI_Session session);
#endif

/* NULL stands for MPI_COMM_WORLD, and for what there was no memory for. */
struct gptl_mpi_peers;

/* The ranks of COMM, or of the other group if it is an intercommunicator. */
struct gptl_mpi_peers *gptl_mpi_peers_of(MPI_Comm comm);

/* The rank in MPI_COMM_WORLD; GPTL_MPI_OUTSIDE for a process that has none there. */
enum { GPTL_MPI_OUTSIDE = -1 };
int gptl_mpi_world_rank(struct gptl_mpi_peers *peers, int rank);

/* A message may be underway when its communicator is freed: who holds this keeps it. */
struct gptl_mpi_peers *gptl_mpi_peers_hold(struct gptl_mpi_peers *peers);
void gptl_mpi_peers_release(struct gptl_mpi_peers *peers);

#endif
