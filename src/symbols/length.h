/* length.h - estimates the length of a demangled C++ name. */
#ifndef GPTL_SYMBOLS_LENGTH_H
#define GPTL_SYMBOLS_LENGTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return approximately the demangled length of NAME (Itanium C++ ABI mangling), at most 2^24. */
size_t gptl_symbols_length(const char *name);

#endif
