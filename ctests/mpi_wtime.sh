#!/bin/sh
# MPI_Wtime as the clock: selected by GPTLsetutr, and in the environment, when the library is on before MPI
# is loaded; regions before, around, within and after MPI.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"

for mpi in $mpis; do
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" wtime_program "$programs/mpi_wtime.c" $(linked "$mpi")
    for how in set environment; do
        rm -f wtime
        if [ $how = set ]; then
            mpirun "$mpi" 1 ./wtime_program set >out 2>&1 || { cat out; fail "$mpi, $how: ended with $?"; }
        else
            GPTL_OPTIONS=utr=mpiwtime mpirun "$mpi" 1 ./wtime_program >out 2>&1 ||
                { cat out; fail "$mpi, $how: ended with $?"; }
        fi
        [ ! -s out ] || { cat out; fail "$mpi, $how: said something"; }
        grep -q '^Clock  *mpiwtime ' wtime || { cat wtime; fail "$mpi, $how: another clock"; }
    done
done
