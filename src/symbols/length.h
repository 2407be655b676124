/* length.h - how long a C++ name is when it is demangled. */
#ifndef GPTL_SYMBOLS_LENGTH_H
#define GPTL_SYMBOLS_LENGTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* About the length of NAME, mangled as the Itanium C++ ABI has it; at most 2^24. */
size_t gptl_symbols_length(const char *name);

#endif
