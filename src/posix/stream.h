/* stream.h - reports stream calls, for wrap_stdio.c and wrap_format.c. */
#ifndef GPTL_POSIX_STREAM_H
#define GPTL_POSIX_STREAM_H

#include <stdint.h>
#include <stdio.h>

#include "posix/posix.h"

/*
 * Report a transfer. BYTES below 0: none, because of an error or the end of the file. ASKED -1:
 * unspecified.
 */
void gptl_posix_stream_moved(enum gptl_posix_type type, unsigned call, FILE *f, int64_t bytes,
                             int64_t asked, uint64_t start);
/*
 * Report a call without a known number of bytes. A RESULT below 0 is a failure, or the end of the
 * file, which is reported as 0.
 */
void gptl_posix_stream_called(unsigned call, FILE *f, int64_t result, int argument, int64_t value,
                              uint64_t start);

#endif
