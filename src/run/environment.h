/*
 * environment.h - keeps the preloaded libraries and options of `gptl run` in the environment of
 * every process of a command, regardless of the environment's origin.
 */
#ifndef GPTL_RUN_ENVIRONMENT_H
#define GPTL_RUN_ENVIRONMENT_H

#include <stddef.h>

/* Save the relevant variables of this process at startup. */
void gptl_run_remember(void);

/*
 * Return the bytes needed by gptl_run_complete; 0 if ENVIRONMENT is complete or nothing must be
 * added.
 */
size_t gptl_run_missing(char *const environment[]);

/* Build a complete environment in ROOM. */
char **gptl_run_complete(char *const environment[], void *room);

/* Return the bytes for a copy of ENVIRONMENT without the preloaded libraries. */
size_t gptl_run_bare_size(char *const environment[]);
char **gptl_run_bare(char *const environment[], void *room);

/*
 * Remove the preloaded libraries from ENVIRONMENT in place, for programs that read the kernel's
 * original block.
 */
void gptl_run_strip(char **environment);

#endif
