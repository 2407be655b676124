/* ioc.c - start and end of the recorder, and its data about the process. */
#include "config.h"

#include "ioc/ioc.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/counter.h"
#include "core/rundir.h"
#include "core/systime.h"
#include "ioc/base.h"
#include "ioc/format.h"
#include "ioc/kept.h"
#include "ioc/lane.h"
#include "ioc/log.h"
#include "ioc/options.h"
#include "ioc/section.h"
#include "posix/apart.h"
#include "posix/raw.h"

static struct gptl_ioc_process process;
static char directory[PATH_MAX];

/*
 * Names of imported I/O functions that are not recorded. If the buffer is full, further names are
 * dropped.
 */
static char unseen[8192];

/* Thread that writes a section; 0: none. */
static atomic_int writer;

/*
 * Return the shift for a time unit of at least 8 ns: a difference of up to 2 s then fits into 28
 * bits and needs no extension.
 */
static uint32_t shift_for_counter(void)
{
    return gptl_counter_gives_ticks() ? 5 : 3;
}

static int64_t rank_in(char **environment)
{
    static const char *const variables[] = {
        "PMI_RANK=", "OMPI_COMM_WORLD_RANK=", "SLURM_PROCID=", "PMIX_RANK="};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        for (char **e = environment; e && *e; e++) {
            size_t n = strlen(variables[i]);
            char *end;
            if (strncmp(*e, variables[i], n) != 0)
                continue;
            long rank = strtol(*e + n, &end, 10);
            if (end != *e + n && *end == '\0' && rank >= 0)
                return rank;
        }
    return -1;
}

static void begin_process(void)
{
    process.pid = getpid();
    process.parent = getppid();
    process.part = 0;
    process.start_nanoseconds = gptl_systime_read(CLOCK_MONOTONIC);
    process.start_ticks = gptl_counter_read();
    process.start_wall = (int64_t)gptl_systime_read(CLOCK_REALTIME);
    long n = gptl_kernel_call(SYS_getcwd, directory, sizeof directory);
    if (n <= 0)
        directory[0] = '\0';
}

static void tell_unseen(void *end, const char *object, const char *call)
{
    char **to = end;
    size_t n = strlen(object), m = strlen(call);
    if (n + m + 2 > (size_t)(unseen + sizeof unseen - *to))
        return;
    memcpy(*to, object, n);
    (*to)[n] = ' ';
    memcpy(*to + n + 1, call, m + 1);
    *to += n + m + 2;
}

static void find_unseen(void)
{
    char *end = unseen;
    gptl_posix_unseen(tell_unseen, &end);
    process.unseen = unseen;
    process.unseen_size = (size_t)(end - unseen);
}

/* Return the bytes to reserve for records. A program with limited memory needs most of it. */
static uint64_t memory_to_take(void)
{
    struct rlimit most;
    uint64_t memory = gptl_ioc_options.memory;
    if (getrlimit(RLIMIT_AS, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
        memory > most.rlim_cur / 16)
        memory = most.rlim_cur / 16;
    return memory;
}

struct ending {
    uint32_t flags;
    bool done;
};

static void write_one(void *arg)
{
    struct ending *e = arg;
    int me = (int)gptl_kernel_call(SYS_gettid), nobody = 0;
    while (!atomic_compare_exchange_strong(&writer, &nobody, me)) {
        struct timespec moment = {0, 1000000};
        if (nobody == me)
            return;
        nobody = 0;
        gptl_kernel_call(SYS_nanosleep, &moment, NULL); /* not a cancellation point */
    }
    e->done = gptl_ioc_section_write(&process, e->flags);
    atomic_store(&writer, 0);
}

/* Return true if nothing is left to write. */
static bool write_section(uint32_t flags)
{
    struct ending ending = {flags, false};
    gptl_posix_apart(write_one, &ending);
    return ending.done;
}

static bool write_when_full(void)
{
    return write_section(GPTL_IOC_WRITTEN_OUT);
}

static void save_apart(void *unused)
{
    gptl_raw_signals signals;
    (void)unused;
    if (gptl_ioc_kept_begin_save(&signals)) {
        gptl_ioc_section_keep(&process);
        gptl_ioc_kept_saved(&signals);
    }
}

static void save_child(void)
{
    gptl_posix_apart(save_apart, NULL);
}

/*
 * Return false if the user only requests spans, with GPTL_IOSTACK but not GPTL_IO: this log is then
 * useless.
 */
static bool is_wanted(char **environment)
{
    bool spans = false;
    for (char **e = environment; e && *e; e++) {
        if (strncmp(*e, "GPTL_IO=", 8) == 0)
            return true;
        spans |= strncmp(*e, "GPTL_IOSTACK=", 13) == 0 && strcmp(*e, "GPTL_IOSTACK=off") != 0;
    }
    return !spans;
}

const struct gptl_posix_sink *gptl_ioc_setup(char **environment)
{
    if (!is_wanted(environment))
        return NULL;
    gptl_ioc_read_options(environment);
    if (gptl_ioc_options.is_locked_out)
        return NULL;
    process.unit_shift = shift_for_counter();
    uint64_t wanted = memory_to_take();
    process.memory = gptl_ioc_lanes_begin(wanted, process.unit_shift, gptl_ioc_options.salvage);
    if (process.memory == 0) {
        gptl_ioc_say("there is no memory for records: nothing is recorded", "", "", "");
        return NULL;
    }
    if (process.memory < gptl_ioc_options.memory / 2)
        process.note = "there was less memory for records than was asked for";
    process.rank = rank_in(environment);
    process.directory = directory;
    gptl_posix_limit_names(process.memory);
    if (gptl_ioc_options.sockets) {
        process.flags |= GPTL_IOC_ALL_KINDS;
        gptl_posix_want_all_kinds();
    }
    gptl_ioc_when_unsaved = save_child;
    if (gptl_ioc_options.full_write)
        gptl_ioc_when_full = write_when_full;
    find_unseen();
    begin_process();
    if (gptl_ioc_options.detail)
        process.flags |= GPTL_IOC_DETAILED;
    if (gptl_ioc_options.salvage && !gptl_ioc_section_keep(&process))
        gptl_ioc_say("the calls would not survive a kill: no salvage file can be made in ",
                     *gptl_ioc_options.salvage_dir ? gptl_ioc_options.salvage_dir
                                                   : "the log's folder",
                     "", "");
    if (!gptl_ioc_options.detail)
        return &gptl_ioc_sink;
    gptl_posix_want_start();
    return &gptl_ioc_sink_detailed;
}

static void leave(void *for_exec)
{
    struct ending ending = {for_exec ? GPTL_IOC_BEFORE_EXEC : 0, false};
    write_one(&ending);
    if (for_exec)
        gptl_ioc_kept.head->is_in_log = ending.done;
    else if (ending.done)
        gptl_ioc_kept_done();
}

void gptl_ioc_leave(bool for_exec)
{
    /*
     * With another user or root, the mapped file holds the calls, and `gptl run` writes them to the
     * log.
     */
    if (*gptl_ioc_options.run_dir && !gptl_rundir_is_own(gptl_ioc_options.run_dir))
        return;
    gptl_posix_apart(leave, for_exec ? &process : NULL);
}

/*
 * Prepare for a seal: store the recorded calls in the file or in the log, and reserve space for
 * more.
 */
static void make_ready(void *unused)
{
    struct ending ending = {0, false};
    process.flags |= GPTL_IOC_CONFINED;
    if (gptl_ioc_kept_is_unsaved())
        save_apart(unused);
    if (!gptl_ioc_kept_seal())
        write_one(&ending);
}

void gptl_ioc_seal(bool begins)
{
    if (begins)
        gptl_posix_apart(make_ready, NULL);
    else
        process.flags &= ~(uint32_t)GPTL_IOC_CONFINED;
    gptl_ioc_kept.head->section.flags = process.flags;
}

static void bound(void *unused)
{
    (void)unused;
    if (!gptl_ioc_kept_is_unsaved())
        gptl_ioc_kept_bound();
}

void gptl_ioc_bound(void)
{
    gptl_posix_apart(bound, NULL);
}

void gptl_ioc_child(void)
{
    gptl_raw_signals signals;
    if (gptl_posix_is_sealed) { /* not measured; the parent's file counts it as lost */
        atomic_fetch_add(&gptl_ioc_kept.head->lost, 1);
        return;
    }
    if (!gptl_ioc_kept_adopt(&signals)) /* already adopted by a signal handler or another thread */
        return;
    atomic_store(&writer, 0);
    process.flags |= GPTL_IOC_FORKED;
    gptl_ioc_kept_child();
    gptl_ioc_lanes_child();
    gptl_ioc_base_child();
    process.known_files = gptl_ioc_newest_file();
    begin_process();
    gptl_ioc_kept_adopted(&signals);
}

void gptl_ioc_confine(void)
{
    if (gptl_ioc_kept_is_unsaved())
        save_child();
}
