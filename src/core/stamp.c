/* stamp.c - GPTLstamp, the kernel's clocks for other libraries, and the memory of the process. */
#include "config.h"

#include "core/stamp.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "gptl.h"

#include "core/core.h"
#include "core/descriptor.h"
#include "core/own_stack.h"
#include "core/stderr.h"
#include "core/systime.h"

static double seconds_of(const struct timeval *tv)
{
    return (double)tv->tv_sec + (double)tv->tv_usec * 1e-6;
}

int GPTLstamp(double *wall, double *usr, double *sys)
{
    struct rusage usage;
    if (!wall || !usr || !sys)
        return gptl_core_error("GPTLstamp", "an argument is NULL");
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return gptl_core_error("GPTLstamp", "the system does not tell the time");
    *wall = (double)gptl_systime_read(CLOCK_MONOTONIC) * 1e-9;
    *usr = seconds_of(&usage.ru_utime);
    *sys = seconds_of(&usage.ru_stime);
    return 0;
}

uint64_t gptl_core_read_systime(int clock)
{
    return gptl_systime_read(clock);
}

/*
 * Return the total and the resident pages from /proc, without stdio, since a start may call this.
 */
static bool read_pages(long *total, long *resident)
{
    char text[128];
    int fd = gptl_descriptor_open("/proc/self/statm", O_RDONLY, 0);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    return sscanf(text, "%ld %ld", total, resident) == 2;
}

static bool read_megabytes(float *total, float *resident)
{
    long t, r;
    if (!read_pages(&t, &r))
        return false;
    double page = (double)sysconf(_SC_PAGESIZE) / (1024 * 1024);
    *total = (float)((double)t * page);
    *resident = (float)((double)r * page);
    return true;
}

int GPTLget_procsiz(float *total, float *resident)
{
    float t, r;
    if (!total || !resident)
        return gptl_core_error("GPTLget_procsiz", "an argument is NULL");
    if (!read_megabytes(&t, &r))
        return gptl_core_error("GPTLget_procsiz", "/proc/self/statm cannot be read");
    *total = t;
    *resident = r;
    return 0;
}

int GPTLget_memusage(float *megabytes)
{
    float total, resident;
    if (!megabytes)
        return gptl_core_error("GPTLget_memusage", "the argument is NULL");
    if (!read_megabytes(&total, &resident))
        return gptl_core_error("GPTLget_memusage", "/proc/self/statm cannot be read");
    *megabytes = resident;
    return 0;
}

/* A line of text. It is composed on a stack of the library, as a thread may lack room for it. */
struct line {
    const char *format;
    va_list args;
};

static void write_line(void *of)
{
    struct line *line = of;
    char text[1024];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int n = vsnprintf(text, sizeof text, line->format, line->args);
#pragma GCC diagnostic pop
    if (n > 0)
        gptl_stderr_write(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static __attribute__((format(printf, 1, 2))) void print(const char *format, ...)
{
    struct line line = {.format = format};
    va_start(line.args, format);
    gptl_own_stack_call(write_line, &line);
    va_end(line.args);
}

int GPTLprint_memusage(const char *label)
{
    float total, resident;
    if (!label)
        return gptl_core_error("GPTLprint_memusage", "the label is NULL");
    if (!read_megabytes(&total, &resident))
        return gptl_core_error("GPTLprint_memusage", "/proc/self/statm cannot be read");
    print("%s: memory of the process: total %.1f MB, resident %.1f MB\n", label, (double)total,
          (double)resident);
    return 0;
}

int GPTLprint_rusage(const char *label)
{
    struct rusage u;
    if (!label)
        return gptl_core_error("GPTLprint_rusage", "the label is NULL");
    if (getrusage(RUSAGE_SELF, &u) != 0)
        return gptl_core_error("GPTLprint_rusage", "getrusage failed");
    print("%s: user %.3f s, system %.3f s, largest resident %.1f MB, page faults %ld minor "
          "%ld major, context switches %ld voluntary %ld not\n",
          label, seconds_of(&u.ru_utime), seconds_of(&u.ru_stime), (double)u.ru_maxrss / 1024,
          u.ru_minflt, u.ru_majflt, u.ru_nvcsw, u.ru_nivcsw);
    return 0;
}

void gptl_stamp_growth(struct gptl_name region, const char *event)
{
    static _Atomic long last;
    long total, resident;
    if (!read_pages(&total, &resident))
        return;
    long before = atomic_load(&last);
    double limit = (double)before * (1 + (double)gptl_core_option(GPTL_OPT_MEM_GROWTH) / 100);
    if ((double)resident <= limit || !atomic_compare_exchange_strong(&last, &before, resident))
        return;
    double page = (double)sysconf(_SC_PAGESIZE) / (1024 * 1024);
    print("GPTL: resident memory grew from %.1f to %.1f MB at %s of \"%.*s\"\n",
          (double)before * page, (double)resident * page, event, (int)region.length, region.text);
}
