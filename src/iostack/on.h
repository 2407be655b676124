/* on.h - tests whether spans are recorded, for interposing libraries. */
#ifndef GPTL_IOSTACK_ON_H
#define GPTL_IOSTACK_ON_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/seldom.h"
#include "gptl_probe.h"

#pragma weak GPTLprobe_is_on

/* Query libgptl_probe once. A query before its initialization returns "on", which is harmless. */
static GPTL_SELDOM bool gptl_iostack_ask_on(atomic_schar *known)
{
    bool on = GPTLprobe_is_on && GPTLprobe_is_on();
    atomic_store(known, on ? 1 : -1);
    return on;
}

/* Return whether spans are recorded; false without libgptl_probe. */
static inline bool gptl_iostack_is_on(void)
{
    static atomic_schar known;
    int k = atomic_load_explicit(&known, memory_order_relaxed);
    return __builtin_expect(k != 0, 1) ? k > 0 : gptl_iostack_ask_on(&known);
}

#endif
