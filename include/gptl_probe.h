/*
 * gptl_probe.h - probes of the I/O stack: spans whose ids are passed from layer to layer.
 *
 * A span is one operation of one layer. It has a globally unique id and a parent: the span of the
 * layer above that caused it. Within a thread, the parent is the innermost open span. Otherwise its
 * id is passed as text (for instance in a file system hint) or from thread to thread.
 *
 * The interface is plain C, without MPI and libgptl: link with -lgptl_probe. Functions may be
 * called from any thread and from signal handlers (a call that interrupts another one may be lost,
 * and is counted). They preserve errno, print at most one line if they cannot write, and return no
 * errors: failures never affect the host. LAYER and OPERATION are values of the enums below.
 *
 * The environment variable GPTL_IOSTACK contains the log directory or "off"; see gptl-iostack(1).
 */
#ifndef GPTL_PROBE_H
#define GPTL_PROBE_H

#include <stdint.h>

#ifndef GPTL_API
#if defined(__GNUC__)
#define GPTL_API __attribute__((visibility("default")))
#else
#define GPTL_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Layers, from the top. */
enum GPTLlayer {
    GPTL_LAYER_APP = 1,
    GPTL_LAYER_HDF5 = 2,
    GPTL_LAYER_PNETCDF = 3,
    GPTL_LAYER_MPI = 4,
    GPTL_LAYER_ADIO = 5,
    GPTL_LAYER_COMM = 6, /* communication inside a collective call */
    GPTL_LAYER_CLIENT = 7,
    GPTL_LAYER_SERVER = 8,
    GPTL_LAYER_POSIX = 9,
    GPTL_LAYER_DISK = 10
};

enum GPTLoperation {
    GPTL_OP_READ = 1,
    GPTL_OP_WRITE = 2,
    GPTL_OP_OPEN = 3,
    GPTL_OP_CLOSE = 4,
    GPTL_OP_SYNC = 5,
    GPTL_OP_RESIZE = 6,
    GPTL_OP_METADATA = 7,
    GPTL_OP_SEND = 8,
    GPTL_OP_RECEIVE = 9,
    GPTL_OP_COLLECTIVE = 10, /* collective communication */
    GPTL_OP_OTHER = 11
};

/* The id of a span: its process and its number in that process. All 0: no span. */
typedef struct {
    uint64_t process, number;
} GPTLcallid;

enum { GPTL_CALLID_TEXT = 40 }; /* size of an id as text, including NUL */

/* ---- Spans within one thread ----------------------------------------------------------------- */

/* Begin a span under the thread's innermost open span, or end the innermost open span of LAYER. */
GPTL_API void GPTLprobe_begin(int layer, int operation);
GPTL_API void GPTLprobe_end(int layer);

/*
 * Call GPTLprobe_end(*LAYER): for a variable with the attribute cleanup, which ends the span on
 * function exit.
 */
GPTL_API void GPTLprobe_leave(const int *layer);

/* Begin a span under the span whose id is TEXT; NULL or an invalid id: as GPTLprobe_begin. */
GPTL_API void GPTLprobe_begin_from(int layer, int operation, const char *text);

/*
 * Set the bytes moved by the innermost open span of LAYER, or their offset; -1: unknown. Bytes are
 * accumulated.
 */
GPTL_API void GPTLprobe_bytes(int layer, int64_t bytes);
GPTL_API void GPTLprobe_offset(int layer, int64_t offset);
/* Set the file, or the node (a server, a device), on which the span operates. */
GPTL_API void GPTLprobe_file(int layer, const char *name);
GPTL_API void GPTLprobe_node(int layer, const char *name);
/* Set the number of the span's collective call on its file, from 1. */
GPTL_API void GPTLprobe_collective(int layer, uint64_t number);
/*
 * Declare that the span opened its file together with other processes, and is collective call 1 on
 * this OPENING.
 */
GPTL_API void GPTLprobe_opened(int layer, uint64_t opening);
/*
 * Variants for layers that identify a file by a pointer and its processes by their world ranks. All
 * processes that open a file together must have probes at the same collective calls.
 */
/*
 * Return the group MEMBERS extended by a process; 0 is the empty group. All processes must add the
 * ranks in the same order.
 */
GPTL_API uint64_t GPTLprobe_add_member(uint64_t members, int64_t rank);
/*
 * Return the number of a joint opening of NAME by MEMBERS, identical in all members: the first,
 * second, … opening differ.
 */
GPTL_API uint64_t GPTLprobe_new_opening(const char *name, uint64_t members);
/*
 * Declare that the innermost open span of LAYER opened NAME as HANDLE, which is valid until HANDLE
 * is opened again.
 */
GPTL_API void GPTLprobe_open_file(int layer, const void *handle, const char *name,
                                  uint64_t members);
/* Declare that the innermost open span of LAYER is the next collective call on HANDLE. */
GPTL_API void GPTLprobe_count_collective(int layer, const void *handle);
/* Return the latest opening by this thread, for a library above, and clear it; 0: none. */
GPTL_API uint64_t GPTLprobe_opening(void);

/* ---- Spans that end elsewhere ---------------------------------------------------------------- */

/*
 * Spans identified by a pointer known at both ends, such as a request or a buffer. Spans of a layer
 * may reuse a pointer sequentially, not concurrently.
 */
GPTL_API void GPTLprobe_begin_key(int layer, int operation, const void *key, int64_t bytes,
                                  int64_t offset);
GPTL_API void GPTLprobe_end_key(int layer, const void *key);
/* Begin such a span under the span whose id is TEXT. */
GPTL_API void GPTLprobe_begin_key_from(int layer, int operation, const void *key, const char *text,
                                       int64_t bytes, int64_t offset);
/* Begin such a span under the span of layer ABOVE in this process whose pointer is ABOVE_KEY. */
GPTL_API void GPTLprobe_begin_key_under(int layer, int operation, const void *key, int above,
                                        const void *above_key, int64_t bytes, int64_t offset);

/* Open a span identified by its id, under PARENT. It does not become an open span of the thread. */
GPTL_API GPTLcallid GPTLprobe_open(int layer, int operation, GPTLcallid parent, int64_t bytes,
                                   int64_t offset);
/* Close it. BYTES as for GPTLprobe_open; -1: as specified there. */
GPTL_API void GPTLprobe_close(GPTLcallid id, int64_t bytes);

/* ---- Functions for interposition ------------------------------------------------------------- */

/*
 * A span of a layer below MPI-IO may begin while its thread is outside all spans of MPI-IO and
 * below. If the process has exactly one MPI-IO operation in progress on the same file, the span
 * becomes its child and is marked accordingly.
 */

/* The properties of a span. Unknown: -1 for bytes and offset, 0 for all others. */
typedef struct {
    int layer, operation;
    int64_t bytes, offset;
    uint64_t file, node; /* results of GPTLprobe_name */
    uint64_t opening;    /* of a collective call on a file: equal in all processes of the */
    uint64_t collective; /* joint opening; number of the collective call on it, from 1 */
    const void *key;     /* for GPTLprobe_open_span: the key passed to GPTLprobe_end_key_with */
    uint64_t begin;      /* for GPTLprobe_tell: start time by GPTLprobe_clock */
} GPTLspan;

/* Begin a span as GPTLprobe_begin does; GPTLprobe_end(span->layer) ends it. */
GPTL_API void GPTLprobe_begin_span(const GPTLspan *span);
/*
 * Call GPTLprobe_begin if the innermost open span belongs to layer ABOVE or OR_ABOVE. Return
 * whether it does.
 */
GPTL_API int GPTLprobe_begin_below(int above, int or_above, int layer, int operation);
/* Call GPTLprobe_bytes, unless BYTES is -1, and GPTLprobe_end. */
GPTL_API void GPTLprobe_end_with(int layer, int64_t bytes);
/*
 * Call GPTLprobe_open, or with a key GPTLprobe_begin_key, under the thread's innermost open span.
 */
GPTL_API GPTLcallid GPTLprobe_open_span(const GPTLspan *span);
/* Call GPTLprobe_end_key and set the bytes moved. */
GPTL_API void GPTLprobe_end_key_with(int layer, const void *key, int64_t bytes);
/* Record a completed span. */
GPTL_API void GPTLprobe_tell(const GPTLspan *span);
GPTL_API uint64_t GPTLprobe_clock(void);

/* Return whether spans are written; GPTL_IOSTACK=off disables them. */
GPTL_API int GPTLprobe_is_on(void);
/*
 * Return the number of NAME, after writing the name to this thread's log of LAYER if it is missing
 * there.
 */
GPTL_API uint64_t GPTLprobe_name(int layer, const char *name);
/* Return whether the log contains the name; saves the caller from constructing it. */
GPTL_API int GPTLprobe_has_name(int layer, uint64_t number);

/*
 * Record the kernel's cumulative I/O counts of the device of FILE and of this process; also at
 * process end. The call does nothing until 1000 times the duration of the previous sample has
 * passed.
 */
GPTL_API void GPTLprobe_disk(int layer, const char *file);
/* Write the final records: this process ends without exit handlers, or executes another program. */
GPTL_API void GPTLprobe_ending(void);
/*
 * Prepare for dropping the privilege to open logs, or for changing the root. Map space for the
 * existing logs and the log of LAYER now: 256 MiB each, which occupy no disk space until used.
 */
GPTL_API void GPTLprobe_keep(int layer);
/*
 * Prepare for a system call filter (BEGINS 1): map space for some more spans now, and make no
 * further system call. BEGINS 0: the filter was refused; return to normal operation.
 */
GPTL_API void GPTLprobe_seal(int begins);

/* ---- Passing ids ----------------------------------------------------------------------------- */

/* Return the id of this thread's innermost open span. */
GPTL_API GPTLcallid GPTLprobe_current(void);
/*
 * Make ID the parent of new spans, for a thread that works on behalf of another. Return the
 * previous id.
 */
GPTL_API GPTLcallid GPTLprobe_set_current(GPTLcallid id);

/* Write ID as text to TEXT and return it; "" for no span. */
GPTL_API char *GPTLprobe_id_text(GPTLcallid id, char text[GPTL_CALLID_TEXT]);
/* Parse an id; return no span if TEXT is NULL or invalid. */
GPTL_API GPTLcallid GPTLprobe_id_of(const char *text);
/* Return GPTLprobe_current as text, valid in this thread until the next call. */
GPTL_API const char *GPTLprobe_current_text(void);

#ifdef __cplusplus
}
#endif

#endif
