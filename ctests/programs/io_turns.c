/*
 * io_turns.c WHAT: writes to files in one of the scenarios of processes and threads. Each writes 7
 * bytes per action, so that a test can count them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int fd, writes = 1000;       /* of a thread */
static pthread_barrier_t *together; /* each thread has written once before any continues */

static void seven(void)
{
    if (write(fd, "0123456", 7) != 7)
        abort();
}

static void *thread(void *unused)
{
    for (int i = 0; i < writes; i++) {
        seven();
        if (together && i == 0)
            pthread_barrier_wait(together);
    }
    return unused;
}

static void threads(int at_once, int times)
{
    pthread_t all[64];
    while (times-- > 0) {
        for (int i = 0; i < at_once; i++)
            if (pthread_create(&all[i], NULL, thread, NULL) != 0)
                abort();
        for (int i = 0; i < at_once; i++)
            pthread_join(all[i], NULL);
    }
}

static void *sleeper(void *unused)
{
    seven();
    pause();
    return unused;
}

static void *reader_of_nothing(void *ends)
{
    char c;
    seven();
    if (read(((int *)ends)[0], &c, 1) == 1)
        abort();
    return NULL;
}

static volatile sig_atomic_t handled;

static void handler(int signal)
{
    int error = errno;
    (void)signal;
    seven();
    handled++;
    errno = error;
}

/* Signals every 50 microseconds, whose handler writes as well. */
static void signals(void)
{
    timer_t timer;
    struct itimerspec often = {{0, 50000}, {0, 50000}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    signal(SIGALRM, handler);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        abort();
    timer_settime(timer, 0, &often, NULL);
    for (int i = 0; i < 50000 || handled < 100; i++)
        seven();
    timer_delete(timer);
    signal(SIGALRM, SIG_IGN);
    struct stat s;
    fstat(fd, &s);
    printf("%ld\n", (long)s.st_size);
}

/* It has a pending cancellation all the time, and lseek is not a cancellation point. */
static void *cancelled_later(void *unused)
{
    pthread_cancel(pthread_self());
    for (int i = 0; i < 100000; i++)
        lseek(fd, 0, SEEK_SET);
    return unused;
}

static void turn(const char *what)
{
    int ends[2];
    if (strcmp(what, "fork") == 0) {
        seven();
        if (fork() == 0) {
            seven();
            seven();
            exit(0);
        }
        wait(NULL);
        seven();
    } else if (strcmp(what, "vfork") == 0) {
        seven();
        pid_t child = vfork();
        if (child == 0) {
            close(fd); /* not the parent's */
            _exit(0);
        }
        waitpid(child, NULL, 0);
        seven();
    } else if (strcmp(what, "exec") == 0) {
        seven();
        execl("/nowhere/at/all", "all", (char *)NULL);
        seven();
        execlp("cat", "cat", "turns", (char *)NULL);
        abort();
    } else if (strcmp(what, "_exit") == 0) {
        seven();
        _exit(3);
    } else if (strcmp(what, "quick_exit") == 0) {
        seven();
        quick_exit(3);
    } else if (strcmp(what, "exit_in_thread") == 0) {
        pthread_t other;
        pthread_create(&other, NULL, sleeper, NULL);
        usleep(20000);
        exit(3);
    } else if (strcmp(what, "close_all") == 0) {
        seven();
        for (int i = 0; i < 65536; i++)
            close(i);
        fd = open("turns", O_WRONLY | O_APPEND); /* gets number 0 */
        seven();
    } else if (strcmp(what, "threads") == 0) {
        threads(8, 3);
    } else if (strcmp(what, "many_threads") == 0) {
        writes = 100;
        threads(4, 500);
    } else if (strcmp(what, "crowd") == 0) {
        pthread_barrier_t sixty;
        pthread_barrier_init(&sixty, NULL, 60);
        together = &sixty;
        threads(60, 4);
    } else if (strcmp(what, "signals") == 0) {
        signals();
    } else if (strcmp(what, "cancel") == 0) {
        pthread_t other;
        if (pipe(ends) != 0)
            abort();
        pthread_create(&other, NULL, reader_of_nothing, ends);
        usleep(20000);
        pthread_cancel(other);
        void *result;
        pthread_join(other, &result);
        if (result != PTHREAD_CANCELED)
            abort();
        seven();
    } else if (strcmp(what, "cancelled_later") == 0) {
        pthread_t other;
        void *result;
        pthread_create(&other, NULL, cancelled_later, NULL);
        pthread_join(other, &result);
        if (result == PTHREAD_CANCELED)
            abort();
        seven();
    } else if (strcmp(what, "deleted") == 0) {
        mkdir("gone", 0700);
        if (chdir("gone") != 0 || rmdir("../gone") != 0)
            abort();
        seven();
        int none = open("nothing", O_RDONLY);
        if (none >= 0)
            abort();
    } else if (strcmp(what, "stderr_reused") == 0) {
        close(2);
        if (open("mine", O_RDWR | O_CREAT | O_TRUNC, 0600) != 2)
            abort();
        seven();
    } else if (strcmp(what, "error") == 0) {
        errno = 4711;
        seven();
        if (errno != 4711)
            abort();
        if (read(fd, NULL, 1) != -1 || errno != EBADF)
            abort();
        if (open("/nowhere/at/all", O_RDONLY) != -1 || errno != ENOENT)
            abort();
    } else if (strcmp(what, "raw_fork") == 0) {
        seven();
        if (syscall(SYS_fork) == 0) {
            seven();
            exit(0);
        }
        wait(NULL);
    } else if (strcmp(what, "names") == 0) {
        for (int i = 0; i < 500; i++) {
            char name[32];
            snprintf(name, sizeof name, "one_of_many_%d", i);
            if (open(name, O_RDONLY) >= 0)
                abort();
        }
        for (int i = 0; i < 3; i++) {
            if (fork() == 0) {
                seven();
                open("one_of_many_7", O_RDONLY);
                exit(0);
            }
            wait(NULL);
        }
    } else if (strcmp(what, "lots") == 0) {
        for (int i = 0; i < 100000; i++)
            if (pwrite(fd, "0123456", 7, i) != 7)
                abort();
    } else {
        abort();
    }
}

int main(int argc, char **argv)
{
    fd = open("turns", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (argc < 2 || fd < 0)
        return 1;
    turn(argv[1]);
    return 0;
}
