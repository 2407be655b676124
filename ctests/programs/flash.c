/*
 * flash.c - I/O like a FLASH simulation: each process has 80 blocks of 8x8x8 cells with 24
 * variables, and all write a checkpoint and two plot files, of cell centers and of corners. With
 * -DWITH_PNETCDF it uses PnetCDF, else HDF5: 50 collective writes, 24 + 4 + 4 variables and in each
 * file 6 arrays about the blocks. Arguments: prefix of the file names, blocks per process, and
 * repetitions, each with files of the same names. With a fourth one, a directory, each repetition
 * is a turn that the FIFOs there begin and end, for bench/flash.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef WITH_PNETCDF
#include <pnetcdf.h>
#else
#include <hdf5.h>
#endif

enum { CELLS = 8, VARIABLES = 24, PLOTTED = 4, MOST_DIMENSIONS = 4, MOST_ARRAYS = 32 };

static int rank, ranks, blocks = 80;

/* A number of elements for each block, of all blocks of all processes. */
struct array {
    char name[32];
    enum { INTEGER, REAL, SINGLE } type;
    int ndims;
    int lengths[MOST_DIMENSIONS]; /* the first one is the blocks */
};

struct file {
    char name[256];
    int narrays;
    struct array arrays[MOST_ARRAYS];
};

static void need(int is_good, const char *what)
{
    if (!is_good) {
        fprintf(stderr, "flash: %s failed\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void add(struct file *file, const char *name, int type, int ndims, int a, int b, int c)
{
    struct array *array = &file->arrays[file->narrays++];
    *array = (struct array){.type = type, .ndims = ndims, .lengths = {blocks * ranks, a, b, c}};
    snprintf(array->name, sizeof array->name, "%s", name);
}

static size_t elements(const struct array *array)
{
    size_t n = (size_t)blocks;
    for (int i = 1; i < array->ndims; i++)
        n *= (size_t)array->lengths[i];
    return n;
}

static const void *content(const struct array *array)
{
    static double reals[1 << 20];
    static float singles[1 << 20];
    static int integers[1 << 20];
    need(elements(array) <= 1 << 20, "more blocks than there is room for: it");
    for (size_t i = 0; i < elements(array); i++) {
        reals[i] = rank + (double)i / 1000;
        singles[i] = (float)reals[i];
        integers[i] = rank * 1000 + (int)i;
    }
    return array->type == REAL     ? (const void *)reals
           : array->type == SINGLE ? (const void *)singles
                                   : (const void *)integers;
}

/* ---- The library ---------------------------------------------------------------------------- */

#ifdef WITH_PNETCDF

static void write_file(const struct file *file)
{
    static const nc_type types[] = {NC_INT, NC_DOUBLE, NC_FLOAT};
    int id, variables[MOST_ARRAYS], step = 7;
    need(ncmpi_create(MPI_COMM_WORLD, file->name, NC_CLOBBER | NC_64BIT_OFFSET, MPI_INFO_NULL,
                      &id) == NC_NOERR,
         "ncmpi_create");
    need(ncmpi_put_att_int(id, NC_GLOBAL, "step", NC_INT, 1, &step) == NC_NOERR, "ncmpi_put_att");
    for (int i = 0; i < file->narrays; i++) {
        const struct array *a = &file->arrays[i];
        int dimensions[MOST_DIMENSIONS];
        for (int j = 0; j < a->ndims; j++) {
            char name[64];
            snprintf(name, sizeof name, "%s_%d", a->name, j);
            need(ncmpi_def_dim(id, name, a->lengths[j], &dimensions[j]) == NC_NOERR,
                 "ncmpi_def_dim");
        }
        need(ncmpi_def_var(id, a->name, types[a->type], a->ndims, dimensions, &variables[i]) ==
                 NC_NOERR,
             "ncmpi_def_var");
    }
    need(ncmpi_enddef(id) == NC_NOERR, "ncmpi_enddef");
    for (int i = 0; i < file->narrays; i++) {
        const struct array *a = &file->arrays[i];
        MPI_Offset start[MOST_DIMENSIONS] = {(MPI_Offset)blocks * rank}, count[MOST_DIMENSIONS];
        for (int j = 0; j < a->ndims; j++)
            count[j] = j ? a->lengths[j] : blocks;
        const void *data = content(a);
        int error =
            a->type == REAL     ? ncmpi_put_vara_double_all(id, variables[i], start, count, data)
            : a->type == SINGLE ? ncmpi_put_vara_float_all(id, variables[i], start, count, data)
                                : ncmpi_put_vara_int_all(id, variables[i], start, count, data);
        need(error == NC_NOERR, "ncmpi_put_vara");
    }
    need(ncmpi_close(id) == NC_NOERR, "ncmpi_close");
}

#else

static void write_array(hid_t file, hid_t properties, const struct array *a)
{
    hid_t type = a->type == REAL     ? H5T_NATIVE_DOUBLE
                 : a->type == SINGLE ? H5T_NATIVE_FLOAT
                                     : H5T_NATIVE_INT;
    hsize_t lengths[MOST_DIMENSIONS], start[MOST_DIMENSIONS] = {(hsize_t)blocks * (hsize_t)rank};
    for (int i = 0; i < a->ndims; i++)
        lengths[i] = (hsize_t)a->lengths[i];
    hid_t space = H5Screate_simple(a->ndims, lengths, NULL);
    hid_t set = H5Dcreate(file, a->name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    lengths[0] = (hsize_t)blocks;
    hid_t memory = H5Screate_simple(a->ndims, lengths, NULL);
    need(set >= 0 && memory >= 0, "H5Dcreate");
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, lengths, NULL);
    need(H5Dwrite(set, type, memory, space, properties, content(a)) >= 0, "H5Dwrite");
    need(H5Dclose(set) >= 0, "H5Dclose");
    H5Sclose(memory);
    H5Sclose(space);
}

static void write_file(const struct file *file)
{
    int step = 7;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    hid_t id = H5Fcreate(file->name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    need(id >= 0, "H5Fcreate");
    hid_t scalar = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate(id, "step", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT);
    need(H5Awrite(attribute, H5T_NATIVE_INT, &step) >= 0, "H5Awrite");
    H5Aclose(attribute);
    H5Sclose(scalar);
    for (int i = 0; i < file->narrays; i++)
        write_array(id, transfer, &file->arrays[i]);
    need(H5Fclose(id) >= 0, "H5Fclose");
    H5Pclose(access);
    H5Pclose(transfer);
}

#endif

/* ---- The files ------------------------------------------------------------------------------ */

static void describe(struct file *file, const char *stem, const char *what, int nvariables,
                     int type, int cells)
{
    snprintf(file->name, sizeof file->name, "%s_%s", stem, what);
    file->narrays = 0;
    add(file, "lrefine", INTEGER, 1, 0, 0, 0);
    add(file, "nodetype", INTEGER, 1, 0, 0, 0);
    add(file, "gid", INTEGER, 2, 15, 0, 0);
    add(file, "coordinates", type, 2, 3, 0, 0);
    add(file, "blocksize", type, 2, 3, 0, 0);
    add(file, "bnd_box", type, 3, 3, 2, 0);
    for (int i = 0; i < nvariables; i++) {
        char name[16];
        snprintf(name, sizeof name, "unk%02d", i);
        add(file, name, type, 4, cells, cells, cells);
    }
}

/* ---- Turns ---------------------------------------------------------------------------------- */

static int open_fifo(const char *folder, const char *what, int flags)
{
    char name[256];
    snprintf(name, sizeof name, "%s/%s.%d", folder, what, rank);
    int fd = open(name, flags);
    need(fd >= 0, name);
    return fd;
}

static double cpu_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Report the time of the previous turn, and sleep until the next one. */
static void wait_for_turn(const char *folder)
{
    static int go = -1, done;
    static double begin;
    char byte;
    if (go >= 0) {
        double took = cpu_seconds() - begin;
        need(write(done, &took, sizeof took) == sizeof took, "write");
    } else {
        go = open_fifo(folder, "go", O_RDONLY);
        done = open_fifo(folder, "done", O_WRONLY);
    }
    need(read(go, &byte, 1) == 1, "read");
    begin = cpu_seconds();
}

int main(int argc, char **argv)
{
    static struct file file;
    const char *stem = argc > 1 ? argv[1] : "flash";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 2)
        blocks = atoi(argv[2]);
    for (int times = argc > 3 ? atoi(argv[3]) : 1; times > 0; times--) {
        if (argc > 4)
            wait_for_turn(argv[4]);
        describe(&file, stem, "chk_0000", VARIABLES, REAL, CELLS);
        write_file(&file);
        describe(&file, stem, "plt_cnt_0000", PLOTTED, SINGLE, CELLS);
        write_file(&file);
        describe(&file, stem, "plt_crn_0000", PLOTTED, SINGLE, CELLS + 1);
        write_file(&file);
    }
    if (argc > 4)
        wait_for_turn(argv[4]);
    MPI_Finalize();
    return 0;
}
