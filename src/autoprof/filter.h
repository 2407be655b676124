/*
 * filter.h - which functions are left out: by the options exclude, include, and filter, a file of
 * both.
 *
 * A pattern is a glob for the name of a function, as its source has it or as its symbol is, with or
 * without its parameters; one that begins with "file:" is for the path or the last part of the path
 * of its source. A function is kept if no pattern excludes it and, when any pattern includes, one of
 * those includes it.
 */
#ifndef GPTL_AUTOPROF_FILTER_H
#define GPTL_AUTOPROF_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the options, once. */
void gptl_filter_begin(void);

/* Whether there is any pattern. */
bool gptl_filter_is_on(void);

/* The functions of a module that are left out, in pages from the kernel. */
struct gptl_left_out {
    size_t size;
    size_t n;
    uint64_t offsets[]; /* sorted */
};

/* NULL: none. Reads the module's symbols, which takes a moment. */
struct gptl_left_out *gptl_filter_module(const char *path, const char *build_id);
void gptl_filter_free(struct gptl_left_out *left_out);
bool gptl_filter_leaves_out(const struct gptl_left_out *left_out, uint64_t offset);

#endif
