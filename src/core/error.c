/*
 * error.c - the one door for errors.
 *
 * Only the first ones are printed: a profiler that is not happy must not flood its host.
 */
#include "config.h"

#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gptl.h"

#include "core/core.h"

enum { MOST_PRINTED = 10 };

static _Atomic uint64_t errors, warnings;

/* One write, so that lines of several threads and processes stay whole. */
static __attribute__((format(printf, 3, 0))) void print_line(const char *function, const char *kind,
                                                             const char *format, va_list args,
                                                             bool last)
{
    char line[1200];
    /* A command of the program gptl says itself who speaks. */
    const char *who = strncmp(function, "gptl ", 5) == 0 ? "" : "GPTL: ";
    int n = snprintf(line, 200, "%s%s%s%s", who, kind, function, *function ? ": " : "");
    int m = vsnprintf(line + n, sizeof line - 200, format, args);
    if (m > (int)sizeof line - 201)
        m = (int)sizeof line - 201;
    n += m > 0 ? m : 0;
    n += snprintf(line + n, sizeof line - (size_t)n, "%s\n",
                  last ? " (more are counted, but not printed)" : "");
    ssize_t written = write(STDERR_FILENO, line, (size_t)n);
    (void)written; /* there is nowhere to say that stderr is gone */
}

int gptl_core_error(const char *function, const char *format, ...)
{
    uint64_t n = atomic_fetch_add(&errors, 1) + 1;
    bool fatal = gptl_core_option(GPTL_OPT_ABORT_ON_ERROR) != 0;
    if (n <= MOST_PRINTED || fatal) {
        va_list args;
        va_start(args, format);
        print_line(function, "", format, args, n == MOST_PRINTED);
        va_end(args);
    }
    if (fatal)
        abort();
    return -1;
}

static __attribute__((format(printf, 2, 0))) int warn(const char *function, const char *format,
                                                      va_list args, bool is_said)
{
    uint64_t n = atomic_fetch_add(&warnings, 1) + 1;
    if (n <= MOST_PRINTED && is_said)
        print_line(function, "warning: ", format, args, n == MOST_PRINTED);
    return 0;
}

int gptl_core_warn(const char *function, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int result = warn(function, format, args, true);
    va_end(args);
    return result;
}

int gptl_core_warn_job(const char *function, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int result = warn(function, format, args, gptl_core_launched_rank() <= 0);
    va_end(args);
    return result;
}

int gptl_core_launched_rank(void)
{
    static const char *const variables[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID",
                                            "PMIX_RANK"};
    const char *value = NULL;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && !(value && *value); i++)
        value = getenv(variables[i]);
    if (!value || !*value)
        return -1;
    char *end;
    long rank = strtol(value, &end, 10);
    return *end == '\0' && rank >= 0 && rank <= INT_MAX ? (int)rank : -1;
}

void gptl_core_say(const char *format, ...)
{
    if (!gptl_core_option(GPTL_OPT_VERBOSE))
        return;
    va_list args;
    va_start(args, format);
    print_line("", "", format, args, false);
    va_end(args);
}

static int saturated(uint64_t n)
{
    return n > INT32_MAX ? INT32_MAX : (int)n;
}

int GPTLnum_errors(void)
{
    return saturated(atomic_load(&errors));
}

int GPTLnum_warn(void)
{
    return saturated(atomic_load(&warnings));
}
