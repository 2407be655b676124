/* repeated.h - string instructions with a repeat prefix. */
#ifndef GPTL_MEMSIG_REPEATED_H
#define GPTL_MEMSIG_REPEATED_H

#include "pub_tool_basics.h"

enum { MEMSIG_PIECE = 32 /* bytes per access of a processor */ };

/*
 * State of one access of such an instruction: the last piece and the repetitions left after it.
 * Translated code reads and writes both.
 */
struct repeated {
    Addr piece;
    ULong left;
};

/*
 * Return the two accesses of the instruction of LENGTH bytes at ADDRESS; NULL if it does not
 * repeat.
 */
struct repeated *memsig_repeated(Addr address, UInt length);

#endif
