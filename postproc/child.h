/* child.h - runs a command for the user. */
#ifndef GPTL_POSTPROC_CHILD_H
#define GPTL_POSTPROC_CHILD_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Open the file that a shell would execute for WORD, with its name in FILE; NULL if not found. */
FILE *gptl_child_open(const char *word, char *file, size_t size);

/*
 * Run WORDS and wait for the end: START, in the child, executes the command and does not return.
 * Signals of the terminal are left to the child; all signals sent by processes are forwarded to it.
 * Returns the wait status, or -1 after a message prefixed with WHO; *PID is the child's number.
 */
int gptl_child_run(const char *who, char **words, void (*start)(char **words, const void *argument),
                   const void *argument, pid_t *pid);

/*
 * Return the exit status that lets a shell see the child's end; if a signal ended WHAT, print a
 * message prefixed with WHO.
 */
int gptl_child_end(const char *who, const char *what, int status);

#endif
