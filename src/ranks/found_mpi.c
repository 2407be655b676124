/*
 * found_mpi.c - finds the functions and constants of the program's MPI through weak references: the
 * linker resolves them to a static MPI, and the dynamic linker to a shared one. An MPI that is
 * visible only to a Python module is searched at run time.
 */
#include "config.h"

#include "ranks/found_mpi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#include "mpi/find.h"

#define WEAK(name, parameters) extern int PMPI_##name parameters __attribute__((weak));
GPTL_FOUND_FUNCTIONS(WEAK)
extern uintptr_t PMPI_Comm_f2c(int comm) __attribute__((weak));
extern double PMPI_Wtime(void) __attribute__((weak));

/* The constants of Open MPI are the addresses of these objects. */
extern char ompi_mpi_comm_world[] __attribute__((weak));
extern char ompi_mpi_comm_null[] __attribute__((weak));
extern char ompi_mpi_byte[] __attribute__((weak));
extern char ompi_mpi_errors_return[] __attribute__((weak));

/*
 * MPICH declares the first symbol in its mpi.h; every program linked with MPICH contains the
 * second.
 */
extern char MPIR_Dup_fn[] __attribute__((weak));
extern char MPIR_Err_create_code[] __attribute__((weak));

const char gptl_found_absent[] = "there is no MPI in this process";

static void *found(const void *linked, const char *name)
{
    return linked ? (void *)(uintptr_t)linked : gptl_mpi_find(RTLD_DEFAULT, name);
}

static bool find_constants(struct gptl_found_mpi *mpi)
{
    mpi->comm_world = (uintptr_t)found(ompi_mpi_comm_world, "ompi_mpi_comm_world");
    if (mpi->comm_world) {
        mpi->comm_null = (uintptr_t)found(ompi_mpi_comm_null, "ompi_mpi_comm_null");
        mpi->byte = (uintptr_t)found(ompi_mpi_byte, "ompi_mpi_byte");
        mpi->errors_return = (uintptr_t)found(ompi_mpi_errors_return, "ompi_mpi_errors_return");
        return mpi->comm_null && mpi->byte && mpi->errors_return;
    }
    mpi->integers = true; /* values of the common ABI of MPICH's derivatives */
    mpi->comm_world = 0x44000000;
    mpi->comm_null = 0x04000000;
    mpi->byte = 0x4c00010d;
    mpi->errors_return = 0x54000001;
    mpi->status_ignore = (void *)1;
    return MPIR_Err_create_code || found(MPIR_Dup_fn, "MPIR_Dup_fn");
}

/* Return the first missing function without a substitute, or NULL. */
static const char *missing(const struct gptl_found_mpi *mpi)
{
#define NEED(name)                                                                                 \
    if (!mpi->name)                                                                                \
        return "PMPI_" #name;
    /* A static MPI contains it if it contains MPI-IO. */
    NEED(Initialized)
    NEED(Barrier)
    NEED(Comm_free)
    NEED(Comm_rank)
    NEED(Comm_size)
    NEED(Comm_test_inter)
    NEED(Isend)
    NEED(Irecv)
    NEED(Test)
    if (!mpi->Comm_idup)
        NEED(Comm_dup)
    if (!mpi->integers)
        NEED(Comm_f2c)
    return NULL;
}

/* Return the reason why this process cannot use its MPI, or NULL if MPI is complete. */
static const char *find_all(struct gptl_found_mpi *mpi)
{
    static char text[128];
    *mpi = (struct gptl_found_mpi){0};
    if (!found(PMPI_Initialized, "PMPI_Initialized") && !found(PMPI_Comm_rank, "PMPI_Comm_rank"))
        return gptl_found_absent;
    if (!find_constants(mpi))
        return "the MPI of this process is neither Open MPI nor MPICH or a relative of it";
#define FIND(name, parameters) *(void **)&mpi->name = found(PMPI_##name, "PMPI_" #name);
    GPTL_FOUND_FUNCTIONS(FIND)
    *(void **)&mpi->Comm_f2c = found(PMPI_Comm_f2c, "PMPI_Comm_f2c");
    *(void **)&mpi->Wtime = found(PMPI_Wtime, "PMPI_Wtime");
    const char *name = missing(mpi);
    if (!name)
        return NULL;
    snprintf(text, sizeof text, "the program is linked without %s of its static MPI: add -Wl,-u,%s",
             name, name);
    return text;
}

const struct gptl_found_mpi *gptl_found_mpi(const char **why)
{
    static struct gptl_found_mpi mpi;
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static atomic_bool is_found;
    *why = NULL;
    if (atomic_load_explicit(&is_found, memory_order_acquire))
        return &mpi;
    pthread_mutex_lock(&mutex);
    if (!atomic_load(&is_found) && !(*why = find_all(&mpi)))
        atomic_store_explicit(&is_found, true, memory_order_release);
    pthread_mutex_unlock(&mutex);
    return *why ? NULL : &mpi;
}

/*
 * A static MPI lacks PMPI_Finalized unless the program or the link line references it. Then a call
 * after MPI_Finalize is not detected: refusing all calls would break correct programs.
 */
const struct gptl_found_mpi *gptl_found_running(const char **why)
{
    int begun = 0, ended = 0;
    const struct gptl_found_mpi *mpi = gptl_found_mpi(why);
    if (!mpi)
        return NULL;
    mpi->Initialized(&begun);
    if (mpi->Finalized)
        mpi->Finalized(&ended);
    *why = ended ? "called after MPI_Finalize" : "called before MPI_Init";
    return begun && !ended ? mpi : NULL;
}
