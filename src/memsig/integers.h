/* integers.h - detects instructions that write a general register. */
#ifndef GPTL_MEMSIG_INTEGERS_H
#define GPTL_MEMSIG_INTEGERS_H

#include "pub_tool_basics.h"

/* Return whether the instruction of LENGTH bytes at ADDRESS writes a general register. */
Bool memsig_writes_integer(Addr address, UInt length);

#endif
