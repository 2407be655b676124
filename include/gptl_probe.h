/*
 * gptl_probe.h - probes of the I/O stack: spans with an id that is handed from layer to layer.
 *
 * A span is one operation of one layer. It has an id, unlike that of any other span, and the id of the
 * span of the layer above that caused it: in one thread that is the innermost one that is open, else
 * the id comes along as a text (in a hint of a file system, say), or from thread to thread.
 *
 * All is plain C, with neither MPI nor libgptl: link with -lgptl_probe. Functions may be called from
 * any thread, and in signal handlers (a call that interrupts another one may be lost, and is counted).
 * They keep errno, print nothing but one line when they cannot write, and return no errors: a host
 * goes on as if they were not there. LAYER and OPERATION are of the lists below.
 *
 * The environment variable GPTL_IOSTACK says where logs go, or "off"; see gptl-iostack(1).
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
    GPTL_OP_COLLECTIVE = 10, /* communication of many */
    GPTL_OP_OTHER = 11
};

/* The id of a span: which process made it, and which of its spans it is. All 0: none. */
typedef struct {
    uint64_t process, number;
} GPTLcallid;

enum { GPTL_CALLID_TEXT = 40 }; /* room for an id as text, with its NUL */

/* ---- In one thread -------------------------------------------------------------------------- */

/* Begins a span under the innermost one that is open in this thread, and ends the innermost of LAYER. */
GPTL_API void GPTLprobe_begin(int layer, int operation);
GPTL_API void GPTLprobe_end(int layer);

/* GPTLprobe_end(*LAYER): for a variable with the attribute cleanup, to end when its function is left. */
GPTL_API void GPTLprobe_leave(const int *layer);

/* GPTLprobe_begin under the span whose id is TEXT; NULL or no id: as GPTLprobe_begin. */
GPTL_API void GPTLprobe_begin_from(int layer, int operation, const char *text);

/* What the innermost open span of LAYER moves, and where; -1: not known. Bytes are added up. */
GPTL_API void GPTLprobe_bytes(int layer, int64_t bytes);
GPTL_API void GPTLprobe_offset(int layer, int64_t offset);
/* What it is about: the file, and the node (a server, a device) that it goes to. */
GPTL_API void GPTLprobe_file(int layer, const char *name);
GPTL_API void GPTLprobe_node(int layer, const char *name);
/* The number of the collective call on its file that it serves, from 1. */
GPTL_API void GPTLprobe_collective(int layer, uint64_t number);
/* It has opened its file together with other processes, and is their collective call 1 on this OPENING. */
GPTL_API void GPTLprobe_opened(int layer, uint64_t opening);
/*
 * The same for layers that know a file by a pointer, and its processes by their ranks in the world. All processes
 * that open a file together must have probes at the same collective calls.
 */
/* The group MEMBERS with one more process; 0 is an empty one. All processes add them in the same order. */
GPTL_API uint64_t GPTLprobe_add_member(uint64_t members, int64_t rank);
/* A number for the first, second, … time that MEMBERS open NAME together, the same in all of them. */
GPTL_API uint64_t GPTLprobe_new_opening(const char *name, uint64_t members);
/* The innermost open span of LAYER has opened NAME, which is known as HANDLE until that is opened again. */
GPTL_API void GPTLprobe_open_file(int layer, const void *handle, const char *name,
                                  uint64_t members);
/* The innermost open span of LAYER is the next collective call on HANDLE. */
GPTL_API void GPTLprobe_count_collective(int layer, const void *handle);
/* What this thread has opened last, for a library above; then nothing: 0. */
GPTL_API uint64_t GPTLprobe_opening(void);

/* ---- Begun here, ended elsewhere ------------------------------------------------------------ */

/*
 * Spans known by a pointer that is at hand at both ends, such as a request or a buffer. Several of a
 * layer may have the same pointer one after another, not at a time.
 */
GPTL_API void GPTLprobe_begin_key(int layer, int operation, const void *key, int64_t bytes,
                                  int64_t offset);
GPTL_API void GPTLprobe_end_key(int layer, const void *key);
/* Under the span whose id is TEXT. */
GPTL_API void GPTLprobe_begin_key_from(int layer, int operation, const void *key, const char *text,
                                       int64_t bytes, int64_t offset);
/* Under the span of the layer ABOVE in this process that ABOVE_KEY is the pointer of. */
GPTL_API void GPTLprobe_begin_key_under(int layer, int operation, const void *key, int above,
                                        const void *above_key, int64_t bytes, int64_t offset);

/* Spans known by their id, under PARENT. They are not what the thread has open. */
GPTL_API GPTLcallid GPTLprobe_open(int layer, int operation, GPTLcallid parent, int64_t bytes,
                                   int64_t offset);
/* BYTES as for GPTLprobe_open; -1: as was said there. */
GPTL_API void GPTLprobe_close(GPTLcallid id, int64_t bytes);

/* ---- For those that stand in front of other functions --------------------------------------- */

/*
 * A span of a layer below MPI-IO that begins where the thread has nothing of MPI-IO or below open, while
 * its process has one operation of MPI-IO under way on the same file, is under that, and marked so.
 */

/* What is known of a span. Where nothing is: bytes and offset -1, all else 0. */
typedef struct {
    int layer, operation;
    int64_t bytes, offset;
    uint64_t file, node; /* as GPTLprobe_name says */
    uint64_t opening; /* of a collective call on a file: the same in all processes that have … */
    uint64_t collective; /* … opened it together, and which of their calls it is, from 1 */
    const void *key;     /* for GPTLprobe_open_span: what GPTLprobe_end_key_with ends it by */
    uint64_t begin;      /* for GPTLprobe_tell: GPTLprobe_clock, when it began */
} GPTLspan;

/* GPTLprobe_begin; GPTLprobe_end(span->layer) ends it. */
GPTL_API void GPTLprobe_begin_span(const GPTLspan *span);
/* GPTLprobe_begin, if the innermost open span is of the layer ABOVE or OR_ABOVE. Returns whether it is. */
GPTL_API int GPTLprobe_begin_below(int above, int or_above, int layer, int operation);
/* GPTLprobe_end, and before it GPTLprobe_bytes unless BYTES is -1. */
GPTL_API void GPTLprobe_end_with(int layer, int64_t bytes);
/* GPTLprobe_open, or with a key GPTLprobe_begin_key, under what this thread has open. */
GPTL_API GPTLcallid GPTLprobe_open_span(const GPTLspan *span);
/* GPTLprobe_end_key, and what was moved. */
GPTL_API void GPTLprobe_end_key_with(int layer, const void *key, int64_t bytes);
/* One that is over. */
GPTL_API void GPTLprobe_tell(const GPTLspan *span);
GPTL_API uint64_t GPTLprobe_clock(void);

/* Whether spans are written at all: GPTL_IOSTACK may say off. */
GPTL_API int GPTLprobe_is_on(void);
/* The number of NAME, which is written to this thread's log of LAYER if it is not there. */
GPTL_API uint64_t GPTLprobe_name(int layer, const char *name);
/* Whether that is there, for those who would have to make the name first. */
GPTL_API int GPTLprobe_has_name(int layer, uint64_t number);

/*
 * What the device under FILE has done up to now, by the kernel, and this process; also at its end. Not while
 * the last sample is not over for a thousand times what it took.
 */
GPTL_API void GPTLprobe_disk(int layer, const char *file);
/* This process ends without exit handlers, or becomes another program. */
GPTL_API void GPTLprobe_ending(void);
/*
 * This process is about to give up the rights to open its logs, or to change its root. For those that there are,
 * and that of LAYER, room is mapped now: 256 MiB each, which take nothing on the disk until they are used.
 */
GPTL_API void GPTLprobe_keep(int layer);
/*
 * A filter of system calls is about to be set (begins 1): room for some more spans is mapped now, and then no
 * system call is made. With 0 it was refused, and all is as before.
 */
GPTL_API void GPTLprobe_seal(int begins);

/* ---- Handing on ----------------------------------------------------------------------------- */

/* The id of this thread's innermost open span. */
GPTL_API GPTLcallid GPTLprobe_current(void);
/* For work that a thread does for another: what begins now is under ID. Returns what was before. */
GPTL_API GPTLcallid GPTLprobe_set_current(GPTLcallid id);

/* ID as text, written to TEXT and returned; "" for none. */
GPTL_API char *GPTLprobe_id_text(GPTLcallid id, char text[GPTL_CALLID_TEXT]);
/* The id that TEXT is; none if it is NULL or something else. */
GPTL_API GPTLcallid GPTLprobe_id_of(const char *text);
/* GPTLprobe_current as text, good in this thread until the next call. */
GPTL_API const char *GPTLprobe_current_text(void);

#ifdef __cplusplus
}
#endif

#endif
