/* cancel.c - protection of indivisible work from thread cancellation. */
#include "config.h"

#include "core/cancel.h"

#include <pthread.h>

enum { DISABLED = 1, ASYNCHRONOUS = 2 };

/*
 * Make the thread uncancelable. gptl_cancel_release restores the type after the state: with the
 * asynchronous type, the pthread_setcancelstate of some versions of glibc acts on a pending
 * cancellation, and ends the thread without its result, PTHREAD_CANCELED.
 */
int gptl_cancel_hold(void)
{
    int state, type;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    return (state == PTHREAD_CANCEL_DISABLE ? DISABLED : 0) |
           (type == PTHREAD_CANCEL_ASYNCHRONOUS ? ASYNCHRONOUS : 0);
}

void gptl_cancel_release(int before)
{
    if (!(before & DISABLED))
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    if (before & ASYNCHRONOUS)
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
}
