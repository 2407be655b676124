/*
 * trace_format.h - contents of the file written by trace=ti for each rank: doc/trace.md. The writer
 * and the readers include this header.
 */
#ifndef GPTL_MPI_TRACE_FORMAT_H
#define GPTL_MPI_TRACE_FORMAT_H

#define GPTL_TI_PREFIX "trace." /* followed by the rank and: */
#define GPTL_TI_SUFFIX ".ti"
/*
 * Older versions: 1 is the same without MORE and REUSED, 2 without them in COLLECTIVE, 3 without
 * REUSED, 4 without a WAIT for none, 5 without MADE.
 */
#define GPTL_TI_FIRST_LINE "gptl-trace 6\n"

/* A chunk of one thread's records, with the thread's number and the number of bytes that follow. */
#define GPTL_TI_CHUNK 0x4b4e4843u /* "CHNK" */
enum { GPTL_TI_CHUNK_HEAD = 12 };

enum gptl_ti {
    GPTL_TI_REGION = 1, /* id, id of its parent or 0, length, name */
    GPTL_TI_COMPUTE,    /* region, nanoseconds */
    GPTL_TI_COMM,       /* id, number of members, their world ranks; the same for the other group */
    GPTL_TI_NAME,       /* id, length, name of a function that is not replayed */
    GPTL_TI_MADE, /* id of a communicator, id of its parent plus 1, or 0; tag, or GPTL_TI_ANY */

    /* Calls: nanoseconds within; with GPTL_TI_POSTED, the request; then: */
    GPTL_TI_SEND = 16, /* enum gptl_ti_mode, to, communicator, tag, bytes */
    GPTL_TI_RECV,      /* from, communicator, tag, bytes */
    GPTL_TI_SENDRECV,  /* as SEND without a mode, and then from, tag, bytes */
    GPTL_TI_PROBE,     /* as RECV: the message is available */
    /* number of requests, and for each: the request times 4, and flags; 0: a failed test */
    GPTL_TI_WAIT,
    /* enum gptl_ti_collective, communicator, root, bytes, number, bytes of each */
    GPTL_TI_COLLECTIVE,
    GPTL_TI_NEIGHBORS, /* communicator, number, to and bytes of each; number, from */
    GPTL_TI_OTHER,     /* name */
    GPTL_TI_ONESIDED,  /* window, target (a world rank), bytes sent there, bytes received */
    GPTL_TI_EPOCH,     /* enum gptl_ti_epoch, window, number, their world ranks */
    GPTL_TI_END = 31,  /* nanoseconds since the first, number of lost records */
    GPTL_TI_POSTED = 64,
    /*
     * SEND, RECV, SENDRECV end with the bytes of a piece, of a row, and of a block of a list
     * (signed, negative: they differ), first for the sent and then for the received data; 0:
     * contiguous, or no list. COLLECTIVE ends with the bytes of memory page-faulted in it.
     */
    GPTL_TI_MORE = 128,
    /*
     * RECV, SENDRECV, COLLECTIVE: then follows the number of bytes of the receive buffer from which
     * the process last sent data.
     */
    GPTL_TI_REUSED = 256,
};

enum gptl_ti_mode {
    GPTL_TI_STANDARD,
    GPTL_TI_BUFFERED,
    GPTL_TI_SYNCHRONOUS,
    GPTL_TI_READY,
    GPTL_TI_NMODES
};

/* Synchronization of one-sided communication. The ranks are the group's, or the target's. */
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

/*
 * Flags of a request in WAIT: sender and tag follow, because neither was known before; nothing
 * arrived.
 */
enum { GPTL_TI_RESOLVED = 1, GPTL_TI_CANCELLED = 2 };
enum { GPTL_TI_ANY = -1 }; /* a rank or tag */
enum { GPTL_TI_WORLD = 0 };

/* Meaning of the bytes; "array": one value for each process of the communicator, in order. */
enum gptl_ti_collective {
    GPTL_TI_BARRIER,
    GPTL_TI_BCAST,
    GPTL_TI_GATHER,     /* its contribution */
    GPTL_TI_GATHERV,    /* likewise */
    GPTL_TI_SCATTER,    /* received by each */
    GPTL_TI_SCATTERV,   /* array, on the root */
    GPTL_TI_ALLGATHER,  /* its contribution */
    GPTL_TI_ALLGATHERV, /* array */
    GPTL_TI_ALLTOALL,   /* for each */
    GPTL_TI_ALLTOALLV,  /* array, for each */
    GPTL_TI_ALLTOALLW,  /* likewise */
    GPTL_TI_REDUCE,
    GPTL_TI_ALLREDUCE,
    GPTL_TI_REDUCE_SCATTER,       /* array, received by each */
    GPTL_TI_REDUCE_SCATTER_BLOCK, /* received by each */
    GPTL_TI_SCAN,
    GPTL_TI_EXSCAN,
    GPTL_TI_AGREE, /* creation of a communicator from this one */
    GPTL_TI_NCOLLECTIVES
};

#endif
