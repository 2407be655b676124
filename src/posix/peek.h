/*
 * peek.h - reading memory of the program that may be no memory: after a call that failed, nobody has shown
 * that its arguments point anywhere.
 */
#ifndef GPTL_POSIX_PEEK_H
#define GPTL_POSIX_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Copies SIZE bytes from FROM. Returns false if not all are there. Keeps errno. */
bool gptl_posix_peek(void *to, const void *from, size_t size);
/* Copies a string with its NUL. Returns its length, or -1 if it is not there, or needs more than ROOM. */
ssize_t gptl_posix_peek_text(char *to, size_t room, const char *from);

#endif
