/*
 * next.c - finds the functions that come after ours in the order of the dynamic linker.
 *
 * All are found at load: later the linker's lock could be held by a thread that a fork left behind,
 * or by what a signal handler interrupted. A wrapper that is called before that finds its own.
 */
#include "config.h"

#include "posix/next.h"

#include <dlfcn.h>
#include <errno.h>

#include "posix/posix.h"
#include "posix/setup.h"

static const char *const names[] = {
    "",
#define CALL(name, ret, params, args) #name,
#define VARIADIC(name) #name,
#include "posix/calls.def"
};

/* Stands for a function that this libc does not have: nobody was linked with it. */
static long missing(void)
{
    errno = ENOSYS;
    return -1;
}

static void *find(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    return found ? found : (void *)missing;
}

/* What is called before setup. ISO C cannot turn dlsym's result into a function otherwise. */
#define CALL(name, ret, params, args)                                                              \
    static ret first_##name params                                                                 \
    {                                                                                              \
        gptl_posix_setup_early();                                                                  \
        if (gptl_posix_next.name == first_##name)                                                  \
            *(void **)&gptl_posix_next.name = find(#name);                                         \
        return gptl_posix_next.name args;                                                          \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include "posix/calls.def"
#pragma GCC diagnostic pop

struct gptl_posix_next gptl_posix_next = {
#define CALL(name, ret, params, args) .name = first_##name,
#include "posix/calls.def"
};

void gptl_posix_find_next(void)
{
#define CALL(name, ret, params, args) *(void **)&gptl_posix_next.name = find(#name);
#include "posix/calls.def"
    dlerror(); /* what was missing is not the program's business */
}

const char *gptl_posix_call_name(unsigned call)
{
    return call < GPTL_NCALLS ? names[call] : "";
}

unsigned gptl_posix_ncalls(void)
{
    return GPTL_NCALLS;
}
