/*
 * abi.h - the header that a program was compiled with, which defines the numbers of options: gptl.h
 * or the header of GPTL 8, or the header of the climate models' GPTL. Requires the lock.
 */
#ifndef GPTL_CORE_ABI_H
#define GPTL_CORE_ABI_H

/*
 * Return the number in gptl.h of option NUMBER of gptl.h or gptl.inc, which the program is about to
 * set.
 */
int gptl_abi_option(int number);

/* Do the same for a program that calls the plain symbol, so another header is possible. */
int gptl_abi_plain_option(const char *function, int number);

/*
 * Return the end of an error about the value of option NUMBER: a remedy if the header is unknown,
 * or "".
 */
const char *gptl_abi_remedy(int number);

/* Choose the layout that suits the program, after options were reset to their defaults. */
void gptl_abi_choose_layout(void);

#endif
