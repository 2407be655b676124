/* decimal.h - numbers as they stand in JSON, as integers: nothing goes through a double. */
#ifndef GPTL_POSTPROC_DECIMAL_H
#define GPTL_POSTPROC_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "report/number.h"

/* Whether TEXT is a number as RFC 8259 has it. */
bool decimal_is_number(const char *text);

/*
 * The number TEXT times 10^SCALE, rounded half up. *EXACT: it was a whole number. False when it is
 * negative, or does not fit.
 */
bool decimal_read(const char *text, int scale, uint64_t *value, bool *exact);

/* The same of a sum, which may need 128 bits. */
bool decimal_read_wide(const char *text, int scale, struct gptl_wide *value, bool *exact);

#endif
