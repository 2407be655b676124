/* mpi_loader.c - loads an MPI with a module whose names are local, as interpreters do. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    void *module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*run)(int, char **) = NULL;
    if (module)
        *(void **)&run = dlsym(module, "module_main");
    if (!run) {
        fprintf(stderr, "%s\n", dlerror());
        return 3;
    }
    return run(argc - 1, argv + 1);
}
