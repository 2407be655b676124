/*
 * next.c - finds the next definitions of our functions.
 *
 * A library linked with the program is next in the dynamic linker's order, for all callers. A
 * library loaded later, for instance for a Python module, is visible only to that module, and two
 * such libraries with separate handles may exist. Then each call must determine the library from
 * the caller's module, because modules come and go.
 */
#include "config.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>

#include "core/object.h"
#include "iostack/layers/calls.h"

/* Boundaries of this library, defined by the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static bool is_ours(const void *address)
{
    return (uintptr_t)address >= (uintptr_t)__ehdr_start && (uintptr_t)address < (uintptr_t)_end;
}

/* ---- Loaded objects ------------------------------------------------------------------------- */

struct object {
    const void *address; /* an address in the object, or NULL */
    unsigned left;       /* number of objects to skip if ADDRESS is NULL */
    char file[PATH_MAX];
};

static int look_at(struct dl_phdr_info *info, size_t size, void *object)
{
    struct object *o = object;
    (void)size;
    if (o->address ? !gptl_object_is_in(gptl_object_place(info), o->address) : o->left-- > 0)
        return 0;
    snprintf(o->file, sizeof o->file, "%s", info->dlpi_name);
    return 1;
}

/* Look NAME up in the object FILE and its dependencies. */
static void *find_in(const char *file, const char *name)
{
    void *object = *file ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = object ? dlsym(object, name) : NULL;
    if (object)
        dlclose(object);
    return found && !is_ours(found) ? found : NULL;
}

/*
 * Look NAME up in the caller's object, or else in any object: a caller may have jumped here, so
 * that its own caller appears instead. No object is opened while the dynamic linker's list is
 * locked.
 */
static void *find_for(const char *name, const void *caller)
{
    struct object o = {.address = caller};
    void *found = dl_iterate_phdr(look_at, &o) ? find_in(o.file, name) : NULL;
    for (unsigned i = 0; !found; i++) {
        o.address = NULL;
        o.left = i;
        if (!dl_iterate_phdr(look_at, &o))
            break;
        found = find_in(o.file, name);
    }
    return found;
}

/* ---- Functions ------------------------------------------------------------------------------- */

void *gptl_layers_find(const char *name, bool is_datum, struct gptl_layers_found *found,
                       const void *caller)
{
    if (atomic_load_explicit(&found->is_absent, memory_order_relaxed))
        return NULL;
    void *next = dlsym(is_datum ? RTLD_DEFAULT : RTLD_NEXT, name);
    if (next)
        atomic_store_explicit(&found->next, next, memory_order_relaxed);
    else if (!(next = find_for(name, caller)))
        atomic_store_explicit(&found->is_absent, true, memory_order_relaxed);
    dlerror(); /* missing functions are not an error of the program */
    return next;
}

int64_t gptl_layers_ask(struct gptl_layers_function *function, const void *caller, gptl_word a,
                        gptl_word b, gptl_word c)
{
    int64_t (*next)(gptl_word, gptl_word, gptl_word) = NULL;
    *(void **)&next = gptl_layers_next(function, caller);
    return next ? next(a, b, c) : -1;
}
