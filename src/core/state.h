/*
 * state.h - the two globals of the library, and the gate.
 *
 * The gate is a word in each thread's state. Its normal value is 0. Each active feature sets its
 * bit, and only a nonzero gate makes a start or stop leave the fast path. Bits that apply to all
 * threads are also set in gptl_g.gate, from which a new thread copies them.
 */
#ifndef GPTL_CORE_STATE_H
#define GPTL_CORE_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "core/mem.h"

enum gptl_gate {
    GPTL_GATE_DISABLED = 1 << 0, /* GPTLdisable is in effect */
    GPTL_GATE_ENDED = 1 << 1,    /* this thread's tree belongs to a measurement that has ended */
    /* another thread left a pending request: reset, mark, clock change */
    GPTL_GATE_ORDERS = 1 << 2,
    GPTL_GATE_CLOCK = 1 << 3, /* the clock is not the time-stamp counter */
    GPTL_GATE_DEPTH = 1 << 4, /* a depth limit is set */
    GPTL_GATE_METER = 1 << 5, /* meters are read at each start and stop */
    GPTL_GATE_HISTOGRAM = 1 << 6,
    GPTL_GATE_MEMUSAGE = 1 << 7,
    GPTL_GATE_PREFIX = 1 << 8,  /* this thread has set a prefix before */
    GPTL_GATE_DROPPED = 1 << 9, /* a start was dropped, and its stop must be dropped as well */
    /* open frames exist inside which an enclosing region was stopped */
    GPTL_GATE_CROSSED = 1 << 11,
    GPTL_GATE_SKIPPING = 1 << 12, /* open starts exist that are not timed */
    /* open starts exist from a period in which measuring was disabled */
    GPTL_GATE_SWALLOWED = 1 << 13,
    GPTL_GATE_MOVING = 1 << 14,   /* the stack is moving to a larger block */
    GPTL_GATE_FOLLOWED = 1 << 15, /* an observer is registered for starts and stops */
    GPTL_GATE_NOBODY = 1 << 10,   /* sentinel: not the state of a real thread */

    /* Bits that GPTLsetoption, GPTLdisable and similar calls set for all threads alike. */
    GPTL_GATE_SHARED = GPTL_GATE_DISABLED | GPTL_GATE_CLOCK | GPTL_GATE_DEPTH | GPTL_GATE_METER |
                       GPTL_GATE_HISTOGRAM | GPTL_GATE_MEMUSAGE | GPTL_GATE_FOLLOWED
};

enum gptl_phase {
    GPTL_OFF, /* not yet used: the first start turns the library on */
    GPTL_ON,
    GPTL_ENDED, /* state after the last GPTLfinalize */
    GPTL_ASIDE  /* another copy of the library measures this process */
};

struct gptl_thread;

struct gptl_state {
    /* The lock for all data shared between threads; only gptl_lock takes it. */
    /* thread that holds the lock, identified by the address of its gptl_tls */
    const void *_Atomic lock_owner;
    _Atomic uint32_t lock_waiters;
    int lock_depth;  /* recursion depth of the lock */
    int lock_cancel; /* cancellation state of the owner before it took the lock */
    _Atomic uint32_t phase;
    atomic_bool idle; /* loaded but not on: wrappers do nothing */
    /* hooks measure. False even before the library is relocated; see hooks.c */
    atomic_bool hooks_act;
    _Atomic uint32_t gate; /* bits that apply to all threads */
    /* number of the measurement; a thread with an older number starts again */
    _Atomic uint32_t epoch;
    int explicit_nesting; /* GPTLinitialize calls without matching GPTLfinalize */
    bool reported;        /* the user requested a report, or the automatic one was written */
    int rank;             /* MPI rank; -1: unknown */
    bool forked;          /* this process is a fork child of a process with the library */
    bool shares_names;    /* other processes have the same rank: MPI spawned this process later */
    double started;       /* start of this measurement, in seconds since 1970 */
    double started_monotonic;
    bool said_ended; /* the one warning about starts after the end was printed */
    _Atomic uint64_t disabled_at;
    struct gptl_thread **threads; /* states of threads, by slot */
    uint32_t nthreads, threads_capacity;
    _Atomic uint32_t metering; /* generation of the requested meters, from 1; see meter.h */

    gptl_follower *_Atomic follower; /* observer of starts and stops, or NULL */

    _Atomic(long long) options[GPTL_NOPTIONS];
};

extern struct gptl_state gptl_g;

/*
 * State of the calling thread. The initial-exec model needs one load and no call, also in a library
 * that is loaded late.
 */
extern __thread struct gptl_thread *gptl_tls
    __attribute__((visibility("hidden"), tls_model("initial-exec")));
/* Alias of gptl_tls under the name that companion libraries may use; see sister.h. */
extern GPTL_FOR_SISTERS __thread struct gptl_thread *gptl_core_tls
    __attribute__((tls_model("initial-exec")));

/*
 * Sentinels, outside and inside the library, for a thread without a state. They make gptl_tls never
 * NULL, so that the fast path needs no test for NULL.
 */
extern struct gptl_thread gptl_nobody, gptl_limbo;

/*
 * Take and release the one lock. Holding it marks the calling thread as inside the library, so that
 * a signal handler that starts regions does not wait for a lock that its own thread holds.
 */
void gptl_lock(void);
void gptl_unlock(void);
/*
 * Release the lock if this thread holds it, after a signal handler jumped out of the code that held
 * it.
 */
void gptl_lock_left(void);

static inline bool gptl_is_on(void)
{
    return atomic_load_explicit(&gptl_g.phase, memory_order_acquire) == GPTL_ON;
}

/* Return the current tick, or the tick at which measuring was disabled. */
uint64_t gptl_state_now(const struct gptl_clock *clock);

/* Load rooms and options, once: when the library is loaded, or at an earlier call. */
void gptl_state_load(void);

/*
 * Return whether thread-local storage is accessible. It is not in ifunc resolvers, which run while
 * the dynamic linker relocates, nor in functions that libc of a static program calls before it has
 * set up the storage.
 */
bool gptl_state_has_storage(void);

/* Turn the library on if a first start may do so. Return whether it is on afterwards. */
bool gptl_state_turn_on(void);

/*
 * Return whether the library is on. If a hook runs before the library's constructor and the
 * environment requests it, turn the library on.
 */
bool gptl_state_by_environment(void);

/* Set the start of the measurement to now. */
void gptl_state_set_started(void);

/* Begin a separate measurement in a fork child. */
void gptl_state_forked(void);

/* Set and clear shared bits of the gate in every thread. Requires the lock. */
void gptl_state_gate(uint32_t set, uint32_t clear);
/* Notify the observer that NODE was the innermost node until now. */
void gptl_state_tell_follower(const void *node);

#endif
