/*
 * ping.h - interface between the files of gptl-maps-mpich and gptl-maps-openmpi: the two ranks, and
 * their measurements.
 */
#ifndef GPTL_POSTPROC_MAPS_PING_H
#define GPTL_POSTPROC_MAPS_PING_H

#include <mpi.h>

enum { DATA = 1, WORD, READY, ANSWER }; /* tags */
/* ROOM: bytes of OUT and IN; maximum sizes of messages, and of messages in pieces of 8 bytes. */
enum { ROOM = 8 << 20, MOST_BYTES = ROOM / 2, PIECED_MOST = ROOM / 64 };

extern int rank, peer;
extern MPI_Comm two; /* the first and the last rank */
extern char *out, *in;
extern int eager;         /* eager limit */
extern double answer;     /* seconds of an empty message */
extern double alone;      /* seconds of a message of the current size */
extern double exchanged;  /* seconds of a message in each direction */
extern double summed;     /* seconds of a nonblocking sum with its wait */
extern double clock_cost; /* seconds of reading the clock */

void ping_send(int bytes, int tag);
void ping_receive(int bytes, int tag);
/*
 * Modify BYTES of the data to send, or read received data. Returns the duration, less the cost of
 * the clock.
 */
double timed_write(int bytes);
double timed_read(int bytes);
/* Exchange the durations of writing or reading: this rank's SECONDS for the other rank's. */
double theirs_of(double seconds);
/* Wait for SECONDS without sleeping. */
void spin(double seconds);

/* Return the seconds of one of N messages, or of a rank's work for it: ping_messages.c. */
double message(int bytes, int n);
double sending(int bytes, int n);
double receiving(int bytes, int n);
double exchange(int bytes, int n);
double stream(int bytes, int n);
double returning(int bytes, int n);
double synchronous(int bytes, int n);
double reused(int bytes, int n);
double reused_exchange(int bytes, int n);
double renewal(int bytes, int n);

/*
 * Return the seconds of a rank's work without messages, of N repetitions: copying its own part in a
 * collective, and summing. After keep_memory, collectives reuse memory. ping_own.c.
 */
double own_part(int bytes, int n);
double reduction(int bytes, int n);
void keep_memory(void);

/*
 * Return the seconds of one of N collectives of the two ranks, each with BYTES: ping_collectives.c.
 */
double barrier(int bytes, int n);
double bcast(int bytes, int n);
double bcast_back(int bytes, int n);
double reduce(int bytes, int n);
double reduce_back(int bytes, int n);
double allgather(int bytes, int n);
double alltoall(int bytes, int n);
double gather(int bytes, int n);
double scatter(int bytes, int n);
double allgatherv(int bytes, int n);
double alltoallv(int bytes, int n);
double allreduce(int bytes, int n);
double reduce_scatter(int bytes, int n);
double reduce_scatter_block(int bytes, int n);
double scan(int bytes, int n);
double exscan(int bytes, int n);
double ibarrier(int bytes, int n);
double ibcast(int bytes, int n);
double ireduce(int bytes, int n);
double iallgather(int bytes, int n);
double ialltoall(int bytes, int n);
double iallreduce(int bytes, int n);
double iallreduce_busy(int bytes, int n);

/*
 * Return the seconds of one of N noncontiguous messages, or of one in each direction: pieces of 8,
 * 24, 64 or 512 bytes, rows of 64 pieces, or irregularly placed blocks of 8 bytes or of 8 to 24,
 * the latter also on one side only: ping_pieces.c.
 */
double pieces8(int bytes, int n);
double pieces8_exchange(int bytes, int n);
double rows8(int bytes, int n);
double rows8_exchange(int bytes, int n);
double pieces24(int bytes, int n);
double pieces24_exchange(int bytes, int n);
double pieces24_sent(int bytes, int n);
double pieces24_sent_exchange(int bytes, int n);
double pieces24_received(int bytes, int n);
double pieces24_received_exchange(int bytes, int n);
double pieces64(int bytes, int n);
double pieces64_exchange(int bytes, int n);
double pieces512(int bytes, int n);
double pieces512_exchange(int bytes, int n);
double list8(int bytes, int n);
double list8_exchange(int bytes, int n);
double list24(int bytes, int n);
double list24_exchange(int bytes, int n);
double list24_sent(int bytes, int n);
double list24_sent_exchange(int bytes, int n);
double list24_received(int bytes, int n);
double list24_received_exchange(int bytes, int n);
double uneven8(int bytes, int n);
double uneven8_exchange(int bytes, int n);

#endif
