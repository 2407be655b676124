/*
 * abi.h - the header that a program was compiled with, which gives numbers to options: gptl.h or that
 * of GPTL 8, or the header of the climate models' GPTL. Call with the lock held.
 */
#ifndef GPTL_CORE_ABI_H
#define GPTL_CORE_ABI_H

/* The number in gptl.h of option NUMBER of gptl.h or gptl.inc, which the program is about to set. */
int gptl_abi_option(int number);

/* The same if the program calls the plain symbol, so it may have been compiled with another header. */
int gptl_abi_plain_option(const char *function, int number);

/* The end of an error about the value of option NUMBER: a remedy if the header is unknown, or "". */
const char *gptl_abi_remedy(int number);

/* Chooses the layout that suits the program, after options were set to their defaults. */
void gptl_abi_choose_layout(void);

#endif
