/*
 * race_checkers.h - requests to Valgrind's helgrind and drd, which take relaxed atomic accesses for
 * races, to ignore the library's own memory. Outside Valgrind this costs a few instructions.
 */
#ifndef GPTL_CORE_RACE_CHECKERS_H
#define GPTL_CORE_RACE_CHECKERS_H

#include <stddef.h>

/* Ignore new memory of the library, which threads share without locks. */
void gptl_race_checkers_ignore(const void *address, size_t size);

/* Ignore the variables of this library and of its loaded companions. */
void gptl_race_checkers_ignore_libraries(void);

#endif
