/*
 * race_checkers.h - Valgrind's helgrind and drd take relaxed atomic accesses for races. They are told to
 * leave the library's own memory alone. Outside Valgrind this costs a few instructions.
 */
#ifndef GPTL_CORE_RACE_CHECKERS_H
#define GPTL_CORE_RACE_CHECKERS_H

#include <stddef.h>

/* New memory of the library, which threads share without locks. */
void gptl_race_checkers_ignore(const void *address, size_t size);

/* The variables of this library and of its companions that are loaded. */
void gptl_race_checkers_ignore_libraries(void);

#endif
