/*
 * text.h - Fortran's strings: what the wrappers do with names, lengths and handles.
 *
 * A compiler passes the length of a string behind the last argument, some as an int, most as a
 * size_t. The wrappers take an int, which is the low part of either.
 */
#ifndef GPTL_FORTRAN_TEXT_H
#define GPTL_FORTRAN_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum { EVENT_NAME_SIZE = 128 }; /* what GPTLevent_code_to_name may write */

/* A copy that ends with NUL. */
struct gptl_string {
    char *text;
    int size; /* of a text to be filled: the string's length and 1 */
    char space[EVENT_NAME_SIZE];
};

#define GPTL_STRING_NONE                                                                           \
    {                                                                                              \
        .text = NULL                                                                               \
    }

/* Copies a string without the blanks at its end. Returns -1 after an error that FUNCTION reports. */
int gptl_string_take(struct gptl_string *s, const char *function, const char *text, int length);

/* Makes an empty text for a string of LENGTH. Returns -1 after an error that FUNCTION reports. */
int gptl_string_make(struct gptl_string *s, const char *function, int length);
/*
 * Fills the string from the text if that was written to. Returns RC, what the function that wrote it
 * has returned, or -1 after an error that FUNCTION reports: the string is too short.
 */
int gptl_string_give(const struct gptl_string *s, const char *function, char *text, int length,
                     int rc);

void gptl_string_free(struct gptl_string *s);

/* How much of a string a length given by the caller may cover. */
static inline int shorter(int length, int string_length)
{
    return length < string_length ? length : string_length;
}

/* A handle kept in 64 bits is used as one in 32: the half where small numbers stand. */
static inline int *low_half(int64_t *handle)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (int *)handle + 1;
#else
    return (int *)handle;
#endif
}

#endif
