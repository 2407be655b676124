/*
 * fortran.h - common parts of the wrappers of Fortran functions.
 *
 * A call from Fortran goes through the wrapper of the C function, which measures it and knows its
 * amount. When that wrapper calls its PMPI entry point through gptl_mpi_next, this library
 * intercepts the call and calls Fortran's PMPI entry point with the original Fortran arguments.
 * Therefore no argument for MPI is translated, and special addresses (MPI_IN_PLACE, MPI_BOTTOM, an
 * absent ierror) keep their meaning. Only the arguments examined by the wrapper are translated,
 * separately from the call.
 */
#ifndef GPTL_MPI_FORTRAN_H
#define GPTL_MPI_FORTRAN_H

#include <stdatomic.h>

#include "mpi/wrap.h"

/* A function by its address. */
typedef void gptl_mpif_function(void);

/*
 * The call in progress through the wrapper, from just before it until the PMPI entry point is
 * called.
 */
struct gptl_mpif_call {
    const void *function; /* address of the wrapper's function; NULL: no call */
    void **f;             /* Fortran's arguments */
    gptl_mpif_function *twin;
};
extern __thread struct gptl_mpif_call gptl_mpif_call
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/*
 * The libraries that contain Fortran functions: for each the name requested by programs, then its
 * path.
 */
extern const char *const gptl_mpif_libraries[] __attribute__((visibility("hidden")));

/*
 * Return function NAME of the MPI in this process. MPI may have been loaded after this library, or
 * not at all: linkers drop a library whose functions are all defined elsewhere, and this library
 * may define all functions of a program.
 */
gptl_mpif_function *gptl_mpif_find(const char *name) __attribute__((cold));
/* Look up a function that needs no wrapper, for libgptl_mpi-any; NULL if it is missing. */
GPTL_FOR_SISTERS void *gptl_mpif_look_up(const char *name);
/* Return the wrapper of the C function NAME. */
gptl_mpif_function *gptl_mpif_find_wrapper(const char *name) __attribute__((cold));

/* Cache the result in POINTER, which starts as the address of a weak symbol or as NULL. */
#define GPTL_MPIF_KEPT(pointer, find, name)                                                        \
    (gptl_mpi_likely((pointer) != NULL) ? (pointer) : ((pointer) = find(name)))

/*
 * Redirect gptl_mpi_next.NAME to either_NAME, from the first Fortran call of NAME on. either_NAME
 * distinguishes these calls from C calls, and our call from other calls of the wrapper.
 */
#define GPTL_MPIF_PUT_BEFORE(name)                                                                 \
    do {                                                                                           \
        if (!gptl_mpi_likely(real_##name != NULL))                                                 \
            gptl_mpif_put_before(                                                                  \
                (gptl_mpif_function * _Atomic *)(void *)&gptl_mpi_shared_next.name,                \
                (gptl_mpif_function **)(void *)&real_##name, (gptl_mpif_function *)either_##name); \
    } while (0)
void gptl_mpif_put_before(gptl_mpif_function *_Atomic *next, gptl_mpif_function **real,
                          gptl_mpif_function *either) __attribute__((cold));

GPTL_MPI_INLINED bool gptl_mpif_is_for(const void *function)
{
    if (gptl_mpif_call.function != function)
        return false;
    gptl_mpif_call.function = NULL;
    return true;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "INTEGER is int");

/* Convert a handle of TYPE; in MPICH, C handles are integers too. */
#ifdef OMPI_MAJOR_VERSION
#define MPI_Datatype_f2c MPI_Type_f2c
#define GPTL_MPIF_HANDLE(type, f) gptl_mpi_shared_next.MPI_##type##_f2c(*(const MPI_Fint *)(f))
#else
#define GPTL_MPIF_HANDLE(type, f) (*(const MPI_##type *)(f))
#endif

#define GPTL_MPIF_FILE(f) gptl_mpi_shared_next.MPI_File_f2c(*(const MPI_Fint *)(f))

/*
 * Return a buffer address; MPI_IN_PLACE for its Fortran constant. Only file functions may receive
 * array descriptors here, and wrappers never examine their buffers.
 */
const void *gptl_mpif_buffer(const void *f);

/*
 * A status contains the same integers in Fortran and C. Therefore the wrapper's own status, used if
 * the caller ignores it, is passed to the PMPI entry point unchanged.
 */
MPI_Status *gptl_mpif_status(void *f);
#define GPTL_MPIF_STATUS(status, f)                                                                \
    ((status) == MPI_STATUS_IGNORE || (status) == MPI_STATUSES_IGNORE ? (f) : (void *)(status))

/* An array of converted handles; `release` frees its memory. */
struct gptl_mpif_array {
    void *c;
    void *taken;
    union {
        MPI_Request requests[32];
        MPI_Datatype types[32];
        int indexes[32];
    } usual;
};
MPI_Request *gptl_mpif_requests(struct gptl_mpif_array *array, void *f, int n);
void gptl_mpif_requests_after(MPI_Request *requests, const void *f, int n);
/* Return a string of LENGTH characters without surrounding blanks. */
const char *gptl_mpif_text(struct gptl_mpif_array *array, const void *f, size_t length);
/*
 * Return the types for each process to which COMM sends (or from which it receives), or for each
 * neighbor.
 */
const MPI_Datatype *gptl_mpif_types(struct gptl_mpif_array *array, const void *f, MPI_Comm comm,
                                    bool neighbors, bool sent);
/* Return indexes as returned by MPI; in Fortran they start with FIRST. */
int *gptl_mpif_indexes(struct gptl_mpif_array *array, int n);
void gptl_mpif_indexes_after(int *indexes, const int *f, int n, int first);
#ifdef OMPI_MAJOR_VERSION
#define gptl_mpif_first(twin, narguments) ((void)(twin), 1)
#else
/*
 * Return the first index: 1, but 0 in the mpi_f08 of MPICH 4.0. It is determined by a trial call of
 * TWIN, which is MPI_Waitany or Testany (with that number of arguments), or MPI_Waitsome or
 * Testsome (0).
 */
int gptl_mpif_first(gptl_mpif_function *twin, int narguments);
#endif
void gptl_mpif_release(struct gptl_mpif_array *array);

#endif
