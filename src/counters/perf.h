/* perf.h - explains why the kernel refuses to count events for this process. */
#ifndef GPTL_COUNTERS_PERF_H
#define GPTL_COUNTERS_PERF_H

#include <stdbool.h>
#include <stddef.h>

/* Return whether the kernel refuses; then WHY names the failure and the setting to change. */
bool gptl_perf_why_not(char *why, size_t whysize);

/* Return whether the process may open N more files; if not, the reason is in WHY. */
bool gptl_perf_has_files(int n, char *why, size_t whysize);

#endif
