/* summary.c - gptl ioc summary: reads and writes of a run. */
#include "config.h"

#include "postproc/ioc/summary.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/commands.h"
#include "postproc/ioc/memory.h"
#include "postproc/ioc/summary_print.h"

#include "report/number.h"

enum { SMALL = 4096, MOST_RANGES_OF_FILE = 2048, MOST_RANGES = 4000000 };

static struct file_sum *sum_of(struct summary *summary, uint32_t file)
{
    uint64_t *place = map_put(&summary->by_file, file);
    if (!*place) {
        summary->files = memory_room(summary->files, &summary->files_room, summary->nfiles + 1,
                                     sizeof *summary->files);
        summary->files[summary->nfiles++] = (struct file_sum){.file = file};
        *place = summary->nfiles;
    }
    return &summary->files[*place - 1];
}

static struct pair_sum *pair_of(struct summary *summary, struct file_sum *sum, uint32_t process)
{
    uint64_t *place = map_put(&summary->by_pair, (uint64_t)sum->file << 32 | process);
    if (!*place) {
        summary->pairs = memory_room(summary->pairs, &summary->pairs_room, summary->npairs + 1,
                                     sizeof *summary->pairs);
        summary->pairs[summary->npairs++] = (struct pair_sum){.read_end = -1, .write_end = -1};
        *place = summary->npairs;
        sum->processes++;
    }
    return &summary->pairs[*place - 1];
}

static void add_cost(struct summary *summary, struct file_sum *sum, enum cost what,
                     const struct call *call)
{
    if (call->duration > 0) {
        sum->cost[what] = gptl_number_sum(sum->cost[what], call->duration);
        summary->all.cost[what] = gptl_number_sum(summary->all.cost[what], call->duration);
    }
}

/* ---- Accesses ------------------------------------------------------------------------------ */

/*
 * Majority vote (Boyer-Moore): finds the size that more than half of the calls have, if it exists.
 */
static void vote(struct moves *moves, int64_t size)
{
    if (moves->votes == 0)
        moves->usual = size;
    moves->votes += moves->usual == size ? 1 : UINT64_MAX;
}

/*
 * Return whether an access is small. Reads of 0 bytes at the end of a file are exempt, because they
 * are unavoidable.
 */
static bool is_small(int64_t bytes)
{
    return bytes > 0 && bytes < SMALL;
}

static void add_streamed(struct moves *moves, const struct call *call)
{
    moves->stdio_calls += call->n;
    moves->stdio_bytes += (uint64_t)call->streamed;
}

static void add_move(struct moves *moves, int64_t bytes)
{
    moves->calls++;
    moves->bytes += (uint64_t)bytes;
    if (is_small(bytes)) {
        moves->small++;
        vote(moves, bytes);
    }
}

static void add_pattern(struct pattern *file, struct pattern *all, int64_t before, int64_t offset)
{
    if (before < 0 || offset < 0)
        return;
    file->consecutive += offset == before;
    file->forward += offset > before;
    file->backward += offset < before;
    all->consecutive += offset == before;
    all->forward += offset > before;
    all->backward += offset < before;
}

static size_t most_ranges(const struct summary *summary, const struct file_sum *sum)
{
    return summary->nranges < MOST_RANGES ? MOST_RANGES_OF_FILE : sum->ranges.n;
}

/* Forget ranges that are written: reading them again is not redundant. */
static void forget_read(struct summary *summary, struct file_sum *sum, int64_t begin, int64_t end)
{
    size_t before = sum->ranges.n;
    if (begin < 0)
        sum->ranges.n = 0; /* the offset is unknown */
    else
        ranges_remove(&sum->ranges, begin, end, most_ranges(summary, sum));
    summary->nranges += sum->ranges.n - before;
}

static void add_read(struct summary *summary, struct file_sum *sum, struct pair_sum *pair,
                     const struct call *call)
{
    int64_t offset = call->from.offset;
    if (is_small(call->read))
        add_cost(summary, sum, COST_SMALL_READS, call);
    if (call->read > 0 && offset >= 0 && offset < pair->read_end)
        add_cost(summary, sum, COST_BACKWARD, call);
    add_move(&sum->read, call->read);
    add_move(&summary->all.read, call->read);
    sum->readers += !pair->reads;
    pair->reads = true;
    if (call->read > 0)
        add_pattern(&sum->read.pattern, &summary->all.read.pattern, pair->read_end, offset);
    if (offset < 0 || sum->file == 0) {
        pair->read_end = -1;
        return;
    }
    pair->read_end = gptl_number_sum(offset, call->read);
    size_t before = sum->ranges.n;
    uint64_t again = ranges_add(&sum->ranges, offset, pair->read_end, 0, most_ranges(summary, sum));
    summary->nranges += sum->ranges.n - before;
    sum->read_again += again;
    summary->all.read_again += again;
    if (again > 0)
        add_cost(summary, sum, COST_AGAIN, call);
}

static void add_write(struct summary *summary, struct file_sum *sum, struct pair_sum *pair,
                      const struct call *call)
{
    if (is_small(call->written))
        add_cost(summary, sum, COST_SMALL_WRITES, call);
    if (call->to.offset >= 0 && call->to.offset < pair->write_end)
        add_cost(summary, sum, COST_BACKWARD, call);
    add_move(&sum->written, call->written);
    add_move(&summary->all.written, call->written);
    sum->writers += !pair->writes;
    pair->writes = true;
    add_pattern(&sum->written.pattern, &summary->all.written.pattern, pair->write_end,
                call->to.offset);
    pair->write_end = call->to.offset < 0 ? -1 : gptl_number_sum(call->to.offset, call->written);
    if (call->written > 0)
        forget_read(summary, sum, call->to.offset, pair->write_end);
}

/* ---- Other calls --------------------------------------------------------------------------- */

static bool begins_with(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

static void add_open(struct summary *summary, struct file_sum *sum, bool failed)
{
    sum->opens += !failed;
    sum->failed_opens += failed;
    summary->all.opens += !failed;
    summary->all.failed_opens += failed;
}

static void add_other(struct summary *summary, struct file_sum *sum, const struct call *call)
{
    bool is_open = call->type == GPTL_IOC_OPEN || call->type == GPTL_IOC_CREAT ||
                   begins_with(call->name, "fopen") || begins_with(call->name, "freopen");
    if (is_open) {
        add_open(summary, sum, call->result < 0);
        add_cost(summary, sum, call->result < 0 ? COST_FAILED_OPENS : COST_OPENS, call);
    } else if (call->type == GPTL_IOC_LSEEK) { /* including calls made by streams */
        sum->seeks++;
        summary->all.seeks++;
        add_cost(summary, sum, COST_SEEKS, call);
    } else if (call->type == GPTL_IOC_FSYNC) {
        sum->syncs++;
        summary->all.syncs++;
        add_cost(summary, sum, COST_SYNCS, call);
    } else if (call->type == GPTL_IOC_OTHER) {
        sum->other += call->n;
        summary->all.other += call->n;
        add_cost(summary, sum, COST_OTHER, call);
        summary->maps += begins_with(call->name, "mmap") && call->from.fd >= 0 && call->result >= 0;
    }
}

/* Forget the contents known for a name that now refers to another file. */
static void forget_name(struct summary *summary, uint32_t file)
{
    const uint64_t *place = map_find(&summary->by_file, file);
    if (place)
        forget_read(summary, &summary->files[*place - 1], -1, -1);
}

static void visit(void *to, const struct call *call)
{
    struct summary *summary = to;
    struct file_sum *sum = sum_of(summary, call->from.file);
    struct pair_sum *pair = pair_of(summary, sum, call->process);
    summary->calls[call->type] += call->n;
    if (call->time > summary->last)
        summary->last = call->time;
    if (call->result < 0)
        summary->failed++;
    sizes_add(&summary->sizes, call);
    if (call->duration >= 0)
        io_regions_add(&summary->regions, call);
    else
        summary->untimed++;
    if (call_is_read(call) && call->result >= 0)
        add_read(summary, sum, pair, call);
    if (call->has_to && call->result >= 0) {
        sum = sum_of(summary, call->to.file);
        add_write(summary, sum, pair_of(summary, sum, call->process), call);
    }
    if (call_is_stream_read(call))
        add_streamed(&summary->all.read, call);
    else if (call_is_stream_write(call))
        add_streamed(&summary->all.written, call);
    else if (!call_is_read(call) && !call_is_write(call))
        add_other(summary, sum, call);
    if (call_renames(call)) {
        forget_name(summary, call->from.file);
        forget_name(summary, call->other);
    }
}

/* ---- The tool ------------------------------------------------------------------------------ */

static uint64_t bytes_of(const struct file_sum *sum)
{
    return sum->read.bytes + sum->written.bytes;
}

/*
 * Sort key of a file: the program's files, then the system's, then files only searched for or
 * queried.
 */
static int place_of(const struct file_sum *sum)
{
    bool is_named = sum->opens == 0 && sum->readers == 0 && sum->writers == 0;
    return is_named ? 2 : sum->is_aside;
}

static int compare_files(const void *x, const void *y)
{
    const struct file_sum *a = x, *b = y;
    if (place_of(a) != place_of(b))
        return place_of(a) - place_of(b);
    if (bytes_of(a) != bytes_of(b))
        return bytes_of(a) > bytes_of(b) ? -1 : 1;
    if (a->opens != b->opens)
        return a->opens > b->opens ? -1 : 1;
    return (a->file > b->file) - (a->file < b->file);
}

static void summary_free(struct summary *summary)
{
    for (size_t i = 0; i < summary->nfiles; i++)
        ranges_free(&summary->files[i].ranges);
    free(summary->files);
    free(summary->pairs);
    map_free(&summary->by_file);
    map_free(&summary->by_pair);
    sizes_free(&summary->sizes);
    io_regions_free(&summary->regions);
}

int ioc_summary(struct ioc *ioc)
{
    struct summary summary = {.ioc = ioc};
    struct findings findings;
    walk(&ioc->log, &ioc->selection, &ioc->files, true, visit, &summary);
    for (size_t i = 0; i < summary.nfiles; i++) {
        struct file_sum *sum = &summary.files[i];
        sum->is_aside = file_is_aside(&ioc->files.files[sum->file]);
        summary.ncreated += sum->file != 0 && sum->writers > 0;
    }
    if (summary.nfiles > 1)
        qsort(summary.files, summary.nfiles, sizeof *summary.files, compare_files);
    findings_make(&findings, &summary);
    ioc_begin(ioc);
    summary_print(&summary, &findings);
    ioc_end(ioc);
    findings_free(&findings);
    summary_free(&summary);
    return GPTL_EXIT_DONE;
}
