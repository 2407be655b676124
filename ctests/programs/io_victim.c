/*
 * io_victim.c - a program to be killed. Each of its threads writes to a separate file in an endless
 * loop, and counts the writes in a mapped file, which remains afterwards.
 *
 *     io_victim FILE THREADS KIND     KIND: all in this process, or in a child by `fork` or by
 *                                     `clone`, a system call that bypasses all handlers
 *     io_victim FILE THREADS show     prints a line per thread: the calls that it had made
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 32 };

static struct shared {
    atomic_long pid;
    struct {
        _Alignas(64) atomic_ulong calls;
    } of[MOST_THREADS];
} * shared;

static void *work(void *number)
{
    long i = (long)number;
    char name[32], bytes[16] = {0};
    snprintf(name, sizeof name, "mine%ld", i);
    int fd = open(name, O_RDWR | O_CREAT, 0600);
    for (unsigned long n = 0;; n++) {
        /* Records of one, two, three and four parts. */
        ssize_t done = n % 4 == 0   ? pwrite(fd, bytes, 16, 0)
                       : n % 4 == 1 ? lseek(fd, 0, SEEK_SET)
                       : n % 4 == 2 ? write(fd, bytes, 16)
                                    : pread(fd, bytes, 16, 1 << 20);
        if (done < 0)
            abort();
        atomic_fetch_add(&shared->of[i].calls, 1);
        if (n % 8 == 7) /* a few at a time: the calls until the kill would take long to check */
            nanosleep(&(struct timespec){0, 200000}, NULL);
    }
    return NULL;
}

static void run(long nthreads)
{
    atomic_store(&shared->pid, getpid());
    for (long i = 0; i < nthreads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, (void *)i))
            abort();
    }
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    long nthreads = atol(argv[2]);
    int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
    if (nthreads > MOST_THREADS || ftruncate(fd, sizeof *shared))
        return 2;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        return 2;
    alarm(60); /* no kill arrived */
    if (strcmp(argv[3], "show") == 0) {
        for (long i = 0; i < nthreads; i++)
            printf("mine%ld %lu\n", i, atomic_load(&shared->of[i].calls));
        return 0;
    }
    long pid = strcmp(argv[3], "fork") == 0    ? fork()
               : strcmp(argv[3], "clone") == 0 ? syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)
                                               : 0;
    if (pid != 0) { /* the parent writes as well, to detect shared memory */
        int own = open("parent", O_RDWR | O_CREAT, 0600);
        while (waitpid((pid_t)pid, NULL, WNOHANG) == 0)
            if (write(own, "x", 1) != 1)
                return 1;
        return 0;
    }
    run(nthreads);
}
