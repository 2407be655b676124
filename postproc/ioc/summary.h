/* summary.h - reads and writes of a run in total and by file, and findings about them. */
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
 * Start of accesses relative to the end of the process's previous access to the file: equal,
 * beyond, or before. A process's first access to a file does not count.
 */
struct pattern {
    uint64_t consecutive, forward, backward;
};

/* Reads or writes of a file; in totals, also the program's calls on streams. */
struct moves {
    uint64_t calls, bytes, stdio_calls, stdio_bytes;
    uint64_t small;
    int64_t usual; /* the majority size of small accesses, if there is one */
    uint64_t votes;
    struct pattern pattern;
};

/* Kinds of inefficient calls. */
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
    int64_t cost[NCOSTS]; /* nanoseconds of the calls with known durations */
    struct ranges ranges; /* read, and not written since */
};

struct pair_sum {
    int64_t read_end, write_end; /* end of the last access; -1: none */
    bool reads, writes;
};

struct summary {
    struct ioc *ioc;
    struct file_sum all, *files; /* files with a call */
    size_t nfiles, files_room;
    struct pair_sum *pairs;
    size_t npairs, pairs_room;
    struct map by_file, by_pair;
    struct sizes sizes;
    struct io_regions regions;
    uint64_t calls[GPTL_IOC_NTYPES], failed, maps, ncreated, nranges, untimed;
    int64_t last; /* return time of the last call */
};

struct finding {
    char *what, *advice;
    int64_t cost; /* nanoseconds; 0: unknown */
};

struct findings {
    struct finding *findings;
    size_t n, room;
    bool is_partial; /* some durations are unknown */
};

/* Make the findings, sorted by cost. The files of SUMMARY must be sorted by decreasing bytes. */
void findings_make(struct findings *findings, const struct summary *summary);
void findings_free(struct findings *findings);

#endif
