/*
 * orders.h - calls of all instrumented functions: a round calls each function once, or makes the
 * same number of calls.
 */
#ifndef BENCH_ORDERS_H
#define BENCH_ORDERS_H

/* In a random order, the same in each round; ARG is unused. */
void bench_same_order(void *arg, long rounds);
/* In a different order each time. */
void bench_any_order(void *arg, long rounds);

#endif
