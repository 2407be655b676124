/*
 * next.c - finds the functions behind ours.
 *
 * What the program is linked with comes next in the order of the dynamic linker, for all callers. A
 * library that was loaded later for a module of Python, say, is seen by that module only, and there
 * may be two of them, each with handles of its own. Then the caller's module tells which is meant, at
 * each call: modules come and go.
 */
#include "config.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>

#include "core/object.h"
#include "iostack/layers/calls.h"

/* Where this library lies, as the linker has it. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static bool is_ours(const void *address)
{
    return (uintptr_t)address >= (uintptr_t)__ehdr_start && (uintptr_t)address < (uintptr_t)_end;
}

/* ---- Loaded objects ------------------------------------------------------------------------- */

struct object {
    const void *address; /* the one that this is in … */
    unsigned left;       /* … or the one after so many */
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

/* In the object FILE and those that it needs. */
static void *find_in(const char *file, const char *name)
{
    void *object = *file ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = object ? dlsym(object, name) : NULL;
    if (object)
        dlclose(object);
    return found && !is_ours(found) ? found : NULL;
}

/*
 * The caller's object, or else any: a caller may have jumped, so that its own caller is seen here.
 * Nothing is opened while the linker's list is held.
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

/* ---- Functions ------------------------------------------------------------------------------ */

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
    dlerror(); /* what was missing is not the program's business */
    return next;
}

int64_t gptl_layers_ask(struct gptl_layers_function *function, const void *caller, gptl_word a,
                        gptl_word b, gptl_word c)
{
    int64_t (*next)(gptl_word, gptl_word, gptl_word) = NULL;
    *(void **)&next = gptl_layers_next(function, caller);
    return next ? next(a, b, c) : -1;
}
