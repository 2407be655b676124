/*
 * pnetcdf_stub.c - two PnetCDF libraries in one process, as loaded by modules of Python: each
 * returns the same id for its first file. -DLIBRARY: such a PnetCDF; -DMODULE: a module linked with
 * it; else the program that loads two modules, which write in turn.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int ncmpi_create(long comm, const char *path, int mode, long info, int *file);
int ncmpi_inq_path(int file, int *length, char *path);
int ncmpi_put_var1_double_all(int file, int variable, const long long *index, const double *from);
int ncmpi_iput_var1_double(int file, int variable, const long long *index, const double *from,
                           int *request);
int ncmpi_wait_all(int file, int n, int *requests, int *statuses);
int ncmpi_inq_varndims(int file, int variable, int *n);
int ncmpi_close(int file);

#if defined LIBRARY

enum { FIRST = 0 };
static char opened[64];

int ncmpi_create(long comm, const char *path, int mode, long info, int *file)
{
    (void)comm, (void)mode, (void)info;
    snprintf(opened, sizeof opened, "%s", path);
    *file = FIRST;
    return 0;
}

int ncmpi_inq_path(int file, int *length, char *path)
{
    if (file != FIRST)
        return -1;
    if (length)
        *length = (int)strlen(opened);
    if (path)
        strcpy(path, opened);
    return 0;
}

int ncmpi_inq_varndims(int file, int variable, int *n)
{
    (void)file, (void)variable;
    *n = 1;
    return 0;
}

int ncmpi_put_var1_double_all(int file, int variable, const long long *index, const double *from)
{
    (void)variable, (void)index, (void)from;
    return file == FIRST ? 0 : -1;
}

int ncmpi_iput_var1_double(int file, int variable, const long long *index, const double *from,
                           int *request)
{
    *request = 7;
    return ncmpi_put_var1_double_all(file, variable, index, from);
}

int ncmpi_wait_all(int file, int n, int *requests, int *statuses)
{
    (void)n, (void)requests, (void)statuses;
    return file == FIRST ? 0 : -1;
}

int ncmpi_close(int file)
{
    return file == FIRST ? 0 : -1;
}

#elif defined MODULE

enum step { CREATE, WRITE, POST, WAIT, CLOSE };
int take(enum step step, const char *name);

int take(enum step step, const char *name)
{
    static int file, request;
    const long long index = 0;
    const double value = 1;
    switch (step) {
    case CREATE:
        return ncmpi_create(0, name, 0, 0, &file);
    case WRITE:
        return ncmpi_put_var1_double_all(file, 0, &index, &value);
    case POST:
        return ncmpi_iput_var1_double(file, 0, &index, &value, &request);
    case WAIT:
        return ncmpi_wait_all(file, 1, &request, NULL);
    default:
        return ncmpi_close(file);
    }
}

#else

int main(int argc, char **argv)
{
    enum { STEPS = 6 };
    static const int steps[STEPS] = {0, 1, 1, 2, 3, 4}; /* of take() */
    int (*take[2])(int, const char *) = {NULL, NULL};
    for (int i = 0; i < 2 && i + 1 < argc; i++) {
        void *module = dlopen(argv[i + 1], RTLD_NOW | RTLD_LOCAL);
        if (module)
            *(void **)&take[i] = dlsym(module, "take");
    }
    if (!take[0] || !take[1])
        return 1;
    for (int s = 0; s < STEPS; s++)
        if (take[0](steps[s], "a.nc") || take[1](steps[s], "b.nc"))
            return 2;
    return 0;
}

#endif
