#!/bin/sh
# A folder for the trace that does not exist is made; one that cannot be made is said in one sentence, and the
# program runs without a trace. The trace's own file is no I/O of the program.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"

cat >prog.c <<'END'
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int one = 1, sum;
    MPI_Init(&argc, &argv);
    int fd = open("ten", O_WRONLY | O_CREAT, 0666);
    if (write(fd, "0123456789", 10) != 10)
        return 1;
    close(fd);
    for (int i = 0; i < 5000; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END

for mpi in $mpis; do
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" prog prog.c $(linked "$mpi")
    rm -rf deep traces.log
    GPTL_OPTIONS="output=none;trace=ti;trace.dir=deep/er" mpirun "$mpi" 2 ./prog >out 2>&1 ||
        fail "$mpi: ended with $?: $(cat out)"
    [ ! -s out ] || fail "$mpi: it said something: $(cat out)"
    [ "$(find deep/er -type f -size +1k | wc -l)" = 2 ] || fail "$mpi: traces are $(ls -l deep/er)"

    : >file
    GPTL_OPTIONS="output=none;trace=ti;trace.dir=file/er" mpirun "$mpi" 2 ./prog >out 2>&1 ||
        fail "$mpi, no folder: ended with $?: $(cat out)"
    [ "$(grep -c 'this run is not traced' out)" = 1 ] || fail "$mpi: not one sentence: $(cat out)"

    if [ -f "$builddir/.libs/libgptl_io.so" ] && command -v strings >/dev/null; then
        GPTL_OPTIONS="output=none;trace=ti;trace.dir=deep" GPTL_IOC="path=$PWD/traces.log" \
            mpirun "$mpi" 1 env LD_PRELOAD="$builddir/.libs/libgptl_io.so" ./prog >out 2>&1 ||
            fail "$mpi, with --io: ended with $?: $(cat out)"
        for log in traces.log*; do
            [ ! -e "$log" ] || ! strings "$log" | grep 'deep/' || fail "$mpi: the trace is in the log of I/O"
        done
    fi
done
