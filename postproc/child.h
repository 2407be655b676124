/* child.h - a command that gptl runs for its user. */
#ifndef GPTL_POSTPROC_CHILD_H
#define GPTL_POSTPROC_CHILD_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* The file that WORD is as a command, opened to be read, with its name in FILE; or NULL. */
FILE *gptl_child_open(const char *word, char *file, size_t size);

/*
 * Runs WORDS and waits for its end: START, in the child, executes it and does not return. Signals of the
 * terminal are left to the child; all that processes send are passed on to it. Returns the wait status, or
 * -1 after a message that WHO begins; *PID is the child's.
 */
int gptl_child_run(const char *who, char **words, void (*start)(char **words, const void *argument),
                   const void *argument, pid_t *pid);

/*
 * The exit status to end with, so that a shell sees what became of the child; WHO says that WHAT was ended
 * by a signal.
 */
int gptl_child_end(const char *who, const char *what, int status);

#endif
