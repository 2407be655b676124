/* libdw.c - loads libdw on first use. */
#include "config.h"

#include "symbols/libdw.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "symbols/library.h"

static struct gptl_libdw functions;
static bool loaded;

/* Look up the function NAME; dlsym also searches libelf, a dependency of libdw. */
static bool find(void *library, const char *name, void *to)
{
    void *address = gptl_library_find(library, name);
    *(void **)to = address;
    return address != NULL;
}

static void load(void)
{
    void *library = gptl_library_open("libdw.so.1");
    bool all = library != NULL;
#define FIND(name) all = all && find(library, #name, &functions.name);
    GPTL_LIBDW_FUNCTIONS(FIND)
#undef FIND
    loaded = all && functions.elf_version(EV_CURRENT) != EV_NONE;
}

const struct gptl_libdw *gptl_libdw(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return loaded ? &functions : NULL;
}
