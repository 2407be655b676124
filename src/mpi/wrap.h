/*
 * wrap.h - common beginning and end of every MPI wrapper.
 *
 * A wrapper calls the PMPI entry point of its function, PMPI_NAME, between a start and a stop of
 * region MPI_NAME, and then records the amount moved. Nested calls made by MPI itself, its error
 * handlers and reduction functions are part of the call and not regions: a mark in the thread
 * detects them.
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
#include "next.h" /* generated for this MPI */

#define GPTL_MPI_WRAPPER __attribute__((visibility("default")))
#define GPTL_MPI_INLINED static inline __attribute__((always_inline))
/* A function called at the end of a wrapper: by a jump or inlined, so that both share a frame. */
#ifdef HAVE_TAIL_CALLS
#define GPTL_MPI_LONG __attribute__((noinline))
#else
#define GPTL_MPI_LONG inline __attribute__((always_inline))
#endif
#define GPTL_MPI_HIDDEN __attribute__((visibility("hidden"))) /* accessed on the fast path */
#define gptl_mpi_likely(x) __builtin_expect(!!(x), 1)

/* ---- Functions called by wrappers ------------------------------------------------------------ */

/*
 * The functions called by wrappers: of the next PMPI library, if there is one, or of MPI. All NULL
 * if the process does not contain MPI, or MPI was loaded later.
 */
extern GPTL_MPI_HIDDEN struct gptl_mpi_next gptl_mpi_next;
/* MPI's own functions, for calls made by this library itself, which no tool should count. */
extern GPTL_MPI_HIDDEN struct gptl_mpi_next gptl_mpi_pmpi;
/* MPI's data, mostly handles, used through the names in mpi.h. */
extern GPTL_MPI_HIDDEN struct gptl_mpi_data gptl_mpi_data;
/*
 * The same table for the library of Fortran wrappers, which inserts itself before functions it
 * needs.
 */
extern GPTL_FOR_SISTERS struct gptl_mpi_next gptl_mpi_shared_next;

/*
 * Return the final target of POINTER, an entry of the table, below functions that record
 * statistics. See notes.h.
 */
GPTL_FOR_SISTERS void *gptl_mpi_lowest(void *pointer);

/*
 * Look for an MPI that was loaded later. A missing function is replaced by one that reports its
 * absence.
 */
GPTL_FOR_SISTERS __attribute__((cold)) void gptl_mpi_find_next(void);

/* Every wrapper starts with this, so that gptl_mpi_next.NAME is callable. */
#define GPTL_MPI_NEED(name)                                                                        \
    do {                                                                                           \
        if (!gptl_mpi_likely(gptl_mpi_next.name != NULL))                                          \
            gptl_mpi_find_next();                                                                  \
    } while (0)

/* ---- Start and stop -------------------------------------------------------------------------- */

/*
 * The wrapper that this thread executes, identified by an address on the stack within it. A call
 * from further up the stack shows that an error handler left the wrapper by longjmp or an
 * exception.
 */
struct gptl_mpi_thread {
    const char *frame;
    uint64_t read; /* time already read by the fast path before the slow path was called; or 0 */
    int access;    /* span of the I/O stack begun by the wrapper, see file_spans.h */
    GPTLcallid before; /* span open in the thread before that */
};
extern __thread struct gptl_mpi_thread gptl_mpi_tls
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Return the frame of the current wrapper: its end, whose layout is the same in all functions. */
GPTL_MPI_INLINED char *gptl_mpi_frame(void)
{
    return __builtin_dwarf_cfa();
}

/* Values of the option mpi: the calls that are regions. */
enum { GPTL_MPI_OFF, GPTL_MPI_CALLS, GPTL_MPI_ALL };
extern GPTL_MPI_HIDDEN const _Atomic(long long) *gptl_mpi_option;

/* Return whether local queries are regions. */
GPTL_MPI_INLINED bool gptl_mpi_has_all(void)
{
    return __builtin_expect(
        atomic_load_explicit(gptl_mpi_option, memory_order_relaxed) == GPTL_MPI_ALL, 0);
}

/*
 * Callback of slow paths when the thread enters, before any work, and when it leaves, after all
 * work: the time of wrappers is not the program's. NULL: not needed. Fast paths never call it,
 * because they are off while regions are followed. FRAME is the wrapper's, or NULL on leaving.
 */
extern GPTL_MPI_HIDDEN void (*gptl_mpi_edge)(const char *frame);

/* Return whether MPI makes the call at FRAME; if not, clean up a wrapper left by longjmp. */
__attribute__((cold)) bool gptl_mpi_is_within(char *frame);

/*
 * Start region NAME, a literal, and return its node; NULL if nothing was started, because nothing
 * is measured or this call is nested in another wrapper. FRAME is the wrapper's.
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
    /* The fast path needs no such test: without a node, it always continues here. */
    if (atomic_load_explicit(gptl_mpi_option, memory_order_relaxed) == GPTL_MPI_OFF)
        return NULL;
    return read ? gptl_core_begin_at(name, GPTL_KIND_MPI, read)
                : gptl_core_begin(name, GPTL_KIND_MPI);
}

/* Stop the region; the thread stays within the wrapper until it leaves. */
GPTL_MPI_INLINED void gptl_mpi_stop(const char *name)
{
    gptl_core_end(name, GPTL_KIND_MPI);
}

/*
 * Start or stop on the inlined fast path. Most wrappers consist of three functions. The first one,
 * which has the public name, tests whether measurement is disabled, and then jumps to the PMPI
 * entry point; it saves no registers for work it does not do. Otherwise it jumps to the fast path.
 * That continues only if this start returns a node, and otherwise ends with a call of the slow
 * path; so no feature of the core adds cost to it.
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
    uint64_t now;
    if (!gptl_mpi_likely(gptl_sister_end(node, &now)))
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

/* Leave the wrapper; also after a slow path that started nothing. */
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
