/*
 * Forks while other threads are inside starts, with new names and new threads: the child neither
 * waits for a lock whose owner does not exist nor sees a half-finished change.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { THREADS = 3, FORKS = 150 };

static _Atomic int done;

static void *work(void *unused)
{
    char name[32];
    for (unsigned i = 0; !done; i++) {
        snprintf(name, sizeof name, "%p %u", (void *)&name, i % 20000);
        CHECK_OK(GPTLstart(name));
        CHECK_OK(GPTLstop(name));
    }
    return unused;
}

static void *one_call(void *unused)
{
    CHECK_OK(GPTLstart("short-lived"));
    CHECK_OK(GPTLstop("short-lived"));
    return unused;
}

static void *makes_threads(void *unused)
{
    while (!done) {
        pthread_t thread;
        CHECK_OK(pthread_create(&thread, NULL, one_call, NULL));
        CHECK_OK(pthread_join(thread, NULL));
    }
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    CHECK_OK(GPTLinitialize());
    CHECK_OK(GPTLstart("main"));
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_create(&threads[i], NULL, i ? work : makes_threads, NULL));
    for (int i = 0; i < FORKS; i++) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            alarm(20); /* ends a child that hangs */
            char name[32];
            snprintf(name, sizeof name, "child %d", i);
            CHECK_OK(GPTLstart(name));
            CHECK_OK(GPTLstop(name));
            CHECK_OK(GPTLstop("main"));
            CHECK_INT(check_count(name, 0), 1);
            CHECK_OK(GPTLreset());
            _exit(0);
        }
        int status;
        CHECK_INT(waitpid(pid, &status, 0), pid);
        CHECK_THAT(status == 0, "child %d ended with status %#x", i, (unsigned)status);
    }
    done = 1;
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_join(threads[i], NULL));
    CHECK_OK(GPTLstop("main"));
    CHECK_INT(GPTLnum_errors(), 0);
    CHECK_OK(GPTLfinalize());
    return 0;
}
