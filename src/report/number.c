/*
 * number.c - fast conversion of numbers to text: two digits per step from a table, times as 64-bit
 * nanoseconds.
 */
#include "config.h"

#include "report/number.h"

#include <math.h>
#include <string.h>

static const char pairs[] = "00010203040506070809"
                            "10111213141516171819"
                            "20212223242526272829"
                            "30313233343536373839"
                            "40414243444546474849"
                            "50515253545556575859"
                            "60616263646566676869"
                            "70717273747576777879"
                            "80818283848586878889"
                            "90919293949596979899";

static const uint64_t powers[] = {1,
                                  10,
                                  100,
                                  1000,
                                  10000,
                                  100000,
                                  1000000,
                                  10000000,
                                  100000000,
                                  1000000000,
                                  10000000000,
                                  100000000000,
                                  1000000000000,
                                  10000000000000,
                                  100000000000000,
                                  1000000000000000,
                                  10000000000000000,
                                  100000000000000000,
                                  1000000000000000000,
                                  10000000000000000000U};

/*
 * The factor is the 53-bit mantissa of the nanoseconds per tick, so the conversion adds no error to
 * the double's rounding.
 */
struct gptl_scale gptl_number_scale(double seconds_per_tick)
{
    double ns = seconds_per_tick * 1e9;
    if (!(ns > 0x1p-60) || !(ns < 0x1p52))
        return (struct gptl_scale){0, 0};
    int exponent;
    double mantissa = frexp(ns, &exponent);
    return (struct gptl_scale){(uint64_t)ldexp(mantissa, 53), (unsigned)(53 - exponent)};
}

uint64_t gptl_number_ns(struct gptl_scale scale, uint64_t ticks)
{
#ifdef __SIZEOF_INT128__
    unsigned __int128 product = (unsigned __int128)ticks * scale.factor;
    if (scale.shift)
        product += (unsigned __int128)1 << (scale.shift - 1);
    product >>= scale.shift;
    return product >= UINT64_MAX ? UINT64_MAX - 1 : (uint64_t)product;
#else
    long double ns = ldexpl((long double)ticks * (long double)scale.factor, -(int)scale.shift);
    return ns >= 0x1p64L - 2048 ? UINT64_MAX - 1 : (uint64_t)(ns + 0.5L);
#endif
}

uint64_t gptl_number_ns_of(double seconds)
{
    double ns = seconds * 1e9;
    if (!(ns > 0))
        return 0;
    return ns < 0x1p63 ? (uint64_t)(ns + 0.5) : UINT64_MAX - 1;
}

int64_t gptl_number_sum(int64_t a, int64_t b)
{
    int64_t sum;
    return !__builtin_add_overflow(a, b, &sum) ? sum : a > 0 ? INT64_MAX : INT64_MIN;
}

uint64_t gptl_number_total(uint64_t a, uint64_t b)
{
    return a >= UINT64_MAX - 1 - b || b >= UINT64_MAX - 1 ? UINT64_MAX - 1 : a + b;
}

uint64_t gptl_number_within(uint64_t value, uint64_t least, uint64_t most)
{
    if (least > most)
        return value;
    return value < least ? least : value > most ? most : value;
}

unsigned gptl_number_digits(uint64_t value)
{
    unsigned digits = 1;
    while (digits < sizeof powers / sizeof *powers && value >= powers[digits])
        digits++;
    return digits;
}

/* Print exactly DIGITS digits, with leading zeros. */
static void put_digits(char *to, uint64_t value, unsigned digits)
{
    while (digits >= 2) {
        digits -= 2;
        memcpy(to + digits, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (digits)
        *to = (char)('0' + value % 10);
}

size_t gptl_number_uint(char *to, uint64_t value)
{
    unsigned digits = gptl_number_digits(value);
    put_digits(to, value, digits);
    return digits;
}

size_t gptl_number_decimal(char *to, uint64_t value, int scale, int decimals)
{
    uint64_t unit = powers[scale - decimals], whole = value / unit;
    if (value % unit >= unit - unit / 2)
        whole++;
    uint64_t one = powers[decimals];
    size_t length = gptl_number_uint(to, whole / one);
    if (decimals == 0)
        return length;
    to[length++] = '.';
    put_digits(to + length, whole % one, (unsigned)decimals);
    return length + (size_t)decimals;
}

size_t gptl_number_seconds(char *to, uint64_t ns, int decimals)
{
    return gptl_number_decimal(to, ns, 9, decimals);
}

/* Times of 1000 s and more need no nanoseconds, times of 1,000,000 s and more no microseconds. */
int gptl_number_decimals(uint64_t least, uint64_t most)
{
    int needed = least < 500 ? 9 : 6;
    int allowed = most >= 1000000000000000 ? 3 : most >= 1000000000000 ? 6 : 9;
    return needed < allowed ? needed : allowed;
}

size_t gptl_number_exact_seconds(char *to, uint64_t ns)
{
    size_t length = gptl_number_seconds(to, ns, 9);
    while (to[length - 1] == '0')
        length--;
    return to[length - 1] == '.' ? length - 1 : length;
}

/* ---- 128-bit numbers ------------------------------------------------------------------------- */

void gptl_wide_add(struct gptl_wide *to, struct gptl_wide more)
{
    to->low += more.low;
    to->high += more.high + (to->low < more.low);
}

double gptl_wide_real(struct gptl_wide value)
{
    return (double)value.high * 0x1p64 + (double)value.low;
}

uint32_t gptl_wide_divide(struct gptl_wide *value, uint32_t divisor)
{
    uint64_t rest = 0;
    for (int i = 3; i >= 0; i--) {
        uint64_t *word = i < 2 ? &value->low : &value->high;
        int shift = i % 2 * 32;
        uint64_t part = rest << 32 | (*word >> shift & UINT32_MAX);
        *word = (*word & ~((uint64_t)UINT32_MAX << shift)) | part / divisor << shift;
        rest = part % divisor;
    }
    return (uint32_t)rest;
}

size_t gptl_wide_uint(char *to, struct gptl_wide value)
{
    enum { GROUP = 9 };
    uint32_t groups[5], n = 0;
    while (value.high > 0)
        groups[n++] = gptl_wide_divide(&value, (uint32_t)powers[GROUP]);
    size_t length = gptl_number_uint(to, value.low);
    for (; n > 0; length += GROUP)
        put_digits(to + length, groups[--n], GROUP);
    return length;
}

size_t gptl_wide_exact_seconds(char *to, struct gptl_wide ns)
{
    uint32_t rest = gptl_wide_divide(&ns, (uint32_t)powers[9]);
    size_t length = gptl_wide_uint(to, ns);
    if (rest == 0)
        return length;
    to[length++] = '.';
    put_digits(to + length, rest, 9);
    length += 9;
    while (to[length - 1] == '0')
        length--;
    return length;
}
