/*
 * calls.h - wrappers of the functions of HDF5, PnetCDF and the PVFS client.
 *
 * Neither the headers nor the libraries are needed when this library is built or loaded. A wrapper
 * receives the arguments of its function as words and passes the same words on. This is correct on
 * x86-64 and 64-bit Arm because none of these functions has a floating-point parameter: each
 * argument is an integer, an enumerator or a pointer, in a general register or, when these are
 * exhausted, in an 8-byte stack slot; the same holds for the parts of a struct passed by value.
 * Registers and slots are assigned in parameter order, and a function reads only the bits of its
 * parameter in a word. A wrapper takes more words than any function has parameters: the excess ones
 * contain arbitrary register contents and the caller's frame, and the function ignores them.
 * Therefore the same wrapper serves an MPI handle that is an int, as in MPICH, or a pointer, as in
 * Open MPI. All results are integers in one register.
 */
#ifndef GPTL_IOSTACK_LAYERS_CALLS_H
#define GPTL_IOSTACK_LAYERS_CALLS_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/seldom.h"
#include "gptl_probe.h"

typedef uint64_t gptl_word;

/* ---- next.c: the next definition, which would be called without this library ----------------- */

/* Lookup state of a function; zero at first. */
struct gptl_layers_found {
    _Atomic(void *) next;  /* NULL: depends on the caller, or not looked up yet */
    atomic_bool is_absent; /* the lookup failed */
};

/*
 * Return the address of NAME for the call that returns to CALLER; NULL if it is missing. A datum
 * may be located in the program, which precedes this library.
 */
GPTL_SELDOM void *gptl_layers_find(const char *name, bool is_datum, struct gptl_layers_found *found,
                                   const void *caller);

static inline void *gptl_layers_known(const struct gptl_layers_found *found)
{
    return atomic_load_explicit(&found->next, memory_order_relaxed);
}

/* A function that this library calls. */
struct gptl_layers_function {
    const char *name;
    bool is_datum;
    struct gptl_layers_found found;
};

static inline void *gptl_layers_next(struct gptl_layers_function *function, const void *caller)
{
    void *next = gptl_layers_known(&function->found);
    return next ? next
                : gptl_layers_find(function->name, function->is_datum, &function->found, caller);
}

/* Call FUNCTION to get information about a call; -1 if it is missing. */
int64_t gptl_layers_ask(struct gptl_layers_function *function, const void *caller, gptl_word a,
                        gptl_word b, gptl_word c);

static inline gptl_word gptl_layers_pointer(const void *pointer)
{
    return (uintptr_t)pointer;
}

/* ---- call.c: a call, with its region and span ------------------------------------------------ */

struct gptl_layers_call {
    const struct gptl_layers_row *row;
    gptl_word *words;
    const void *caller;
    int operation;
    int64_t bytes, offset; /* -1: unknown */
    int64_t asked;         /* PVFS: requested bytes and passed hints */
    void *hints;
    uint64_t collective; /* number of the collective call on its file; 0: not collective */
    uint64_t opening;    /* opening to which COLLECTIVE refers, if known */
    GPTLcallid id;       /* id of its span, once open */
    uint64_t name;       /* its file as a number in logs; 0: unknown */
};

/*
 * Contains no address: otherwise the dynamic linker would write to all pages of a thousand rows in
 * each process, even if it calls none of them.
 */
struct gptl_layers_row {
    char name[32];
    uint8_t operation;
    bool is_wide; /* takes GPTL_LAYERS_MOST_WORDS words */
    /* Positions of the arguments, for the callbacks of the library. */
    uint8_t form, shape, size;
    int8_t at;
    bool is_collective; /* collective over the processes that opened the file together */
    bool is_watched;    /* not a call of the layer: only AFTER receives it */
};

/* Common properties of the functions of a library. */
struct gptl_layers_library {
    int layer;
    void (*before)(struct gptl_layers_call *call); /* determines the file, bytes and so on */
    void (*open)(struct gptl_layers_call *call);   /* called after the span begins; may be NULL */
    void (*after)(struct gptl_layers_call *call, gptl_word result);
};

gptl_word gptl_layers_call(const struct gptl_layers_library *library,
                           const struct gptl_layers_row *row, struct gptl_layers_found *found,
                           gptl_word *words, const void *caller);

/* clang-format off */
#define GPTL_LAYERS_WORDS(w) \
    w a, w b, w c, w d, w e, w f, w g, w h, w i, w j, w k, w l
#define GPTL_LAYERS_GIVEN a, b, c, d, e, f, g, h, i, j, k, l
/* For PVFS functions with a struct of attributes by value. */
#define GPTL_LAYERS_MORE_WORDS(w) \
    w m, w n, w o, w p, w q, w r, w s, w t, w u, w v, w x, w y, \
    w A, w B, w C, w D, w E, w F, w G, w H
#define GPTL_LAYERS_MORE_GIVEN m, n, o, p, q, r, s, t, u, v, x, y, A, B, C, D, E, F, G, H
/* clang-format on */
enum { GPTL_LAYERS_NWORDS = 12, GPTL_LAYERS_MOST_WORDS = 32 };

/* Define the row and the lookup state of a function. */
#define GPTL_LAYERS_ROW(symbol, ...)                                                               \
    static_assert(sizeof #symbol <= sizeof((struct gptl_layers_row){0}.name), "a longer name");    \
    static const struct gptl_layers_row row_##symbol = {.name = #symbol, __VA_ARGS__};             \
    static struct gptl_layers_found found_##symbol;

/* Define the wrapper of a function of LIBRARY. */
#define GPTL_LAYERS_WRAPPER(library, name)                                                         \
    gptl_word wrap_##name(GPTL_LAYERS_WORDS(gptl_word)) __asm__(#name)                             \
        __attribute__((visibility("default")));                                                    \
    gptl_word wrap_##name(GPTL_LAYERS_WORDS(gptl_word))                                            \
    {                                                                                              \
        gptl_word words[GPTL_LAYERS_NWORDS] = {GPTL_LAYERS_GIVEN};                                 \
        return gptl_layers_call(&library, &row_##name, &found_##name, words,                       \
                                __builtin_return_address(0));                                      \
    }

#define GPTL_LAYERS_WIDE_WRAPPER(library, name)                                                    \
    gptl_word wrap_##name(GPTL_LAYERS_WORDS(gptl_word),                                            \
                          GPTL_LAYERS_MORE_WORDS(gptl_word)) __asm__(#name)                        \
        __attribute__((visibility("default")));                                                    \
    gptl_word wrap_##name(GPTL_LAYERS_WORDS(gptl_word), GPTL_LAYERS_MORE_WORDS(gptl_word))         \
    {                                                                                              \
        gptl_word words[GPTL_LAYERS_MOST_WORDS] = {GPTL_LAYERS_GIVEN, GPTL_LAYERS_MORE_GIVEN};     \
        return gptl_layers_call(&library, &row_##name, &found_##name, words,                       \
                                __builtin_return_address(0));                                      \
    }

#endif
