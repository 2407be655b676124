/*
 * calls.h - what stands before the functions of HDF5, PnetCDF and the client of PVFS.
 *
 * Neither their headers nor they themselves are needed, when this library is built or when it is
 * loaded. A wrapper takes what its function is given as words, and hands the same words on. That is
 * sound on x86-64 and on 64-bit Arm because none of these functions takes a floating-point number:
 * each argument is an integer, an enumerator or a pointer and lies in a general register or, when
 * these are used up, in a slot of 8 bytes on the stack; so do the parts of a struct that is given by
 * value. Registers and slots come in the order of the parameters, and a function looks only at as
 * many bits of a word as its parameter has. A wrapper takes more words than any function has
 * parameters: the others are what happens to lie in registers and in the caller's frame, which nobody
 * looks at. So the same wrapper serves a handle of MPI that is an int, as MPICH's, and one that is a
 * pointer, as Open MPI's. What they return is an integer in one register.
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

/* ---- next.c: the function that would be called if this library were not there --------------- */

/* What is known of a function; all zero at first. */
struct gptl_layers_found {
    _Atomic(void *) next;  /* NULL: it depends on who calls, or was never looked for … */
    atomic_bool is_absent; /* … or was not found */
};

/*
 * What NAME is for the call that returns to CALLER; NULL if there is none. A datum may lie in the program,
 * before this library.
 */
GPTL_SELDOM void *gptl_layers_find(const char *name, bool is_datum, struct gptl_layers_found *found,
                                   const void *caller);

static inline void *gptl_layers_known(const struct gptl_layers_found *found)
{
    return atomic_load_explicit(&found->next, memory_order_relaxed);
}

/* One that this library calls itself. */
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

/* Calls FUNCTION for what is told about a call; -1 if there is none. */
int64_t gptl_layers_ask(struct gptl_layers_function *function, const void *caller, gptl_word a,
                        gptl_word b, gptl_word c);

static inline gptl_word gptl_layers_pointer(const void *pointer)
{
    return (uintptr_t)pointer;
}

/* ---- call.c: a call, and the span that is made of it ---------------------------------------- */

struct gptl_layers_call {
    const struct gptl_layers_row *row;
    gptl_word *words;
    const void *caller;
    int operation;
    int64_t bytes, offset; /* -1: not known */
    int64_t asked;         /* of PVFS: what was asked for, and the hints that went with it */
    void *hints;
    uint64_t collective; /* its number on its file; 0: it is not collective … */
    uint64_t opening;    /* … and on which opening, if that is known */
    GPTLcallid id;       /* of its span, once that is open */
    uint64_t name;       /* of its file, as a number in logs; 0: not known */
};

/*
 * There is no address in it: the dynamic linker would write to all pages of a thousand rows, in each process,
 * also in those that never call.
 */
struct gptl_layers_row {
    char name[32];
    uint8_t operation;
    bool is_wide; /* it takes GPTL_LAYERS_MOST_WORDS */
    /* What the functions below need to know: how the arguments lie. */
    uint8_t form, shape, size;
    int8_t at;
    bool is_collective; /* all that have opened the file together make it */
    bool is_watched;    /* it is no call of the layer: only `after` is told of it */
};

/* What all functions of a library have in common. */
struct gptl_layers_library {
    int layer;
    void (*before)(struct gptl_layers_call *call); /* tells what it is about … */
    void (*open)(struct gptl_layers_call *call);   /* … and when the span is open; may be NULL */
    void (*after)(struct gptl_layers_call *call, gptl_word result);
};

gptl_word gptl_layers_call(const struct gptl_layers_library *library,
                           const struct gptl_layers_row *row, struct gptl_layers_found *found,
                           gptl_word *words, const void *caller);

/* clang-format off */
#define GPTL_LAYERS_WORDS(w) \
    w a, w b, w c, w d, w e, w f, w g, w h, w i, w j, w k, w l
#define GPTL_LAYERS_GIVEN a, b, c, d, e, f, g, h, i, j, k, l
/* Those of PVFS that are given a struct of attributes by value. */
#define GPTL_LAYERS_MORE_WORDS(w) \
    w m, w n, w o, w p, w q, w r, w s, w t, w u, w v, w x, w y, \
    w A, w B, w C, w D, w E, w F, w G, w H
#define GPTL_LAYERS_MORE_GIVEN m, n, o, p, q, r, s, t, u, v, x, y, A, B, C, D, E, F, G, H
/* clang-format on */
enum { GPTL_LAYERS_NWORDS = 12, GPTL_LAYERS_MOST_WORDS = 32 };

/* The row of a function, and what is known of it … */
#define GPTL_LAYERS_ROW(symbol, ...)                                                               \
    static_assert(sizeof #symbol <= sizeof((struct gptl_layers_row){0}.name), "a longer name");    \
    static const struct gptl_layers_row row_##symbol = {.name = #symbol, __VA_ARGS__};             \
    static struct gptl_layers_found found_##symbol;

/* … and its wrapper, for a function of LIBRARY. */
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
