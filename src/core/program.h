/* program.h - the path of the program. It needs nothing else of the core, and is in libgptl_io as well. */
#ifndef GPTL_CORE_PROGRAM_H
#define GPTL_CORE_PROGRAM_H

#include <limits.h>
#include <stddef.h>

/*
 * The file's own path, or, as it may go by several names, that by which it was started, as users know it.
 * Where the auxiliary vector has another file, as that of a script, it is not used. DIRECTORY is that of
 * the process when it began. Returns its length, 0: not known. No call of the host's I/O that could be
 * recorded.
 */
size_t gptl_program_path(char program[PATH_MAX], const char *directory);

#endif
