/*
 * found_mpi.h - interface to the program's MPI, found at run time, because libgptl is built without
 * MPI.
 *
 * Handles are integers in MPICH and its derivatives, and addresses in Open MPI. Both are passed as
 * one machine word, since every argument occupies a full register or eight bytes of stack. A handle
 * returned by MPI is stored in a union.
 */
#ifndef GPTL_RANKS_FOUND_MPI_H
#define GPTL_RANKS_FOUND_MPI_H

#include <stdbool.h>
#include <stdint.h>

/* Storage for a handle returned by MPI. */
union gptl_found_handle {
    int integer;
    uintptr_t address;
};

/*
 * The imported functions: F(name, parameters). A static MPI contains only functions referenced
 * elsewhere in the program, so the list is short; found_mpi.c states which ones may be missing.
 */
#define GPTL_FOUND_FUNCTIONS(F)                                                                    \
    F(Initialized, (int *flag))                                                                    \
    F(Finalized, (int *flag))                                                                      \
    F(Barrier, (uintptr_t comm))                                                                   \
    F(Ibarrier, (uintptr_t comm, void *request))                                                   \
    F(Comm_dup, (uintptr_t comm, void *copy))                                                      \
    F(Comm_idup, (uintptr_t comm, void *copy, void *request))                                      \
    F(Comm_free, (void *comm))                                                                     \
    F(Comm_rank, (uintptr_t comm, int *rank))                                                      \
    F(Comm_size, (uintptr_t comm, int *size))                                                      \
    F(Comm_test_inter, (uintptr_t comm, int *flag))                                                \
    F(Comm_set_errhandler, (uintptr_t comm, uintptr_t handler))                                    \
    F(Isend,                                                                                       \
      (const void *bytes, int n, uintptr_t type, int to, int tag, uintptr_t comm, void *request))  \
    F(Irecv,                                                                                       \
      (void *bytes, int n, uintptr_t type, int from, int tag, uintptr_t comm, void *request))      \
    F(Test, (void *request, int *done, void *status))

struct gptl_found_mpi {
    bool integers; /* handles are integers */
    uintptr_t comm_world, comm_null, byte, errors_return;
    void *status_ignore;
#define GPTL_FOUND_MEMBER(name, parameters) int(*name) parameters;
    GPTL_FOUND_FUNCTIONS(GPTL_FOUND_MEMBER)
#undef GPTL_FOUND_MEMBER
    uintptr_t (*Comm_f2c)(int comm);
    double (*Wtime)(void);
};

/* The reason of the functions below in a process without MPI. */
extern const char gptl_found_absent[];

/* Return the MPI of this process, or NULL with the reason in *WHY: absent so far, or unknown. */
const struct gptl_found_mpi *gptl_found_mpi(const char **why);

/*
 * Return the MPI if it is usable, between MPI_Init and MPI_Finalize; else NULL with the reason in
 * *WHY.
 */
const struct gptl_found_mpi *gptl_found_running(const char **why);

/* Return the handle that MPI stored in PLACE. */
static inline uintptr_t gptl_found_word(const struct gptl_found_mpi *mpi,
                                        const union gptl_found_handle *place)
{
    return mpi->integers ? (uintptr_t)(unsigned)place->integer : place->address;
}

#endif
