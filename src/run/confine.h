/* confine.h - whether this process lets a filter restrict its system calls; then we make none. */
#ifndef GPTL_RUN_CONFINE_H
#define GPTL_RUN_CONFINE_H

#include <stdbool.h>

/* Finds what comes after our prctl and syscall. */
void gptl_run_confine_begin(void);

bool gptl_run_is_confined(void);

#endif
