/*
 * library.c - shared libraries that are loaded when they are wanted.
 *
 * A program that is linked with -static could load some with luck only, and the linker warns of one
 * that refers to dlopen. So that is found by dlsym, and by that only where there is a dynamic linker.
 */
#include "config.h"

#include "symbols/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <sys/auxv.h>

#pragma weak dlsym

void *gptl_library_find(void *library, const char *name)
{
    if (!dlsym || getauxval(AT_BASE) == 0)
        return NULL;
    return dlsym(library ? library : RTLD_DEFAULT, name);
}

void *gptl_library_open(const char *name)
{
    void *(*open)(const char *, int);
    *(void **)&open = gptl_library_find(NULL, "dlopen");
    return open ? open(name, RTLD_LAZY | RTLD_LOCAL) : NULL;
}
