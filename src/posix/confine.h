/*
 * confine.h - a process that lets a filter restrict its system calls: from then on the libraries make none,
 * since one that the filter does not expect ends the process.
 */
#ifndef GPTL_POSIX_CONFINE_H
#define GPTL_POSIX_CONFINE_H

#include <stdbool.h>

/*
 * Whether this process began with a filter that `gptl run` does not have itself: which calls it allows is not
 * known, and nothing is measured.
 */
bool gptl_posix_began_confined(char **environment);

#endif
