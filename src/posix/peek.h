/*
 * peek.h - reads memory of the program that may be unmapped: after a failed call, its pointer
 * arguments may be invalid.
 */
#ifndef GPTL_POSIX_PEEK_H
#define GPTL_POSIX_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Copy SIZE bytes from FROM. Return false if some are unmapped. Preserves errno. */
bool gptl_posix_peek(void *to, const void *from, size_t size);
/*
 * Copy a string with its NUL. Return its length, or -1 if it is unmapped or needs more than ROOM
 * bytes.
 */
ssize_t gptl_posix_peek_text(char *to, size_t room, const char *from);

#endif
