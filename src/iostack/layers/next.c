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
#include <link.h>
#include <stddef.h>
#include <stdio.h>

#include "iostack/layers/calls.h"

static bool is_ours(const void *address)
{
    Dl_info self, found;
    return dladdr(&is_ours, &self) && dladdr(address, &found) && self.dli_fbase == found.dli_fbase;
}

/* In the loaded object FILE and those that it needs. */
static void *find_in(const char *file, const char *name)
{
    void *object = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    void *found = object ? dlsym(object, name) : NULL;
    if (object)
        dlclose(object);
    return found && !is_ours(found) ? found : NULL;
}

struct nth {
    unsigned left;
    char file[PATH_MAX];
};

static int take_nth(struct dl_phdr_info *info, size_t size, void *nth)
{
    struct nth *n = nth;
    (void)size;
    if (n->left-- > 0)
        return 0;
    snprintf(n->file, sizeof n->file, "%s", info->dlpi_name);
    return 1;
}

/*
 * In any loaded object: for a caller that has jumped, so that its own caller is seen here. Nothing is
 * opened while the linker's list is held.
 */
static void *find_anywhere(const char *name)
{
    struct nth nth;
    void *found = NULL;
    for (unsigned i = 0; !found; i++) {
        nth.left = i;
        if (!dl_iterate_phdr(take_nth, &nth))
            break;
        found = *nth.file ? find_in(nth.file, name) : NULL;
    }
    return found;
}

static void *find_for(const char *name, const void *caller)
{
    Dl_info info;
    struct link_map *map = NULL;
    void *found = NULL;
    if (dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) && map && *map->l_name)
        found = find_in(map->l_name, name);
    return found ? found : find_anywhere(name);
}

void *gptl_layers_find(struct gptl_layers_function *function, const void *caller)
{
    if (atomic_load_explicit(&function->is_absent, memory_order_relaxed))
        return NULL;
    void *next = dlsym(RTLD_NEXT, function->name);
    if (next)
        atomic_store_explicit(&function->next, next, memory_order_relaxed);
    else if (!(next = find_for(function->name, caller)))
        atomic_store_explicit(&function->is_absent, true, memory_order_relaxed);
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
