/*
 * seldom.h - attribute for rare code, to keep it out of the way: each code line between two calls
 * of a program occupies a line of its first-level cache.
 */
#ifndef GPTL_CORE_SELDOM_H
#define GPTL_CORE_SELDOM_H

#define GPTL_SELDOM __attribute__((cold, noinline))

#endif
