/*
 * io.c - the time that libgptl_io adds to calls on a file in memory, compared with one reading of
 * the clock, and to the test of the paper that describes the method: open, write 8 bytes, read 8
 * bytes, close. Also the time added when two threads make calls at once, compared with one: they
 * share no cache line.
 *
 * The program runs itself with the library preloaded and alternates with calls of the original
 * functions of libc. The memory for records has been in use for a while, so chunks are overwritten.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct functions {
    int (*open)(const char *, int, ...);
    int (*close)(int);
    ssize_t (*read)(int, void *, size_t);
    ssize_t (*write)(int, const void *, size_t);
    ssize_t (*pread)(int, void *, size_t, off_t);
    off_t (*lseek)(int, off_t, int);
} bare, recorded;

static __thread int fd;
static __thread char bytes[8];
static char path[64];

static void find(struct functions *f, void *where)
{
#define FIND(name) *(void **)&f->name = dlsym(where, #name)
    FIND(open);
    FIND(close);
    FIND(read);
    FIND(write);
    FIND(pread);
    FIND(lseek);
}

static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t v;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
    return v;
#else
    return 0;
#endif
}

static void run_clock(void *arg, long rounds)
{
    (void)arg;
    while (rounds-- > 0) {
        uint64_t now = clock_ticks();
        __asm__ volatile("" : : "r"(now) : "memory");
    }
}

static void run_pread(void *arg, long rounds)
{
    struct functions *f = arg;
    while (rounds-- > 0)
        f->pread(fd, bytes, sizeof bytes, 0);
}

static void run_write(void *arg, long rounds)
{
    struct functions *f = arg;
    bare.lseek(fd, 0, SEEK_SET);
    while (rounds-- > 0)
        f->write(fd, bytes, sizeof bytes);
}

static void run_lseek(void *arg, long rounds)
{
    struct functions *f = arg;
    while (rounds-- > 0)
        f->lseek(fd, 0, SEEK_SET);
}

static void run_paper(void *arg, long rounds)
{
    struct functions *f = arg;
    while (rounds-- > 0) {
        int file = f->open(path, O_RDWR | O_CREAT, 0600);
        f->write(file, bytes, sizeof bytes);
        f->read(file, bytes, sizeof bytes);
        f->close(file);
    }
}

static const struct {
    const char *name;
    bench_run *run;
} works[] = {
    {"pread", run_pread}, {"write", run_write}, {"lseek", run_lseek}, {"paper", run_paper}};

enum { NWORKS = sizeof works / sizeof works[0] };

/* ---- Two threads ----------------------------------------------------------------------------- */

static struct {
    struct functions *of;
    long rounds;
    atomic_int turn; /* odd while the helper works */
} job;

static void await_turn(int odd)
{
    while (atomic_load_explicit(&job.turn, memory_order_acquire) % 2 != odd) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
}

/* The parent has pinned the process to one core. */
static int move_to_other_core(int than)
{
    for (int core = 0; core < sysconf(_SC_NPROCESSORS_CONF); core++) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(core, &set);
        if (core != than && sched_setaffinity(0, sizeof set, &set) == 0)
            return 0;
    }
    return -1;
}

/* On another core, with a separate file; it spins while idle. */
static void *help(void *has_core)
{
    char own[80];
    *(int *)has_core = move_to_other_core(*(int *)has_core) == 0;
    snprintf(own, sizeof own, "%s.2", path);
    fd = recorded.open(own, O_RDWR | O_CREAT, 0600);
    recorded.write(fd, bytes, sizeof bytes);
    unlink(own);
    atomic_store(&job.turn, 0);
    for (;;) {
        await_turn(1);
        run_pread(job.of, job.rounds);
        atomic_fetch_add_explicit(&job.turn, 1, memory_order_release);
    }
    return NULL;
}

static void run_both(void *arg, long rounds)
{
    job.of = arg;
    job.rounds = rounds;
    atomic_fetch_add_explicit(&job.turn, 1, memory_order_release);
    run_pread(arg, rounds);
    await_turn(0);
}

/* The cost of a pread: bare and recorded, alone and with another thread that does the same. */
static void measure_both(void)
{
    static int has_core;
    has_core = sched_getcpu();
    pthread_t helper;
    struct bench_work work[4] = {{.run = run_pread, .arg = &bare, .pairs = 1},
                                 {.run = run_pread, .arg = &recorded, .pairs = 1},
                                 {.run = run_both, .arg = &bare, .pairs = 1},
                                 {.run = run_both, .arg = &recorded, .pairs = 1}};
    atomic_store(&job.turn, 1);
    if (pthread_create(&helper, NULL, help, &has_core))
        bench_stop(1, "no thread");
    await_turn(0);
    if (has_core)
        bench_compare(work, 4);
    for (int i = 0; i < 4; i++)
        bench_give(work[i].ns);
}

/* In a process with the library: the clock, and each work bare and recorded. */
static void measure(const char *what)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (!libc)
        bench_stop(77, "there is no libc.so.6");
    find(&bare, libc);
    find(&recorded, RTLD_DEFAULT);
    if (bare.pread == recorded.pread)
        bench_stop(1, "the library is not preloaded");
    snprintf(path, sizeof path, "/dev/shm/gptl-bench-io.%ld", (long)getpid());
    fd = recorded.open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0)
        bench_stop(77, "there is no /dev/shm");
    recorded.write(fd, bytes, sizeof bytes);
    for (int i = 0; i < NWORKS; i++) {
        struct bench_work work[3] = {{.run = run_clock, .pairs = 1},
                                     {.run = works[i].run, .arg = &bare, .pairs = 1},
                                     {.run = works[i].run, .arg = &recorded, .pairs = 1}};
        bench_compare(work, 3);
        for (int j = 0; j < 3; j++)
            bench_give(work[j].ns);
    }
    measure_both();
    recorded.close(fd);
    unlink(path);
    (void)what;
    _exit(fflush(stdout));
}

static void show(const char *mode, const char *options, const char *target)
{
    double ns[3 * NWORKS + 4];
    char work[64], cell[64];
    setenv("LD_PRELOAD", BENCH_IO_LIBRARY, 1);
    setenv("GPTL_IO", options, 1);
    int failed = bench_child(NULL, "measure", ns, 3 * NWORKS + 4);
    unsetenv("LD_PRELOAD");
    if (failed) {
        printf("# io: %s: not measured\n", mode);
        return;
    }
    for (int i = 0; i < NWORKS; i++) {
        const double *n = &ns[3 * i];
        if (works[i].run != run_paper) {
            snprintf(work, sizeof work, "io: %s, added%s", works[i].name, mode);
            bench_row(work, n[0], n[2] - n[1], target);
            continue;
        }
        snprintf(work, sizeof work, "io: open, write, read, close%s", mode);
        snprintf(cell, sizeof cell, "shown: four clocks are %.1f %%", 400 * n[0] / n[1]);
        bench_row(work, n[1], n[2], cell);
    }
    const double *both = &ns[3 * NWORKS];
    snprintf(work, sizeof work, "io: pread, added, two threads against one%s", mode);
    if (both[3] > both[2] && both[1] > both[0])
        bench_row(work, both[1] - both[0], both[3] - both[2], "<= 1.2");
    else
        printf("# %s: not measured: it needs two cores for itself\n", work);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        measure(argv[1]);
    bench_open();
    show("", "path=/dev/null", "<= 2.5");
    show(", in detail", "path=/dev/null;detail=on", "<= 5");
    return 0;
}
