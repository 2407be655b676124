/*
 * pairs.h - grammar of options: `key=value` pairs separated by `;`, with double quotes around a
 * value that contains one of `;"`. Independent of the rest of the core, and part of libgptl_io as
 * well.
 */
#ifndef GPTL_CORE_PAIRS_H
#define GPTL_CORE_PAIRS_H

enum { GPTL_PAIR_KEY = 64, GPTL_PAIR_VALUE = 4096 };

struct gptl_pair {
    char key[GPTL_PAIR_KEY], value[GPTL_PAIR_VALUE]; /* the value of a key without `=` is "on" */
    const char *unclosed; /* start of a pair with an unclosed quote, or NULL */
};

/* Parse one pair from TEXT on. Return its end, or NULL at the end of TEXT. */
const char *gptl_pair_next(const char *text, struct gptl_pair *pair);

#endif
