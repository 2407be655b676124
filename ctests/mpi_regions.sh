#!/bin/sh
# The option mpi selects the MPI calls that are regions. By default communication, I/O and process management; with
# all also local queries; with off none. The program's own region exists in all cases, and results are the same.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"
need_plain_build

cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, sum = 0, bytes;
    double before;
    MPI_Comm copy;
    MPI_File file;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    before = MPI_Wtime();
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_size(type, &bytes);
    MPI_Type_free(&type);
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    MPI_File_open(MPI_COMM_WORLD, "file", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    int right = sum == size * (size - 1) / 2 && bytes == 12 && MPI_Wtime() >= before;
    MPI_Finalize();
    return !right;
}
END

calls="MPI_Init:1 MPI_Allreduce:5 MPI_Comm_dup:1 MPI_Barrier:1 MPI_Comm_free:1 MPI_File_open:1 MPI_File_close:1 MPI_Finalize:1"
queries="MPI_Comm_rank:1 MPI_Comm_size:1 MPI_Wtime:2 MPI_Type_contiguous:1 MPI_Type_commit:1 MPI_Type_size:1 MPI_Type_free:1"

# none REGION:CALLS...: no region has the name.
none() {
    for region; do
        [ "$(calls timing.1 "${region%:*}")" = 0 ] || fail "$what: there is ${region%:*}"
    done
}

for mpi in $mpis; do
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" program program.c $(linked "$mpi")
    for option in '' mpi=calls mpi=all mpi=off; do
        what="$mpi, GPTL_OPTIONS=$option"
        rm -f timing.*
        GPTL_OPTIONS=$option mpirun "$mpi" 2 ./program >out 2>&1 || fail "$what: ended with $?: $(cat out)"
        # shellcheck disable=SC2086 # lists of words
        case $option in
            mpi=off)
                [ ! -e timing.1 ] || none $calls $queries
                ;;
            mpi=all)
                called timing.1 $calls $queries
                ;;
            *)
                called timing.1 $calls
                none $queries
                ;;
        esac
    done
    GPTL_OPTIONS=mpi=most mpirun "$mpi" 2 ./program 2>&1 |
        grep -q 'mpi=most: the value must be off, calls or all' || fail "$mpi: accepted mpi=most"
done
