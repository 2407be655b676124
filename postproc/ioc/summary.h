/* summary.h - what a run read and wrote: in all, of each file, and what to say about it. */
#ifndef GPTL_POSTPROC_IOC_SUMMARY_H
#define GPTL_POSTPROC_IOC_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "postproc/ioc/ioc.h"
#include "postproc/ioc/ranges.h"
#include "postproc/ioc/regions.h"
#include "postproc/ioc/sizes.h"

/*
 * Where an access begins: where the same process's one before it in the same file ended, beyond that,
 * or before it. The first of a process in a file is none of these.
 */
struct pattern {
    uint64_t consecutive, forward, backward;
};

/* Reads or writes of a file; beside them, in totals, those of the program from and to its streams. */
struct moves {
    uint64_t calls, bytes, stdio_calls, stdio_bytes;
    uint64_t small;
    int64_t usual; /* a size that most of the small ones have, if any has most */
    uint64_t votes;
    struct pattern pattern;
};

/* What may be found wrong with calls. */
enum cost {
    COST_SMALL_READS,
    COST_SMALL_WRITES,
    COST_AGAIN,
    COST_BACKWARD,
    COST_SEEKS,
    COST_OPENS,
    COST_FAILED_OPENS,
    COST_SYNCS,
    COST_OTHER,
    NCOSTS
};

struct file_sum {
    uint32_t file;
    bool is_aside; /* see file_is_aside */
    uint64_t opens, failed_opens, seeks, syncs, other, processes, readers, writers;
    struct moves read, written;
    uint64_t read_again;
    int64_t cost[NCOSTS]; /* nanoseconds of those whose durations are known */
    struct ranges ranges; /* that were read, and not written since */
};

struct pair_sum {
    int64_t read_end, write_end; /* of the last one; -1: none */
    bool reads, writes;
};

struct summary {
    struct ioc *ioc;
    struct file_sum all, *files; /* of each file with a call */
    size_t nfiles, files_room;
    struct pair_sum *pairs;
    size_t npairs, pairs_room;
    struct map by_file, by_pair;
    struct sizes sizes;
    struct io_regions regions;
    uint64_t calls[GPTL_IOC_NTYPES], failed, maps, ncreated, nranges, untimed;
    int64_t last; /* when the last call returned */
};

struct finding {
    char *what, *advice;
    int64_t cost; /* nanoseconds, or 0: not known */
};

struct findings {
    struct finding *findings;
    size_t n, room;
    bool is_partial; /* of some calls it is not known how long they took */
};

/* The files of SUMMARY are in order, those of most bytes first. So are findings, by what they cost. */
void findings_make(struct findings *findings, const struct summary *summary);
void findings_free(struct findings *findings);

#endif
