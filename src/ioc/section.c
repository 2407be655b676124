/*
 * section.c - writes a process's section of the log: the recorded calls that are in no section.
 *
 * All blocks except the chunks are built in memory, so that the section's size is in its header
 * before anything is written.
 */
#include "config.h"

#include "ioc/section.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "core/counter.h"
#include "core/program.h"
#include "core/rundir.h"
#include "core/systime.h"
#include "ioc/base.h"
#include "ioc/format.h"
#include "ioc/kept.h"
#include "ioc/lane.h"
#include "ioc/log.h"
#include "ioc/options.h"
#include "ioc/paths.h"
#include "ioc/plan.h"
#include "posix/posix.h"
#include "posix/raw.h"

/* ---- The blocks ------------------------------------------------------------------------------ */

static void put_arguments(struct gptl_ioc_text *t)
{
    char words[4096];
    bool within = false;
    int fd = gptl_raw_open("/proc/self/cmdline", O_RDONLY, 0);
    ssize_t n;
    while (fd >= 0 && (n = gptl_raw_read(fd, words, sizeof words)) > 0)
        for (ssize_t i = 0; i < n; i++) {
            if (!within)
                gptl_ioc_text_put(t, "argument=", 9);
            within = words[i] != '\0';
            gptl_ioc_text_put(t, &words[i], 1);
        }
    if (within)
        gptl_ioc_text_put(t, "", 1);
    if (fd >= 0)
        gptl_raw_close(fd);
}

/* Append the content of the process block. */
static void put_about(struct gptl_ioc_text *t, const struct gptl_ioc_process *process)
{
    char program[PATH_MAX];
    struct utsname host;
    size_t n = gptl_program_path(program, process->directory);
    if (uname(&host) == 0)
        gptl_ioc_text_pair(t, "host", host.nodename, strlen(host.nodename));
    gptl_ioc_text_pair(t, "program", program, n);
    gptl_ioc_text_pair(t, "directory", process->directory, strlen(process->directory));
    put_arguments(t);
    if (process->note)
        gptl_ioc_text_pair(t, "note", process->note, strlen(process->note));
}

static void put_process(struct gptl_ioc_text *t, const struct gptl_ioc_process *process)
{
    gptl_ioc_text_begin(t, GPTL_IOC_PROCESS);
    put_about(t, process);
    if (gptl_posix_files_unnamed() > 0) {
        static const char note[] = "the memory for names of files is full: some calls name none";
        gptl_ioc_text_pair(t, "note", note, sizeof note - 1);
    }
    if (!gptl_posix_streams_are_seen) {
        static const char note[] =
            "this libc does not tell what streams (stdio) read and write: bytes of files lack it";
        gptl_ioc_text_pair(t, "note", note, sizeof note - 1);
    }
    gptl_ioc_text_end(t);
}

/* PLAN NULL: all calls. */
static void put_calls(struct gptl_ioc_text *t, const struct gptl_ioc_plan *plan)
{
    for (uint32_t call = 1; call < gptl_posix_ncalls(); call++)
        if (!plan || gptl_ioc_plan_uses(plan, call))
            gptl_ioc_text_name(t, call, 0, gptl_posix_call_name(call));
}

uint32_t gptl_ioc_newest_file(void)
{
    uint32_t n = 0;
    for (const struct gptl_posix_file *f = gptl_posix_files(); f; f = f->next)
        n = f->number > n ? f->number : n;
    return n;
}

/* Return a bit for each file that the section refers to, or NULL if out of memory. */
static unsigned char *used_files(const struct gptl_ioc_plan *plan, uint32_t newest)
{
    unsigned char *used = gptl_raw_pages(newest / 8 + 1);
    struct gptl_ioc_descriptor d = {.fd = -1};
    if (!used)
        return NULL;
    gptl_ioc_plan_files(plan, used, newest);
    while (gptl_ioc_base_next(d.fd + 1, &d))
        if (d.file <= newest)
            used[d.file / 8] |= (unsigned char)(1 << d.file % 8);
    /* Add the base directories. Most are older, and therefore later in the list. */
    for (bool more = true; more;) {
        more = false;
        for (const struct gptl_posix_file *f = gptl_posix_files(); f; f = f->next)
            if (f->number <= newest && f->base <= newest &&
                (used[f->number / 8] >> f->number % 8 & 1) &&
                !(used[f->base / 8] >> f->base % 8 & 1)) {
                used[f->base / 8] |= (unsigned char)(1 << f->base % 8);
                more = true;
            }
    }
    return used;
}

/*
 * Append the new files and, of the others, only those that the section refers to: otherwise
 * children of a process with thousands of files, and each further part, would repeat them all.
 */
static void put_files(struct gptl_ioc_text *t, const struct gptl_ioc_plan *plan, uint32_t known,
                      uint32_t newest)
{
    unsigned char *used = known ? used_files(plan, newest) : NULL;
    gptl_ioc_text_begin(t, GPTL_IOC_FILES);
    for (const struct gptl_posix_file *f = gptl_posix_files(); f; f = f->next) {
        if (used && f->number <= known && !(used[f->number / 8] >> f->number % 8 & 1))
            continue;
        struct gptl_ioc_file file = {f->number, f->base, f->device, f->inode,
                                     f->birth,  f->size, f->kind,   f->name_size};
        gptl_ioc_text_put(t, &file, sizeof file);
        gptl_ioc_text_put(t, f->name, f->name_size);
        gptl_ioc_text_pad(t, 8);
    }
    gptl_ioc_text_end(t);
    if (used)
        gptl_raw_free(used, newest / 8 + 1);
}

static void put_descriptors(struct gptl_ioc_text *t)
{
    struct gptl_ioc_descriptor d = {.fd = -1};
    gptl_ioc_text_begin(t, GPTL_IOC_DESCRIPTORS);
    while (gptl_ioc_base_next(d.fd + 1, &d))
        gptl_ioc_text_put(t, &d, sizeof d);
    gptl_ioc_text_end(t);
}

static void put_unseen(struct gptl_ioc_text *t, const struct gptl_ioc_process *process)
{
    uint32_t number = 0;
    for (size_t at = 0; at < process->unseen_size; at += strlen(process->unseen + at) + 1)
        gptl_ioc_text_name(t, ++number, 0, process->unseen + at);
}

static void put_paths(struct gptl_ioc_text *t)
{
    uint32_t n = 0;
    gptl_ioc_text_begin(t, GPTL_IOC_PATHS);
    /* Parents first: they have smaller numbers, but the list starts with the newest. */
    for (const struct gptl_ioc_path *p = gptl_ioc_paths(); p; p = p->next)
        n = p->number > n ? p->number : n;
    const struct gptl_ioc_path **in_order = n ? gptl_raw_pages(n * sizeof *in_order) : NULL;
    for (const struct gptl_ioc_path *p = gptl_ioc_paths(); p && in_order; p = p->next)
        if (p->number <= n)
            in_order[p->number - 1] = p;
    for (uint32_t i = 0; i < n && in_order; i++)
        if (in_order[i])
            gptl_ioc_text_name(t, in_order[i]->number, in_order[i]->parent, in_order[i]->name);
    if (in_order)
        gptl_raw_free(in_order, n * sizeof *in_order);
    gptl_ioc_text_end(t);
}

/* ---- The section ----------------------------------------------------------------------------- */

/* Return a header with the fields that do not depend on the section's content. */
static struct gptl_ioc_header header_of(const struct gptl_ioc_process *process)
{
    return (struct gptl_ioc_header){
        .magic = GPTL_IOC_MAGIC,
        .version = GPTL_IOC_VERSION,
        .header_size = sizeof(struct gptl_ioc_header),
        .flags = process->flags,
        .part = process->part,
        .pid = process->pid,
        .parent = process->parent,
        .rank = process->rank,
        .start_ticks = process->start_ticks,
        .start_wall = process->start_wall,
        .unit_shift = process->unit_shift,
        .memory = process->memory,
    };
}

static void fill_end(struct gptl_ioc_header *h, const struct gptl_ioc_process *process)
{
    uint64_t nanoseconds = gptl_systime_read(CLOCK_MONOTONIC);
    h->end_ticks = gptl_counter_read();
    h->end_wall = (int64_t)gptl_systime_read(CLOCK_REALTIME);
    uint64_t ticks = h->end_ticks - h->start_ticks;
    nanoseconds -= process->start_nanoseconds;
    h->ticks_per_second =
        nanoseconds > 0 && ticks > 0 ? (double)ticks * 1e9 / (double)nanoseconds : 1e9;
}

static void put_blocks(struct gptl_ioc_text *t, const struct gptl_ioc_process *process,
                       const struct gptl_ioc_plan *plan, uint32_t newest)
{
    put_process(t, process);
    gptl_ioc_text_begin(t, GPTL_IOC_CALLS);
    put_calls(t, plan);
    gptl_ioc_text_end(t);
    put_files(t, plan, process->known_files, newest);
    put_descriptors(t);
    gptl_ioc_text_begin(t, GPTL_IOC_UNSEEN);
    put_unseen(t, process);
    gptl_ioc_text_end(t);
    put_paths(t);
}

static bool say_no_memory(void)
{
    gptl_ioc_say("the calls are not recorded: there is no memory left to write ",
                 gptl_ioc_options.path, "", "");
    return false;
}

/*
 * Choose a place for the log with space for SIZE bytes. Return true if `gptl run` will move it
 * later.
 */
static bool choose_place(char place[PATH_MAX], uint64_t size)
{
    const struct gptl_ioc_options *o = &gptl_ioc_options;
    char overflow[PATH_MAX];
    const char *run = o->run_dir;
    if (*run && !gptl_rundir_has_ended(run)) {
        if (!gptl_rundir_take(run, size) && gptl_rundir_overflow(run, overflow))
            run = overflow;
        if (gptl_rundir_stage(run, o->path, place))
            return true;
    }
    gptl_raw_append(place, place + PATH_MAX, o->path);
    return false;
}

/*
 * Open the log. If `gptl run` ended in the meantime, it may have moved the log before this process
 * locked it, so try again.
 */
static bool open_log(struct gptl_ioc_log *log, char place[PATH_MAX], uint64_t size)
{
    const char *run = gptl_ioc_options.run_dir;
    bool is_staged = choose_place(place, size);
    gptl_ioc_log_is_collected = *run && !gptl_rundir_has_ended(run);
    bool done = gptl_ioc_log_open(log, place, size, gptl_ioc_kept.shared);
    if (!done || !is_staged || !gptl_rundir_has_ended(gptl_ioc_options.run_dir))
        return done;
    if (log->begin == 0)
        gptl_kernel_call(SYS_unlinkat, AT_FDCWD, place, 0);
    gptl_ioc_log_close(log, place);
    choose_place(place, size);
    return gptl_ioc_log_open(log, place, size, gptl_ioc_kept.shared);
}

/* Return true if the whole section is in the log. */
static bool write_all(const struct gptl_ioc_process *process, uint32_t flags,
                      const struct gptl_ioc_plan *plan, const struct gptl_ioc_text *t)
{
    struct gptl_ioc_salvage *kept = gptl_ioc_kept.head;
    struct gptl_ioc_header header = header_of(process);
    struct gptl_ioc_log log;
    header.flags |= flags;
    header.lost = kept->writing_lost;
    fill_end(&header, process);
    gptl_ioc_plan_sizes(plan, t, &header);
    char place[PATH_MAX];
    if (!open_log(&log, place, header.section_size))
        return false;
    kept->writing_at = (uint64_t)log.begin;
    atomic_signal_fence(memory_order_release);
    kept->writing_size = header.section_size;
    gptl_ioc_plan_write(plan, t, &header, &log);
    return gptl_ioc_log_close(&log, place);
}

/* Mark the records as written, and apply their effects to the descriptors. */
static void pass_all(const struct gptl_ioc_plan *plan)
{
    for (uint32_t i = 0; i < plan->n; i++) {
        const struct gptl_ioc_piece *p = &plan->pieces[i];
        const struct gptl_ioc_record *first;
        struct gptl_ioc_record start;
        gptl_ioc_ring_new(plan->ring, p->slot, &first, &start);
        gptl_ioc_base_pass(&start, first, p->n);
        plan->ring->slots[p->slot].written = (uint16_t)(plan->ring->slots[p->slot].written + p->n);
    }
}

/* For the tool that reads the file of a process killed during the write. */
static void mark_planned(const struct gptl_ioc_plan *plan)
{
    for (uint32_t i = 0; i < plan->n; i++) {
        struct gptl_ioc_slot *s = &plan->ring->slots[plan->pieces[i].slot];
        s->planned = (uint16_t)(s->written + plan->pieces[i].n);
    }
}

static bool write_plan(struct gptl_ioc_process *process, uint32_t flags,
                       const struct gptl_ioc_plan *plan)
{
    struct gptl_ioc_salvage *kept = gptl_ioc_kept.head;
    struct gptl_ioc_text text = {0};
    mark_planned(plan);
    kept->writing_lost = atomic_exchange(&kept->lost, 0);
    uint32_t newest = gptl_ioc_newest_file();
    put_blocks(&text, process, plan, newest);
    bool done = text.failed ? say_no_memory() : write_all(process, flags, plan, &text);
    if (done) {
        pass_all(plan);
        kept->section.part = ++process->part;
        process->known_files = newest;
    }
    kept->writing_size = 0;
    gptl_ioc_text_free(&text);
    return done;
}

bool gptl_ioc_section_write(struct gptl_ioc_process *process, uint32_t flags)
{
    struct gptl_ioc_plan plan;
    if (!gptl_ioc_plan_begin(&plan, &gptl_ioc_kept.ring))
        return say_no_memory();
    gptl_ioc_lanes_freeze(true);
    gptl_ioc_plan_all(&plan, gptl_ioc_kept.head->next_slot);
    bool done = plan.calls == 0 || write_plan(process, flags, &plan);
    gptl_ioc_lanes_freeze(false);
    gptl_ioc_plan_free(&plan);
    return done;
}

bool gptl_ioc_section_keep(const struct gptl_ioc_process *process)
{
    struct gptl_ioc_salvage *kept = gptl_ioc_kept.head;
    struct gptl_ioc_text about = {0}, calls = {0}, unseen = {0};
    kept->section = header_of(process);
    kept->start_nanoseconds = process->start_nanoseconds;
    strcpy(kept->log, gptl_ioc_options.path); /* both have the same size */
    put_about(&about, process);
    put_calls(&calls, NULL);
    put_unseen(&unseen, process);
    bool done = gptl_ioc_kept_save(&about, &calls, &unseen);
    int error = errno;
    gptl_ioc_text_free(&about);
    gptl_ioc_text_free(&calls);
    gptl_ioc_text_free(&unseen);
    errno = error;
    return done;
}
