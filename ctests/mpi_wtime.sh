#!/bin/sh
# MPI_Wtime as the clock: selected by GPTLsetutr, and in the environment, when the library is on before MPI
# is loaded, with and without wrappers; regions before, around, within and after MPI.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"

for mpi in $mpis; do
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" wrapped "$programs/mpi_wtime.c" $(linked "$mpi")
    # shellcheck disable=SC2086 # a list of words
    compile_mpi "$mpi" plain "$programs/mpi_wtime.c" ${link:?}
    for how in wrapped:set wrapped:environment plain:set plain:environment; do
        program=${how%:*}
        rm -f wtime
        if [ "${how#*:}" = set ]; then
            mpirun "$mpi" 1 "./$program" set >out 2>&1 || { cat out; fail "$mpi, $how: ended with $?"; }
        else
            GPTL_OPTIONS=utr=mpiwtime mpirun "$mpi" 1 "./$program" >out 2>&1 ||
                { cat out; fail "$mpi, $how: ended with $?"; }
        fi
        [ ! -s out ] || { cat out; fail "$mpi, $how: said something"; }
        grep -q '^Clock  *mpiwtime ' wtime || { cat wtime; fail "$mpi, $how: another clock"; }
    done
done
