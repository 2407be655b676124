/* pages.h - tracks first touches of pages, each of which causes a page fault in the kernel. */
#ifndef GPTL_MEMSIG_PAGES_H
#define GPTL_MEMSIG_PAGES_H

#include "pub_tool_basics.h"

enum { PAGES_SHIFT = 12, PAGES_BITS = 18, PAGES_KNOWN = 1 << PAGES_BITS };
/*
 * Resident pages, indexed by the low bits of their numbers. An entry holds the high bits, plus 1.
 */
extern UInt memsig_known_pages[PAGES_KNOWN];

Bool memsig_ask_for_page(Addr address);
/* Return whether the page of ADDRESS is not resident yet. The call marks it as resident. */
static inline Bool memsig_is_new_page(Addr address)
{
    Addr page = address >> PAGES_SHIFT;
    return memsig_known_pages[page % PAGES_KNOWN] != (UInt)(page >> PAGES_BITS) + 1 &&
           memsig_ask_for_page(address);
}

/* Register callbacks for changes of the address space. */
void memsig_begin_pages(void);

#endif
