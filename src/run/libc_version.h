/* libc_version.h - the version of glibc that the preloaded libraries need, and the one of a loader. */
#ifndef GPTL_RUN_LIBC_VERSION_H
#define GPTL_RUN_LIBC_VERSION_H

#include <stddef.h>

/* Return N of the newest GLIBC_2.N that libraries of gptl in this process need; 0 if they need none. */
int gptl_libc_version_needed(void);

/*
 * Return N if the dynamic linker in FD belongs to glibc 2.N; 0 if it does not say, as before 2.33. SPACE of SIZE
 * bytes is for its text. Safe in a child of vfork.
 */
int gptl_libc_version_of(int fd, char *space, size_t size);

#endif
