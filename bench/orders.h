/* orders.h - calls of all instrumented functions: a round is one call of each, or as many. */
#ifndef BENCH_ORDERS_H
#define BENCH_ORDERS_H

/* In an order without a pattern, the same each time; ARG is not used. */
void bench_same_order(void *arg, long rounds);
/* Never in the same order. */
void bench_any_order(void *arg, long rounds);

#endif
