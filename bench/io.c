/*
 * io.c - what libgptl_io adds to calls on a file in memory, against one reading of the clock; and to
 * the test of the paper that it is after: open, write 8 bytes, read 8 bytes, close.
 *
 * The program runs itself with the library preloaded. There, libc's own functions are called as well,
 * by turns. That is with the memory for records in use for a while: chunks are overwritten.
 */
#include "bench.h"

#include <dlfcn.h>
#include <fcntl.h>
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

static int fd;
static char path[64], bytes[8];

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
    recorded.close(fd);
    unlink(path);
    (void)what;
    _exit(fflush(stdout));
}

static void show(const char *mode, const char *options, const char *target)
{
    double ns[3 * NWORKS];
    char work[64], cell[64];
    setenv("LD_PRELOAD", BENCH_IO_LIBRARY, 1);
    setenv("GPTL_IO", options, 1);
    int failed = bench_child(NULL, "measure", ns, 3 * NWORKS);
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
