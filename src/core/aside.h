/*
 * aside.h - detection of a second copy of the library in one process.
 *
 * A program linked with libgptl.a and run with libgptl.so preloaded contains both. The program's
 * calls reach its own copy, so the preloaded library steps aside; of two other copies, the later
 * one does.
 */
#ifndef GPTL_CORE_ASIDE_H
#define GPTL_CORE_ASIDE_H

#include <stdbool.h>

/*
 * Return whether another copy must measure this process: it already does, or it is part of the
 * program and this copy is not.
 */
bool gptl_aside_for_another(void);
/* Announce to other copies whether this one measures. */
void gptl_aside_say(bool on);

#endif
