/*
 * chain.c - keeps other PMPI libraries active that follow this one.
 *
 * A tool linked with the program, or preloaded after this library, defines MPI_Send and calls
 * PMPI_Send. The dynamic linker binds the program to our MPI_Send, and a direct call of PMPI_Send
 * from there would bypass the tool. Therefore a wrapper calls the next definition of its function,
 * and PMPI_Send only if no tool defines one. Tools before this library call PMPI themselves;
 * unseen.c lists the functions they hide.
 */
#include "config.h"

#include "mpi/chain.h"

#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "core/object.h"
#include "mpi/unseen.h"
#include "mpi/wrap.h"

/* Without pointers, which would need relocation. */
#define NAME(name) #name "\0"
const char gptl_mpi_names[] = "" GPTL_MPI_FUNCTIONS(NAME);

/*
 * Return whether the object is a tool. Serial programs contain MPI stubs, which also define
 * MPI_Send but call no PMPI function.
 */
static bool is_tool(const struct gptl_object *o)
{
    size_t n = gptl_object_imports(o);
    for (size_t i = 1; i < n; i++) {
        const char *name = gptl_object_import(o, i);
        if (name && (strncmp(name, "PMPI_", 5) == 0 || strcmp(name, "dlsym") == 0))
            return true;
    }
    return false;
}

/*
 * Replace MPI's functions by O's, except where an earlier tool has replaced them: that tool calls
 * O's itself.
 */
static void put_before(const struct gptl_object *o)
{
    void **next = (void **)(void *)&gptl_mpi_next;
    void *const *pmpi = (void *const *)(void *)&gptl_mpi_pmpi;
    bool is_known = false;
    for (const char *name = gptl_mpi_names; *name; name += strlen(name) + 1, next++, pmpi++) {
        void *found = *next == *pmpi ? gptl_object_export(o, name) : NULL;
        if (found && !is_known && !is_tool(o))
            return;
        is_known |= found != NULL;
        if (found)
            *next = found;
    }
}

/* Visit an object, in lookup order. */
static int look_at(struct dl_phdr_info *info, size_t size, void *passed)
{
    struct gptl_object o;
    (void)size;
    if (gptl_mpi_is_ours(info)) {
        *(bool *)passed = true;
        return 0;
    }
    if (!*(bool *)passed || gptl_mpi_is_of_mpi(info->dlpi_name))
        return 0;
    o = gptl_object_read(info);
    if (o.symbols && o.strings && o.hash)
        put_before(&o);
    return 0;
}

void gptl_mpi_chain(void)
{
    bool passed = false;
    gptl_mpi_next = gptl_mpi_pmpi;
    dl_iterate_phdr(look_at, &passed);
}
