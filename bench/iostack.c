/*
 * iostack.c - the cost of a span (begin and end), compared with four readings of the clock and the
 * copy of a record of the same size into a mapping of a file that grows like a log.
 *
 * The location of the file determines the cost of the copy, so both files are in memory (/dev/shm),
 * and the row contains the cost of the copy.
 */
#include "bench.h"

#include "gptl_probe.h"
#include "iostack/format.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

/*
 * A file that grows by a MiB, like the log of a busy thread. A round fills one file, so that growth
 * has its share in each round.
 */
enum { CHUNK = 1 << 20, SPANS = CHUNK / sizeof(struct gptl_iostack_record) };

static struct {
    int fd;
    off_t size;
    char *memory;
    size_t used;
} file = {.used = CHUNK};

static void grow(void)
{
    if (file.memory)
        munmap(file.memory, CHUNK);
    if (posix_fallocate(file.fd, file.size, CHUNK) != 0)
        bench_stop(77, "there is no room in /dev/shm");
    file.memory = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd, file.size);
    if (file.memory == MAP_FAILED)
        bench_stop(77, "no memory");
#ifdef MADV_POPULATE_WRITE
    madvise(file.memory, CHUNK, MADV_POPULATE_WRITE);
#endif
    file.size += CHUNK;
    file.used = 0;
}

static void run_copy(void *arg, long rounds)
{
    struct gptl_iostack_record *record = arg;
    for (long i = 0; i < rounds * SPANS; i++) {
        if (file.used + sizeof *record > CHUNK)
            grow();
        record->number++;
        __asm__ volatile("" : : "r"(record) : "memory");
        memcpy(file.memory + file.used, record, sizeof *record);
        file.used += sizeof *record;
    }
}

static void run_span(void *arg, long rounds)
{
    (void)arg;
    for (long i = 0; i < rounds * SPANS; i++) {
        GPTLprobe_begin(GPTL_LAYER_MPI, GPTL_OP_WRITE);
        GPTLprobe_end(GPTL_LAYER_MPI);
    }
}

static void run_keyed(void *arg, long rounds)
{
    for (long i = 0; i < rounds * SPANS; i++) {
        GPTLprobe_begin_key(GPTL_LAYER_DISK, GPTL_OP_WRITE, arg, 4096, 0);
        GPTLprobe_end_key(GPTL_LAYER_DISK, arg);
    }
}

/* A call as libgptl_io reports it, and the begin and end of an MPI-IO call. */
static void run_told(void *arg, long rounds)
{
    GPTLspan span = {.layer = GPTL_LAYER_POSIX,
                     .operation = GPTL_OP_WRITE,
                     .bytes = 4096,
                     .offset = 0,
                     .file = GPTLprobe_name(GPTL_LAYER_POSIX, "/a/file")};
    (void)arg;
    for (long i = 0; i < rounds * SPANS; i++) {
        span.begin = GPTLprobe_clock();
        GPTLprobe_tell(&span);
    }
}

static void run_whole(void *arg, long rounds)
{
    GPTLspan span = {.layer = GPTL_LAYER_MPI,
                     .operation = GPTL_OP_WRITE,
                     .bytes = -1,
                     .offset = 0,
                     .file = GPTLprobe_name(GPTL_LAYER_MPI, "/a/file"),
                     .opening = 1,
                     .collective = 1};
    (void)arg;
    for (long i = 0; i < rounds * SPANS; i++) {
        GPTLprobe_begin_span(&span);
        GPTLprobe_bytes(GPTL_LAYER_MPI, 4096);
        GPTLprobe_end(GPTL_LAYER_MPI);
    }
}

/* The queries when a file is opened or closed; a device is sampled rarely. */
static void run_disk(void *arg, long rounds)
{
    (void)arg;
    while (rounds-- > 0)
        GPTLprobe_disk(GPTL_LAYER_MPI, ".");
}

static void row(const char *name, double clock, double copies, double ns)
{
    char floor[64], figure[32];
    snprintf(floor, sizeof floor, "4 x %.1f + %.1f", clock, copies);
    snprintf(figure, sizeof figure, "%.1f", ns);
    bench_row_text(name, floor, figure, ns / (4 * clock + copies), "<= 1");
}

enum { NWORKS = 7 };

/* In a process whose logs are in memory as well. */
static void measure(void)
{
    char path[64];
    struct gptl_iostack_record record = {.kind = GPTL_IOSTACK_SPAN};
    snprintf(path, sizeof path, "/dev/shm/gptl-bench-iostack.%ld", (long)getpid());
    file.fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file.fd < 0)
        bench_stop(77, "there is no /dev/shm");
    unlink(path);
    struct bench_work work[NWORKS] = {
        {.run = run_clock, .pairs = 1},    {.run = run_copy, .arg = &record, .pairs = SPANS},
        {.run = run_span, .pairs = SPANS}, {.run = run_keyed, .arg = &record, .pairs = SPANS},
        {.run = run_told, .pairs = SPANS}, {.run = run_whole, .pairs = SPANS},
        {.run = run_disk, .pairs = 1}};
    bench_compare(work, NWORKS);
    for (int i = 0; i < NWORKS; i++)
        bench_give(work[i].ns);
    _exit(fflush(stdout));
}

int main(int argc, char **argv)
{
    static const char *const layers[] = {"mpi", "posix", "disk"};
    char options[96], path[96], figure[32];
    double ns[NWORKS];
    (void)argv;
    if (argc > 1)
        measure();
    bench_open();
    snprintf(options, sizeof options, "path=/dev/shm/gptl-bench.{layer}.%ld", (long)getpid());
    setenv("GPTL_IOSTACK", options, 1);
    int failed = bench_child(NULL, "measure", ns, NWORKS);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "/dev/shm/gptl-bench.%s.%ld", layers[i], (long)getpid());
        unlink(path);
    }
    if (failed)
        bench_stop(1, "not measured");
    row("iostack: a span", ns[0], ns[1], ns[2]);
    row("iostack: a span by pointer, two records", ns[0], 2 * ns[1], ns[3]);
    row("iostack: a span of POSIX, told when it is over", ns[0], ns[1], ns[4]);
    row("iostack: a span of MPI-IO, with file and bytes", ns[0], ns[1], ns[5]);
    snprintf(figure, sizeof figure, "%.0f", ns[6]);
    bench_row_text("iostack: of the device, at an open or close", "a clock reading", figure,
                   ns[6] / ns[0], "");
    return 0;
}
