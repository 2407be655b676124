/*
 * wrap.h - what every wrapper of an MPI function begins and ends with.
 *
 * A wrapper calls the twin of its function, PMPI_NAME, between a start and a stop of the region
 * MPI_NAME, and then says what the call moved. What MPI itself calls meanwhile, and so the program's
 * error handlers and reductions, is part of the call and no region: a mark in the thread says so.
 */
#ifndef GPTL_MPI_WRAP_H
#define GPTL_MPI_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"
#include "core/seldom.h"
#include "core/sister.h"
#include "gptl_probe.h"
#include "mpi/installed.h"
#include "next.h" /* made by `generate` for this MPI */

#define GPTL_MPI_WRAPPER __attribute__((visibility("default")))
#define GPTL_MPI_INLINED static inline __attribute__((always_inline))
/* A function that a wrapper ends with a call of: by a jump or as part of it, their frames are one. */
#ifdef HAVE_TAIL_CALLS
#define GPTL_MPI_LONG __attribute__((noinline))
#else
#define GPTL_MPI_LONG inline __attribute__((always_inline))
#endif
#define GPTL_MPI_HIDDEN __attribute__((visibility("hidden"))) /* what the short way looks at */
#define gptl_mpi_likely(x) __builtin_expect(!!(x), 1)

/* ---- The functions that wrappers call ------------------------------------------------------- */

/*
 * What wrappers call: the functions of another PMPI library that is behind this one, or else of MPI. NULL,
 * all of them, if there is no MPI in the process, or one that was loaded later.
 */
extern GPTL_MPI_HIDDEN struct gptl_mpi_next gptl_mpi_next;
/* MPI's own functions, for the calls that this library makes for itself: no tool has to count them. */
extern GPTL_MPI_HIDDEN struct gptl_mpi_next gptl_mpi_pmpi;
/* Its data, which the names that mpi.h has for it stand for: handles, for the most part. */
extern GPTL_MPI_HIDDEN struct gptl_mpi_data gptl_mpi_data;
/* The same one, for the library of Fortran's wrappers, which puts itself before those that it needs. */
extern GPTL_FOR_SISTERS struct gptl_mpi_next gptl_mpi_shared_next;

/*
 * Where POINTER, one of those, is called in the end: functions that take notes may stand before it.
 * See notes.h.
 */
GPTL_FOR_SISTERS void *gptl_mpi_lowest(void *pointer);

/* Looks for an MPI that was loaded later. What it lacks is then a function that says so. */
GPTL_FOR_SISTERS __attribute__((cold)) void gptl_mpi_find_next(void);

/* What each wrapper begins with: then gptl_mpi_next.NAME can be called. */
#define GPTL_MPI_NEED(name)                                                                        \
    do {                                                                                           \
        if (!gptl_mpi_likely(gptl_mpi_next.name != NULL))                                          \
            gptl_mpi_find_next();                                                                  \
    } while (0)

/* ---- Start and stop ------------------------------------------------------------------------- */

/*
 * The wrapper that this thread is in, by an address on the stack within it. A call from further up
 * the stack shows that an error handler left the wrapper by longjmp or an exception.
 */
struct gptl_mpi_thread {
    const char *frame;
    uint64_t read; /* the time, when the long function comes after a short one that read it; or 0 */
    int access;    /* a span of the I/O stack that it has begun, see file_spans.h */
    GPTLcallid before; /* what was open in the thread before that */
};
extern __thread struct gptl_mpi_thread gptl_mpi_tls
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* The frame of the wrapper that this is written in: its end, where all functions' are alike. */
GPTL_MPI_INLINED char *gptl_mpi_frame(void)
{
    return __builtin_dwarf_cfa();
}

/* The option mpi: which calls are regions. */
enum { GPTL_MPI_OFF, GPTL_MPI_CALLS, GPTL_MPI_ALL };
extern GPTL_MPI_HIDDEN const _Atomic(long long) *gptl_mpi_option;

/* Whether a call that only asks something is a region. */
GPTL_MPI_INLINED bool gptl_mpi_has_all(void)
{
    return __builtin_expect(
        atomic_load_explicit(gptl_mpi_option, memory_order_relaxed) == GPTL_MPI_ALL, 0);
}

/*
 * Told by long functions when the thread comes in, before anything is done, and when it goes out, after
 * all: what wrappers take is not the program's. NULL: nobody asks, and short ones need not tell, since
 * none is short while regions are followed. FRAME is the wrapper's, or NULL on the way out.
 */
extern GPTL_MPI_HIDDEN void (*gptl_mpi_edge)(const char *frame);

/* Whether the call at FRAME is one that MPI makes; if not, what was left before is cleared away. */
__attribute__((cold)) bool gptl_mpi_is_within(char *frame);

/*
 * The node of the region NAME, a literal; or NULL: nothing was started, because nothing is measured
 * or this is within another wrapper. FRAME is the wrapper's.
 */
GPTL_MPI_INLINED void *gptl_mpi_begin(const char *name, char *frame)
{
    struct gptl_mpi_thread *t = &gptl_mpi_tls;
    if (!gptl_mpi_likely(t->frame == NULL) && gptl_mpi_is_within(frame))
        return NULL;
    if (gptl_mpi_edge)
        gptl_mpi_edge(frame);
    uint64_t read = t->read;
    t->read = 0;
    t->frame = frame;
    /* The short way has no such test: without a node, it always leads here. */
    if (atomic_load_explicit(gptl_mpi_option, memory_order_relaxed) == GPTL_MPI_OFF)
        return NULL;
    return read ? gptl_core_begin_at(name, GPTL_KIND_MPI, read)
                : gptl_core_begin(name, GPTL_KIND_MPI);
}

/* What begin started ends here, but the thread is still within the wrapper until it leaves. */
GPTL_MPI_INLINED void gptl_mpi_stop(const char *name)
{
    gptl_core_end(name, GPTL_KIND_MPI);
}

/*
 * The two in the usual case, inlined. Most wrappers are three functions. The first one, which has the
 * name, sees whether measuring is disabled, and then is a jump to the twin: it saves no register for what
 * it does not do. Else it jumps to the short one. That goes on only if this begin returns a node, and else
 * ends with a call of the long one, so no feature of the core costs it anything.
 */
GPTL_MPI_INLINED void *gptl_mpi_begin_short(const char *name, char *frame)
{
    struct gptl_mpi_thread *t = &gptl_mpi_tls;
    uint64_t read = 0;
    void *node =
        gptl_mpi_likely(t->frame == NULL) ? gptl_sister_begin(name, GPTL_KIND_MPI, &read) : NULL;
    if (gptl_mpi_likely(node != NULL))
        t->frame = frame;
    else
        t->read = read;
    return node;
}

GPTL_MPI_INLINED bool gptl_mpi_is_disabled(void)
{
    return __builtin_expect(gptl_sister_is_disabled(), 0);
}

GPTL_MPI_INLINED void gptl_mpi_stop_short(const void *node, const char *name)
{
    uint64_t now = gptl_counter();
    if (!gptl_mpi_likely(gptl_sister_end(node, now)))
        gptl_core_end_at(name, GPTL_KIND_MPI, now);
}

GPTL_MPI_INLINED void gptl_mpi_add(void *node, enum gptl_amount what, int64_t bytes)
{
    if (!gptl_mpi_likely(gptl_sister_add(node, what, bytes)))
        gptl_core_add(node, what, bytes);
}

GPTL_MPI_INLINED bool gptl_mpi_is_outermost(char *frame)
{
    return gptl_mpi_tls.frame == frame;
}

/* What a short function ends with, and a long one, which may have begun nothing. */
GPTL_MPI_INLINED void gptl_mpi_leave(void)
{
    gptl_mpi_tls.frame = NULL;
}

GPTL_MPI_INLINED void gptl_mpi_pass(char *frame)
{
    if (!gptl_mpi_is_outermost(frame))
        return;
    gptl_mpi_leave();
    if (gptl_mpi_edge)
        gptl_mpi_edge(NULL);
}

#endif
