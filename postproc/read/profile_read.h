/* profile_read.h - reads a profile from a process's JSON report (doc/timing.schema.json). */
#ifndef GPTL_POSTPROC_PROFILE_READ_H
#define GPTL_POSTPROC_PROFILE_READ_H

#include "postproc/read/summary_read.h"

#include "report/report.h"

/*
 * Read the JSON report PATH ("-": stdin) as a stream. Writing the profile again reproduces the
 * report byte by byte.
 *
 * KEEP > 0: if a thread has many more than KEEP nodes, the KEEP nodes with the longest inclusive
 * time are kept. The other children of each parent are merged into one node "(rest)" with their
 * calls, their time and the time below them; only the 10,000 longest nodes keep their histograms.
 * The memory needed is then 4 bytes per node plus the kept nodes. 0: keep all.
 *
 * Returns NULL after a message prefixed with WHO. Free with profile_free.
 */
struct gptl_profile *profile_read(const char *who, const char *path, uint32_t keep);

/* Receivers of the results, which they own from then on. Both return -1 if out of memory. */
struct profile_taker {
    int (*take)(void *argument, struct gptl_profile *profile);
    int (*take_summary)(void *argument, struct summary *summary); /* NULL: reject summaries */
    void *argument;
};

/*
 * Read a file that may contain the reports of many processes, as written by output=ranks, or
 * statistics over ranks. Returns 0, or -1 after a message.
 */
int profile_read_all(const char *who, const char *path, uint32_t keep,
                     const struct profile_taker *taker);
void profile_free(struct gptl_profile *profile);

#endif
