/*
 * target.h - decides whether a program can load the libraries preloaded by `gptl run`. A program of
 * another ABI, C library or user, or in a root directory without the libraries, is started without
 * them and counted as unmeasured.
 */
#ifndef GPTL_RUN_TARGET_H
#define GPTL_RUN_TARGET_H

#include <stdbool.h>

/* Save the preloaded library's path, the root directory, and the directory of the run. */
void gptl_run_target_begin(void);

/*
 * Return whether FILE is measured; FILE NULL: unknown. SEARCHES: look FILE up in PATH if it
 * contains no slash. If it is not measured, count it. A program that starts a container is never
 * measured; it counts unless ARGV and ENVP pass our libraries to its command. Preserves errno; safe
 * in a child of vfork.
 */
bool gptl_run_target_fits(const char *file, bool searches, char *const argv[], char *const envp[]);

/*
 * Return whether this process, started with ARGV, starts containers; count it likewise. A process
 * without this library started it with LD_PRELOAD set, and the container would inherit that
 * variable.
 */
bool gptl_run_target_is_container(char *const argv[]);

#endif
