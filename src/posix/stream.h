/* stream.h - telling of calls for streams: what wrap_stdio.c and wrap_format.c share. */
#ifndef GPTL_POSIX_STREAM_H
#define GPTL_POSIX_STREAM_H

#include <stdint.h>
#include <stdio.h>

#include "posix/posix.h"

/* BYTES below 0: nothing was moved, because of an error, or of the end of the file. ASKED -1: any. */
void gptl_posix_stream_moved(enum gptl_posix_type type, unsigned call, FILE *f, int64_t bytes,
                             int64_t asked, uint64_t start);
/* A RESULT below 0 is a failure, or the end of the file, which is told as 0. */
void gptl_posix_stream_called(unsigned call, FILE *f, int64_t result, int argument, int64_t value,
                              uint64_t start);

#endif
