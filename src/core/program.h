/*
 * program.h - path of the program. Independent of the rest of the core, and part of libgptl_io as
 * well.
 */
#ifndef GPTL_CORE_PROGRAM_H
#define GPTL_CORE_PROGRAM_H

#include <limits.h>
#include <stddef.h>

/*
 * Return in PROGRAM the path of the executable, or, if it has several names, the one used to start
 * it, which users know. The name in the auxiliary vector is not used if it belongs to another file,
 * such as a script. DIRECTORY is the initial working directory. Return the length; 0: not known.
 * Makes no I/O call that could be recorded as the host's.
 */
size_t gptl_program_path(char program[PATH_MAX], const char *directory);

#endif
