/*
 * pairs.h - the grammar of options: `key=value` pairs separated by `;`, with double quotes around a
 * value that holds one of `;"`. It needs nothing else of the core, and is in libgptl_io as well.
 */
#ifndef GPTL_CORE_PAIRS_H
#define GPTL_CORE_PAIRS_H

enum { GPTL_PAIR_KEY = 64, GPTL_PAIR_VALUE = 4096 };

struct gptl_pair {
    char key[GPTL_PAIR_KEY], value[GPTL_PAIR_VALUE]; /* a key alone has the value "on" */
    const char *unclosed; /* the pair whose quote is not closed, else NULL */
};

/* Takes one pair from TEXT on. Returns where it ends, or NULL: there was none. */
const char *gptl_pair_next(const char *text, struct gptl_pair *pair);

#endif
