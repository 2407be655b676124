/* fortran.c - finds functions of both languages, and converts Fortran arguments. */
#include "config.h"

#include "mpi/fortran.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/find.h"

__thread struct gptl_mpif_call gptl_mpif_call;

/* ---- Functions ------------------------------------------------------------------------------- */

/* Replaces functions missing in this MPI. */
static void missing(void) {}

void *gptl_mpif_look_up(const char *name)
{
    void *found = gptl_mpi_find(RTLD_DEFAULT, name);
    for (const char *const *at = gptl_mpif_libraries; !found && *at; at++) {
        void *library = dlopen(*at, RTLD_LAZY | RTLD_GLOBAL);
        if (library)
            found = dlsym(library, name);
    }
    dlerror();
    return found;
}

gptl_mpif_function *gptl_mpif_find(const char *name)
{
    void *found = gptl_mpif_look_up(name);
    gptl_mpi_find_next(); /* for other functions that the wrapper calls */
    if (!found)
        gptl_core_warn("", "this program calls %s, which is in no library of the MPI that it uses",
                       name + 1);
    return found ? (gptl_mpif_function *)found : missing;
}

/*
 * Look up by the library's address, since the program or another library may define a function of
 * this name before ours.
 */
gptl_mpif_function *gptl_mpif_find_wrapper(const char *name)
{
    Dl_info info;
    void *library = NULL, *found = NULL;
    if (dladdr(&gptl_mpi_shared_next, &info))
        library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library) {
        found = dlsym(library, name);
        dlclose(library);
    }
    dlerror();
    return (gptl_mpif_function *)found;
}

void gptl_mpif_put_before(gptl_mpif_function *_Atomic *next, gptl_mpif_function **real,
                          gptl_mpif_function *either)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    if (!atomic_load(next))
        gptl_mpi_find_next();
    next = gptl_mpi_lowest((void *)next);
    pthread_mutex_lock(&mutex);
    if (!*real) {
        *real = atomic_load(next);
        atomic_store(next, either);
    }
    pthread_mutex_unlock(&mutex);
}

/* ---- Constants represented by addresses ------------------------------------------------------ */

/*
 * Variable NAME of an MPI: its address is the constant or, if it POINTS, it contains the constant's
 * address from MPI_Init on. Fortran compilers append the underscore.
 */
static struct constant {
    const char *name;
    bool points;
    const void *where;
} in_place[] =
    {
        {"mpi_fortran_in_place_", false, NULL},
        {"MPIR_F08_MPI_IN_PLACE", false, NULL},
        {"MPIR_F_MPI_IN_PLACE", true, NULL},
        {NULL, false, NULL},
},
  ignored[] = {
      {"mpi_fortran_status_ignore_", false, NULL},
      {"mpi_fortran_statuses_ignore_", false, NULL},
      {"MPIR_F08_MPI_STATUS_IGNORE_OBJ", false, NULL},
      {"MPIR_F08_MPI_STATUSES_IGNORE_OBJ", false, NULL},
      {"MPI_F_STATUS_IGNORE", true, NULL},
      {"MPI_F_STATUSES_IGNORE", true, NULL},
      {NULL, false, NULL},
};

static void find_all(struct constant *constants)
{
    for (struct constant *c = constants; c->name; c++)
        c->where = gptl_mpi_find(RTLD_DEFAULT, c->name);
}

static void find_constants(void)
{
    find_all(in_place);
    find_all(ignored);
}

static bool is_one_of(const struct constant *constants, const void *f)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_constants);
    for (const struct constant *c = constants; c->name; c++)
        if (c->where && f == (c->points ? *(void *const *)c->where : c->where))
            return true;
    return false;
}

const void *gptl_mpif_buffer(const void *f)
{
    return is_one_of(in_place, f) ? MPI_IN_PLACE : f;
}

MPI_Status *gptl_mpif_status(void *f)
{
    return is_one_of(ignored, f) ? MPI_STATUS_IGNORE : f;
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

/*
 * Return space for N elements of SIZE, without allocation in the usual case; NULL when out of
 * memory.
 */
static void *take(struct gptl_mpif_array *array, int n, size_t size)
{
    array->taken = NULL;
    array->c = &array->usual;
    if (n < 0 || (size_t)n * size > sizeof array->usual)
        array->c = array->taken = n < 0 ? NULL : malloc((size_t)n * size);
    return array->c;
}

void gptl_mpif_release(struct gptl_mpif_array *array)
{
    free(array->taken);
}

const char *gptl_mpif_text(struct gptl_mpif_array *array, const void *f, size_t length)
{
    const char *text = f;
    array->taken = NULL;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    for (; length > 0 && *text == ' '; length--)
        text++;
    char *copy = length < INT_MAX ? take(array, (int)length + 1, 1) : NULL;
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

MPI_Request *gptl_mpif_requests(struct gptl_mpif_array *array, void *f, int n)
{
    if (sizeof(MPI_Request) == sizeof(MPI_Fint)) {
        array->taken = NULL;
        return f;
    }
    MPI_Request *requests = take(array, n, sizeof *requests);
    gptl_mpif_requests_after(requests, f, n);
    return requests;
}

void gptl_mpif_requests_after(MPI_Request *requests, const void *f, int n)
{
    for (int i = 0; requests && requests != f && i < n; i++)
        requests[i] = GPTL_MPIF_HANDLE(Request, (const MPI_Fint *)f + i);
}

int *gptl_mpif_indexes(struct gptl_mpif_array *array, int n)
{
    return take(array, n, sizeof(int));
}

void gptl_mpif_indexes_after(int *indexes, const int *f, int n, int first)
{
    for (int i = 0; indexes && i < n; i++)
        indexes[i] = f[i] == MPI_UNDEFINED ? MPI_UNDEFINED : f[i] - first;
}

#ifndef OMPI_MAJOR_VERSION
/* Execute the trial with a request that is already complete. */
static int try_first(gptl_mpif_function *twin, int narguments)
{
    int n = 1, done = 0, index = 1, error = 0;
    MPI_Status status;
    MPI_Request request;
    gptl_mpi_shared_next.MPI_Isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
    if (narguments == 5)
        ((void (*)(int *, MPI_Request *, int *, MPI_Status *, int *))twin)(&n, &request, &index,
                                                                           &status, &error);
    else if (narguments == 6)
        ((void (*)(int *, MPI_Request *, int *, int *, MPI_Status *, int *))twin)(
            &n, &request, &index, &done, &status, &error);
    else
        ((void (*)(int *, MPI_Request *, int *, int *, MPI_Status *, int *))twin)(
            &n, &request, &done, &index, &status, &error);
    return index == 0 ? 0 : 1;
}

int gptl_mpif_first(gptl_mpif_function *twin, int narguments)
{
    static struct tried {
        gptl_mpif_function *_Atomic twin;
        int first;
    } tried[8]; /* four functions, each from mpif.h and mpi_f08 */
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct tried *t = tried;
    for (; t < tried + sizeof tried / sizeof *tried; t++) {
        gptl_mpif_function *there = atomic_load_explicit(&t->twin, memory_order_acquire);
        if (there == twin)
            return t->first;
        if (!there)
            break;
    }
    int first = try_first(twin, narguments);
    pthread_mutex_lock(&mutex);
    if (t < tried + sizeof tried / sizeof *tried && !t->twin) {
        t->first = first;
        atomic_store_explicit(&t->twin, twin, memory_order_release);
    }
    pthread_mutex_unlock(&mutex);
    return first;
}
#endif

static int neighbors_of(MPI_Comm comm, bool sent)
{
    int kind = MPI_UNDEFINED, in = 0, out = 0, rank, weighted;
    gptl_mpi_shared_next.MPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        gptl_mpi_shared_next.MPI_Cartdim_get(comm, &in);
        return 2 * in;
    }
    if (kind == MPI_GRAPH) {
        gptl_mpi_shared_next.MPI_Comm_rank(comm, &rank);
        gptl_mpi_shared_next.MPI_Graph_neighbors_count(comm, rank, &in);
        return in;
    }
    if (kind == MPI_DIST_GRAPH)
        gptl_mpi_shared_next.MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    return sent ? out : in;
}

static int processes_of(MPI_Comm comm)
{
    int inter = 0, n = 0;
    gptl_mpi_shared_next.MPI_Comm_test_inter(comm, &inter);
    if (inter)
        gptl_mpi_shared_next.MPI_Comm_remote_size(comm, &n);
    else
        gptl_mpi_shared_next.MPI_Comm_size(comm, &n);
    return n;
}

const MPI_Datatype *gptl_mpif_types(struct gptl_mpif_array *array, const void *f, MPI_Comm comm,
                                    bool neighbors, bool sent)
{
    array->taken = NULL;
    if (sizeof(MPI_Datatype) == sizeof(MPI_Fint))
        return f;
    int n = neighbors ? neighbors_of(comm, sent) : processes_of(comm);
    MPI_Datatype *types = take(array, n, sizeof *types);
    for (int i = 0; types && i < n; i++)
        types[i] = GPTL_MPIF_HANDLE(Datatype, (const MPI_Fint *)f + i);
    return types;
}
