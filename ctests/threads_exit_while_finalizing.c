/*
 * Threads exit while the measurement ends and begins again: an exiting thread does not touch a
 * state that has been freed or belongs to another thread.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { MAKERS = 3, ROUNDS = 300 };

static _Atomic int done;

static void *one_call(void *unused)
{
    GPTLstart("x"); /* may be refused */
    GPTLstop("x");
    return unused;
}

static void *make_threads(void *unused)
{
    while (!done) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            CHECK_OK(pthread_create(&threads[i], NULL, one_call, NULL));
        for (int i = 0; i < 4; i++)
            CHECK_OK(pthread_join(threads[i], NULL));
    }
    return unused;
}

int main(void)
{
    pthread_t makers[MAKERS];
    CHECK_OK(GPTLinitialize());
    for (int i = 0; i < MAKERS; i++)
        CHECK_OK(pthread_create(&makers[i], NULL, make_threads, NULL));
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_OK(GPTLfinalize());
        CHECK_OK(GPTLinitialize());
        for (int k = 0; k < 50; k++) {
            CHECK_OK(GPTLstart("main"));
            CHECK_OK(GPTLstop("main"));
        }
        CHECK_INT(check_count("main", 0), 50);
    }
    done = 1;
    for (int i = 0; i < MAKERS; i++)
        CHECK_OK(pthread_join(makers[i], NULL));
    CHECK_OK(GPTLfinalize());
    return 0;
}
