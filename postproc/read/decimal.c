/* decimal.c - decimal numbers of JSON as integers. */
#include "config.h"

#include "postproc/read/decimal.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *c)
{
    while (is_digit(*c))
        c++;
    return c;
}

bool decimal_is_number(const char *text)
{
    const char *c = text + (*text == '-');
    const char *end = *c == '0' ? c + 1 : skip_digits(c);
    if (end == c)
        return false;
    if (*end == '.') {
        c = end + 1;
        end = skip_digits(c);
        if (end == c)
            return false;
    }
    if (*end == 'e' || *end == 'E') {
        c = end + 1;
        c += *c == '+' || *c == '-';
        end = skip_digits(c);
        if (end == c)
            return false;
    }
    return *end == '\0';
}

/* Parse the exponent, clamped to the range that matters. */
static long exponent(const char *c)
{
    enum { LARGEST = 1 << 29 }; /* exceeds the number of digits that a file can contain */
    bool negative = *c == '-';
    long value = 0;
    for (c += *c == '-' || *c == '+'; is_digit(*c) && value < LARGEST; c++)
        value = 10 * value + (*c - '0');
    return negative ? -value : value;
}

/* Append a digit. Returns false on overflow. */
static bool push(struct gptl_wide *value, unsigned digit)
{
    struct gptl_wide two = *value;
    if (value->high > UINT64_MAX / 16)
        return false;
    gptl_wide_add(&two, two);
    *value = two;
    gptl_wide_add(value, *value);
    gptl_wide_add(value, *value);
    gptl_wide_add(value, two);
    gptl_wide_add(value, (struct gptl_wide){digit, 0});
    return true;
}

bool decimal_read(const char *text, int scale, uint64_t *value, bool *exact)
{
    struct gptl_wide wide;
    if (!decimal_read_wide(text, scale, &wide, exact) || wide.high > 0)
        return false;
    *value = wide.low;
    return true;
}

bool decimal_read_wide(const char *text, int scale, struct gptl_wide *value, bool *exact)
{
    const char *c = text + (*text == '-'), *end = c;
    long point = 0; /* number of remaining digits before the decimal point */
    struct gptl_wide result = {0, 0};
    bool fraction = false, any = false, up = false;
    for (; is_digit(*end) || *end == '.'; end++) {
        fraction |= *end == '.';
        point += !fraction;
    }
    point += scale + (*end == 'e' || *end == 'E' ? exponent(end + 1) : 0);
    *exact = true;
    for (long i = 0; c < end; c++) {
        if (*c == '.')
            continue;
        unsigned digit = (unsigned)(*c - '0');
        any |= digit > 0;
        if (i < point && !push(&result, digit))
            return false;
        if (i == point)
            up = digit >= 5;
        if (i >= point && digit > 0)
            *exact = false;
        i++;
        if (c + 1 == end)
            for (; (result.low | result.high) > 0 && i < point; i++)
                if (!push(&result, 0))
                    return false;
    }
    if (any && *text == '-')
        return false;
    gptl_wide_add(&result, (struct gptl_wide){up, 0});
    *value = result;
    return true;
}
