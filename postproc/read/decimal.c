/* decimal.c - numbers as they stand in JSON, as integers. */
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

/* The number behind the e, held within what makes a difference. */
static long exponent(const char *c)
{
    enum { LARGEST = 1 << 29 }; /* more than a number in a file has digits */
    bool negative = *c == '-';
    long value = 0;
    for (c += *c == '-' || *c == '+'; is_digit(*c) && value < LARGEST; c++)
        value = 10 * value + (*c - '0');
    return negative ? -value : value;
}

/* Adds a digit; false when the value is full. */
static bool push(uint64_t *value, unsigned digit)
{
    if (*value > (UINT64_MAX - digit) / 10)
        return false;
    *value = 10 * *value + digit;
    return true;
}

bool decimal_read(const char *text, int scale, uint64_t *value, bool *exact)
{
    const char *c = text + (*text == '-'), *end = c;
    long point = 0; /* how many digits belong before the point */
    uint64_t result = 0;
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
            for (; result > 0 && i < point; i++)
                if (!push(&result, 0))
                    return false;
    }
    if ((any && *text == '-') || (up && result == UINT64_MAX))
        return false;
    *value = result + up;
    return true;
}
