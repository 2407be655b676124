/*
 * number.h - fast conversion of numbers to text: a report with a million nodes contains ten million
 * numbers.
 */
#ifndef GPTL_REPORT_NUMBER_H
#define GPTL_REPORT_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum { GPTL_NUMBER_SIZE = 32 }; /* buffer size for any number */

/* Conversion of ticks to nanoseconds: ticks * factor / 2^shift. */
struct gptl_scale {
    uint64_t factor;
    unsigned shift;
};

struct gptl_scale gptl_number_scale(double seconds_per_tick);

/*
 * Convert to nanoseconds, rounded to nearest; values beyond 64 bits (584 years) become UINT64_MAX -
 * 1.
 */
uint64_t gptl_number_ns(struct gptl_scale scale, uint64_t ticks);

uint64_t gptl_number_ns_of(double seconds);

/* Return A + B, saturated; a saturated value is printed with a > before it. */
int64_t gptl_number_sum(int64_t a, int64_t b);

/*
 * Return A + B, at most UINT64_MAX - 1, which is printed with a > before it as a time or a count.
 */
uint64_t gptl_number_total(uint64_t a, uint64_t b);

/* Clamp VALUE to the bounds; return VALUE without bounds (LEAST > MOST). */
uint64_t gptl_number_within(uint64_t value, uint64_t least, uint64_t most);

/* Print a number without NUL and return its length. */
size_t gptl_number_uint(char *to, uint64_t value);

/* Print VALUE / 10^SCALE with DECIMALS (0 to SCALE, at most 9), rounded half up. */
size_t gptl_number_decimal(char *to, uint64_t value, int scale, int decimals);

/* Print NS as seconds with DECIMALS (0 to 9), rounded half up. */
size_t gptl_number_seconds(char *to, uint64_t ns, int decimals);

/* A 128-bit sum. */
struct gptl_wide {
    uint64_t low, high;
};

void gptl_wide_add(struct gptl_wide *to, struct gptl_wide more);
double gptl_wide_real(struct gptl_wide value);

/* Divide by DIVISOR, less than 2^32, and return the remainder. */
uint32_t gptl_wide_divide(struct gptl_wide *value, uint32_t divisor);

enum { GPTL_WIDE_SIZE = 48 };
size_t gptl_wide_uint(char *to, struct gptl_wide value);
/* Print NS as seconds, exact, without trailing zeros. */
size_t gptl_wide_exact_seconds(char *to, struct gptl_wide ns);

/*
 * Return the number of decimals that show LEAST, the smallest nonzero time, at least 6; fewer if
 * MOST is very long.
 */
int gptl_number_decimals(uint64_t least, uint64_t most);

/* Print NS as seconds, exact, without trailing zeros. */
size_t gptl_number_exact_seconds(char *to, uint64_t ns);

/* Return the length printed by gptl_number_uint. */
unsigned gptl_number_digits(uint64_t value);

#endif
