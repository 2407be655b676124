/*
 * aside.h - two copies of the library in one process.
 *
 * A program linked with libgptl.a and run with libgptl.so preloaded holds both. The program's calls
 * go to its own, so the library steps aside; of two others, the one that comes later does.
 */
#ifndef GPTL_CORE_ASIDE_H
#define GPTL_CORE_ASIDE_H

#include <stdbool.h>

/*
 * Whether another copy is to measure this process: it already does, or it is the program's own, and
 * this is not.
 */
bool gptl_aside_for_another(void);
/* Lets other copies know whether this one measures. */
void gptl_aside_say(bool on);

#endif
