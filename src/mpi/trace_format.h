/*
 * trace_format.h - what is in the file that trace=ti makes of each rank: doc/trace.md. Who writes it and
 * who reads it include this.
 */
#ifndef GPTL_MPI_TRACE_FORMAT_H
#define GPTL_MPI_TRACE_FORMAT_H

#define GPTL_TI_PREFIX "trace." /* and the rank, and: */
#define GPTL_TI_SUFFIX ".ti"
/* 1 is the same without MORE and REUSED, 2 without them of COLLECTIVE, 3 without REUSED, 4 without a WAIT for none, 5 without
   MADE. */
#define GPTL_TI_FIRST_LINE "gptl-trace 6\n"

/* A chunk of one thread's records, with the thread's number and how many bytes follow. */
#define GPTL_TI_CHUNK 0x4b4e4843u /* "CHNK" */
enum { GPTL_TI_CHUNK_HEAD = 12 };

enum gptl_ti {
    GPTL_TI_REGION = 1, /* id, id of its parent or 0, length, name */
    GPTL_TI_COMPUTE,    /* region, nanoseconds */
    GPTL_TI_COMM,       /* id, members, their world ranks; members of the other group, theirs */
    GPTL_TI_NAME,       /* id, length, name of a function that is not replayed */
    GPTL_TI_MADE, /* id of a communicator, id of its parent plus 1, or 0; tag, or GPTL_TI_ANY */

    /* Calls: nanoseconds within; with GPTL_TI_POSTED, the request; then: */
    GPTL_TI_SEND = 16, /* enum gptl_ti_mode, to, communicator, tag, bytes */
    GPTL_TI_RECV,      /* from, communicator, tag, bytes */
    GPTL_TI_SENDRECV,  /* as SEND without a mode, and then from, tag, bytes */
    GPTL_TI_PROBE,     /* as RECV: it is there */
    GPTL_TI_WAIT, /* how many, and of each: the request, times 4, and flags; 0: a test has found none */
    GPTL_TI_COLLECTIVE, /* enum gptl_ti_collective, communicator, root, bytes, how many, bytes of each */
    GPTL_TI_NEIGHBORS, /* communicator, how many, to and bytes of each; how many, from */
    GPTL_TI_OTHER,     /* name */
    GPTL_TI_ONESIDED,  /* window, whose memory (a world rank), bytes that go there, that come */
    GPTL_TI_EPOCH,     /* enum gptl_ti_epoch, window, how many, their world ranks */
    GPTL_TI_END = 31,  /* nanoseconds since the first, records that were lost */
    GPTL_TI_POSTED = 64,
    /* Of SEND, RECV, SENDRECV: at the end there are the bytes of a piece, of a row, and of a block of a list (signed,
       below 0: they differ) of what is sent, and of what comes; 0: it is all in one, there is no list.
       Of COLLECTIVE: the bytes of memory that the process got anew in it. */
    GPTL_TI_MORE = 128,
    /* Of RECV, SENDRECV, COLLECTIVE: behind that, of how many bytes of the memory that data comes into the process had
       given last. */
    GPTL_TI_REUSED = 256,
};

enum gptl_ti_mode {
    GPTL_TI_STANDARD,
    GPTL_TI_BUFFERED,
    GPTL_TI_SYNCHRONOUS,
    GPTL_TI_READY,
    GPTL_TI_NMODES
};

/* What orders one-sided communication. The ranks: of the group, or whose memory it is about. */
enum gptl_ti_epoch {
    GPTL_TI_FENCE,
    GPTL_TI_POST,
    GPTL_TI_START,
    GPTL_TI_COMPLETE,
    GPTL_TI_EXPOSED, /* MPI_Win_wait */
    GPTL_TI_LOCK,
    GPTL_TI_UNLOCK,
    GPTL_TI_FLUSH,
    GPTL_TI_NEPOCHS
};

/* Of a request in WAIT: who sent and the tag follow, as neither was known before; nothing came. */
enum { GPTL_TI_RESOLVED = 1, GPTL_TI_CANCELLED = 2 };
enum { GPTL_TI_ANY = -1 }; /* a rank or tag */
enum { GPTL_TI_WORLD = 0 };

/* What the bytes are; "array": of each process of the communicator, in its order. */
enum gptl_ti_collective {
    GPTL_TI_BARRIER,
    GPTL_TI_BCAST,
    GPTL_TI_GATHER,     /* that it gives */
    GPTL_TI_GATHERV,    /* the same */
    GPTL_TI_SCATTER,    /* that each gets */
    GPTL_TI_SCATTERV,   /* array, of the root */
    GPTL_TI_ALLGATHER,  /* that it gives */
    GPTL_TI_ALLGATHERV, /* array */
    GPTL_TI_ALLTOALL,   /* for each */
    GPTL_TI_ALLTOALLV,  /* array, for each */
    GPTL_TI_ALLTOALLW,  /* the same */
    GPTL_TI_REDUCE,
    GPTL_TI_ALLREDUCE,
    GPTL_TI_REDUCE_SCATTER,       /* array, what each gets */
    GPTL_TI_REDUCE_SCATTER_BLOCK, /* that each gets */
    GPTL_TI_SCAN,
    GPTL_TI_EXSCAN,
    GPTL_TI_AGREE, /* a communicator is made of this one */
    GPTL_TI_NCOLLECTIVES
};

#endif
