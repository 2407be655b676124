/*
 * environment.c - completes and strips environments.
 *
 * All functions work in the caller's memory, without a lock: a forked child of a program with
 * threads may do nothing else, and a child of vfork shares its parent's memory.
 */
#include "config.h"

#include "run/environment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "posix/filters.h"
#include "posix/peek.h"
#include "posix/raw.h"

extern char **environ;

/*
 * The variables set by `gptl run`. A value that contains MARK is the original value or derived from
 * it.
 */
static struct handed_on {
    const char *name;
    const char *mark;
    char between; /* separator from the rest of the variable's value */
    const char *value;
    size_t length;
} variables[] = {
    {"LD_PRELOAD", "/libgptl_run.so", ':', NULL, 0},
    {"GPTL_OPTIONS", "run.dir=", ';', NULL, 0},
    {"GPTL_IO", "path=", ';', NULL, 0},
    {"GPTL_IOSTACK", "path=", ';', NULL, 0},
    {GPTL_RUN_FILTERS, "", ' ', NULL, 0},
};
enum { NVARIABLES = sizeof variables / sizeof *variables };

/*
 * Copy VALUE to separate memory. Programs may overwrite their initial environment, and calling
 * malloc would disturb tools that watch it.
 */
static const char *keep(const char *value, size_t length)
{
    char *place =
        mmap(NULL, length + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return place == MAP_FAILED ? NULL : memcpy(place, value, length + 1);
}

void gptl_run_remember(void)
{
    for (struct handed_on *v = variables; v < variables + NVARIABLES; v++) {
        const char *value = getenv(v->name);
        if (v->value || !value || !strstr(value, v->mark))
            continue;
        v->length = strlen(value);
        v->value = keep(value, v->length);
    }
}

/* Return the value of V in ENVIRONMENT and its index there; NULL if it is missing. */
static const char *find(const struct handed_on *v, char *const environment[], size_t *index)
{
    size_t length = strlen(v->name);
    for (size_t i = 0; environment && environment[i]; i++)
        if (strncmp(environment[i], v->name, length) == 0 && environment[i][length] == '=') {
            *index = i;
            return environment[i] + length + 1;
        }
    return NULL;
}

static bool is_missing(const struct handed_on *v, const char *value)
{
    return v->value && !(value && strstr(value, v->mark));
}

static size_t count(char *const environment[])
{
    size_t n = 0;
    while (environment && environment[n])
        n++;
    return n;
}

enum { GROUP = 8 };

/*
 * Return whether N strings are readable. One system call tests them all, unless a filter forbids
 * it.
 */
static bool are_readable(char *const strings[], size_t n)
{
    char bytes[GROUP];
    struct iovec remote[GROUP], local = {bytes, n};
    bool readable = true;
    for (size_t i = 0; i < n; i++)
        remote[i] = (struct iovec){strings[i], 1};
    long got = n == 0 ? 0
                      : gptl_kernel_call(SYS_process_vm_readv, gptl_kernel_call(SYS_getpid), &local,
                                         1, remote, n);
    if (got >= 0 || errno == EFAULT)
        return got == (long)n;
    for (size_t i = 0; i < n && readable; i++)
        readable = gptl_posix_peek(bytes, strings[i], 1);
    return readable;
}

/*
 * Return whether all strings are readable. If one is not, exec must return EFAULT, so the caller
 * leaves the environment to it.
 */
static bool is_readable(char *const environment[])
{
    char *strings[GROUP];
    int error = errno;
    bool readable = true, more = environment != NULL;
    for (; readable && more; environment += GROUP) {
        size_t n = 0, known = gptl_posix_peek(strings, environment, sizeof strings) ? GROUP : 0;
        while (n < GROUP && more) {
            if (n >= known && !gptl_posix_peek(&strings[n], &environment[n], sizeof *strings))
                break;
            more = strings[n] != NULL;
            n += more;
        }
        readable = (n == GROUP || !more) && are_readable(strings, n);
    }
    errno = error;
    return readable;
}

size_t gptl_run_missing(char *const environment[])
{
    size_t size = 0, index;
    if (!is_readable(environment))
        return 0;
    for (const struct handed_on *v = variables; v < variables + NVARIABLES; v++) {
        const char *value = find(v, environment, &index);
        if (is_missing(v, value))
            size += strlen(v->name) + v->length + (value ? strlen(value) : 0) + 3;
    }
    return size > 0 ? size + (count(environment) + NVARIABLES + 1) * sizeof(char *) : 0;
}

static char *append(char *to, const char *text, size_t length)
{
    memmove(to, text, length);
    return to + length;
}

char **gptl_run_complete(char *const environment[], void *room)
{
    char **made = room;
    size_t n = count(environment);
    char *text = (char *)(made + n + NVARIABLES + 1);
    for (size_t i = 0; i < n; i++)
        made[i] = environment[i];
    for (const struct handed_on *v = variables; v < variables + NVARIABLES; v++) {
        size_t index = n;
        const char *value = find(v, environment, &index);
        if (!is_missing(v, value))
            continue;
        n += !value;
        made[index] = text;
        text = append(text, v->name, strlen(v->name));
        *text++ = '=';
        text = append(text, v->value, v->length);
        if (value && *value) {
            *text++ = v->between;
            text = append(text, value, strlen(value));
        }
        *text++ = '\0';
    }
    made[n] = NULL;
    return made;
}

static const char preload[] = "LD_PRELOAD=";

size_t gptl_run_bare_size(char *const environment[])
{
    size_t size = (count(environment) + 1) * sizeof(char *);
    for (size_t i = 0; environment && environment[i]; i++)
        if (strncmp(environment[i], preload, sizeof preload - 1) == 0)
            size += strlen(environment[i]) + 1;
    return size;
}

/* Copy the list FROM without our libraries to TO, which may be the variable that contains FROM. */
static void copy_others(char *to, const char *from)
{
    to = append(to, preload, sizeof preload - 1);
    for (bool is_first = true; *from;) {
        size_t n = strcspn(from, ": ");
        const char *ours = strstr(from, "/libgptl"), *rest = from + n + (from[n] != '\0');
        if (n > 0 && !(ours && ours < from + n)) {
            to = append(to, ":", is_first ? 0 : 1);
            to = append(to, from, n);
            is_first = false;
        }
        from = rest;
    }
    *to = '\0';
}

char **gptl_run_bare(char *const environment[], void *room)
{
    char **made = room;
    char *text = (char *)(made + count(environment) + 1);
    size_t n = 0;
    for (size_t i = 0; environment && environment[i]; i++) {
        made[n] = environment[i];
        if (strncmp(environment[i], preload, sizeof preload - 1) == 0) {
            copy_others(text, environment[i] + sizeof preload - 1);
            made[n] = text;
            text += strlen(environment[i]) + 1;
            if (!made[n][sizeof preload - 1])
                continue; /* drop an empty list */
        }
        n++;
    }
    made[n] = NULL;
    return made;
}

void gptl_run_strip(char **environment)
{
    char **to = environment;
    for (char **from = environment; from && *from; from++) {
        bool is_list = strncmp(*from, preload, sizeof preload - 1) == 0;
        if (is_list)
            copy_others(*from, *from + sizeof preload - 1);
        if (!is_list || (*from)[sizeof preload - 1]) /* drop an empty list */
            *to++ = *from;
    }
    if (to)
        *to = NULL;
}
