/*
 * process.c - state initialized once: options, and the process half of ids; also threads that start
 * and end, and forks.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/pairs.h"
#include "core/rundir.h"
#include "iostack/clock.h"
#include "iostack/state.h"
#include "posix/apart.h"
#include "posix/raw.h"
#include "posix/say.h"

enum { SHARE = 1 << 16 }; /* span numbers that a thread allocates at a time */

struct gptl_iostack_process gptl_iostack_process;
static _Atomic(struct gptl_iostack_thread *) threads;
static pthread_key_t key;
static bool have_key;
static char run_directory[PATH_MAX]; /* of a `gptl run` */
static atomic_bool ready;

void gptl_iostack_say(const char *a, const char *b, const char *c, const char *d)
{
    gptl_posix_say("gptl_probe: ", a, b, c, d);
}

/* ---- Process --------------------------------------------------------------------------------- */

static int64_t read_rank(void)
{
    static const char *const variables[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID",
                                            "PMIX_RANK"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        char *end;
        const char *text = getenv(variables[i]);
        long rank = text ? strtol(text, &end, 10) : -1;
        if (text && end != text && *end == '\0' && rank >= 0)
            return rank;
    }
    return -1;
}

/* Apply an option; return a description of the valid values, or NULL on success. */
static const char *set(const char *name, const char *value)
{
    struct gptl_iostack_process *p = &gptl_iostack_process;
    if (strcmp(name, "off") == 0) {
        p->off = strcmp(value, "on") == 0; /* from the single word "off" */
        return p->off ? NULL : "no value";
    }
    if (strcmp(name, "path") == 0) {
        if (!*value)
            return "the name of a file";
        snprintf(p->path, sizeof p->path, "%s", value);
        return NULL;
    }
    if (strcmp(name, "rank") == 0) {
        char *end;
        long rank = strtol(value, &end, 10);
        if (end == value || *end || rank < 0)
            return "a number from 0";
        p->rank = rank;
        return NULL;
    }
    if (strcmp(name, "node") == 0) {
        snprintf(p->node, sizeof p->node, "%.255s", value);
        return NULL;
    }
    if (strcmp(name, "run.dir") == 0) { /* the directory of a `gptl run`, which sets it */
        p->off |= *value && !gptl_rundir_find(value, run_directory);
        gptl_posix_say_once(run_directory);
        return NULL;
    }
    return "path, rank, node or off";
}

static void read_options(void)
{
    static struct gptl_pair pair;
    /* the user of a setuid program must not set it */
    const char *text = secure_getenv("GPTL_IOSTACK");
    while (text && (text = gptl_pair_next(text, &pair))) {
        if (pair.unclosed) {
            gptl_iostack_say("GPTL_IOSTACK: a quote is not closed in: ", pair.unclosed, "", "");
            return;
        }
        const char *allowed = set(pair.key, pair.value);
        if (allowed)
            gptl_iostack_say("GPTL_IOSTACK: ", pair.key, " cannot be that; there may stand ",
                             allowed);
    }
}

/*
 * Make the path absolute now, because the host may change its working directory before the first
 * span.
 */
static void make_path_absolute(void)
{
    char *path = gptl_iostack_process.path, here[sizeof gptl_iostack_process.path];
    size_t length = strlen(path), n;
    if (*path == '/' || !getcwd(here, sizeof here) || *here != '/')
        return;
    n = strlen(here);
    if (n + length + 2 > sizeof here)
        return;
    memmove(path + n + 1, path, length + 1);
    memcpy(path, here, n);
    path[n] = '/';
}

/* Place logs on a disk until `gptl run` moves them, because they grow without bound. */
static void stage_path(void)
{
    struct gptl_iostack_process *p = &gptl_iostack_process;
    char staged[PATH_MAX];
    if (!p->off && *run_directory && gptl_rundir_stage_large(run_directory, p->path, staged))
        snprintf(p->path, sizeof p->path, "%s", staged);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/*
 * Return an id that is unique among all processes of the run on all hosts: random or, if that
 * fails, almost unique.
 */
static uint64_t make_id(void)
{
    uint64_t id = 0;
    if (gptl_kernel_call(SYS_getrandom, &id, sizeof id, 1 /* GRND_NONBLOCK */) != (long)sizeof id) {
        const char *host = gptl_iostack_process.host;
        id = gptl_iostack_hash(host, strlen(host));
        id = mix(id, (uint64_t)getpid());
        id = mix(id, gptl_systime_read(CLOCK_REALTIME));
        id = mix(id, gptl_counter_read());
    }
    return id ? id : 1;
}

static void begin_process(void)
{
    struct gptl_iostack_process *p = &gptl_iostack_process;
    p->process = make_id();
    atomic_store(&p->next_number, 1);
    gptl_iostack_clock_anchor(&p->first);
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* Release the state, with its chunks, for another thread. */
static void thread_ends(void *state)
{
    struct gptl_iostack_thread *t = state;
    if (gptl_iostack_tls == t) {
        gptl_iostack_tls = NULL;
        gptl_iostack_leave_place(t);
        atomic_store(&t->used, false);
    }
}

static struct gptl_iostack_thread *claim_state(void)
{
    for (struct gptl_iostack_thread *t = atomic_load(&threads); t; t = t->next)
        if (!atomic_exchange(&t->used, true))
            return t;
    struct gptl_iostack_thread *t = gptl_posix_is_sealed ? NULL : gptl_raw_pages(sizeof *t);
    if (!t)
        return NULL;
    atomic_store(&t->used, true);
    t->next = atomic_load(&threads);
    while (!atomic_compare_exchange_weak(&threads, &t->next, t))
        ;
    return t;
}

/* Mark all chunks as full: the thread that had them ended while it recorded, between any two stores. */
static void fill_chunks(struct gptl_iostack_thread *t)
{
    for (int i = 0; i < GPTL_IOSTACK_LAYERS; i++)
        t->lanes[i].next = t->lanes[i].limit;
}

static void begin_thread(struct gptl_iostack_thread *t)
{
    enum { FIRST_STEP = 1 << 20 };
    t->current = (GPTLcallid){0, 0};
    t->process = gptl_iostack_process.process;
    t->thread = gptl_posix_is_sealed ? 0 : (uint32_t)gptl_kernel_call(SYS_gettid);
    t->depth = t->hidden = t->inherited = 0;
    t->anchor_step = FIRST_STEP;
    t->anchor_due = gptl_counter_read() + FIRST_STEP;
}

struct gptl_iostack_thread *gptl_iostack_enter_slow(void)
{
    if (gptl_iostack_tls) /* busy: this is a signal handler */
        return NULL;
    if (!atomic_load(&ready) || gptl_iostack_process.off)
        return NULL;
    int error = errno;
    struct gptl_iostack_thread *t = claim_state();
    if (t) {
        if (atomic_exchange(&t->busy, true))
            fill_chunks(t);
        begin_thread(t);
        gptl_iostack_tls = t;
        if (have_key)
            pthread_setspecific(key, t);
    }
    errno = error;
    return t;
}

void gptl_iostack_interrupts(int layer)
{
    if (gptl_iostack_tls)
        gptl_iostack_log_lost(layer, 1, 0);
}

void gptl_iostack_more_numbers(struct gptl_iostack_thread *t)
{
    t->number = atomic_fetch_add(&gptl_iostack_process.next_number, SHARE);
    t->last_number = t->number + SHARE;
}

/* ---- Start, fork, end ------------------------------------------------------------------------ */

/*
 * Initialize the child of a fork as a separate process; its spans are below the parent's open span.
 */
static void child(void)
{
    struct gptl_iostack_thread *own = gptl_iostack_tls;
    /* it must not write to its parent's memory, and cannot create a log */
    if (gptl_posix_is_sealed) {
        gptl_iostack_process.off = true;
        return;
    }
    unsigned open = own ? own->depth + own->inherited : 0;
    gptl_posix_apart_child();
    gptl_iostack_log_forget();
    gptl_iostack_under_way_forget();
    gptl_iostack_devices_forget();
    begin_process();
    for (struct gptl_iostack_thread *t = atomic_load(&threads); t; t = t->next) {
        t->depth = 0; /* before the chunks are unmapped: these frames belong to the parent */
        gptl_iostack_lanes_drop(t);
        t->number = t->last_number = 0;
        t->place = 0;
        atomic_store(&t->busy, false);
        atomic_store(&t->used, t == own);
    }
    if (own) {
        GPTLcallid current = own->current;
        begin_thread(own);
        own->current = current;
        own->inherited = open;
    }
}

__attribute__((constructor)) static void begin(void)
{
    struct gptl_iostack_process *p = &gptl_iostack_process;
    int error = errno;
    p->rank = read_rank();
    snprintf(p->path, sizeof p->path, "{layer}.{rank}.log");
    read_options();
    make_path_absolute();
    stage_path();
    if (gethostname(p->host, sizeof p->host - 1) != 0)
        snprintf(p->host, sizeof p->host, "localhost");
    snprintf(p->program, sizeof p->program, "%s", program_invocation_short_name);
    gptl_counter_setup();
    begin_process();
    have_key = pthread_key_create(&key, thread_ends) == 0;
    pthread_atfork(NULL, NULL, child);
    atomic_store(&ready, true);
    errno = error;
}

static void put_ends(void *unused)
{
    (void)unused;
    gptl_iostack_devices_end();
    gptl_iostack_log_anchor(true);
}

void GPTLprobe_ending(void)
{
    if (!atomic_load(&ready) || gptl_iostack_process.off)
        return;
    int error = errno;
    gptl_posix_apart(put_ends, NULL);
    errno = error;
}

static void keep_logs(void *layer)
{
    for (int i = 1; i < GPTL_IOSTACK_LAYERS; i++)
        gptl_iostack_log_keep(i, i == *(int *)layer);
}

void GPTLprobe_keep(int layer)
{
    if (!atomic_load(&ready) || gptl_iostack_process.off)
        return;
    int error = errno;
    gptl_posix_apart(keep_logs, &layer);
    errno = error;
}

static void map_rooms(void *unused)
{
    (void)unused;
    for (int i = 1; i < GPTL_IOSTACK_LAYERS; i++) {
        gptl_iostack_log_keep(i, false);
        gptl_iostack_log_fill(i);
    }
}

void GPTLprobe_seal(int begins)
{
    if (!atomic_load(&ready) || gptl_iostack_process.off)
        return;
    int error = errno;
    if (begins)
        gptl_posix_apart(map_rooms, NULL);
    gptl_posix_is_sealed = begins != 0;
    errno = error;
}

__attribute__((destructor)) static void end(void)
{
    GPTLprobe_ending();
}
