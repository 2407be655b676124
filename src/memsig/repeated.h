/* repeated.h - string instructions that repeat themselves. */
#ifndef GPTL_MEMSIG_REPEATED_H
#define GPTL_MEMSIG_REPEATED_H

#include "pub_tool_basics.h"

enum { MEMSIG_PIECE = 32 /* bytes, as processors take them */ };

/* One of the accesses of such an instruction: the piece it was in last, and how often it was to be
   repeated after that. Translated code reads and writes both. */
struct repeated {
    Addr piece;
    ULong left;
};

/* The two of the instruction at ADDRESS, of so many bytes; NULL: it is none that repeats itself. */
struct repeated *memsig_repeated(Addr address, UInt length);

#endif
