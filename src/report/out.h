/*
 * out.h - buffered output to a file descriptor. The first error is kept and suppresses further
 * output, so callers check once at the end.
 */
#ifndef GPTL_REPORT_OUT_H
#define GPTL_REPORT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/number.h"

enum { GPTL_OUT_SIZE = 256 << 10 };

/*
 * True in our own programs, as opposed to a host: they end by SIGPIPE, like other tools, if the
 * reader of their standard output is gone.
 */
extern bool gptl_out_ends_by_pipe;

struct gptl_out {
    int fd;
    bool is_stdout;
    int error; /* errno of the first failure, or 0 */
    size_t used;
    char buffer[GPTL_OUT_SIZE];
};

/* Return NULL when out of memory. Free with free(). */
struct gptl_out *gptl_out_new(int fd);

/* Write the buffered rest; return the errno of the first failure, or 0. */
int gptl_out_flush(struct gptl_out *out);

/* Reserve SIZE bytes (at most 4096) in the buffer; the caller fills them and commits their end. */
char *gptl_out_reserve(struct gptl_out *out, size_t size);
void gptl_out_commit(struct gptl_out *out, const char *end);

void gptl_out_bytes(struct gptl_out *out, const char *bytes, size_t size);
void gptl_out_text(struct gptl_out *out, const char *text);
void gptl_out_char(struct gptl_out *out, char c);
void gptl_out_blanks(struct gptl_out *out, size_t n);
void gptl_out_uint(struct gptl_out *out, uint64_t value);

/* Print NS as exact seconds. */
void gptl_out_seconds(struct gptl_out *out, uint64_t ns);
void gptl_out_wide_seconds(struct gptl_out *out, struct gptl_wide ns);
void gptl_out_wide_uint(struct gptl_out *out, struct gptl_wide value);

/* Print the shortest form that reads back as the same double. */
void gptl_out_real(struct gptl_out *out, double value);

/* Print a formatted line, cut at 1023 bytes; too slow for frequent lines. */
void gptl_out_format(struct gptl_out *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Print a string literal. */
#define gptl_out_literal(out, literal) gptl_out_bytes(out, literal, sizeof(literal) - 1)

#endif
