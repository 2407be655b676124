/*
 * abi.h - the header that a program was compiled with, which gives numbers to options: gptl.h or that
 * of GPTL 8, or the header of the climate models' GPTL. Call with the lock held.
 */
#ifndef GPTL_CORE_ABI_H
#define GPTL_CORE_ABI_H

/* The number in gptl.h of the option that FUNCTION is to set to VALUE as number NUMBER. */
int gptl_abi_option(const char *function, int number, long long value);

/* The end of an error about VALUE of option KEY: a remedy if the other header explains it, or "". */
const char *gptl_abi_remedy(const char *key, long long value);

/* Chooses the layout that suits the program, after options were set to their defaults. */
void gptl_abi_choose_layout(void);

#endif
