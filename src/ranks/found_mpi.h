/*
 * found_mpi.h - the MPI of the program, found at run time: libgptl is built with none.
 *
 * Handles are integers in MPICH and its relatives, and addresses in Open MPI. As arguments both are passed
 * as a word, since each argument has a register or eight bytes of the stack for itself; a handle that MPI
 * returns is stored in a union.
 */
#ifndef GPTL_RANKS_FOUND_MPI_H
#define GPTL_RANKS_FOUND_MPI_H

#include <stdbool.h>
#include <stdint.h>

/* Where MPI stores a handle. */
union gptl_found_handle {
    int integer;
    uintptr_t address;
};

/*
 * The functions that are called: F(name, parameters). A static MPI has those only that something else in the
 * program refers to, so they are few; see found_mpi.c for the ones that may be missing.
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
    bool integers; /* handles are */
    uintptr_t comm_world, comm_null, byte, errors_return;
    void *status_ignore;
#define GPTL_FOUND_MEMBER(name, parameters) int(*name) parameters;
    GPTL_FOUND_FUNCTIONS(GPTL_FOUND_MEMBER)
#undef GPTL_FOUND_MEMBER
    uintptr_t (*Comm_f2c)(int comm);
    double (*Wtime)(void);
};

/* The MPI of this process; or NULL, and *WHY says why: there is none yet, or none that is known. */
const struct gptl_found_mpi *gptl_found_mpi(const char **why);

/* The same if it can be called, between MPI_Init and MPI_Finalize; else NULL, and *WHY says why. */
const struct gptl_found_mpi *gptl_found_running(const char **why);

/* The handle that MPI has stored in PLACE. */
static inline uintptr_t gptl_found_word(const struct gptl_found_mpi *mpi,
                                        const union gptl_found_handle *place)
{
    return mpi->integers ? (uintptr_t)(unsigned)place->integer : place->address;
}

#endif
