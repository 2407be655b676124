/* state.c - on and off: load, initialize, finalize, disable, the end of the process. */
#include "config.h"

#include "core/state.h"

#include <limits.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gptl.h"

#include "core/amounts.h"
#include "core/aside.h"
#include "core/confined.h"
#include "core/clock.h"
#include "core/meter.h"
#include "core/names.h"
#include "core/options.h"
#include "core/own_stack.h"
#include "core/program.h"
#include "core/race_checkers.h"
#include "core/roll.h"
#include "core/salvage.h"
#include "core/systime.h"
#include "core/thread.h"

struct gptl_state gptl_g = {.rank = -1};

struct gptl_thread gptl_nobody = {
    .floor = GPTL_FLOOR_CLOSED,
    .gate = GPTL_GATE_NOBODY,
};
struct gptl_thread gptl_limbo = {
    .floor = GPTL_FLOOR_CLOSED,
    .gate = GPTL_GATE_NOBODY,
    .busy = 1,
};

__thread struct gptl_thread *gptl_tls = &gptl_nobody;
extern __thread struct gptl_thread *gptl_core_tls __attribute__((alias("gptl_tls")));

void gptl_state_gate(uint32_t set, uint32_t clear)
{
    gptl_g.gate = (gptl_g.gate | set) & ~clear;
    for (uint32_t slot = 0; slot < gptl_g.nthreads; slot++) {
        struct gptl_thread *t = gptl_g.threads[slot];
        if (!t)
            continue;
        gptl_thread_gate_set(t, set);
        gptl_thread_gate_clear(t, clear);
    }
}

void gptl_core_follow(gptl_follower *follower)
{
    gptl_lock();
    gptl_g.follower = follower;
    gptl_state_gate(follower ? GPTL_GATE_FOLLOWED : 0, follower ? 0 : GPTL_GATE_FOLLOWED);
    gptl_unlock();
}

void gptl_state_tell_follower(const void *node)
{
    gptl_follower *follower = atomic_load(&gptl_g.follower);
    if (follower)
        follower(((const struct gptl_node *)node)->index == 0 ? NULL : node);
}

static void (*_Atomic forget_nodes)(void);

void gptl_core_set_forget(void (*forget)(void))
{
    forget_nodes = forget;
}

uint64_t gptl_state_now(const struct gptl_clock *clock)
{
    return gptl_g.gate & GPTL_GATE_DISABLED ? gptl_g.disabled_at : clock->read();
}

/* ---- On ------------------------------------------------------------------------------------ */

/* Set whether hooks and wrappers act. */
static void attend(bool on)
{
    gptl_g.idle = !on;
    gptl_g.hooks_act = on;
}

static atomic_bool loaded, load_is_done; /* loaded is also true while loading is in progress */

static void load_rooms(void *unused)
{
    (void)unused;
    gptl_race_checkers_ignore_libraries();
    gptl_lock();
    if (!loaded) {
        loaded = true;
        gptl_name_setup();
        gptl_thread_setup();
        for (const struct gptl_room *const *room = gptl_rooms; *room; room++)
            if ((*room)->setup)
                (*room)->setup();
        gptl_options_begin(); /* after the setups: modules add clocks */
        for (const struct gptl_room *const *room = gptl_rooms; *room; room++)
            if ((*room)->begin)
                (*room)->begin();
        load_is_done = true;
    }
    gptl_unlock();
}

void gptl_state_load(void)
{
    if (!load_is_done)
        gptl_own_stack_call(load_rooms, NULL);
}

/*
 * Return whether the register for thread-local storage is set. In a static program it is zero until
 * libc has set up the storage. The objects of a static library may be compiled like the objects of
 * a shared one, so the compiler cannot know.
 */
static bool has_thread_pointer(void)
{
#if defined(__x86_64__)
    enum { GET_FS = 0x1003 }; /* ARCH_GET_FS of <asm/prctl.h> */
    unsigned long base = 0;
    long result = SYS_arch_prctl;
    /* Not with syscall(), which the dynamic linker may not have resolved yet. */
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"((long)GET_FS), "S"(&base)
                     : "rcx", "r11", "memory");
    return result != 0 || base != 0;
#elif defined(__aarch64__)
    unsigned long base;
    __asm__ volatile("mrs %0, tpidr_el0" : "=r"(base));
    return base != 0;
#else
    return true;
#endif
}

/*
 * Equals its own address once this library, which may be preloaded, is relocated. The storage is
 * zero before libc fills it.
 */
static void *const volatile relocated = (void *)&relocated;

bool gptl_state_has_storage(void)
{
    return relocated == (void *)&relocated && has_thread_pointer() && gptl_tls;
}

static double monotonic(void)
{
    return (double)gptl_systime_read(CLOCK_MONOTONIC) * 1e-9;
}

void gptl_state_set_started(void)
{
    gptl_g.started = (double)gptl_systime_read(CLOCK_REALTIME) * 1e-9;
    gptl_g.started_monotonic = monotonic();
}

static void begin_measurement(void *unused)
{
    (void)unused;
    if (gptl_aside_for_another()) {
        gptl_g.phase = GPTL_ASIDE;
        attend(false);
        gptl_core_warn_job("",
                           "another copy of libgptl measures this process: this one steps aside");
        return;
    }
    gptl_aside_say(true);
    gptl_clock_begin();
    gptl_state_set_started();
    gptl_options_apply();
    gptl_amounts_begin();
    atomic_store_explicit(&gptl_g.phase, GPTL_ON, memory_order_release);
    attend(true);
    gptl_core_say("measuring begins");
}

bool gptl_core_turn_on(void)
{
    gptl_state_load();
    gptl_lock();
    if (gptl_g.phase == GPTL_OFF)
        gptl_own_stack_call(begin_measurement, NULL);
    gptl_unlock();
    return gptl_is_on();
}

bool gptl_state_turn_on(void)
{
    gptl_core_turn_on();
    gptl_lock();
    bool warn = gptl_g.phase == GPTL_ENDED && !gptl_g.said_ended;
    gptl_g.said_ended |= warn;
    gptl_unlock();
    if (warn)
        gptl_core_warn("GPTLstart", "measuring has ended with GPTLfinalize: nothing more is timed");
    return gptl_is_on();
}

bool gptl_state_by_environment(void)
{
    if (gptl_is_on())
        return true;
    if (!loaded && gptl_tls != &gptl_limbo) { /* called before this library's constructor */
        gptl_state_load();
        if (gptl_options_in_environment())
            gptl_state_turn_on();
    }
    return gptl_is_on();
}

/* GPTLinitialize was called in this process or, before a fork, in its parent. */
static bool initialized;

bool gptl_core_report_is_due(void)
{
    gptl_lock();
    bool due = !gptl_g.reported && (!initialized || gptl_core_string_is_set(GPTL_STR_OUTPUT));
    gptl_unlock();
    return due;
}

int GPTLinitialize(void)
{
    gptl_state_load();
    gptl_lock();
    initialized = true;
    if (gptl_g.phase == GPTL_OFF || gptl_g.phase == GPTL_ENDED)
        gptl_own_stack_call(begin_measurement, NULL);
    gptl_g.explicit_nesting++;
    bool on = gptl_is_on();
    gptl_unlock();
    int rc = 0;
    /*
     * Take the caller's slot before other threads start, and charge the cost of opening its meters
     * to no region.
     */
    struct gptl_thread *t = on ? gptl_thread_enter("GPTLinitialize", &rc) : NULL;
    if (t && gptl_g.gate & GPTL_GATE_METER && !gptl_meter_is_open(t) && !gptl_meter_open(t))
        rc = gptl_core_error("GPTLinitialize", "no memory for the counters of a thread");
    return rc;
}

int GPTLis_initialized(void)
{
    return gptl_is_on();
}

/* ---- Off ----------------------------------------------------------------------------------- */

static bool keep_report(void)
{
    bool kept = false;
    for (const struct gptl_room *const *room = gptl_rooms; *room && !kept; room++)
        kept = (*room)->keep_report && (*room)->keep_report() == 0;
    return kept;
}

/* Write the automatic report. Keep the salvage file if the report failed. */
static void report_by_itself(bool finalizes)
{
    bool wanted = gptl_core_report_is_due(), failed = false;
    if (wanted && finalizes && keep_report()) {
        gptl_core_reported();
        return;
    }
    for (const struct gptl_room *const *room = gptl_rooms; wanted && *room; room++) {
        int rc = (*room)->automatic_report ? (*room)->automatic_report() : 1;
        if (rc == 0)
            gptl_core_reported();
        failed |= rc < 0;
    }
    if (!failed)
        gptl_core_salvage_done();
}

static void flush(void *unused)
{
    (void)unused;
    gptl_lock();
    bool wanted = gptl_is_on() && !gptl_g.reported;
    gptl_unlock();
    for (const struct gptl_room *const *room = gptl_rooms; wanted && *room; room++)
        if ((*room)->automatic_report)
            (*room)->automatic_report();
}

void gptl_core_flush(void)
{
    struct gptl_work work;
    gptl_core_work_begin(&work);
    gptl_own_stack_call(flush, NULL);
    gptl_core_work_end(&work);
}

void gptl_core_reported(void)
{
    gptl_lock();
    gptl_g.reported = true;
    gptl_unlock();
}

static void end_measurement(void *unused)
{
    (void)unused;
    report_by_itself(true);
    gptl_lock();
    atomic_store(&gptl_g.phase, GPTL_ENDED);
    attend(false);
    gptl_g.said_ended = false;
    void (*forget)(void) = forget_nodes;
    if (forget)
        forget();
    gptl_thread_end_all();
    gptl_roll_end();
    gptl_meter_end();
    gptl_options_begin();
    gptl_g.gate = 0;
    gptl_aside_say(false);
    gptl_unlock();
}

int GPTLfinalize(void)
{
    gptl_lock();
    bool aside = gptl_g.phase == GPTL_ASIDE, on = gptl_is_on();
    if (gptl_g.explicit_nesting > 0)
        gptl_g.explicit_nesting--;
    bool last = gptl_g.explicit_nesting == 0;
    gptl_unlock();
    if (aside)
        return 0;
    if (!on)
        return gptl_core_error("GPTLfinalize", "the library is not initialized");
    if (!last)
        return 0;

    gptl_own_stack_call(end_measurement, NULL);
    return 0;
}

void gptl_state_forked(void)
{
    gptl_g.epoch++;
    gptl_clock_forked();
    gptl_g.reported = false;
    gptl_g.forked = true;
    gptl_roll_end();
    gptl_meter_forked();
    gptl_state_set_started();
    if (gptl_thread_own())
        gptl_thread_gate_set(gptl_tls, GPTL_GATE_ENDED);
}

__attribute__((constructor)) static void load(void)
{
    gptl_state_load();
    if (gptl_options_in_environment())
        gptl_state_turn_on();
    gptl_lock();
    attend(gptl_is_on());
    gptl_unlock();
}

static atomic_bool confined;

void gptl_core_confine(int begins)
{
    atomic_store(&confined, begins != 0);
}

static void finish(void *unused)
{
    (void)unused;
    if (gptl_is_on())
        report_by_itself(false);
    for (const struct gptl_room *const *room = gptl_rooms; *room; room++)
        if ((*room)->finish)
            (*room)->finish();
}

void gptl_core_finish(void)
{
    if (!atomic_load(&confined))
        gptl_own_stack_call(finish, NULL);
}

static void end_process(void *unused)
{
    /* gptl_core_finish may belong to another copy, which continues without this plugin */
    finish(unused);
    gptl_salvage_end();
}

__attribute__((destructor)) static void unload(void)
{
    if (!atomic_load(&confined))
        gptl_own_stack_call(end_process, NULL);
}

/* ---- Data for other modules ---------------------------------------------------------------- */

void gptl_core_set_rank(int rank)
{
    gptl_g.rank = rank;
}

void gptl_core_share_names(void)
{
    gptl_g.shares_names = true;
}

void gptl_core_process(struct gptl_process *out)
{
    static char program[PATH_MAX];
    char here[PATH_MAX] = "";
    gptl_lock();
    if (!*program) /* once: after a change of the directory, a relative name is not found */
        gptl_program_path(program, getcwd(here, sizeof here) ? here : "");
    *out = (struct gptl_process){
        .pid = (long)getpid(),
        .program = *program ? program : "unknown",
        .started = gptl_g.started,
        .elapsed = monotonic() - gptl_g.started_monotonic,
        .memory = gptl_mem_used(),
        .names_memory = gptl_name_bytes(),
        .budget = (size_t)gptl_core_option(GPTL_OPT_BUDGET),
        /* two regions belong to the library */
        .nregions = gptl_name_count() > 2 ? gptl_name_count() - 2 : 0,
        .errors = (uint64_t)GPTLnum_errors(),
        .warnings = gptl_core_printed_warnings(),
        .on = gptl_is_on(),
        .reported = gptl_g.reported,
        .shares_names = gptl_g.forked || gptl_g.shares_names,
        .rank = gptl_g.rank,
        .explicitly = gptl_g.explicit_nesting > 0,
    };
    gptl_unlock();
}
