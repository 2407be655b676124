/*
 * next.c - finds the PMPI functions, and MPI's data.
 *
 * They are weak, so this library can be loaded into any program, also one without an MPI. The dynamic
 * linker finds those of an MPI that the program is linked with. One that comes later, as Python's
 * modules bring it, is looked for when a wrapper is called first. So is the one that this library was
 * made for: linkers leave out a library that nothing is taken from, and all MPI functions of a
 * program may be ours.
 *
 * In the static library they are not weak (GPTL_MPI_STATIC): so the linker takes them from the MPI that
 * is linked behind it, and there is no other.
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

/* Stands for what this MPI does not have. */
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

/* Whether the dynamic linker has found all of them. */
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
#ifndef GPTL_MPI_STATIC /* then it is there, or was never wanted */
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
    dlerror(); /* what was missing is not the program's business */
    gptl_mpi_chain();
}

void gptl_mpi_find_next(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
}
