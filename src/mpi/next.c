/*
 * next.c - finds the PMPI functions, and MPI's data.
 *
 * References to them are weak, so this library can be loaded into any program, even one without
 * MPI. The dynamic linker resolves them to the MPI linked with the program. An MPI loaded later, as
 * by Python modules, is searched when the first wrapper is called. The same search covers the MPI
 * for which this library was built: linkers drop a library whose functions are all defined
 * elsewhere, and this library may define all MPI functions of a program.
 *
 * In the static library the references are not weak (GPTL_MPI_STATIC): the linker resolves them to
 * the MPI linked after it, and no other exists.
 */
#include "config.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define GPTL_MPI_ITS_OWN_DATA
#include "mpi/chain.h"
#include "mpi/wrap.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#ifndef GPTL_MPI_STATIC
#define WEAK(name) extern __typeof__(P##name) P##name __attribute__((weak));
GPTL_MPI_FUNCTIONS(WEAK)
#endif

#define TWIN(name) .name = P##name,
struct gptl_mpi_next gptl_mpi_pmpi = {GPTL_MPI_FUNCTIONS(TWIN)};
struct gptl_mpi_next gptl_mpi_next;
extern struct gptl_mpi_next gptl_mpi_shared_next __attribute__((alias("gptl_mpi_next")));

#define DATUM(name) .name = (void *)&name,
struct gptl_mpi_data gptl_mpi_data = {GPTL_MPI_DATA(DATUM)};

/* Replaces functions missing in this MPI. */
static int missing(void)
{
    return MPI_ERR_OTHER;
}

#ifndef GPTL_MPI_STATIC
static int look_at(struct dl_phdr_info *info, size_t size, void *path)
{
    const char *base = strrchr(info->dlpi_name, '/');
    (void)size;
    base = base ? base + 1 : info->dlpi_name;
    if (strncmp(base, "libmpi", 6) != 0)
        return 0;
    void *library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return 0;
    *(void **)path = library;
    if (dlsym(library, "PMPI_Init"))
        return 1;
    dlclose(library);
    *(void **)path = NULL;
    return 0;
}
#endif

/* Return whether the dynamic linker has resolved all functions. */
static bool is_complete(void)
{
    void *const *one = (void *const *)(void *)&gptl_mpi_pmpi;
    for (size_t i = 0; i < sizeof gptl_mpi_pmpi / sizeof *one; i++)
        if (!one[i])
            return false;
    return true;
}

#ifndef GPTL_MPI_STATIC
/* Return whether the program has an MPI, next to which a second one must not be loaded. */
static bool has_linked_mpi(void)
{
    return gptl_mpi_pmpi.MPI_Init || gptl_mpi_pmpi.MPI_Init_thread;
}
#endif

static void find(void)
{
    void *library = NULL;
    if (is_complete()) {
        gptl_mpi_chain();
        return;
    }
#ifndef GPTL_MPI_STATIC /* MPI is present, or was never needed */
    dl_iterate_phdr(look_at, &library);
    if (!library && !has_linked_mpi()) {
        library = dlopen(GPTL_MPI_LIBRARY, RTLD_LAZY | RTLD_GLOBAL);
        if (!library)
            library = dlopen(GPTL_MPI_LIBRARY_PATH, RTLD_LAZY | RTLD_GLOBAL);
    }
#endif
#define FIND(name)                                                                                 \
    if (!gptl_mpi_pmpi.name) {                                                                     \
        void *found = library ? dlsym(library, "P" #name) : dlsym(RTLD_DEFAULT, "P" #name);        \
        *(void **)&gptl_mpi_pmpi.name = found ? found : (void *)missing;                           \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
    GPTL_MPI_FUNCTIONS(FIND)
#pragma GCC diagnostic pop
#define FIND_DATUM(name)                                                                           \
    if (!gptl_mpi_data.name)                                                                       \
        gptl_mpi_data.name = dlsym(library ? library : RTLD_DEFAULT, #name);
    GPTL_MPI_DATA(FIND_DATUM)
    dlerror(); /* missing functions are not an error of the program */
    gptl_mpi_chain();
}

void gptl_mpi_find_next(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
}
