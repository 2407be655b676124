/* integers.h - instructions that write a general register. */
#ifndef GPTL_MEMSIG_INTEGERS_H
#define GPTL_MEMSIG_INTEGERS_H

#include "pub_tool_basics.h"

/* Whether the instruction at ADDRESS, of LENGTH bytes, does so. */
Bool memsig_writes_integer(Addr address, UInt length);

#endif
