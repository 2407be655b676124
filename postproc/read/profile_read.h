/* profile_read.h - a profile from the JSON report that a process wrote (doc/timing.schema.json). */
#ifndef GPTL_POSTPROC_PROFILE_READ_H
#define GPTL_POSTPROC_PROFILE_READ_H

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

/*
 * The same for a file that may have the reports of many processes, as output=ranks makes it. TAKE
 * gets each of them, which is then its own, and returns -1 when it has no memory. Returns 0, or -1
 * after a message.
 */
int profile_read_all(const char *who, const char *path, uint32_t keep,
                     int (*take)(void *argument, struct gptl_profile *profile), void *argument);
void profile_free(struct gptl_profile *profile);

#endif
