/*
 * pnetcdf_calls.c - calls of PnetCDF in one process. It prints the expected span of each call that
 * moves data: operation, bytes (-1: none, or unknown), and the number of the collective call.
 */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>

static int file, doubles, shorts, scalar, collectives;
static double data[200];
static int numbers[200];
static short small[200];

static void say(const char *operation, long bytes, int is_collective)
{
    printf("%s\t%ld\t%d\n", operation, bytes, is_collective ? ++collectives : 0);
}

static int is_bad;

static void check(int error, int expected)
{
    if (error != expected) {
        fprintf(stderr, "pnetcdf_calls: %s\n", ncmpi_strerror(error));
        is_bad = 1;
    }
}

static void collective(void)
{
    MPI_Offset start[2] = {2, 3}, count[2] = {5, 4}, stride[2] = {1, 2}, map[2] = {4, 1};
    MPI_Offset at[3][2] = {{0, 0}, {1, 1}, {2, 2}}, sizes[3][2] = {{1, 1}, {1, 2}, {2, 2}};
    MPI_Offset *starts[3] = {at[0], at[1], at[2]}, *counts[3] = {sizes[0], sizes[1], sizes[2]};
    MPI_Datatype five;
    MPI_Type_contiguous(5, MPI_DOUBLE, &five);
    MPI_Type_commit(&five);
    say("write", 1600, 1);
    check(ncmpi_put_var_double_all(file, doubles, data), NC_NOERR);
    say("write", 8, 1);
    check(ncmpi_put_var1_double_all(file, doubles, start, data), NC_NOERR);
    say("write", 160, 1);
    check(ncmpi_put_vara_double_all(file, doubles, start, count, data), NC_NOERR);
    say("write", 80, 1); /* the size in memory, not in the file */
    check(ncmpi_put_vars_int_all(file, doubles, start, count, stride, numbers), NC_NOERR);
    say("write", 160, 1);
    check(ncmpi_put_varm_double_all(file, doubles, start, count, stride, map, data), NC_NOERR);
    say("write", 56, 1);
    check(ncmpi_put_varn_double_all(file, doubles, 3, starts, counts, data), NC_NOERR);
    say("write", 24, 1);
    check(ncmpi_put_varn_double_all(file, doubles, 3, starts, NULL, data), NC_NOERR);
    say("write", 4, 1);
    check(ncmpi_put_var_int_all(file, scalar, numbers), NC_NOERR);
    say("write", 160, 1);
    check(ncmpi_put_vara_all(file, doubles, start, count, data, 4, five), NC_NOERR);
    say("write", 160, 1);
    check(ncmpi_put_vara_all(file, doubles, start, count, data, 0, MPI_DATATYPE_NULL), NC_NOERR);
    say("write", 80, 1);
    check(ncmpi_put_vara_all(file, shorts, start, count, numbers, -1, MPI_INT), NC_NOERR);
    say("write", 40, 1);
    check(ncmpi_put_vard_all(file, doubles, five, data, 5, MPI_DOUBLE), NC_NOERR);
    say("read", 40, 1);
    check(ncmpi_get_vara_short_all(file, shorts, start, count, small), NC_NOERR);
    numbers[0] = 1 << 30;
    say("write", 4, 1);
    check(ncmpi_put_var1_int_all(file, shorts, start, numbers), NC_ERANGE);
    numbers[0] = 0;
    MPI_Type_free(&five);
}

static void several_variables(void)
{
    MPI_Offset start[2] = {0, 0}, first[2] = {1, 20}, second[2] = {2, 3};
    MPI_Offset *starts[2] = {start, start}, *counts[2] = {first, second};
    int variables[2] = {doubles, shorts}, *buffers[2] = {numbers, numbers};
    void *others[2] = {data, small};
    MPI_Offset sizes[2] = {20, 6};
    MPI_Datatype types[2] = {MPI_DOUBLE, MPI_SHORT};
    say("write", 104, 1);
    check(ncmpi_mput_vara_int_all(file, 2, variables, starts, counts, buffers), NC_NOERR);
    say("write", 172, 1);
    check(ncmpi_mput_vara_all(file, 2, variables, starts, counts, others, sizes, types), NC_NOERR);
}

static void requests(void)
{
    MPI_Offset start[2] = {0, 0}, count[2] = {5, 4};
    int ids[3], states[3];
    ncmpi_buffer_attach(file, 4096);
    for (int i = 0; i < 3; i++) {
        start[0] = i;
        count[0] = i + 1;
        say(i == 2 ? "read" : "write", -1, 0);
        check(i == 0   ? ncmpi_iput_vara_double(file, doubles, start, count, data, &ids[i])
              : i == 1 ? ncmpi_bput_vara_double(file, doubles, start, count, data, &ids[i])
                       : ncmpi_iget_vara_int(file, doubles, start, count, numbers, &ids[i]),
              NC_NOERR);
    }
    say("write", 64, 1);
    check(ncmpi_wait_all(file, 1, &ids[1], states), NC_NOERR);
    say("write", -1, 0);
    check(ncmpi_iput_var_short(file, shorts, small, &ids[1]), NC_NOERR);
    check(ncmpi_cancel(file, 1, &ids[1], states), NC_NOERR);
    say("other", 32 + 48, 1);
    check(ncmpi_wait_all(file, NC_REQ_ALL, NULL, NULL), NC_NOERR);
    say("other", 0, 1);
    check(ncmpi_wait_all(file, NC_REQ_ALL, NULL, NULL), NC_NOERR);
    say("write", -1, 0);
    check(ncmpi_iput_vara(file, doubles, start, count, data, 12, MPI_DOUBLE, NULL), NC_NOERR);
    say("write", 96, 1);
    check(ncmpi_wait_all(file, NC_PUT_REQ_ALL, NULL, NULL), NC_NOERR);
    ncmpi_buffer_detach(file);
}

static void independent(void)
{
    MPI_Offset start[2] = {0, 0}, count[2] = {1, 20};
    check(ncmpi_begin_indep_data(file), NC_NOERR);
    say("read", 160, 0);
    check(ncmpi_get_vara_double(file, doubles, start, count, data), NC_NOERR);
    say("write", -1, 0); /* the variable does not exist */
    check(ncmpi_put_vara_double(file, 99, start, count, data), NC_ENOTVAR);
    check(ncmpi_end_indep_data(file), NC_NOERR);
}

int main(int argc, char **argv)
{
    int dimensions[2];
    MPI_Init(&argc, &argv);
    check(ncmpi_create(MPI_COMM_WORLD, "calls.nc", NC_CLOBBER, MPI_INFO_NULL, &file), NC_NOERR);
    ncmpi_def_dim(file, "y", 10, &dimensions[0]);
    ncmpi_def_dim(file, "x", 20, &dimensions[1]);
    ncmpi_def_var(file, "doubles", NC_DOUBLE, 2, dimensions, &doubles);
    ncmpi_def_var(file, "shorts", NC_SHORT, 2, dimensions, &shorts);
    ncmpi_def_var(file, "scalar", NC_INT, 0, NULL, &scalar);
    check(ncmpi_enddef(file), NC_NOERR);
    collectives++;
    collective();
    several_variables();
    requests();
    independent();
    check(ncmpi_close(file), NC_NOERR);
    MPI_Finalize();
    return is_bad;
}
