/* pages.h - pages that a program gets from the system: each takes the kernel time when it is touched first. */
#ifndef GPTL_MEMSIG_PAGES_H
#define GPTL_MEMSIG_PAGES_H

#include "pub_tool_basics.h"

enum { PAGES_SHIFT = 12, PAGES_BITS = 18, PAGES_KNOWN = 1 << PAGES_BITS };
/* That are there, by the last bits of their numbers: the other bits, and 1. */
extern UInt memsig_known_pages[PAGES_KNOWN];

Bool memsig_ask_for_page(Addr address);
/* Whether the page of ADDRESS is not there yet. Pages are there as soon as they were asked for. */
static inline Bool memsig_is_new_page(Addr address)
{
    Addr page = address >> PAGES_SHIFT;
    return memsig_known_pages[page % PAGES_KNOWN] != (UInt)(page >> PAGES_BITS) + 1 &&
           memsig_ask_for_page(address);
}

/* To be told of what changes. */
void memsig_begin_pages(void);

#endif
