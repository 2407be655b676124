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

/* A + B, or the largest or smallest number where that does not fit: printed with a > before it. */
int64_t gptl_number_sum(int64_t a, int64_t b);

/* A + B, or UINT64_MAX - 1 where that is more: as a time or a count, printed with a > before it. */
uint64_t gptl_number_total(uint64_t a, uint64_t b);

/* VALUE, or the bound that it is beyond; VALUE when there are no bounds (LEAST above MOST). */
uint64_t gptl_number_within(uint64_t value, uint64_t least, uint64_t most);

/* These return how many characters they wrote; no NUL. */
size_t gptl_number_uint(char *to, uint64_t value);

/* VALUE / 10^SCALE with DECIMALS (0 to SCALE, at most 9), rounded half up. */
size_t gptl_number_decimal(char *to, uint64_t value, int scale, int decimals);

/* NS as seconds with DECIMALS (0 to 9), rounded half up. */
size_t gptl_number_seconds(char *to, uint64_t ns, int decimals);

/* A sum of 128 bits. */
struct gptl_wide {
    uint64_t low, high;
};

void gptl_wide_add(struct gptl_wide *to, struct gptl_wide more);
double gptl_wide_real(struct gptl_wide value);

/* Divides by DIVISOR, less than 2^32, and returns what is left. */
uint32_t gptl_wide_divide(struct gptl_wide *value, uint32_t divisor);

enum { GPTL_WIDE_SIZE = 48 };
size_t gptl_wide_uint(char *to, struct gptl_wide value);
/* NS as seconds with all digits and no trailing zeros: exact. */
size_t gptl_wide_exact_seconds(char *to, struct gptl_wide ns);

/* How many decimals show LEAST, the smallest time that is not 0; fewer when MOST is very long. */
int gptl_number_decimals(uint64_t least, uint64_t most);

/* NS as seconds with all digits and no trailing zeros: exact. */
size_t gptl_number_exact_seconds(char *to, uint64_t ns);

/* How many characters gptl_number_uint takes. */
unsigned gptl_number_digits(uint64_t value);

#endif
