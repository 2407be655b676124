/*
 * state.h - the two globals of the library, and the gate.
 *
 * The gate is a word in each thread's state. It is 0 when all is usual; every feature that is on
 * sets its bit there, and only then does a start or stop leave the short path. Bits that hold for
 * all threads are set in gptl_g.gate too, where a new thread takes them from.
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
    GPTL_GATE_DISABLED = 1 << 0, /* GPTLdisable */
    GPTL_GATE_ENDED = 1 << 1,    /* this thread's tree belongs to a measurement that has ended */
    GPTL_GATE_ORDERS = 1 << 2,   /* another thread left orders: reset, mark, clock */
    GPTL_GATE_CLOCK = 1 << 3,    /* the clock is not the time-stamp counter */
    GPTL_GATE_DEPTH = 1 << 4,    /* there is a depth limit */
    GPTL_GATE_METER = 1 << 5,    /* values are read at start and stop */
    GPTL_GATE_HISTOGRAM = 1 << 6,
    GPTL_GATE_MEMUSAGE = 1 << 7,
    GPTL_GATE_PREFIX = 1 << 8,     /* this thread has set a prefix at some time */
    GPTL_GATE_DROPPED = 1 << 9,    /* a start was dropped, whose stop must be dropped as well */
    GPTL_GATE_CROSSED = 1 << 11,   /* frames are open around which a region was stopped */
    GPTL_GATE_SKIPPING = 1 << 12,  /* starts that are not timed are open */
    GPTL_GATE_SWALLOWED = 1 << 13, /* so are starts from while measuring was disabled */
    GPTL_GATE_MOVING = 1 << 14,    /* the stack is moving to a larger place */
    GPTL_GATE_FOLLOWED = 1 << 15,  /* somebody wants to know where a thread is */
    GPTL_GATE_NOBODY = 1 << 10,    /* not a thread's state */

    /* Bits that GPTLsetoption, GPTLdisable and the like set for all threads alike. */
    GPTL_GATE_SHARED = GPTL_GATE_DISABLED | GPTL_GATE_CLOCK | GPTL_GATE_DEPTH | GPTL_GATE_METER |
                       GPTL_GATE_HISTOGRAM | GPTL_GATE_MEMUSAGE | GPTL_GATE_FOLLOWED
};

enum gptl_phase {
    GPTL_OFF, /* not yet used: the first start turns it on */
    GPTL_ON,
    GPTL_ENDED, /* after the last GPTLfinalize */
    GPTL_ASIDE  /* another copy of the library measures this process */
};

struct gptl_thread;

struct gptl_state {
    /* The lock for all that is not a thread's own; taken by gptl_lock only. */
    const void *_Atomic lock_owner; /* the thread that holds it, by an address of its own */
    _Atomic uint32_t lock_waiters;
    int lock_depth;  /* how often it has taken it */
    int lock_cancel; /* and whether it could be cancelled before */
    _Atomic uint32_t phase;
    atomic_bool idle;       /* loaded and not on: wrappers have nothing to do */
    atomic_bool hooks_act;  /* it is on. False when the library is not even relocated: hooks.c */
    _Atomic uint32_t gate;  /* the shared bits */
    _Atomic uint32_t epoch; /* counts measurements: a thread of an older one starts afresh */
    int explicit_nesting;   /* GPTLinitialize calls without their GPTLfinalize */
    bool reported;          /* a report was asked for, or the automatic one was written */
    int rank;               /* -1: none */
    bool forked;            /* this process is the child of one that had the library */
    bool shares_names;      /* others have the same rank: MPI started this process later */
    double started;         /* seconds since 1970, of this measurement */
    double started_monotonic;
    bool said_ended; /* the one warning about starts after the end */
    _Atomic uint64_t disabled_at;
    struct gptl_thread **threads; /* by slot */
    uint32_t nthreads, threads_capacity;
    _Atomic uint32_t metering; /* counts what meters were asked for, from 1; see meter.h */

    gptl_follower *_Atomic follower; /* or NULL */

    _Atomic(long long) options[GPTL_NOPTIONS];
};

extern struct gptl_state gptl_g;

/* Initial-exec: one load and no call, also in a library that is loaded late. */
extern __thread struct gptl_thread *gptl_tls
    __attribute__((visibility("hidden"), tls_model("initial-exec")));
/* The same, by the name that sister libraries may use: sister.h. */
extern GPTL_FOR_SISTERS __thread struct gptl_thread *gptl_core_tls
    __attribute__((tls_model("initial-exec")));

/*
 * Never NULL, so that the short path need not ask: these stand for a thread that has no state yet,
 * outside and inside the library.
 */
extern struct gptl_thread gptl_nobody, gptl_limbo;

/*
 * The one lock. Holding it marks the calling thread as inside the library, so that a signal handler
 * that starts regions does not wait for a lock which its own thread holds.
 */
void gptl_lock(void);
void gptl_unlock(void);
/* A signal handler has jumped away from where this thread may have held it. */
void gptl_lock_left(void);

static inline bool gptl_is_on(void)
{
    return atomic_load_explicit(&gptl_g.phase, memory_order_acquire) == GPTL_ON;
}

/* Ticks now, or when measuring was disabled. */
uint64_t gptl_state_now(const struct gptl_clock *clock);

/* Once: rooms and options. Runs when the library is loaded, or at an earlier call. */
void gptl_state_load(void);

/*
 * Whether thread-local storage is there: not in functions that choose others while the dynamic linker
 * relocates (ifunc), nor in what libc of a static program calls before it has set that up.
 */
bool gptl_state_has_storage(void);

/* Turns the library on if a first start does that. Returns true when it is on afterwards. */
bool gptl_state_turn_on(void);

/* Whether it is on. If a hook comes before this library is loaded, and the environment says so, it is
 * turned on. */
bool gptl_state_by_environment(void);

/* What a report has of the time begins now. */
void gptl_state_set_started(void);

/* In the child of a fork: a measurement of its own begins. */
void gptl_state_forked(void);

/* Sets and clears shared gate bits in every thread. Call with the lock held. */
void gptl_state_gate(uint32_t set, uint32_t clear);
/* NODE was innermost until now. */
void gptl_state_tell_follower(const void *node);

#endif
