/*
 * plain.h - functions with plain symbols, for which gptl.h has another symbol (GPTL_SYMBOL).
 * Objects compiled with the header of another GPTL call them, and so does gptl.inc.
 */
#ifndef GPTL_CORE_PLAIN_H
#define GPTL_CORE_PLAIN_H

#include "gptl.h"

/*
 * Set an option by its number in gptl.h, gptl.inc, GPTL 8, or the climate models' GPTL; see abi.c.
 */
GPTL_API int gptl_plain_GPTLsetoption(int option, int val) __asm__("GPTLsetoption");

#endif
