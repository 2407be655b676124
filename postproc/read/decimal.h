/* decimal.h - decimal numbers of JSON as integers, without the rounding of double. */
#ifndef GPTL_POSTPROC_DECIMAL_H
#define GPTL_POSTPROC_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "report/number.h"

/* Return whether TEXT is a number by RFC 8259. */
bool decimal_is_number(const char *text);

/*
 * Parse TEXT times 10^SCALE, rounded half up. *EXACT is set to false if rounding lost nonzero
 * digits. Returns false if negative or too large.
 */
bool decimal_read(const char *text, int scale, uint64_t *value, bool *exact);

/* Parse a sum as decimal_read does, with 128 bits. */
bool decimal_read_wide(const char *text, int scale, struct gptl_wide *value, bool *exact);

#endif
