/*
 * confine.h - detects that this process restricts its system calls by a filter; the libraries then
 * make none.
 */
#ifndef GPTL_RUN_CONFINE_H
#define GPTL_RUN_CONFINE_H

#include <stdbool.h>

/* Resolve the next definitions of prctl and syscall. */
void gptl_run_confine_begin(void);

bool gptl_run_is_confined(void);

#endif
