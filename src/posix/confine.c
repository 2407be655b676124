/*
 * confine.c - a process that lets a filter restrict its system calls (seccomp), or disables its time-stamp
 * counter.
 *
 * Before a filter, the sinks make ready: what they have recorded is kept where `gptl run` finds it, and memory
 * that takes no system call is there for what follows. In strict mode even reading the counter ends the
 * process, so nothing is measured from there on.
 */
#include "config.h"

#include "posix/confine.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/counter.h"
#include "posix/apart.h"
#include "posix/filters.h"
#include "posix/next.h"
#include "posix/raw.h"
#include "posix/setup.h"

/* ---- Filters that were there before ----------------------------------------------------------- */

bool gptl_posix_began_confined(char **environment)
{
    static const char name[] = GPTL_RUN_FILTERS "=";
    for (; environment && *environment; environment++)
        if (strncmp(*environment, name, sizeof name - 1) == 0)
            return gptl_posix_count_filters() > strtol(*environment + sizeof name - 1, NULL, 10);
    return false;
}

/* ---- Filters that the process sets ------------------------------------------------------------ */

/*
 * Returns whether it was made ready for the call N with A and B, which asks for that. With a filter and
 * without the counter there is no clock, and nothing is measured, as in strict mode.
 */
static bool make_ready(long n, unsigned long a, unsigned long b, unsigned long filter)
{
    bool was_sealed = gptl_posix_is_sealed; /* and stays so if this call is refused */
    bool filtered = gptl_posix_sets_filter(n, a, b, filter);
    bool loses = gptl_posix_disables_counter(n, a, b);
    if (loses)
        gptl_counter_lose();
    bool strict = gptl_posix_sets_strict(n, a, b, filter) ||
                  (gptl_counter_is_lost() && (filtered || (loses && was_sealed)));
    if (strict || filtered)
        gptl_posix_seal(true, strict);
    return (strict || filtered) && !was_sealed;
}

static void *next_of(void *_Atomic *place, const char *name)
{
    void *found = atomic_load_explicit(place, memory_order_relaxed);
    if (!found) {
        gptl_posix_setup_early();
        found = gptl_posix_find(name);
        atomic_store(place, found);
    }
    return found;
}

static void *_Atomic next_prctl, *_Atomic next_syscall;

void gptl_posix_find_confining(void)
{
    atomic_store(&next_prctl, gptl_posix_find("prctl"));
    atomic_store(&next_syscall, gptl_posix_find("syscall"));
}

__attribute__((visibility("default"))) int gptl_wrap_prctl(int option, ...) __asm__("prctl");
int gptl_wrap_prctl(int option, ...)
{
    unsigned long word[4];
    va_list list;
    va_start(list, option);
    for (int i = 0; i < 4; i++)
        word[i] = va_arg(list, unsigned long);
    va_end(list);
    int (*next)(int, ...);
    *(void **)&next = next_of(&next_prctl, "prctl");
    bool sealed = (option == PR_SET_SECCOMP || option == PR_SET_TSC) &&
                  make_ready(SYS_prctl, (unsigned long)option, word[0], word[1]);
    int result = next(option, word[0], word[1], word[2], word[3]);
    if (sealed && result != 0)
        gptl_posix_seal(false, false);
    return result;
}

/* Declared with all the words that it may have: so it goes on by a jump, and takes no stack. */
__attribute__((visibility("default"))) long gptl_wrap_syscall(long n, unsigned long a,
                                                              unsigned long b, unsigned long c,
                                                              unsigned long d, unsigned long e,
                                                              unsigned long f) __asm__("syscall");
long gptl_wrap_syscall(long n, unsigned long a, unsigned long b, unsigned long c, unsigned long d,
                       unsigned long e, unsigned long f)
{
    long (*next)(long, unsigned long, unsigned long, unsigned long, unsigned long, unsigned long,
                 unsigned long);
    *(void **)&next = next_of(&next_syscall, "syscall");
    if (__builtin_expect(gptl_posix_disables_counter(n, a, b),
                         0)) /* so that all libraries see it */
        return gptl_wrap_prctl((int)a, b, c, d, e);
    if (__builtin_expect((n == SYS_seccomp || n == SYS_prctl) && make_ready(n, a, b, c), 0)) {
        long result = next(n, a, b, c, d, e, f);
        if (result != 0)
            gptl_posix_seal(false, false);
        return result;
    }
    return next(n, a, b, c, d, e, f);
}
