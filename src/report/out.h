/*
 * out.h - a large buffer before a file descriptor. An error is kept and nothing is written after
 * it, so that callers check once, at the end.
 */
#ifndef GPTL_REPORT_OUT_H
#define GPTL_REPORT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/number.h"

enum { GPTL_OUT_SIZE = 256 << 10 };

/*
 * True in a program that is not a host but ours: it ends by SIGPIPE, as others do, when nobody reads its
 * standard output any more.
 */
extern bool gptl_out_ends_by_pipe;

struct gptl_out {
    int fd;
    bool is_stdout;
    int error; /* the errno of the first failure, or 0 */
    size_t used;
    char buffer[GPTL_OUT_SIZE];
};

/* NULL when there is no memory. Free with free(). */
struct gptl_out *gptl_out_new(int fd);

/* Writes what is left; returns the errno of the first failure, or 0. */
int gptl_out_flush(struct gptl_out *out);

/* At least SIZE (at most 4096) bytes to fill; then say where they end. */
char *gptl_out_reserve(struct gptl_out *out, size_t size);
void gptl_out_commit(struct gptl_out *out, const char *end);

void gptl_out_bytes(struct gptl_out *out, const char *bytes, size_t size);
void gptl_out_text(struct gptl_out *out, const char *text);
void gptl_out_char(struct gptl_out *out, char c);
void gptl_out_blanks(struct gptl_out *out, size_t n);
void gptl_out_uint(struct gptl_out *out, uint64_t value);

/* NS as seconds, exact. */
void gptl_out_seconds(struct gptl_out *out, uint64_t ns);
void gptl_out_wide_seconds(struct gptl_out *out, struct gptl_wide ns);
void gptl_out_wide_uint(struct gptl_out *out, struct gptl_wide value);

/* The shortest form that reads back as the same double. */
void gptl_out_real(struct gptl_out *out, double value);

/* For lines that come once; what is longer than 1023 bytes is cut. */
void gptl_out_format(struct gptl_out *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A string literal. */
#define gptl_out_literal(out, literal) gptl_out_bytes(out, literal, sizeof(literal) - 1)

#endif
