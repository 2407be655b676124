/* ping.h - between the files of gptl-maps-mpich and gptl-maps-openmpi: the two ranks, and what they measure. */
#ifndef GPTL_POSTPROC_MAPS_PING_H
#define GPTL_POSTPROC_MAPS_PING_H

#include <mpi.h>

enum { DATA = 1, WORD, READY, ANSWER }; /* tags */
/* Of OUT and IN; and how large messages may be, and those that lie in pieces of 8 bytes in there. */
enum { ROOM = 8 << 20, MOST_BYTES = ROOM / 2, PIECED_MOST = ROOM / 64 };

extern int rank, peer;
extern MPI_Comm two; /* of the first and the last rank */
extern char *out, *in;
extern int eager;         /* how large messages may be that leave at once */
extern double answer;     /* seconds of an empty message, … */
extern double alone;      /* … of one of the size that is looked at, … */
extern double exchanged;  /* … of one in each direction, … */
extern double summed;     /* … of a sum that is posted and waited for, … */
extern double clock_cost; /* … and between two readings of the clock */

void ping_send(int bytes, int tag);
void ping_receive(int bytes, int tag);
/* Changes so much of what is sent, or looks at what came. Returns how long it took, if that is more than what reading
   the clock takes. */
double timed_write(int bytes);
double timed_read(int bytes);
/* How long the other rank wrote or read; this one did for SECONDS. */
double theirs_of(double seconds);
/* Does nothing for SECONDS, but does not sleep. */
void spin(double seconds);

/* Seconds of one of N messages, or of what a rank does for it: ping_messages.c. */
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
 * Seconds of one of N times what a rank does without messages: a part of its own is copied in a collective, and added
 * up. From keep_memory on, collectives use memory that stays. ping_own.c.
 */
double own_part(int bytes, int n);
double reduction(int bytes, int n);
void keep_memory(void);

/* Seconds of one of N collectives of the two ranks, in which each gives so many bytes: ping_collectives.c. */
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

/* Seconds of one of N messages whose data lies in pieces of 8, 24, 64 or 512 bytes, rows of 64 pieces,
   or blocks at any places, all of 8 bytes or of 8 to 24, the latter also on one side only; or of one in
   each direction: ping_pieces.c. */
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
