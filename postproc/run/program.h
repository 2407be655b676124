/* program.h - examines the program file of a command. */
#ifndef GPTL_POSTPROC_RUN_PROGRAM_H
#define GPTL_POSTPROC_RUN_PROGRAM_H

#include <stdbool.h>

/*
 * Find FILE, the program of WORD, and its dynamic loader, "" if statically linked. Returns false if
 * undetermined: execvp reports files that are not programs, and an interpreter starts scripts.
 */
bool run_find_interpreter(const char *word, char *file, char *interpreter);

/* Return whether FILE is a program for another processor, or for 32 bits. */
bool run_is_of_other_abi(const char *file);

#endif
