/* perf.h - why the kernel lets this process count no events. */
#ifndef GPTL_COUNTERS_PERF_H
#define GPTL_COUNTERS_PERF_H

#include <stdbool.h>
#include <stddef.h>

/* False: it does let it. Otherwise WHY says what failed and what to set. */
bool gptl_perf_why_not(char *why, size_t whysize);

/* Whether the process may open N more files; if not, WHY says so. */
bool gptl_perf_has_files(int n, char *why, size_t whysize);

#endif
