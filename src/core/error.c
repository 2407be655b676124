/*
 * error.c - the one function for all errors.
 *
 * Only the first errors are printed: a profiler with a problem must not flood its host.
 */
#include "config.h"

#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __has_include
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define GPTL_HAVE_SINGLE_THREADED 1
#endif
#endif

#include "gptl.h"

#include "core/claim.h"
#include "core/core.h"
#include "core/own_stack.h"
#include "core/stderr.h"

enum { MOST_PRINTED = 10 };

static _Atomic uint64_t errors, warnings, quiet_warnings;

/* ---- Lines --------------------------------------------------------------------------------- */

enum { BODY_SIZE = 1000 };

/* Print a line in one write, so that lines of several threads and processes stay whole. */
static void print_line(const char *function, const char *kind, const char *body, bool last)
{
    char line[BODY_SIZE + 256];
    /* A command of the program gptl includes its own name. */
    const char *who = strncmp(function, "gptl ", 5) == 0 ? "" : "GPTL: ";
    int n =
        snprintf(line, sizeof line, "%s%s%.150s%s%s%s\n", who, kind, function,
                 *function ? ": " : "", body, last ? " (more are counted, but not printed)" : "");
    gptl_stderr_write(line, (size_t)n);
}

/* ---- Processes of a job -------------------------------------------------------------------- */

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

/*
 * Deduplication of messages in a job. A launcher, a shell and their children may all have the
 * library and report the same mistake. A process records its printed messages in the environment of
 * its children, as hashes of the texts. The processes of a `gptl run` also record them in its
 * directory: so the first process with the mistake prints it, even if rank 0 does not have it.
 * Without that directory rank 0 prints for all.
 */
static const char told[] = "GPTL_TOLD";
enum { HASH_SIZE = 17, TOLD_SIZE = MOST_PRINTED * HASH_SIZE + 1 };

static bool was_told(const char *hash)
{
    const char *all = getenv(told);
    return all && strstr(all, hash);
}

/* Return whether the process has one thread: other threads may read the environment. */
static bool may_set_environment(void)
{
#ifdef GPTL_HAVE_SINGLE_THREADED
    return __libc_single_threaded;
#else
    return false;
#endif
}

static void mark_told(const char *hash)
{
    char all[TOLD_SIZE];
    const char *before = getenv(told);
    if (!may_set_environment() || (before && strlen(before) + HASH_SIZE >= sizeof all))
        return;
    snprintf(all, sizeof all, "%s%s", before ? before : "", hash);
    setenv(told, all, 1);
}

/* Return whether this process prints BODY on behalf of its job and its ancestors. */
static bool speaks_for_job(const char *body)
{
    char hash[HASH_SIZE + 1];
    uint64_t key = gptl_claim_key(0, body);
    snprintf(hash, sizeof hash, "%016llx.", (unsigned long long)key);
    if (was_told(hash))
        return false;
    int first = gptl_claim(gptl_core_string(GPTL_STR_RUN_DIR), GPTL_CLAIM_LINE, key, NULL);
    if (first < 0)
        first = gptl_core_launched_rank() <= 0;
    if (first)
        mark_told(hash);
    return first;
}

/* ---- Errors and warnings ------------------------------------------------------------------- */

/*
 * A message. It is composed on a stack of the library, as the calling thread may lack room for the
 * text.
 */
struct message {
    const char *function, *kind, *format;
    va_list *args;
    bool last, is_of_job;
};

static __attribute__((format(printf, 2, 0))) void compose(char body[BODY_SIZE], const char *format,
                                                          va_list args)
{
    if (vsnprintf(body, BODY_SIZE, format, args) < 0)
        *body = '\0';
}

static void print(void *of)
{
    const struct message *m = of;
    char body[BODY_SIZE];
    va_list args;
    va_copy(args, *m->args);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    compose(body, m->format, args);
#pragma GCC diagnostic pop
    va_end(args);
    if (!m->is_of_job || speaks_for_job(body))
        print_line(m->function, m->kind, body, m->last);
}

static int error(struct message *message)
{
    uint64_t n = atomic_fetch_add(&errors, 1) + 1;
    bool fatal = gptl_core_option(GPTL_OPT_ABORT_ON_ERROR) != 0;
    message->kind = "";
    message->last = n == MOST_PRINTED;
    message->is_of_job &= !fatal;
    if (fatal || n <= MOST_PRINTED)
        gptl_own_stack_call(print, message);
    if (fatal)
        abort();
    return -1;
}

static int warn(struct message *message)
{
    uint64_t n = atomic_fetch_add(&warnings, 1) + 1;
    message->kind = "warning: ";
    message->last = n == MOST_PRINTED;
    if (n <= MOST_PRINTED)
        gptl_own_stack_call(print, message);
    return 0;
}

/* Body of a function with a format: passes its arguments to PASS_ON. */
#define PASS_ON(pass_on, job)                                                                      \
    va_list args;                                                                                  \
    va_start(args, format);                                                                        \
    int result = pass_on(&(struct message){                                                        \
        .function = function, .format = format, .args = &args, .is_of_job = (job)});               \
    va_end(args);                                                                                  \
    return result

int gptl_core_error(const char *function, const char *format, ...)
{
    PASS_ON(error, false);
}

int gptl_core_error_job(const char *function, const char *format, ...)
{
    PASS_ON(error, true);
}

int gptl_core_warn(const char *function, const char *format, ...)
{
    PASS_ON(warn, false);
}

int gptl_core_warn_job(const char *function, const char *format, ...)
{
    PASS_ON(warn, true);
}

void gptl_core_say(const char *format, ...)
{
    va_list args;
    if (!gptl_core_option(GPTL_OPT_VERBOSE))
        return;
    va_start(args, format);
    gptl_own_stack_call(
        print, &(struct message){.function = "", .kind = "", .format = format, .args = &args});
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

void gptl_core_count_quiet_warning(void)
{
    atomic_fetch_add_explicit(&quiet_warnings, 1, memory_order_relaxed);
}

uint64_t gptl_core_printed_warnings(void)
{
    return atomic_load(&warnings);
}

int GPTLnum_warn(void)
{
    return saturated(atomic_load(&warnings) + atomic_load(&quiet_warnings));
}
