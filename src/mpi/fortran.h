/*
 * fortran.h - what the wrappers of Fortran's functions are made of.
 *
 * A call from Fortran is put through the wrapper of the C function: that measures it, and knows what
 * it moves. Where the wrapper then calls the C function's twin, by gptl_mpi_next, it comes back to this
 * library, which calls the twin of Fortran's function, with the very same arguments as Fortran gave.
 * So nothing that MPI gets is translated, and all that addresses mean (MPI_IN_PLACE, MPI_BOTTOM, an
 * ierror that is absent) stays. What the wrapper looks at is translated beside the call.
 */
#ifndef GPTL_MPI_FORTRAN_H
#define GPTL_MPI_FORTRAN_H

#include <stdatomic.h>

#include "mpi/wrap.h"

/* A function by its address. */
typedef void gptl_mpif_function(void);

/* The call that is being put through the wrapper, from just before it until the twin is called. */
struct gptl_mpif_call {
    const void *function; /* the wrapper's, by an address of its own; NULL: there is none */
    void **f;             /* Fortran's arguments */
    gptl_mpif_function *twin;
};
extern __thread struct gptl_mpif_call gptl_mpif_call
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Those that Fortran's functions are in, each by the name that programs ask for, then by its path. */
extern const char *const gptl_mpif_libraries[] __attribute__((visibility("hidden")));

/*
 * The function NAME of the MPI in this process, which may have come later than this library, or not at
 * all: linkers leave out a library that nothing is taken from, and all functions of a program may be ours.
 */
gptl_mpif_function *gptl_mpif_find(const char *name) __attribute__((cold));
/* The same for libgptl_mpi-any, where it has a function that needs no wrapper; NULL: there is none. */
GPTL_FOR_SISTERS void *gptl_mpif_look_up(const char *name);
/* The wrapper of the C function NAME. */
gptl_mpif_function *gptl_mpif_find_wrapper(const char *name) __attribute__((cold));

/* They are kept in POINTER, which begins as the address of a weak symbol, or as NULL. */
#define GPTL_MPIF_KEPT(pointer, find, name)                                                        \
    (gptl_mpi_likely((pointer) != NULL) ? (pointer) : ((pointer) = find(name)))

/*
 * From the first call of the function NAME by Fortran on, gptl_mpi_next.NAME is either_NAME, which tells
 * these calls from those of C, and ours from others that the wrapper makes.
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

/* ---- Arguments ----------------------------------------------------------------------------- */

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "INTEGER is int");

/* A handle of TYPE: MPICH has integers in C as well. */
#ifdef OMPI_MAJOR_VERSION
#define MPI_Datatype_f2c MPI_Type_f2c
#define GPTL_MPIF_HANDLE(type, f) gptl_mpi_shared_next.MPI_##type##_f2c(*(const MPI_Fint *)(f))
#else
#define GPTL_MPIF_HANDLE(type, f) (*(const MPI_##type *)(f))
#endif

#define GPTL_MPIF_FILE(f) gptl_mpi_shared_next.MPI_File_f2c(*(const MPI_Fint *)(f))

/*
 * A buffer, MPI_IN_PLACE for what says so. Only functions of files may get array descriptors here, and
 * nothing looks into what they read and write.
 */
const void *gptl_mpif_buffer(const void *f);

/*
 * A status has the same integers in Fortran and in C. So one of ours, which the wrapper has for a
 * caller who ignores it, is given to the twin as it is.
 */
MPI_Status *gptl_mpif_status(void *f);
#define GPTL_MPIF_STATUS(status, f)                                                                \
    ((status) == MPI_STATUS_IGNORE || (status) == MPI_STATUSES_IGNORE ? (f) : (void *)(status))

/* Several handles, in memory that is given back by `release`. */
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
/* A string without the blanks around it, of so many characters. */
const char *gptl_mpif_text(struct gptl_mpif_array *array, const void *f, size_t length);
/* One for each process that COMM sends to (or receives from), or for each neighbor. */
const MPI_Datatype *gptl_mpif_types(struct gptl_mpif_array *array, const void *f, MPI_Comm comm,
                                    bool neighbors, bool sent);
/* Those that MPI gives back: they begin with FIRST in Fortran. */
int *gptl_mpif_indexes(struct gptl_mpif_array *array, int n);
void gptl_mpif_indexes_after(int *indexes, const int *f, int n, int first);
#ifdef OMPI_MAJOR_VERSION
#define gptl_mpif_first(twin, narguments) ((void)(twin), 1)
#else
/*
 * That is 1, but 0 in the mpi_f08 of MPICH 4.0. So it is tried: with the TWIN of MPI_Waitany or Testany,
 * which has as many arguments, or of MPI_Waitsome or Testsome (0).
 */
int gptl_mpif_first(gptl_mpif_function *twin, int narguments);
#endif
void gptl_mpif_release(struct gptl_mpif_array *array);

#endif
