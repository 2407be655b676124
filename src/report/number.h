/*
 * number.h - numbers as text, fast: a report of a million nodes has ten million of them.
 */
#ifndef GPTL_REPORT_NUMBER_H
#define GPTL_REPORT_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum { GPTL_NUMBER_SIZE = 32 }; /* room for any number that is written here */

/* Ticks to nanoseconds: ticks * factor / 2^shift. */
struct gptl_scale {
    uint64_t factor;
    unsigned shift;
};

struct gptl_scale gptl_number_scale(double seconds_per_tick);

/* Rounded to the nearest nanosecond; what does not fit 64 bits (584 years) is UINT64_MAX - 1. */
uint64_t gptl_number_ns(struct gptl_scale scale, uint64_t ticks);

uint64_t gptl_number_ns_of(double seconds);

/* A + B. Numbers from a file may be so large that this is wrong, but it is no fault then. */
int64_t gptl_number_sum(int64_t a, int64_t b);

/* VALUE, or the bound that it is beyond; VALUE when there are no bounds (LEAST above MOST). */
uint64_t gptl_number_within(uint64_t value, uint64_t least, uint64_t most);

/* These return how many characters they wrote; no NUL. */
size_t gptl_number_uint(char *to, uint64_t value);

/* NS as seconds with DECIMALS (0 to 9), rounded half up. */
size_t gptl_number_seconds(char *to, uint64_t ns, int decimals);

/* How many decimals show LEAST, the smallest time that is not 0; fewer when MOST is very long. */
int gptl_number_decimals(uint64_t least, uint64_t most);

/* NS as seconds with all digits and no trailing zeros: exact. */
size_t gptl_number_exact_seconds(char *to, uint64_t ns);

/* How many characters gptl_number_uint takes. */
unsigned gptl_number_digits(uint64_t value);

#endif
