/*
 * salvage.c - gptl ioc salvage: writes the section of a killed process.
 *
 * The process's file is its memory. The section is built as the recorder builds it, and appended to
 * the same log under the same lock.
 */
#include "config.h"

#include "postproc/ioc/salvage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "postproc/commands.h"
#include "postproc/ioc/crc.h"
#include "postproc/ioc/ioc.h"
#include "postproc/ioc/memory.h"
#include "postproc/ioc/salvage_image.h"
#include "postproc/run/directory.h"

#include "core/counter.h"
#include "core/rundir.h"
#include "ioc/log.h"
#include "ioc/plan.h"
#include "posix/posix.h"

/* ---- Time ---------------------------------------------------------------------------------- */

/*
 * Return the tick rate from two moments recorded by the process, or, if these are too close, from
 * the start and now, provided the counter is unchanged.
 */
static double ticks_per_second(const struct gptl_ioc_salvage *head)
{
    enum { COUNTER_SHIFT = 5, LONG_ENOUGH = 10000000 };
    uint64_t ticks = head->latest_ticks - head->section.start_ticks;
    uint64_t ns = head->latest_nanoseconds - head->start_nanoseconds;
    if (head->section.unit_shift != COUNTER_SHIFT || !GPTL_HAVE_COUNTER)
        return 1e9;
    if (head->latest_nanoseconds < head->start_nanoseconds || ns < LONG_ENOUGH) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        ticks = gptl_counter() - head->section.start_ticks;
        ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - head->start_nanoseconds;
    }
    double rate = (double)ticks * 1e9 / (double)ns;
    return rate > 1e6 && rate < 1e11 ? rate : 1e9;
}

/* Return the time of the last record in ticks. */
static uint64_t last_tick(const struct image *image, const struct gptl_ioc_plan *plan)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < plan->n; i++) {
        const struct gptl_ioc_record *r;
        struct gptl_ioc_record start;
        gptl_ioc_ring_new(plan->ring, plan->pieces[i].slot, &r, &start);
        uint64_t at = (uint64_t)start.data;
        for (uint32_t k = 0; k < plan->pieces[i].n; k++)
            if (gptl_ioc_type(&r[k]) == GPTL_IOC_START)
                at = (uint64_t)r[k].data;
            else if (gptl_ioc_type(&r[k]) <= GPTL_IOC_OTHER &&
                     gptl_ioc_bits(&r[k]) != GPTL_IOC_LONG_GAP)
                at += gptl_ioc_bits(&r[k]);
            else if (gptl_ioc_type(&r[k]) == GPTL_IOC_EXTENSION &&
                     gptl_ioc_kind(&r[k]) == GPTL_IOC_GAP)
                at += (uint64_t)r[k].data;
        last = at > last ? at : last;
    }
    return last << (image->head->section.unit_shift & 31);
}

/* ---- Partially written section ------------------------------------------------------------- */

static bool is_right(int fd, uint64_t at, const struct gptl_ioc_block *head)
{
    static char piece[1 << 16];
    struct gptl_ioc_block own = {head->type, 0, head->size};
    uint32_t crc = crc_of(0, &own, sizeof own);
    for (uint64_t done = 0; done < head->size;) {
        size_t n = head->size - done < sizeof piece ? (size_t)(head->size - done) : sizeof piece;
        if (pread(fd, piece, n, (off_t)(at + done)) != (ssize_t)n)
            return false;
        crc = crc_of(crc, piece, n);
        done += n;
    }
    return crc == head->crc;
}

static bool is_its_header(const struct gptl_ioc_salvage *head, const struct gptl_ioc_header *h)
{
    return memcmp(h->magic, GPTL_IOC_MAGIC, sizeof h->magic) == 0 && h->pid == head->section.pid &&
           h->start_ticks == head->section.start_ticks && h->part == head->section.part &&
           h->section_size == head->writing_size;
}

static bool is_whole(int fd, const struct gptl_ioc_salvage *head, const struct gptl_ioc_header *h)
{
    uint64_t at = head->writing_at + sizeof *h, end = head->writing_at + head->writing_size;
    for (uint32_t i = 0; i < h->nblocks; i++) {
        struct gptl_ioc_block block;
        if (at > end || end - at < sizeof block ||
            pread(fd, &block, sizeof block, (off_t)at) != (ssize_t)sizeof block)
            return false;
        at += sizeof block;
        if (block.size > end - at || !is_right(fd, at, &block))
            return false;
        at += block.size + (0 - block.size) % GPTL_IOC_ALIGN;
    }
    return true;
}

/* Remove a section, whose contents will be written again. */
static void take_away(int fd, const struct gptl_ioc_salvage *head, uint64_t size)
{
    static const char zeros[16];
    if (size <= head->writing_at + head->writing_size)
        (void)!ftruncate(fd, (off_t)head->writing_at);
    else
        (void)!pwrite(fd, zeros, sizeof zeros, (off_t)head->writing_at);
}

/*
 * Handle a section that was being written: a complete one is not written again, an incomplete one
 * is removed.
 */
static void settle(const struct image *image, const char *log)
{
    const struct gptl_ioc_salvage *head = image->head;
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct gptl_ioc_header h;
    struct stat status;
    if (head->writing_size == 0)
        return;
    int fd = open(log, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    while (fcntl(fd, F_SETLKW, &whole) != 0 && errno == EINTR)
        continue;
    if (fstat(fd, &status) == 0 &&
        pread(fd, &h, sizeof h, (off_t)head->writing_at) == (ssize_t)sizeof h &&
        is_its_header(head, &h)) {
        if (is_whole(fd, head, &h)) {
            for (uint32_t i = 0; i < image->ring.nslots; i++) {
                struct gptl_ioc_slot *s = &image->ring.slots[i];
                if (s->planned > s->written && s->planned <= GPTL_IOC_CHUNK_RECORDS)
                    s->written = s->planned;
            }
            ((struct gptl_ioc_salvage *)image->pages)->section.part++;
            ((struct gptl_ioc_salvage *)image->pages)->writing_lost = 0;
        } else {
            take_away(fd, head, (uint64_t)status.st_size);
        }
    } else if (fstat(fd, &status) == 0 && (uint64_t)status.st_size > head->writing_at &&
               (uint64_t)status.st_size - head->writing_at < sizeof h) {
        take_away(fd, head, (uint64_t)status.st_size); /* incomplete header */
    }
    close(fd);
}

/* ---- The section --------------------------------------------------------------------------- */

static struct gptl_ioc_header header_of(const struct image *image, const struct gptl_ioc_plan *plan)
{
    const struct gptl_ioc_salvage *head = image->head;
    struct gptl_ioc_header h = head->section;
    memcpy(h.magic, GPTL_IOC_MAGIC, sizeof h.magic); /* the header in the file may be damaged */
    h.version = GPTL_IOC_VERSION;
    h.header_size = sizeof h;
    h.flags |= GPTL_IOC_SALVAGED;
    h.ticks_per_second = ticks_per_second(head);
    uint64_t last = last_tick(image, plan);
    h.end_ticks = head->latest_ticks > last ? head->latest_ticks : last;
    if (h.end_ticks < h.start_ticks)
        h.end_ticks = h.start_ticks;
    double ns = (double)(h.end_ticks - h.start_ticks) * 1e9 / h.ticks_per_second;
    h.end_wall = h.start_wall + (ns < 1e18 ? (int64_t)ns : 0);
    h.lost = head->lost + (head->writing_size ? head->writing_lost : 0);
    return h;
}

static bool write_section(const struct image *image, const struct gptl_ioc_plan *plan,
                          const char *path)
{
    struct gptl_ioc_text text = {0};
    struct gptl_ioc_log log;
    struct gptl_ioc_header header = header_of(image, plan);
    image_put_blocks(image, &text, plan->used);
    gptl_ioc_plan_sizes(plan, &text, &header);
    if (text.failed)
        memory_end();
    bool done = gptl_ioc_log_open(&log, path, header.section_size, true);
    if (done) {
        gptl_ioc_plan_write(plan, &text, &header, &log);
        done = gptl_ioc_log_close(&log, path);
    }
    gptl_ioc_text_free(&text);
    return done;
}

/* Append the section. Returns 0, or -1 after a message. *CALLS gets the number of calls written. */
static int append(const struct image *image, const char *log, uint64_t *calls)
{
    struct gptl_ioc_plan plan;
    settle(image, log);
    if (!gptl_ioc_plan_begin(&plan, &image->ring))
        memory_end();
    gptl_ioc_plan_all(&plan, image->head->next_slot);
    *calls = plan.calls;
    bool done = plan.calls == 0 || write_section(image, &plan, log);
    gptl_ioc_plan_free(&plan);
    return done ? 0 : -1;
}

/* Summary of the calls written to one log. */
struct salvaged {
    char *log;
    uint64_t calls;
    unsigned processes;
};

/* Report the calls, in one line for all their processes, and reset. */
static void tell(const char *who, struct salvaged *s)
{
    char left[64] = "a process left that";
    if (s->processes > 1)
        snprintf(left, sizeof left, "%u processes left that", s->processes);
    if (s->calls > 0)
        fprintf(stderr, "%s: wrote %llu call%s to %s, which %s ended without writing them\n", who,
                (unsigned long long)s->calls, s->calls == 1 ? "" : "s", s->log, left);
    free(s->log);
    *s = (struct salvaged){0};
}

static void add(const char *who, struct salvaged *to, const char *log, uint64_t calls)
{
    if (calls == 0)
        return;
    if (to->log && strcmp(to->log, log) != 0)
        tell(who, to);
    if (!to->log)
        to->log = memory_text(log);
    to->calls += calls;
    to->processes++;
}

/*
 * Return the log that the process would have written; in a run's directory, the staged log, which
 * is moved later.
 */
static const char *choose_log(const char *path, const struct image *image, char staged[PATH_MAX])
{
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    return run_directory_is_one(directory) && gptl_rundir_stage(directory, image->head->log, staged)
               ? staged
               : image->head->log;
}

static int salvage_file(const char *who, const char *path, const char *log, struct salvaged *to)
{
    struct image image;
    char staged[PATH_MAX];
    uint64_t calls = 0;
    int result = -1;
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        fprintf(stderr, "%s: %s: %s\n", who, path, strerror(errno));
        return -1;
    }
    const char *wrong = image_open(&image, fd);
    if (wrong) {
        fprintf(stderr, "%s: %s: %s\n", who, path, wrong);
    } else if (gptl_salvage_still_runs(path)) {
        fprintf(stderr, "%s: %s: its process %lld still runs, and will write its calls itself\n",
                who, path, (long long)image.head->section.pid);
        result = 1;
    } else {
        log = log ? log : choose_log(path, &image, staged);
        result = append(&image, log, &calls);
        if (result == 0 && calls == 0 && image.there < image.size) {
            fprintf(stderr, "%s: %s: it is cut off, and no call of it can be read\n", who, path);
            result = -1;
        }
        /*
         * A process with a system call filter could not write them itself, which is not a failure.
         */
        if (result == 0 && !(image.head->section.flags & GPTL_IOC_CONFINED))
            add(who, to, log == staged ? image.head->log : log, calls);
    }
    image_close(&image);
    close(fd);
    if (result == 0 && unlink(path) != 0) {
        fprintf(stderr, "%s: %s: %s; remove it, or its calls will be there twice\n", who, path,
                strerror(errno));
        result = -1;
    }
    return result;
}

int ioc_salvage_file(const char *who, const char *path, const char *log)
{
    struct salvaged to = {0};
    int result = salvage_file(who, path, log, &to);
    tell(who, &to);
    return result;
}

static int is_one(const struct dirent *entry)
{
    return ioc_salvage_is_name(entry->d_name);
}

int ioc_salvage_folder(const char *who, const char *folder, const char *log, bool is_told)
{
    struct dirent **entries;
    struct salvaged to = {0};
    int n = scandir(folder, &entries, is_one, alphasort), stayed = 0;
    for (int i = 0; i < n; i++) {
        size_t size = strlen(folder) + strlen(entries[i]->d_name) + 2;
        char *path = memory_zeros(size, 1);
        snprintf(path, size, "%s/%s", folder, entries[i]->d_name);
        if (gptl_salvage_never_began(path))
            unlink(path);
        else
            stayed |= salvage_file(who, path, log, &to) != 0;
        free(path);
        free(entries[i]);
    }
    if (!is_told)
        to.calls = 0;
    tell(who, &to);
    if (n < 0) {
        fprintf(stderr, "%s: %s: %s\n", who, folder, strerror(errno));
        return -1;
    }
    free(entries);
    return stayed ? -1 : n;
}

/* ---- The tool ------------------------------------------------------------------------------ */

static void help(FILE *to)
{
    fputs("usage: gptl ioc salvage [--log FILE] FILE|FOLDER...\n"
          "\n"
          "Puts what killed processes had recorded into the log where they would have\n"
          "written it. They leave it in files " GPTL_IOC_SALVAGE_PREFIX "HOST.PID, with\n"
          "GPTL_IO=salvage=on beside the log; a FOLDER stands for all of them in it.\n"
          "`gptl run --io` does this by itself. The files are removed.\n\n"
          "  --log FILE        write to FILE instead\n",
          to);
}

int ioc_salvage(int argc, char **argv)
{
    const char *log = NULL;
    int i = 1, failed = 0;
    if (i < argc && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
        help(stdout);
        return GPTL_EXIT_DONE;
    }
    if (i + 1 < argc && strcmp(argv[i], "--log") == 0) {
        log = argv[i + 1];
        i += 2;
    }
    if (i < argc && strcmp(argv[i], "--") == 0)
        i++;
    else if (i < argc && argv[i][0] == '-')
        i = argc;
    if (i >= argc) {
        help(stderr);
        return GPTL_EXIT_USAGE;
    }
    for (; i < argc; i++) {
        struct stat status;
        bool is_folder = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode);
        int n = is_folder ? ioc_salvage_folder("gptl ioc salvage", argv[i], log, true)
                          : -(ioc_salvage_file("gptl ioc salvage", argv[i], log) != 0);
        if (is_folder && n == 0)
            fprintf(stderr, "gptl ioc salvage: %s: there is no salvage file (%sHOST.PID) in it\n",
                    argv[i], GPTL_IOC_SALVAGE_PREFIX);
        failed |= n < 0 || (is_folder && n == 0);
    }
    return failed ? GPTL_EXIT_USAGE : GPTL_EXIT_DONE;
}
