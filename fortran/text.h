/*
 * text.h - Fortran strings: conversion of names, lengths and handles in the wrappers.
 *
 * A compiler passes the length of a string after the last argument, some as an int, most as a
 * size_t. The wrappers declare an int, which is the low half of either.
 */
#ifndef GPTL_FORTRAN_TEXT_H
#define GPTL_FORTRAN_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum { EVENT_NAME_SIZE = 128 }; /* buffer size required by GPTLevent_code_to_name */

/* A NUL-terminated copy of a Fortran string. */
struct gptl_string {
    char *text;
    int size; /* of an output string: its length plus 1 */
    char space[EVENT_NAME_SIZE];
};

#define GPTL_STRING_NONE                                                                           \
    {                                                                                              \
        .text = NULL                                                                               \
    }

/* Copy a string without trailing blanks. Return -1 after an error, reported for FUNCTION. */
int gptl_string_take(struct gptl_string *s, const char *function, const char *text, int length);

/*
 * Create an empty buffer for an output string of LENGTH. Return -1 after an error, reported for
 * FUNCTION.
 */
int gptl_string_make(struct gptl_string *s, const char *function, int length);
/*
 * Copy the buffer to the string if the function wrote to it. Return RC, the result of that
 * function, or -1 if the string is too short, which is reported for FUNCTION.
 */
int gptl_string_give(const struct gptl_string *s, const char *function, char *text, int length,
                     int rc);

void gptl_string_free(struct gptl_string *s);

/* Limit a length from the caller to the length of the string. */
static inline int shorter(int length, int string_length)
{
    return length < string_length ? length : string_length;
}

/* Return the low 32 bits of a handle kept in 64 bits. */
static inline int *low_half(int64_t *handle)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (int *)handle + 1;
#else
    return (int *)handle;
#endif
}

#endif
