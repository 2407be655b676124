/*
 * environment.h - what each process of a command has in its environment, wherever it got that from:
 * what `gptl run` preloads, and the options.
 */
#ifndef GPTL_RUN_ENVIRONMENT_H
#define GPTL_RUN_ENVIRONMENT_H

#include <stddef.h>

/* Remembers what this process was started with. */
void gptl_run_remember(void);

/* The bytes that the other function needs; 0 if ENVIRONMENT has all, or there is nothing to add. */
size_t gptl_run_missing(char *const environment[]);

/* Makes in ROOM an environment that has all as well. */
char **gptl_run_complete(char *const environment[], void *room);

/* The bytes for a copy of ENVIRONMENT without what is preloaded. */
size_t gptl_run_bare_size(char *const environment[]);
char **gptl_run_bare(char *const environment[], void *room);

/* The same where ENVIRONMENT is: programs that know where the kernel put it find it so. */
void gptl_run_strip(char **environment);

#endif
