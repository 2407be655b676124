/*
 * clone.c - interposes libc's clone, which calls no fork handlers: a child with separate memory
 * would count in the salvage file of its parent. A child that shares its parent's memory is left
 * alone.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>

#include "core/fork.h"

typedef int clone_function(int (*body)(void *), void *stack, int flags, void *argument, ...);

/* Weak for the reasons given in prctl.c. */
int clone(int (*body)(void *), void *stack, int flags, void *argument, ...)
    __attribute__((weak, visibility("default")));
extern void *dlsym(void *handle, const char *name) __attribute__((weak));

/* libc's internal name of clone, for a program linked with -static. */
#ifdef __GLIBC__
extern clone_function __clone;
#define OWN_NAME __clone
#else
#define OWN_NAME NULL
#endif

struct child {
    int (*body)(void *);
    void *argument;
};

/* Run the child, which has a copy of the parent's memory. */
static int begin_child(void *child_)
{
    const struct child *child = child_;
    gptl_core_fork(GPTL_FORK_IN_CHILD);
    return child->body(child->argument);
}

static clone_function *find_next(void)
{
    static clone_function *_Atomic next;
    if (!next && dlsym) {
        clone_function *found;
        *(void **)&found = dlsym(RTLD_NEXT, "clone");
        next = found;
    }
    return next ? next : OWN_NAME;
}

int clone(int (*body)(void *), void *stack, int flags, void *argument, ...)
{
    void *more[3];
    va_list list;
    va_start(list, argument);
    for (int i = 0; i < 3; i++) /* the kernel reads the arguments that the flags require */
        more[i] = va_arg(list, void *);
    va_end(list);
    clone_function *next = find_next();
    if (!next) {
        errno = ENOSYS;
        return -1;
    }
    if (flags & CLONE_VM || !body || !stack)
        return next(body, stack, flags, argument, more[0], more[1], more[2]);
    struct child child = {body, argument};
    gptl_core_fork(GPTL_FORK_BEGINS);
    int result = next(begin_child, stack, flags, &child, more[0], more[1], more[2]);
    int error = errno;
    gptl_core_fork(GPTL_FORK_IN_PARENT);
    errno = error;
    return result;
}
