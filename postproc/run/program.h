/* program.h - what the file of a command is. */
#ifndef GPTL_POSTPROC_RUN_PROGRAM_H
#define GPTL_POSTPROC_RUN_PROGRAM_H

#include <stdbool.h>

/*
 * The interpreter that WORD of a command line, found as FILE, is started by; none if it is linked statically.
 * Returns false where that cannot be told: execvp will, if it is no program, and scripts are started by one.
 */
bool run_find_interpreter(const char *word, char *file, char *interpreter);

/* Whether FILE is a program that is built for another processor, or for 32 bits. */
bool run_is_of_other_abi(const char *file);

#endif
