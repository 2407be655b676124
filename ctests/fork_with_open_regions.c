/*
 * A fork in the middle of a measurement: the parent continues; the child begins with an empty tree,
 * stops of open regions are no errors there, and it counts its own calls. From the main thread and
 * others.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void *thread_of_child(void *unused)
{
    CHECK_OK(GPTLstart("thread"));
    CHECK_OK(GPTLstop("thread"));
    CHECK_INT(check_count("thread", -1), 1);
    return unused;
}

static void child(void)
{
    int errors = GPTLnum_errors(), count = 0, n = -1;
    CHECK_INT(GPTLis_initialized(), 1);
    CHECK_ERROR(GPTLget_count("closed", 0, &count)); /* the parent's data is gone in the child */
    CHECK_ERROR(GPTLget_nregions(1, &n));
    errors += 2;
    CHECK_OK(GPTLstart("in child"));
    CHECK_OK(GPTLstop("in child"));
    CHECK_OK(GPTLstop("B"));
    CHECK_OK(GPTLstart("A")); /* a new one */
    CHECK_OK(GPTLstop("A"));
    CHECK_OK(GPTLstop("A")); /* the parent's */
    CHECK_INT(GPTLnum_errors(), errors);
    CHECK_ERROR(GPTLstop("A"));
    CHECK_INT(check_count("in child", 0), 1);
    CHECK_INT(check_count("A", -1), 1);
    CHECK_OK(GPTLget_nregions(0, &n));
    CHECK_INT(n, 2);
    pthread_t thread;
    for (int i = 0; i < 3; i++) {
        CHECK_OK(pthread_create(&thread, NULL, thread_of_child, NULL));
        CHECK_OK(pthread_join(thread, NULL));
        CHECK_OK(GPTLreset());
    }
    /* A grandchild. */
    CHECK_OK(GPTLstart("A"));
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        CHECK_OK(GPTLstop("A"));
        CHECK_ERROR(GPTLstop("A"));
        _exit(0);
    }
    int status;
    CHECK_INT(waitpid(pid, &status, 0), pid);
    CHECK_INT(status, 0);
    CHECK_OK(GPTLstop("A"));
    CHECK_OK(GPTLfinalize());
    CHECK_OK(GPTLinitialize());
    CHECK_OK(GPTLfinalize());
}

static void fork_here(void)
{
    CHECK_OK(GPTLstart("closed"));
    CHECK_OK(GPTLstop("closed"));
    CHECK_OK(GPTLstart("A"));
    CHECK_OK(GPTLstart("B"));
    fflush(NULL);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        child();
        _exit(0);
    }
    int status;
    CHECK_INT(waitpid(pid, &status, 0), pid);
    CHECK_INT(status, 0);
    CHECK_OK(GPTLstop("B"));
    CHECK_OK(GPTLstop("A"));
    CHECK_INT(check_count("A", -1), 1);
    CHECK_INT(check_count("B", -1), 1);
    CHECK_INT(check_count("closed", -1), 1);
}

static void *fork_in_thread(void *unused)
{
    fork_here();
    return unused;
}

int main(void)
{
    pthread_t thread;
    CHECK_OK(GPTLinitialize());
    fork_here();
    CHECK_OK(GPTLstart("main"));
    CHECK_OK(pthread_create(&thread, NULL, fork_in_thread, NULL));
    CHECK_OK(pthread_join(thread, NULL));
    CHECK_OK(GPTLstop("main"));
    CHECK_OK(GPTLfinalize());
    return 0;
}
