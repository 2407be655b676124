/*
 * seldom.h - code that a usual call does not need lies apart: each line of code between two calls of a
 * program costs it one of the nearest cache.
 */
#ifndef GPTL_CORE_SELDOM_H
#define GPTL_CORE_SELDOM_H

#define GPTL_SELDOM __attribute__((cold, noinline))

#endif
