/* apart.c - runs work on a separate stack and lends scratch buffers; see apart.h. */
#include "config.h"

#include "posix/apart.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/own_stack.h"

enum { NBUFFERS = 16 };

/* In the library's static zeroed memory, so that no resource limit can refuse them. */
static _Alignas(64) char buffers[NBUFFERS][GPTL_POSIX_SCRATCH];
static atomic_bool buffer_is_used[NBUFFERS];

bool gptl_posix_is_sealed;

void gptl_posix_apart(void (*work)(void *arg), void *arg)
{
    if (!gptl_posix_is_sealed)
        gptl_own_stack_call_blocked(work, arg);
}

char *gptl_posix_scratch_take(void)
{
    for (int i = 0; i < NBUFFERS; i++)
        if (!atomic_load_explicit(&buffer_is_used[i], memory_order_relaxed) &&
            !atomic_exchange_explicit(&buffer_is_used[i], true, memory_order_acquire))
            return buffers[i];
    return NULL;
}

void gptl_posix_scratch_give(char *buffer)
{
    if (buffer)
        atomic_store_explicit(&buffer_is_used[(buffer - buffers[0]) / GPTL_POSIX_SCRATCH], false,
                              memory_order_release);
}

void gptl_posix_apart_child(void)
{
    for (int i = 0; i < NBUFFERS; i++)
        atomic_store(&buffer_is_used[i], false);
    gptl_own_stack_forked();
}
