/*
 * A thread may be canceled while it writes a message to stderr: it must not keep the library's
 * lock.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "check.h"

static void no_such_thread(void)
{
    int count;
    GPTLget_count("no such region", 99, &count);
}

static void nothing_started(void)
{
    int n;
    GPTLget_nregions(-1, &n);
}

static void no_such_option(void)
{
    GPTLsetoption(12345, 1);
}

static void no_such_clock(void)
{
    GPTLsetutr(12345);
}

static void not_open(void)
{
    GPTLstart("open");
    GPTLstop("not open");
}

static void no_name(void)
{
    GPTLstart(NULL);
}

static void *cancelled(void *call)
{
    pthread_cancel(pthread_self());
    (*(void (**)(void))call)();
    pthread_testcancel();
    return NULL;
}

static _Atomic int done;

static void *needs_lock(void *unused)
{
    CHECK_OK(GPTLstart("new here"));
    CHECK_OK(GPTLstop("new here"));
    CHECK_OK(GPTLreset());
    done = 1;
    return unused;
}

int main(void)
{
    static void (*const calls[])(void) = {no_name,         not_open,       no_such_thread,
                                          nothing_started, no_such_option, no_such_clock};
    CHECK_OK(GPTLinitialize());
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        pthread_t thread;
        void *result;
        void (*call)(void) = calls[i];
        CHECK_OK(pthread_create(&thread, NULL, cancelled, &call));
        CHECK_OK(pthread_join(thread, &result));
        CHECK(result == PTHREAD_CANCELED);
        done = 0;
        CHECK_OK(pthread_create(&thread, NULL, needs_lock, NULL));
        for (int tries = 0; tries < 200 && !done; tries++)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        CHECK_THAT(done, "the thread cancelled in call %d has left the lock taken", (int)i);
        CHECK_OK(pthread_join(thread, NULL));
    }
    CHECK_OK(GPTLfinalize());
    return 0;
}
