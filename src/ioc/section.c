/*
 * section.c - writes a process's section of the log: what is in memory and in no section yet.
 *
 * Threads may go on while this runs. How many records each chunk has is found out first; what they
 * add after that is for the next section. Blocks but the chunks are put together in memory, so that
 * the section's size stands in its header before anything is written.
 */
#include "config.h"

#include "ioc/section.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "ioc/base.h"
#include "ioc/format.h"
#include "ioc/lane.h"
#include "ioc/log.h"
#include "ioc/options.h"
#include "ioc/paths.h"
#include "posix/posix.h"
#include "posix/raw.h"

/* Memory that grows. */
struct text {
    char *bytes;
    size_t used, size;
    size_t block; /* where the block that is being made begins */
    uint32_t nblocks;
    bool failed;
};

static void put(struct text *t, const void *bytes, size_t size)
{
    if (t->failed || size == 0)
        return;
    if (t->used + size > t->size) {
        size_t larger = t->size * 2 > t->used + size + 65536 ? t->size * 2 : t->used + size + 65536;
        char *fresh = gptl_raw_pages(larger);
        if (!fresh) {
            t->failed = true;
            return;
        }
        memcpy(fresh, t->bytes, t->used);
        if (t->bytes)
            gptl_raw_free(t->bytes, t->size);
        t->bytes = fresh;
        t->size = larger;
    }
    memcpy(t->bytes + t->used, bytes, size);
    t->used += size;
}

static void pad(struct text *t, size_t to)
{
    static const char zeros[GPTL_IOC_ALIGN];
    put(t, zeros, (to - t->used % to) % to);
}

static void begin_block(struct text *t, enum gptl_ioc_block_type type)
{
    struct gptl_ioc_block head = {type, 0, 0};
    t->block = t->used;
    put(t, &head, sizeof head);
}

static void end_block(struct text *t)
{
    struct gptl_ioc_block head;
    if (t->failed)
        return;
    char *content = t->bytes + t->block + sizeof head;
    memcpy(&head, t->bytes + t->block, sizeof head);
    head.size = t->used - t->block - sizeof head;
    head.crc = gptl_ioc_crc(0, content, head.size);
    memcpy(t->bytes + t->block, &head, sizeof head);
    pad(t, GPTL_IOC_ALIGN);
    t->nblocks++;
}

static void put_name(struct text *t, uint32_t number, uint32_t parent, const char *name)
{
    struct gptl_ioc_name head = {number, parent, (uint32_t)strlen(name), 0};
    put(t, &head, sizeof head);
    put(t, name, head.size);
    pad(t, 8);
}

/* ---- The blocks ------------------------------------------------------------------------------ */

static void put_pair(struct text *t, const char *key, const char *value, size_t size)
{
    put(t, key, strlen(key));
    put(t, "=", 1);
    put(t, value, size);
    put(t, "", 1);
}

static void put_arguments(struct text *t)
{
    char words[4096];
    bool within = false;
    int fd = gptl_raw_open("/proc/self/cmdline", O_RDONLY, 0);
    ssize_t n;
    while (fd >= 0 && (n = gptl_raw_read(fd, words, sizeof words)) > 0)
        for (ssize_t i = 0; i < n; i++) {
            if (!within)
                put(t, "argument=", 9);
            within = words[i] != '\0';
            put(t, &words[i], 1);
        }
    if (within)
        put(t, "", 1);
    if (fd >= 0)
        gptl_raw_close(fd);
}

static void put_process(struct text *t, const struct gptl_ioc_process *process)
{
    char program[PATH_MAX];
    struct utsname host;
    ssize_t n = gptl_raw_readlink("/proc/self/exe", program, sizeof program);
    begin_block(t, GPTL_IOC_PROCESS);
    if (uname(&host) == 0)
        put_pair(t, "host", host.nodename, strlen(host.nodename));
    put_pair(t, "program", program, n > 0 ? (size_t)n : 0);
    put_pair(t, "directory", process->directory, strlen(process->directory));
    put_arguments(t);
    if (process->note)
        put_pair(t, "note", process->note, strlen(process->note));
    if (gptl_posix_files_unnamed() > 0) {
        static const char note[] = "the memory for names of files is full: some calls name none";
        put_pair(t, "note", note, sizeof note - 1);
    }
    end_block(t);
}

static void put_files(struct text *t)
{
    begin_block(t, GPTL_IOC_FILES);
    for (const struct gptl_posix_file *f = gptl_posix_files(); f; f = f->next) {
        struct gptl_ioc_file file = {f->number, f->base, f->device,   f->inode,
                                     f->size,   f->kind, f->name_size};
        put(t, &file, sizeof file);
        put(t, f->name, f->name_size);
        pad(t, 8);
    }
    end_block(t);
}

static void put_descriptors(struct text *t)
{
    struct gptl_ioc_descriptor d = {.fd = -1};
    begin_block(t, GPTL_IOC_DESCRIPTORS);
    while (gptl_ioc_base_next(d.fd + 1, &d))
        put(t, &d, sizeof d);
    end_block(t);
}

static void put_unseen(struct text *t, const struct gptl_ioc_process *process)
{
    uint32_t number = 0;
    begin_block(t, GPTL_IOC_UNSEEN);
    for (size_t at = 0; at < process->unseen_size; at += strlen(process->unseen + at) + 1)
        put_name(t, ++number, 0, process->unseen + at);
    end_block(t);
}

static void put_paths(struct text *t)
{
    uint32_t n = 0;
    begin_block(t, GPTL_IOC_PATHS);
    /* Parents first: they have the smaller numbers, and the newest come first in the list. */
    for (const struct gptl_ioc_path *p = gptl_ioc_paths(); p; p = p->next)
        n = p->number > n ? p->number : n;
    const struct gptl_ioc_path **in_order = n ? gptl_raw_pages(n * sizeof *in_order) : NULL;
    for (const struct gptl_ioc_path *p = gptl_ioc_paths(); p && in_order; p = p->next)
        if (p->number <= n)
            in_order[p->number - 1] = p;
    for (uint32_t i = 0; i < n && in_order; i++)
        if (in_order[i])
            put_name(t, in_order[i]->number, in_order[i]->parent, in_order[i]->name);
    if (in_order)
        gptl_raw_free(in_order, n * sizeof *in_order);
    end_block(t);
}

/* ---- The chunks ------------------------------------------------------------------------------ */

/* What of a slot goes into this section. */
struct piece {
    uint32_t slot, n;
    bool has_start; /* a start record of ours stands before it */
};

struct plan {
    struct piece *pieces;
    uint32_t n;
    uint64_t bytes, calls;
    unsigned char *used; /* which calls occur by name */
};

static void plan_piece(struct plan *plan, uint32_t slot)
{
    const struct gptl_ioc_record *first;
    struct gptl_ioc_record start;
    uint32_t n = gptl_ioc_slot_records(slot, &first, &start);
    if (n == 0)
        return;
    struct piece *p = &plan->pieces[plan->n++];
    *p = (struct piece){slot, n, gptl_ioc_type(first) != GPTL_IOC_START};
    plan->bytes += sizeof(struct gptl_ioc_block) + (n + p->has_start) * sizeof *first;
    for (uint32_t i = 0; i < n; i++) {
        plan->calls += gptl_ioc_type(&first[i]) <= GPTL_IOC_OTHER;
        if (gptl_ioc_type(&first[i]) == GPTL_IOC_EXTENSION &&
            gptl_ioc_kind(&first[i]) <= GPTL_IOC_AT && gptl_ioc_value(&first[i]) < 65536)
            plan->used[gptl_ioc_value(&first[i]) / 8] |=
                (unsigned char)(1 << gptl_ioc_value(&first[i]) % 8);
    }
}

static void put_calls(struct text *t, const struct plan *plan)
{
    begin_block(t, GPTL_IOC_CALLS);
    for (uint32_t call = 1; call < gptl_posix_ncalls(); call++)
        if (plan->used[call / 8] >> call % 8 & 1)
            put_name(t, call, 0, gptl_posix_call_name(call));
    end_block(t);
}

static void write_piece(struct gptl_ioc_log *log, const struct piece *p)
{
    struct gptl_ioc_record copy[GPTL_IOC_CHUNK_RECORDS + 1];
    const struct gptl_ioc_record *first;
    uint32_t n = p->n + p->has_start;
    gptl_ioc_slot_records(p->slot, &first, &copy[0]);
    memcpy(&copy[p->has_start], first, p->n * sizeof *first);
    struct gptl_ioc_block head = {GPTL_IOC_CHUNK, 0, n * sizeof *copy};
    head.crc = gptl_ioc_crc(0, copy, head.size);
    gptl_ioc_log_put(log, &head, sizeof head);
    gptl_ioc_log_put(log, copy, head.size);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void fill_header(struct gptl_ioc_header *h, const struct gptl_ioc_process *process,
                        uint32_t flags, const struct text *t, const struct plan *plan)
{
    struct timespec wall;
    *h = (struct gptl_ioc_header){.magic = GPTL_IOC_MAGIC, .version = GPTL_IOC_VERSION};
    h->header_size = sizeof *h;
    h->section_size = sizeof *h + t->used + plan->bytes;
    h->flags = process->flags | flags;
    h->nblocks = t->nblocks + plan->n;
    h->part = process->part;
    h->pid = process->pid;
    h->parent = process->parent;
    h->rank = process->rank;
    h->start_ticks = process->start_ticks;
    h->start_wall = process->start_wall;
    uint64_t nanoseconds = gptl_posix_nanoseconds();
    h->end_ticks = gptl_posix_clock();
    clock_gettime(CLOCK_REALTIME, &wall);
    h->end_wall = (int64_t)wall.tv_sec * 1000000000 + wall.tv_nsec;
    uint64_t ticks = h->end_ticks - h->start_ticks;
    nanoseconds -= process->start_nanoseconds;
    h->ticks_per_second =
        nanoseconds > 0 && ticks > 0 ? (double)ticks * 1e9 / (double)nanoseconds : 1e9;
    h->unit_shift = process->unit_shift;
    h->memory = process->memory;
    h->calls = plan->calls;
}

/* Returns whether all of it is in the log. */
static bool write_all(const struct gptl_ioc_process *process, uint32_t flags, struct plan *plan,
                      struct text *t, uint64_t lost)
{
    struct gptl_ioc_header header;
    struct gptl_ioc_log log;
    const char *path = gptl_ioc_options.path;
    put_process(t, process);
    put_calls(t, plan);
    put_files(t);
    put_descriptors(t);
    put_unseen(t, process);
    put_paths(t);
    if (t->failed) {
        gptl_ioc_say("the calls are not recorded: there is no memory left to write ", path, "", "");
        return false;
    }
    fill_header(&header, process, flags, t, plan);
    header.lost = lost;
    if (!gptl_ioc_log_open(&log, path, header.section_size))
        return false;
    if (log.lock_errno)
        header.flags |= GPTL_IOC_UNLOCKED;
    header.lock_errno = (uint32_t)log.lock_errno;
    header.crc = gptl_ioc_crc(0, &header, sizeof header);
    gptl_ioc_log_put(&log, &header, sizeof header);
    gptl_ioc_log_put(&log, t->bytes, t->used);
    for (uint32_t i = 0; i < plan->n; i++)
        write_piece(&log, &plan->pieces[i]);
    return gptl_ioc_log_close(&log, path);
}

/* What is in the log has left memory. */
static void pass_all(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->n; i++) {
        const struct gptl_ioc_record *first;
        struct gptl_ioc_record start;
        gptl_ioc_slot_records(plan->pieces[i].slot, &first, &start);
        gptl_ioc_base_pass(&start, first, plan->pieces[i].n);
        gptl_ioc_slot_written(plan->pieces[i].slot, plan->pieces[i].n);
    }
}

void gptl_ioc_section_write(struct gptl_ioc_process *process, uint32_t flags)
{
    struct plan plan = {0};
    struct text text = {0};
    size_t size = gptl_ioc_nslots() * sizeof *plan.pieces + 65536 / 8;
    char *memory = gptl_raw_pages(size);
    if (!memory) {
        gptl_ioc_say("the calls are not recorded: there is no memory left to write ",
                     gptl_ioc_options.path, "", "");
        return;
    }
    plan.used = (unsigned char *)memory;
    plan.pieces = (struct piece *)(memory + 65536 / 8);
    gptl_ioc_lanes_freeze(true);
    for (uint32_t i = 0; i < gptl_ioc_nslots(); i++)
        plan_piece(&plan, gptl_ioc_slot_at(i));
    if (plan.calls > 0) {
        uint64_t lost = gptl_ioc_take_lost();
        if (write_all(process, flags, &plan, &text, lost)) {
            pass_all(&plan);
            process->part++;
        }
    }
    gptl_ioc_lanes_freeze(false);
    if (text.bytes)
        gptl_raw_free(text.bytes, text.size);
    gptl_raw_free(memory, size);
}
