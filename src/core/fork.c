/*
 * fork.c - fork: handles the lock and the salvage file before it, in the parent, and in the child,
 * which begins a new measurement.
 */
#include "config.h"

#include "core/fork.h"

#include <pthread.h>

#include "core/own_stack.h"
#include "core/salvage.h"
#include "core/state.h"
#include "core/thread.h"

static void before_fork(void)
{
    gptl_lock();
    gptl_salvage_before_fork();
}

static void after_fork_in_parent(void)
{
    gptl_salvage_parent();
    gptl_unlock();
}

/*
 * The child has one thread and measures only its own work. It does not touch the states of other
 * threads: a thread may have been changing its state at the moment of the fork.
 */
static void after_fork_in_child(void)
{
    gptl_salvage_child();

    struct gptl_thread *t = gptl_thread_own();
    gptl_g.nthreads = 0;
    if (t) {
        t->slot = 0;
        t->live = true;
        gptl_g.threads[0] = t;
        gptl_g.nthreads = 1;
    }
    gptl_own_stack_forked();
    gptl_state_forked();
    gptl_unlock(); /* the child's only thread is the one that locked it */
}

void gptl_core_fork(enum gptl_fork where)
{
    if (where == GPTL_FORK_BEGINS)
        before_fork();
    else if (where == GPTL_FORK_IN_PARENT)
        after_fork_in_parent();
    else
        after_fork_in_child();
}

void gptl_fork_setup(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
