/*
 * confine.c - detects that the process restricts its system calls with a filter (seccomp), or
 * disables its time-stamp counter.
 *
 * Before a filter is installed, the sinks prepare: they store the recorded calls where `gptl run`
 * finds them, and reserve memory so that later recording needs no system call. In strict mode even
 * reading the counter ends the process, so measurement stops there.
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

/* ---- Inherited filters ----------------------------------------------------------------------- */

bool gptl_posix_began_confined(char **environment)
{
    static const char name[] = GPTL_RUN_FILTERS "=";
    for (; environment && *environment; environment++)
        if (strncmp(*environment, name, sizeof name - 1) == 0)
            return gptl_posix_count_filters() > strtol(*environment + sizeof name - 1, NULL, 10);
    return false;
}

/* ---- Filters installed by the process -------------------------------------------------------- */

/*
 * Prepare the sinks if system call N with arguments A, B and FILTER installs a filter or disables
 * the counter. Return true if this call sealed the process, so that the caller can undo it if the
 * kernel refuses. A filter together with a lost counter leaves no clock, so nothing is measured, as
 * in strict mode.
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

/*
 * Declared with all possible arguments, so that the wrapper continues with a jump and uses no
 * stack.
 */
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
                         0)) /* all libraries intercept prctl */
        return gptl_wrap_prctl((int)a, b, c, d, e);
    if (__builtin_expect((n == SYS_seccomp || n == SYS_prctl) && make_ready(n, a, b, c), 0)) {
        long result = next(n, a, b, c, d, e, f);
        if (result != 0)
            gptl_posix_seal(false, false);
        return result;
    }
    return next(n, a, b, c, d, e, f);
}
