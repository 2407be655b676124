/*
 * clock.c - a table of clocks, their check at start, and calibration.
 *
 * The time-stamp counter's rate is not taken from a short measurement at start: two points, when
 * it came into use and now, give the rate over the whole run, and it is only needed for printing.
 */
#include "config.h"

#include "core/clock.h"
#include "core/descriptor.h"
#include "core/options.h"
#include "core/state.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "gptl.h"

/* ---- Reading ------------------------------------------------------------------------------- */

static uint64_t read_counter(void)
{
    return gptl_counter();
}

static uint64_t read_monotonic(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t read_timeofday(void)
{
    struct timeval tv;
    gettimeofday(&tv, NULL);
    return (uint64_t)tv.tv_sec * 1000000u + (uint64_t)tv.tv_usec;
}

static uint64_t read_placebo(void)
{
    return 0;
}

/* ---- Fitness ------------------------------------------------------------------------------- */

static const char *kernel_list(const char *file, char *text, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/clocksource/clocksource0/%s", file);
    int fd = gptl_descriptor_open(path, O_RDONLY, 0);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return NULL;
    text[n] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return text;
}

#if defined(__x86_64__) || defined(__i386__)
static bool is_invariant(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}

/* The kernel takes a counter that it has seen drift or stop off its list. */
static const char *counter_unfit(void)
{
    char list[256];
    if (kernel_list("available_clocksource", list, sizeof list))
        return strstr(list, "tsc") ? NULL : "the kernel does not list it as a clock source";
    return is_invariant() ? NULL : "the processor does not say that its rate is constant";
}
#define COUNTER_SOURCE "time-stamp counter (rdtsc)"
#elif defined(__aarch64__)
static const char *counter_unfit(void)
{
    return NULL;
}
#define COUNTER_SOURCE "generic timer (cntvct_el0)"
#else
static const char *counter_unfit(void)
{
    return "this processor has no counter that the library can read";
}
#define COUNTER_SOURCE "none"
#endif

static const char *aix_unfit(void)
{
    return "it exists on AIX only";
}

/* The library for MPI brings it, which may be loaded after the options are read. */
static const char *mpi_unfit(void)
{
    return "it comes with the MPI library, which is not here";
}

/* In the order of preference. */
static const struct gptl_clock clocks[] = {
    {GPTLnanotime, "nanotime", COUNTER_SOURCE, read_counter, 0, counter_unfit},
    {GPTLclockgettime, "clockgettime", "clock_gettime(CLOCK_MONOTONIC)", read_monotonic, 1e9, NULL},
    {GPTLgettimeofday, "gettimeofday", "gettimeofday", read_timeofday, 1e6, NULL},
    {GPTLread_real_time, "read_real_time", "read_real_time", read_placebo, 1e9, aix_unfit},
    {GPTLmpiwtime, "mpiwtime", "MPI_Wtime", read_placebo, 1e9, mpi_unfit},
    {GPTLplacebo, "placebo", "nothing: always 0", read_placebo, 1e9, NULL},
};

enum { NCLOCKS = sizeof clocks / sizeof clocks[0], NADDED = 8 };

static const struct gptl_clock *added[NADDED];
static int nadded;

/* Where each clock's calibration begins. */
static struct anchor {
    const struct gptl_clock *clock;
    uint64_t ticks;
    uint64_t nanoseconds;
    uint64_t width; /* nanoseconds that the two readings may lie apart */
} anchors[NCLOCKS + NADDED];

static const struct gptl_clock *_Atomic in_use = &clocks[1];
static struct gptl_clock_finding finding;

int gptl_core_add_clock(const struct gptl_clock *clock)
{
    if (nadded == NADDED)
        return -1;
    gptl_lock();
    added[nadded++] = clock;
    if (gptl_is_on() && gptl_core_option(GPTL_OPT_CLOCK) == clock->number)
        gptl_options_apply(); /* it was asked for before it was there */
    gptl_unlock();
    return 0;
}

const struct gptl_clock *gptl_clock_at(int i)
{
    if (i < NCLOCKS)
        return &clocks[i];
    return i < NCLOCKS + nadded ? added[i - NCLOCKS] : NULL;
}

/* One that was added takes the place of one that only says why it is missing. */
const struct gptl_clock *gptl_clock_by_number(int number)
{
    const struct gptl_clock *found = NULL;
    for (int i = 0; gptl_clock_at(i); i++)
        if (gptl_clock_at(i)->number == number)
            found = gptl_clock_at(i);
    return found;
}

const struct gptl_clock *gptl_clock_by_name(const char *name)
{
    const struct gptl_clock *found = NULL;
    for (int i = 0; gptl_clock_at(i); i++)
        if (strcasecmp(gptl_clock_at(i)->name, name) == 0)
            found = gptl_clock_at(i);
    return found;
}

const struct gptl_clock *gptl_clock_now(void)
{
    return atomic_load_explicit(&in_use, memory_order_acquire);
}

bool gptl_clock_is_counter(const struct gptl_clock *clock)
{
    return clock->read == read_counter;
}

/* ---- Calibration --------------------------------------------------------------------------- */

/* Both clocks at one moment: of a few tries the one in which least time passed between them. */
static struct anchor sample(const struct gptl_clock *clock)
{
    struct anchor best = {clock, 0, 0, UINT64_MAX};
    for (int i = 0; i < 8; i++) {
        uint64_t before = read_monotonic();
        uint64_t ticks = clock->read();
        uint64_t after = read_monotonic();
        if (after - before < best.width)
            best = (struct anchor){clock, ticks, before + (after - before) / 2, after - before};
    }
    return best;
}

static struct anchor *anchor_of(const struct gptl_clock *clock)
{
    struct anchor *a = anchors;
    while (a->clock && a->clock != clock)
        a++;
    return a;
}

/*
 * Nanoseconds that are waited for; a program that runs for longer than that never waits. A short one, of
 * which a job may have thousands, would take several times as long if it waited for the second.
 */
enum { SHORTEST = 200000, LASTING = 2000000 };

static double calibrate(const struct gptl_clock *clock, uint64_t shortest, double *over)
{
    *over = 0;
    if (clock->ticks_per_second > 0)
        return 1 / clock->ticks_per_second;
    struct anchor *from = anchor_of(clock);
    if (!from->clock)
        *from = sample(clock);
    while (read_monotonic() - from->nanoseconds < shortest)
        continue;
    struct anchor to = sample(clock);
    *over = (double)(to.nanoseconds - from->nanoseconds) * 1e-9;
    return to.ticks > from->ticks ? *over / (double)(to.ticks - from->ticks) : 0;
}

double gptl_clock_seconds_per_tick(const struct gptl_clock *clock)
{
    double over;
    return calibrate(clock, SHORTEST, &over);
}

double gptl_clock_lasting_seconds_per_tick(const struct gptl_clock *clock)
{
    double over;
    return calibrate(clock, LASTING, &over);
}

/* The counter's, once it has been in use for so long that its rate is known: that does not change. */
static struct rate {
    struct anchor from;
    double nanoseconds_per_tick;
} rate;
enum { UNKNOWN, BEING_FOUND, KNOWN };
static atomic_int rate_state;

static bool find_rate(uint64_t nanoseconds)
{
    enum { LONG_ENOUGH = 50000000 };
    const struct gptl_clock *clock = gptl_clock_now();
    const struct anchor *first = anchor_of(clock);
    int state = UNKNOWN;
    if (!gptl_clock_is_counter(clock) || nanoseconds - first->nanoseconds < LONG_ENOUGH ||
        !atomic_compare_exchange_strong(&rate_state, &state, BEING_FOUND))
        return false;
    struct anchor now = sample(clock);
    bool known = first->clock == clock && now.ticks > first->ticks;
    if (known)
        rate = (struct rate){now, (double)(now.nanoseconds - first->nanoseconds) /
                                      (double)(now.ticks - first->ticks)};
    atomic_store(&rate_state, known ? KNOWN : UNKNOWN);
    return known;
}

uint64_t gptl_core_nanoseconds(void)
{
    if (atomic_load_explicit(&rate_state, memory_order_acquire) != KNOWN) {
        uint64_t now = read_monotonic();
        if (!find_rate(now))
            return now;
    }
    int64_t ticks = (int64_t)(gptl_counter() - rate.from.ticks);
    return rate.from.nanoseconds + (uint64_t)(int64_t)((double)ticks * rate.nanoseconds_per_tick);
}

/* ---- The check ----------------------------------------------------------------------------- */

/* Reads the clock a few hundred times: does it go back, what does it cost, how fine is it? */
static void examine(const struct gptl_clock *clock, struct gptl_clock_finding *f, uint64_t *step)
{
    enum { READS = 200 };
    f->name = clock->name;
    f->source = clock->doc;
    f->monotonic = true;
    f->cost = 1;
    *step = UINT64_MAX;
    for (int round = 0; round < 4; round++) {
        uint64_t begin = read_monotonic(), last = clock->read();
        for (int i = 0; i < READS; i++) {
            uint64_t now = clock->read();
            if (now < last)
                f->monotonic = false;
            else if (now > last && now - last < *step)
                *step = now - last;
            last = now;
        }
        double cost = (double)(read_monotonic() - begin) * 1e-9 / READS;
        if (cost < f->cost)
            f->cost = cost;
    }
}

static uint64_t smallest_step;

static const char *check(const struct gptl_clock *clock, struct gptl_clock_finding *f,
                         uint64_t *step)
{
    const char *unfit = clock->unfit ? clock->unfit() : NULL;
    if (unfit)
        return unfit;
    examine(clock, f, step);
    if (!f->monotonic)
        return "it ran backwards in its check";
    if (*step == UINT64_MAX && clock->number == GPTLnanotime)
        return "it stood still in its check";
    return NULL;
}

const char *gptl_clock_check(const struct gptl_clock *clock)
{
    struct gptl_clock_finding f;
    uint64_t step;
    return check(clock, &f, &step);
}

/*
 * Programs ask for the processor's counter that were written where it could be trusted, and some end at
 * an error: what comes next does for it. The report says which clock it was, and why.
 */
const struct gptl_clock *gptl_clock_wanted(int number)
{
    const struct gptl_clock *clock = gptl_clock_by_number(number);
    if (number != GPTLnanotime || clock == gptl_clock_now() || !gptl_clock_check(clock))
        return clock;
    return gptl_clock_by_number(GPTLclockgettime);
}

const char *gptl_clock_use(const struct gptl_clock *clock)
{
    struct gptl_clock_finding f = {.rejected = ""};
    uint64_t step;
    const char *unfit = check(clock, &f, &step);
    if (unfit)
        return unfit;
    /* Written when it changes only: who was given it before may read it meanwhile. */
    static char kernel[64];
    char now[sizeof kernel];
    if (!kernel_list("current_clocksource", now, sizeof now))
        strcpy(now, "unknown");
    if (strcmp(kernel, now) != 0)
        strcpy(kernel, now);
    f.kernel = kernel;
    memcpy(f.rejected, finding.rejected, sizeof f.rejected);
    finding = f;
    smallest_step = step;
    struct anchor *a = anchor_of(clock);
    if (!a->clock && clock->ticks_per_second <= 0)
        *a = sample(clock);
    atomic_store_explicit(&in_use, clock, memory_order_release);
    return NULL;
}

void gptl_clock_begin(void)
{
    finding.rejected[0] = '\0';
    for (int i = 0; i < NCLOCKS; i++) {
        const char *unfit = gptl_clock_use(&clocks[i]);
        if (!unfit)
            return;
        size_t n = strlen(finding.rejected);
        snprintf(finding.rejected + n, sizeof finding.rejected - n, "%s%s: %s", n ? "; " : "",
                 clocks[i].name, unfit);
    }
}

void gptl_core_clock_finding(struct gptl_clock_finding *out)
{
    gptl_lock(); /* another thread may be about to use another clock */
    *out = finding;
    out->seconds_per_tick = calibrate(gptl_clock_now(), SHORTEST, &out->calibrated_over);
    out->resolution =
        smallest_step == UINT64_MAX ? 0 : (double)smallest_step * out->seconds_per_tick;
    gptl_unlock();
}
