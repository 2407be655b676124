/* lock.c - the one lock: a thread that holds it is inside the library. */
#include "config.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/busy.h"
#include "core/cancel.h"
#include "core/core.h"
#include "core/state.h"

/* Return the half of the owner's address that differs between threads. */
static uint32_t *lock_word(void)
{
    bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ || sizeof(void *) == 4;
    return (uint32_t *)&gptl_g.lock_owner + !little;
}

/*
 * Acquire the lock. The owner is recorded by the very instruction that takes the lock; otherwise a
 * signal handler that jumps away just then would leave a lock without an owner. Waiting threads
 * sleep on the owner's address.
 */
static void acquire(void)
{
    const void *none = NULL;
    while (!atomic_compare_exchange_weak_explicit(&gptl_g.lock_owner, &none, &gptl_tls,
                                                  memory_order_acquire, memory_order_relaxed)) {
        if (none) {
            int error = errno;
            atomic_fetch_add(&gptl_g.lock_waiters, 1);
            syscall(SYS_futex, lock_word(), FUTEX_WAIT_PRIVATE, (uint32_t)(uintptr_t)none, NULL);
            atomic_fetch_sub(&gptl_g.lock_waiters, 1);
            errno = error;
        }
        none = NULL;
    }
}

static void release(void)
{
    atomic_store(&gptl_g.lock_owner, NULL);
    if (atomic_load(&gptl_g.lock_waiters))
        syscall(SYS_futex, lock_word(), FUTEX_WAKE_PRIVATE, 1);
}

void gptl_lock(void)
{
    if (gptl_tls == &gptl_nobody)
        gptl_tls = &gptl_limbo;
    else if (gptl_tls != &gptl_limbo)
        gptl_busy_set(gptl_tls, gptl_tls->busy + 1, NULL);
    atomic_signal_fence(memory_order_acq_rel);
    if (atomic_load_explicit(&gptl_g.lock_owner, memory_order_relaxed) != &gptl_tls) {
        int cancel = gptl_cancel_hold(); /* a thread must not be canceled while it holds the lock */
        acquire();
        gptl_g.lock_cancel = cancel;
    }
    gptl_g.lock_depth++;
}

void gptl_lock_left(void)
{
    if (atomic_load_explicit(&gptl_g.lock_owner, memory_order_relaxed) != &gptl_tls)
        return;
    gptl_g.lock_depth = 0;
    release();
}

void gptl_unlock(void)
{
    bool outermost = --gptl_g.lock_depth == 0;
    if (outermost) {
        int cancel = gptl_g.lock_cancel;
        release();
        gptl_cancel_release(cancel);
    }
    atomic_signal_fence(memory_order_acq_rel);
    if (gptl_tls != &gptl_limbo)
        gptl_busy_set(gptl_tls, gptl_tls->busy - 1, NULL);
    else if (outermost)
        gptl_tls = &gptl_nobody;
}

void gptl_core_lock(void)
{
    gptl_lock();
}

void gptl_core_unlock(void)
{
    gptl_unlock();
}

void gptl_core_guarded(void (*do_this)(void *), void *argument)
{
    sigset_t before = gptl_core_hold_signals();
    gptl_lock();
    do_this(argument);
    gptl_unlock();
    gptl_core_release_signals(before);
}
