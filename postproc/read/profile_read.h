/* profile_read.h - a profile from the JSON report that a process wrote (doc/timing.schema.json). */
#ifndef GPTL_POSTPROC_PROFILE_READ_H
#define GPTL_POSTPROC_PROFILE_READ_H

#include "postproc/read/summary_read.h"

#include "report/report.h"

/*
 * Reads the JSON report PATH ("-": stdin) as a stream. Written again it is the same, byte by byte.
 *
 * KEEP > 0: when a thread has many more than KEEP nodes, the KEEP of the longest inclusive time are
 * kept. The others of one parent become one node "(rest)", with their calls, and their time and
 * that of what was below them; only the 10,000 longest keep their histograms. Then the memory needed
 * is 4 bytes a node, and what is kept. 0: all.
 *
 * Returns NULL after a message that begins with WHO. Free with profile_free.
 */
struct gptl_profile *profile_read(const char *who, const char *path, uint32_t keep);

/* Gets what was read, which is then its own. Both return -1 when they have no memory. */
struct profile_taker {
    int (*take)(void *argument, struct gptl_profile *profile);
    int (*take_summary)(void *argument, struct summary *summary); /* NULL: they are refused */
    void *argument;
};

/*
 * The same for a file that may have the reports of many processes, as output=ranks makes it, or
 * statistics over ranks. Returns 0, or -1 after a message.
 */
int profile_read_all(const char *who, const char *path, uint32_t keep,
                     const struct profile_taker *taker);
void profile_free(struct gptl_profile *profile);

#endif
