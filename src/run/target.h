/*
 * target.h - whether a program takes what `gptl run` preloads: one of another ABI or C library, in a root
 * directory without our libraries, or of another user, is started without it, and counted as unmeasured.
 */
#ifndef GPTL_RUN_TARGET_H
#define GPTL_RUN_TARGET_H

#include <stdbool.h>

/* Remembers the library that is preloaded, the root directory, and the directory of the run. */
void gptl_run_target_begin(void);

/*
 * Whether FILE is measured; FILE NULL: it is not known. SEARCHES: it is looked for in PATH if it has no
 * slash. Counts it if not; a program that starts a container is never, and counts if its command ARGV and
 * ENVP take nothing of ours into it. Keeps errno; safe in a child of vfork.
 */
bool gptl_run_target_fits(const char *file, bool searches, char *const argv[], char *const envp[]);

/*
 * Whether this process, started as ARGV, starts containers. A process without this library started it with
 * LD_PRELOAD, and the container would inherit that. Counts it likewise.
 */
bool gptl_run_target_is_container(char *const argv[]);

#endif
