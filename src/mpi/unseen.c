/*
 * unseen.c - the MPI functions that the program and its libraries import but no wrapper covers:
 * they lead directly into MPI or another PMPI library. They exist if MPI is newer than the one used
 * to build this library, if MPI or a tool precedes this library in link order, and in Fortran
 * without libgptl_mpif.
 */
#include "config.h"

#include "mpi/unseen.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "core/object.h"
#include "mpi/chain.h"
#include "mpi/wrap.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool gptl_mpi_is_of_mpi(const char *object)
{
    const char *base = base_name(object);
    return has_prefix(base, "libmpi") || has_prefix(base, "libpmpi") ||
           has_prefix(base, "libopen-") || has_prefix(base, "libmca_") || has_prefix(base, "mca_");
}

/* Return whether the object contains our wrappers; the static library is part of the program. */
bool gptl_mpi_is_ours(const struct dl_phdr_info *info)
{
    return has_prefix(base_name(info->dlpi_name), "libgptl_mpi") ||
           gptl_object_is_in(gptl_object_place(info), &gptl_mpi_next);
}

/*
 * Return whether NAME is a function, such as MPI_Send or mpi_send_, rather than a constant such as
 * MPI_UNWEIGHTED.
 */
static bool is_function(const char *name)
{
    if (has_prefix(name, "MPI_") || has_prefix(name, "MPIX_"))
        return name[strcspn(name, "abcdefghijklmnopqrstuvwxyz")] != '\0';
#ifdef OMPI_MAJOR_VERSION
    /* elsewhere, Fortran functions call the C functions */
    return has_prefix(name, "mpi_") && name[strlen(name) - 1] == '_';
#else
    return false;
#endif
}

struct list {
    size_t used, size;
    char *text;
    bool any;      /* an object has been visited; the program is the first */
    struct found { /* object of the latest function found: usually ours */
        struct gptl_object_place place;
        bool is_ours;
    } last;
};

struct search {
    const void *address;
    struct found found;
};

static int find_object(struct dl_phdr_info *info, size_t size, void *to)
{
    struct search *search = to;
    struct gptl_object_place place = gptl_object_place(info);
    (void)size;
    if (!gptl_object_is_in(place, search->address))
        return 0;
    search->found = (struct found){place, gptl_mpi_is_ours(info)};
    return 1;
}

static bool is_seen(struct list *list, const char *name)
{
    struct search search = {dlsym(RTLD_DEFAULT, name), list->last};
    if (!search.address)
        return false;
    if (!gptl_object_is_in(list->last.place, search.address) &&
        !dl_iterate_phdr(find_object, &search))
        return false;
    list->last = search.found;
    return search.found.is_ours;
}

static bool is_in(const struct list *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list->text; (at = strstr(at, name)); at += n)
        if ((at == list->text || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

static void add(struct list *list, const char *name)
{
    static const char more[] = " ...";
    size_t n = strlen(name);
    if (list->used + n + 1 + sizeof more > list->size) {
        if (!is_in(list, more + 1) && list->used > 0)
            memcpy(list->text + list->used, more, sizeof more);
        return;
    }
    if (list->used > 0)
        list->text[list->used++] = ' ';
    memcpy(list->text + list->used, name, n + 1);
    list->used += n;
}

/* List functions that the program defines and thus calls itself. */
static void add_own(struct list *list, const struct gptl_object *o)
{
    for (const char *name = gptl_mpi_names; *name; name += strlen(name) + 1)
        if (gptl_object_export(o, name))
            add(list, name);
}

static int look_at(struct dl_phdr_info *info, size_t size, void *list_)
{
    struct list *list = list_;
    struct gptl_object o = gptl_object_read(info);
    (void)size;
    if (!list->any && o.symbols && o.strings && !gptl_mpi_is_ours(info))
        add_own(list, &o);
    list->any = true;
    if (!o.symbols || !o.strings || gptl_mpi_is_of_mpi(info->dlpi_name) ||
        has_prefix(base_name(info->dlpi_name), "libgptl"))
        return 0;
    size_t n = gptl_object_imports(&o);
    for (size_t i = 1; i < n; i++) {
        const char *name = gptl_object_import(&o, i);
        if (name && is_function(name) && !is_seen(list, name) && !is_in(list, name))
            add(list, name);
    }
    return 0;
}

const char *gptl_mpi_unseen(void)
{
    static char text[8192];
    struct list list = {.size = sizeof text, .text = text};
    text[0] = '\0';
    dl_iterate_phdr(look_at, &list);
    return text;
}
