/*
 * library.c - optional shared libraries, loaded on first use.
 *
 * Loading a library into a program linked with -static is unreliable, and the linker warns about a
 * reference to dlopen in such a program. Therefore dlsym looks dlopen up, and only if a dynamic
 * linker is present.
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
