/*
 * victim.c - a program to be killed. Its threads measure in an endless loop and count their actions
 * in a mapped file, which remains afterwards.
 *
 *     victim FILE THREADS MODE     measures
 *     victim FILE THREADS pid      prints the number of the process that measures
 *     victim FILE THREADS show     prints a line per thread: its calls of work_N, its names made_N_I
 */
#include <gptl.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_THREADS = 64, DEEP = 3000, SIDE = 320 };

static struct shared {
    atomic_long pid;
    struct {
        _Alignas(64) atomic_ulong calls, made;
    } of[MOST_THREADS];
} * shared;

static const char *mode;

static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}

static void must(int rc)
{
    if (rc)
        abort();
}

static void call(const char *name, int t)
{
    must(GPTLstart(name));
    must(GPTLstop(name));
    atomic_fetch_add(&shared->of[t].calls, 1);
}

static void make_name(int t)
{
    char name[64];
    unsigned long made = shared->of[t].made;
    if (made >= 50000)
        return;
    snprintf(name, sizeof name, "made_%d_%lu", t, made);
    must(GPTLstart(name));
    must(GPTLstop(name));
    atomic_fetch_add(&shared->of[t].made, 1);
}

static void dive(const char *name, int t, int level)
{
    char own[32];
    snprintf(own, sizeof own, "level_%d", level);
    must(GPTLstart(own));
    if (level < DEEP)
        dive(name, t, level + 1);
    else
        for (int i = 0; i < 100; i++)
            call(name, t);
    must(GPTLstop(own));
}

static void recurse(const char *name, int t, int level)
{
    must(GPTLstart(name));
    if (level > 1)
        recurse(name, t, level - 1);
    must(GPTLstop(name));
    atomic_fetch_add(&shared->of[t].calls, 1);
}

static void many_paths(void)
{
    char outer[32], inner[32];
    for (int i = 0; i < SIDE; i++) {
        snprintf(outer, sizeof outer, "outer_%d", i);
        must(GPTLstart(outer));
        for (int j = 0; j < SIDE; j++) {
            snprintf(inner, sizeof inner, "inner_%d", j);
            must(GPTLstart(inner));
            must(GPTLstop(inner));
        }
        must(GPTLstop(outer));
    }
}

static void *work(void *number)
{
    char name[32];
    int t = (int)(long)number;
    snprintf(name, sizeof name, "work_%d", t);
    if (is("paths"))
        many_paths();
    for (unsigned long i = 0;; i++) {
        if (is("deep"))
            dive(name, t, 1);
        else if (is("recursion"))
            recurse(name, t, 300);
        else
            call(name, t);
        if (is("names"))
            make_name(t);
        if (is("marks") && t == 0 && i % 50 == 0)
            must(GPTLmark("mark"));
    }
    return NULL;
}

static void prepare(void)
{
    if (is("again")) {
        GPTLinitialize();
        must(GPTLstart("before"));
        must(GPTLstop("before"));
        must(GPTLfinalize());
        GPTLinitialize();
    }
    if (is("elsewhere")) { /* a daemon's manners */
        must(GPTLstart("first"));
        must(GPTLstop("first"));
        for (int fd = 3; fd < 1024; fd++)
            close(fd);
        /* New files get the numbers of closed descriptors. */
        for (int i = 0; i < 20; i++) {
            char own[32];
            snprintf(own, sizeof own, "own_%d", i);
            must(open(own, O_RDWR | O_CREAT, 0644) < 0);
        }
        must(chdir("/"));
    }
    if (is("child")) {
        must(GPTLstart("parent"));
        pid_t pid = fork();
        if (pid) {
            waitpid(pid, NULL, 0);
            must(GPTLstop("parent"));
            exit(0);
        }
    }
}

static void show(int threads)
{
    for (int t = 0; t < threads; t++)
        printf("%lu %lu\n", atomic_load(&shared->of[t].calls), atomic_load(&shared->of[t].made));
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    int fd = open(argv[1], O_RDWR | O_CREAT, 0644), threads = atoi(argv[2]);
    mode = argv[3];
    must(ftruncate(fd, sizeof *shared));
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (is("show")) {
        show(threads);
        return 0;
    }
    if (is("pid")) {
        printf("%ld\n", (long)shared->pid);
        return 0;
    }
    prepare();
    shared->pid = getpid();
    for (long t = 1; t < threads; t++) {
        pthread_t thread;
        must(pthread_create(&thread, NULL, work, (void *)t));
    }
    work(NULL);
    return 0;
}
