/*
 * clock.c - a table of clocks, their check at start, and calibration.
 *
 * The rate of the time-stamp counter is not measured briefly at start: the time since its first use
 * determines the rate over the whole run (rate.c), and it is only needed for printing.
 */
#include "config.h"

#include "core/clock.h"
#include "core/descriptor.h"
#include "core/options.h"
#include "core/rate.h"
#include "core/state.h"
#include "core/systime.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
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
    return gptl_systime_read(CLOCK_MONOTONIC);
}

static uint64_t read_timeofday(void)
{
    return gptl_systime_read(CLOCK_REALTIME) / 1000;
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

/* The kernel removes a counter from its list after the counter drifted or stopped. */
static const char *counter_unfit(void)
{
    char list[256];
    if (gptl_systime_is_restricted())
        return "the program has disabled it (prctl PR_SET_TSC)";
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

/* The MPI library adds the clock, and may be loaded after the options are read. */
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

/* Rates of the clocks that need one, measured since their first use. */
static struct gptl_clock_rate {
    const struct gptl_clock *clock;
    struct gptl_rate rate;
} rates[NCLOCKS + NADDED];

/* The kernel's clocks and the program's, compared while the clock in use needs no rate. */
static struct gptl_rate watch;

static const struct gptl_clock *_Atomic in_use = &clocks[1];
static struct gptl_clock_finding finding;

int gptl_core_add_clock(const struct gptl_clock *clock)
{
    int i = 0;
    gptl_lock();
    while (i < nadded && added[i] != clock)
        i++;
    if (i == NADDED) {
        gptl_unlock();
        return -1;
    }
    added[i] = clock;
    nadded += i == nadded;
    if (gptl_is_on() && gptl_core_option(GPTL_OPT_CLOCK) == clock->number)
        gptl_options_apply(); /* it was requested before it was available */
    gptl_unlock();
    return 0;
}

const struct gptl_clock *gptl_clock_at(int i)
{
    if (i < NCLOCKS)
        return &clocks[i];
    return i < NCLOCKS + nadded ? added[i - NCLOCKS] : NULL;
}

/*
 * Return the clock with this number. An added clock replaces the entry that only gives the reason
 * why it is missing.
 */
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

/* Return the time as the program's calls of clock_gettime obtain it. */
static uint64_t read_program(void)
{
    struct timespec ts;
    if (gptl_systime_is_restricted() || clock_gettime(CLOCK_MONOTONIC, &ts) != 0)
        return read_monotonic();
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t read_boottime(void)
{
    return gptl_systime_read(CLOCK_BOOTTIME);
}

static struct gptl_rate_source source_of(const struct gptl_clock *clock)
{
    return (struct gptl_rate_source){clock->read, read_monotonic, read_boottime, read_program};
}

/*
 * Return nanoseconds of the clock in use, if it is neither the kernel's monotonic clock nor the
 * placebo.
 */
static uint64_t read_in_use(void)
{
    const struct gptl_clock *clock = gptl_clock_now();
    if (clock->number == GPTLplacebo || clock->read == read_monotonic)
        return read_program();
    return (uint64_t)((double)clock->read() * (1e9 / clock->ticks_per_second));
}

/* Sources to watch a clock that needs no rate. */
static const struct gptl_rate_source watched = {read_monotonic, read_monotonic, read_boottime,
                                                read_in_use};

/*
 * Enter the calibration, one thread at a time. A signal handler may interrupt its own thread here,
 * and a fork child may inherit another thread's entry, so the wait is bounded.
 */
static atomic_flag calibrating;

static bool enter(void)
{
    for (int i = 0; i < 100000; i++)
        if (!atomic_flag_test_and_set_explicit(&calibrating, memory_order_acquire))
            return true;
    return false;
}

static void leave(void)
{
    atomic_flag_clear_explicit(&calibrating, memory_order_release);
}

void gptl_clock_forked(void)
{
    leave();
}

static struct gptl_clock_rate *find_rate(const struct gptl_clock *clock)
{
    struct gptl_clock_rate *r = rates;
    while (r->clock && r->clock != clock)
        r++;
    return r;
}

static void begin_rate(struct gptl_clock_rate *r, const struct gptl_clock *clock)
{
    struct gptl_rate_source source = source_of(clock);
    gptl_rate_begin(&r->rate, &source);
    r->clock = clock;
}

static bool may_read(const struct gptl_clock *clock)
{
    return !gptl_clock_is_counter(clock) || !gptl_systime_is_restricted();
}

/*
 * Nanoseconds to wait for; a program that runs longer never waits. A short one, of which a job may
 * have thousands, would take several times longer if it waited for the second value.
 */
enum { SHORTEST = 200000, LASTING = 2000000 };

/* A tenth of a second for a counter of 5 GHz. */
enum { CHECKPOINT_TICKS = 1 << 29 };
_Atomic uint64_t gptl_clock_checkpoint_due = UINT64_MAX;

static double calibrate(const struct gptl_clock *clock, uint64_t shortest, double *over)
{
    *over = 0;
    if (clock->ticks_per_second > 0)
        return 1 / clock->ticks_per_second;
    bool entered = enter();
    struct gptl_clock_rate *r = find_rate(clock);
    if (entered && !r->clock && may_read(clock))
        begin_rate(r, clock);
    if (entered && r->clock && may_read(clock)) {
        struct gptl_rate_source source = source_of(clock);
        gptl_rate_update(&r->rate, &source, shortest);
    }
    *over = r->rate.nanoseconds * 1e-9;
    double seconds = gptl_rate_nanoseconds_per_tick(&r->rate) * 1e-9;
    if (entered)
        leave();
    return seconds;
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

void gptl_clock_pass_checkpoint(uint64_t now)
{
    const struct gptl_clock *clock = gptl_clock_now();
    if (!gptl_clock_is_counter(clock))
        return;
    atomic_store_explicit(&gptl_clock_checkpoint_due, now + CHECKPOINT_TICKS, memory_order_relaxed);
    double over;
    calibrate(clock, 0, &over);
}

/* A base point and the counter's rate, constant once the counter has been in use long enough. */
static struct gptl_moment base;
static double nanoseconds_per_tick;
enum { UNKNOWN, BEING_FOUND, KNOWN };
static atomic_int base_state;

static bool find_base(void)
{
    enum { LONG_ENOUGH = 50 };
    const struct gptl_clock *clock = gptl_clock_now();
    const struct gptl_rate *rate = &find_rate(clock)->rate;
    int state = UNKNOWN;
    if (!gptl_clock_is_counter(clock) || !may_read(clock) ||
        read_monotonic() - rate->first.monotonic < LONG_ENOUGH * UINT64_C(1000000) ||
        !atomic_compare_exchange_strong(&base_state, &state, BEING_FOUND))
        return false;
    double seconds_per_tick = gptl_clock_seconds_per_tick(clock);
    nanoseconds_per_tick = seconds_per_tick * 1e9;
    base = gptl_systime_moment();
    atomic_store(&base_state, seconds_per_tick > 0 ? KNOWN : UNKNOWN);
    return seconds_per_tick > 0;
}

uint64_t gptl_core_nanoseconds(void)
{
    if (atomic_load_explicit(&base_state, memory_order_acquire) != KNOWN && !find_base())
        return read_monotonic();
    int64_t ticks = (int64_t)(gptl_counter() - base.ticks);
    return base.nanoseconds + (uint64_t)(int64_t)((double)ticks * nanoseconds_per_tick);
}

/*
 * Describe the corrections of CLOCK's rate. Disagreements of the kernel's clocks are common to all
 * clocks: a clock that needs no rate uses the watch.
 */
static void explain(const struct gptl_clock *clock, char *text, size_t size)
{
    text[0] = '\0';
    if (clock->number == GPTLplacebo || !enter())
        return;
    struct gptl_clock_rate *r = clock->ticks_per_second > 0 ? NULL : find_rate(clock);
    if (r && r->clock)
        gptl_rate_explain(&r->rate, text, size);
    if (!r) {
        gptl_rate_update(&watch, &watched, 0);
        gptl_rate_explain(&watch, text, size);
    }
    leave();
}

void gptl_clock_lose_counter(void)
{
    const struct gptl_clock *clock = gptl_clock_now();
    if (gptl_clock_is_counter(clock)) /* existing measurements are converted later */
        gptl_clock_lasting_seconds_per_tick(clock);
    gptl_systime_restrict();
    atomic_store(&base_state, BEING_FOUND); /* permanently */
    gptl_lock(); /* the disabled thread is converted now, the other threads at their next event */
    if (gptl_is_on())
        gptl_options_apply();
    gptl_unlock();
}

/* ---- The check ----------------------------------------------------------------------------- */

/*
 * Read the clock a few hundred times, to find out whether it runs backwards, its cost, and its
 * resolution.
 */
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
 * Some programs request the processor's counter because they were written for machines with a
 * reliable one, and some of them terminate after an error: so the next clock replaces an unfit
 * counter. The report shows the clock in use, and the reason.
 */
const struct gptl_clock *gptl_clock_wanted(int number)
{
    const struct gptl_clock *clock = gptl_clock_by_number(number);
    bool lost = gptl_systime_is_restricted() && gptl_clock_is_counter(gptl_clock_now());
    bool used = clock == gptl_clock_now() && !lost;
    if (!clock && lost) /* no clock was requested */
        return gptl_clock_by_number(GPTLclockgettime);
    if (number != GPTLnanotime || used || !gptl_clock_check(clock))
        return clock;
    return gptl_clock_by_number(GPTLclockgettime);
}

/*
 * Return the name of the kernel's clock source. It is written only when it changes: a caller that
 * received the pointer earlier may be reading it. A program that has disabled the counter may also
 * have a filter of system calls, which terminates it if a file is opened.
 */
static const char *kernel_clock(void)
{
    static char name[64];
    char now[sizeof name];
    if (name[0] && gptl_systime_is_restricted())
        return name;
    if (!kernel_list("current_clocksource", now, sizeof now))
        strcpy(now, "unknown");
    if (strcmp(name, now) != 0)
        strcpy(name, now);
    return name;
}

const char *gptl_clock_use(const struct gptl_clock *clock)
{
    struct gptl_clock_finding f = {.rejected = ""};
    uint64_t step;
    const char *unfit = check(clock, &f, &step);
    if (unfit)
        return unfit;
    f.kernel = kernel_clock();
    memcpy(f.rejected, finding.rejected, sizeof f.rejected);
    const char *why = gptl_systime_is_restricted() ? counter_unfit() : NULL;
    if (why && !f.rejected[0])
        snprintf(f.rejected, sizeof f.rejected, "nanotime: %s", why);
    finding = f;
    smallest_step = step;
    struct gptl_clock_rate *r = find_rate(clock);
    if (!r->clock && clock->ticks_per_second <= 0)
        begin_rate(r, clock);
    atomic_store_explicit(&in_use, clock, memory_order_release);
    if (clock->ticks_per_second > 0)
        gptl_rate_begin(&watch, &watched);
    atomic_store(&gptl_clock_checkpoint_due,
                 gptl_clock_is_counter(clock) ? clock->read() + CHECKPOINT_TICKS : UINT64_MAX);
    return NULL;
}

void gptl_clock_begin(void)
{
    gptl_systime_setup();
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
    gptl_clock_seconds_per_tick(gptl_clock_now()); /* waits, if necessary, without the lock */
    gptl_lock(); /* another thread may be about to use another clock */
    *out = finding;
    explain(gptl_clock_now(), out->correction, sizeof out->correction);
    out->seconds_per_tick = calibrate(gptl_clock_now(), SHORTEST, &out->calibrated_over);
    out->resolution =
        smallest_step == UINT64_MAX ? 0 : (double)smallest_step * out->seconds_per_tick;
    gptl_unlock();
}
