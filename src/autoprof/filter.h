/*
 * filter.h - excludes functions by the options exclude, include, and filter (a file with both).
 *
 * A pattern is a glob for a function's source name or symbol, with or without parameters. A pattern
 * that starts with "file:" matches the path of the source file or the last component of that path.
 * A function is kept if no exclude pattern matches it and, when include patterns exist, at least
 * one of them matches.
 */
#ifndef GPTL_AUTOPROF_FILTER_H
#define GPTL_AUTOPROF_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read the options, once. */
void gptl_filter_begin(void);

/* Return whether any pattern exists. */
bool gptl_filter_is_on(void);

/* The excluded functions of a module, in pages mapped from the kernel. */
struct gptl_left_out {
    size_t size;
    size_t n;
    uint64_t offsets[]; /* sorted */
};

/*
 * Return the excluded functions of a module, or NULL if the filter keeps all of them. This call
 * reads the module's symbols, which is slow.
 */
struct gptl_left_out *gptl_filter_module(const char *path, const char *build_id);
void gptl_filter_free(struct gptl_left_out *left_out);
bool gptl_filter_leaves_out(const struct gptl_left_out *left_out, uint64_t offset);

#endif
