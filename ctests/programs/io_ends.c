/*
 * Threads that end inside I/O calls: canceled asynchronously, by pthread_exit in a signal handler,
 * and a child of fork created by a thread in the meantime, whose handler makes I/O calls itself.
 * Prints "over".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int began;
static int shared;

/* System calls and no allocation: libc itself could not survive an end elsewhere. */
static void *busy(void *asynchronous)
{
    char bytes[16];
    if (asynchronous)
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    atomic_fetch_add(&began, 1);
    for (;;) {
        pwrite(shared, "0123456", 7, 0);
        pread(shared, bytes, 7, 0);
        lseek(shared, 0, SEEK_CUR);
        access("none", R_OK);
        access("shared", R_OK);
    }
}

static void leaves(int unused)
{
    (void)unused;
    pthread_exit(NULL);
}

static void writes(int unused)
{
    (void)unused;
    pwrite(shared, "7654321", 7, 0);
}

static pthread_t start(void *asynchronous)
{
    pthread_t thread;
    int before = atomic_load(&began);
    if (pthread_create(&thread, NULL, busy, asynchronous) != 0)
        exit(3);
    while (atomic_load(&began) == before)
        ;
    return thread;
}

int main(void)
{
    shared = open("shared", O_RDWR | O_CREAT, 0600);
    signal(SIGUSR1, leaves);
    signal(SIGUSR2, writes);
    for (int i = 0; i < 40; i++) {
        pthread_t cancelled = start(&shared), left = start(NULL);
        for (volatile int wait = 0; wait < i * 400; wait++)
            ;
        pthread_kill(left, SIGUSR2);
        if (i % 20 == 0) {
            pid_t child = i % 40 ? fork() : (pid_t)syscall(SYS_fork);
            if (child == 0) {
                pwrite(shared, "1234567", 7, 0);
                _exit(0);
            }
            waitpid(child, NULL, 0);
        }
        pthread_cancel(cancelled);
        pthread_kill(left, SIGUSR1);
        pthread_join(cancelled, NULL);
        pthread_join(left, NULL);
    }
    pwrite(shared, "last", 4, 0);
    puts("over");
    return 0;
}
