/* findings.c - inefficiencies that gptl ioc summary finds in a run's I/O, with advice. */
#include "config.h"

#include "postproc/ioc/summary.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

/* Smaller numbers cost too little to be reported. */
enum {
    LEAST_CALLS = 1000,
    LEAST_OPENS = 100,
    LEAST_SYNCS = 100,
    LEAST_AGAIN = 1 << 20, /* bytes */
    LEAST_CREATED = 500,   /* files */
    LEAST_OTHER = 10000
};

/* Add a finding. COST is in nanoseconds; 0: unknown. */
static __attribute__((format(printf, 4, 5))) void add(struct findings *findings, int64_t cost,
                                                      const char *advice, const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    findings->findings = memory_room(findings->findings, &findings->room, findings->n + 1,
                                     sizeof *findings->findings);
    findings->findings[findings->n++] =
        (struct finding){memory_text(text), memory_text(advice), cost};
    /* Sort by decreasing cost; findings of unknown cost keep their order. */
    for (size_t i = findings->n - 1; i > 0; i--) {
        struct finding *before = &findings->findings[i - 1], finding = before[1];
        if (finding.cost <= before->cost)
            break;
        before[1] = *before;
        *before = finding;
    }
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static const char *path_of(const struct summary *summary, const struct file_sum *file)
{
    return summary->ioc->files.files[file->file].path;
}

/*
 * Return whether the kernel generates the file: it is on no disk or server, so programs cannot read
 * it more efficiently.
 */
static bool is_of_kernel(const char *path)
{
    return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0 ||
           (strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0);
}

typedef uint64_t figure(const struct file_sum *file);

/* Return the file with the maximum of a figure. */
static const struct file_sum *most_of(const struct summary *summary, figure *of)
{
    const struct file_sum *most = NULL;
    for (size_t i = 0; i < summary->nfiles; i++)
        if (!is_of_kernel(path_of(summary, &summary->files[i])) &&
            (!most || of(&summary->files[i]) > of(most)))
            most = &summary->files[i];
    return most;
}

static void take_moves(struct moves *from, const struct moves *moves)
{
    from->calls -= moves->calls;
    from->small -= moves->small;
    from->pattern.consecutive -= moves->pattern.consecutive;
    from->pattern.forward -= moves->pattern.forward;
    from->pattern.backward -= moves->pattern.backward;
}

/* Return the sum over all files except the kernel's. */
static struct file_sum sum_of_others(const struct summary *summary)
{
    struct file_sum all = summary->all;
    for (size_t i = 0; i < summary->nfiles; i++) {
        const struct file_sum *file = &summary->files[i];
        if (!is_of_kernel(path_of(summary, file)))
            continue;
        take_moves(&all.read, &file->read);
        take_moves(&all.written, &file->written);
        all.read_again -= file->read_again;
        all.opens -= file->opens;
        all.failed_opens -= file->failed_opens;
        all.seeks -= file->seeks;
        all.syncs -= file->syncs;
        all.other -= file->other;
        for (int k = 0; k < NCOSTS; k++)
            all.cost[k] -= file->cost[k];
    }
    return all;
}

static uint64_t small_writes(const struct file_sum *file)
{
    return file->written.small;
}

static uint64_t small_reads(const struct file_sum *file)
{
    return file->read.small;
}

static uint64_t again(const struct file_sum *file)
{
    return file->read_again;
}

static uint64_t opens(const struct file_sum *file)
{
    return file->opens;
}

static uint64_t syncs(const struct file_sum *file)
{
    return file->syncs;
}

static uint64_t seeks(const struct file_sum *file)
{
    return file->seeks;
}

static uint64_t backward(const struct file_sum *file)
{
    return file->read.pattern.backward + file->written.pattern.backward;
}

static void find_small(struct findings *findings, const struct summary *summary,
                       const struct moves *moves, figure *of, const char *what, const char *advice)
{
    if (moves->small < LEAST_CALLS || 2 * moves->small < moves->calls)
        return;
    const struct file_sum *most = most_of(summary, of);
    const struct moves *its = of == small_writes ? &most->written : &most->read;
    char usual[64] = "";
    if (its->votes > 0)
        snprintf(usual, sizeof usual, ", mostly of %lld bytes", (long long)its->usual);
    int64_t cost = summary->all.cost[of == small_writes ? COST_SMALL_WRITES : COST_SMALL_READS];
    add(findings, cost, advice, "%.0f %% of %llu %s are smaller than 4 KiB; %llu of them %s %s%s",
        percent(moves->small, moves->calls), (unsigned long long)moves->calls, what,
        (unsigned long long)its->small, of == small_writes ? "to" : "from", path_of(summary, most),
        usual);
}

static void find_again(struct findings *findings, const struct summary *summary)
{
    const struct file_sum *most = most_of(summary, again);
    char text[2][BYTES_TEXT];
    if (!most || summary->all.read_again < LEAST_AGAIN)
        return;
    bool shared = most->readers > 1;
    bool is_bound = false;
    for (size_t i = 0; i < summary->nfiles; i++)
        is_bound |= summary->files[i].ranges.is_full;
    add(findings, summary->all.cost[COST_AGAIN],
        shared ? "let one process read it and send it to the others (MPI_Bcast), or read it by "
                 "collective MPI-IO"
               : "keep in memory what is needed again, or read it in the order in which it is used",
        "%s%s of what was read had been read before; most in %s: %s, by %llu process%s",
        is_bound ? "at least " : "", bytes_text(text[0], (double)summary->all.read_again),
        path_of(summary, most), bytes_text(text[1], (double)most->read_again),
        (unsigned long long)most->readers, shared ? "es" : "");
}

static void find_order(struct findings *findings, const struct summary *summary)
{
    const struct pattern *r = &summary->all.read.pattern, *w = &summary->all.written.pattern;
    uint64_t n = backward(&summary->all);
    uint64_t all = r->consecutive + r->forward + w->consecutive + w->forward + n;
    if (n >= LEAST_CALLS && 4 * n >= all)
        add(findings, summary->all.cost[COST_BACKWARD],
            "sort the accesses by offset, or take larger pieces: the system reads ahead only "
            "where accesses follow one another",
            "%.0f %% of the accesses go back in their file; most in %s", percent(n, all),
            path_of(summary, most_of(summary, backward)));
    uint64_t moves = summary->all.read.calls + summary->all.written.calls;
    if (summary->all.seeks >= LEAST_CALLS && 2 * summary->all.seeks >= moves)
        add(findings, summary->all.cost[COST_SEEKS],
            "pread and pwrite take the offset themselves; of streams, fseek throws the buffer "
            "away",
            "%llu seeks for %llu reads and writes; most in %s",
            (unsigned long long)summary->all.seeks, (unsigned long long)moves,
            path_of(summary, most_of(summary, seeks)));
}

static void find_opens(struct findings *findings, const struct summary *summary)
{
    const struct file_sum *most = most_of(summary, opens);
    if (most && most->opens >= LEAST_OPENS && most->opens >= 10 * most->processes)
        add(findings, most->cost[COST_OPENS],
            "open it once and keep it open: on parallel file systems each open asks the "
            "metadata server",
            "%s was opened %llu times by %llu process%s", path_of(summary, most),
            (unsigned long long)most->opens, (unsigned long long)most->processes,
            most->processes == 1 ? "" : "es");
    if (summary->all.failed_opens >= LEAST_OPENS && summary->all.failed_opens >= summary->all.opens)
        add(findings, summary->all.cost[COST_FAILED_OPENS],
            "shorten search paths (LD_LIBRARY_PATH, PYTHONPATH, include paths): each attempt "
            "asks the metadata server",
            "%llu of %llu attempts to open a file failed",
            (unsigned long long)summary->all.failed_opens,
            (unsigned long long)(summary->all.failed_opens + summary->all.opens));
    if (summary->ncreated >= LEAST_CREATED)
        add(findings, 0,
            "put them into fewer, larger files (HDF5, ADIOS, an archive), or on a local disk",
            "%llu files were opened to be written", (unsigned long long)summary->ncreated);
}

static void find_rest(struct findings *findings, const struct summary *summary)
{
    const struct file_sum *all = &summary->all, *most = most_of(summary, syncs);
    uint64_t writes = all->written.calls;
    if (all->syncs >= LEAST_SYNCS && 10 * all->syncs >= writes)
        add(findings, all->cost[COST_SYNCS],
            "call fsync only where data must survive a crash: each one waits for the disk",
            "%llu fsyncs for %llu writes; most of %s", (unsigned long long)all->syncs,
            (unsigned long long)writes, path_of(summary, most));
    uint64_t moves = writes + all->read.calls;
    if (all->other >= LEAST_OTHER && all->other >= 5 * moves)
        add(findings, all->cost[COST_OTHER],
            "look with `gptl ioc dump --type other` at which they are",
            "%llu calls such as stat, beside %llu reads and writes", (unsigned long long)all->other,
            (unsigned long long)moves);
    uint64_t shared = 0;
    const struct file_sum *first = NULL;
    for (size_t i = 0; i < summary->nfiles; i++)
        if (summary->files[i].writers > 1 && !is_of_kernel(path_of(summary, &summary->files[i]))) {
            first = first ? first : &summary->files[i];
            shared++;
        }
    if (shared > 0)
        add(findings, 0,
            "`gptl ioc file` shows who writes where; on parallel file systems, pieces that are "
            "aligned to stripes need no locks of one another",
            "%llu file%s written by several processes: %s by %llu", (unsigned long long)shared,
            shared == 1 ? " is" : "s are", path_of(summary, first),
            (unsigned long long)first->writers);
}

void findings_make(struct findings *findings, const struct summary *whole)
{
    struct summary others = *whole;
    const struct summary *summary = &others;
    others.all = sum_of_others(whole);
    *findings = (struct findings){.is_partial = whole->untimed > 0};
    find_small(
        findings, summary, &summary->all.written, small_writes, "writes",
        "collect them in a buffer (stdio with setvbuf, or one of your own) and write at least "
        "64 KiB at a time");
    find_small(findings, summary, &summary->all.read, small_reads, "reads",
               "read through a buffer (stdio with setvbuf, or one of your own), or map the file");
    find_again(findings, summary);
    find_order(findings, summary);
    find_opens(findings, summary);
    find_rest(findings, summary);
}

void findings_free(struct findings *findings)
{
    for (size_t i = 0; i < findings->n; i++) {
        free(findings->findings[i].what);
        free(findings->findings[i].advice);
    }
    free(findings->findings);
}
