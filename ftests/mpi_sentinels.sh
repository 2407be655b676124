#!/bin/sh
# Programs that call MPI from Fortran do the same with the library as without: constants that are
# addresses, an absent ierror, texts, callbacks, errors that return.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"
. "$srcdir/ftests/mpi_flib.sh"
need_tools
export OMPI_MCA_btl=self,vader,tcp # with which Open MPI can start more processes

for mpi in $mpifs; do
    for binding in $bindings; do
        compile_fort "$mpi" program "$srcdir/ftests/programs/mpi_sentinels.F90" "$binding"
        mpirun "$mpi" 2 ./program >out || fail "$mpi, $binding: ended with $?"
        sort out >plain
        [ "$(wc -l <plain)" -gt 100 ] || fail "$mpi, $binding: the program says little: $(cat plain)"
        "$gptl" run --mpi -- "$(of "$mpi" MPIEXEC)" -n 2 ./program >out 2>stderr ||
            fail "$mpi, $binding, with the library: ended with $?: $(cat stderr)"
        sort out >measured
        diff plain measured || fail "$mpi, $binding: that is what the library changes"
        # All of these calls were recorded.
        for call in MPI_Allreduce MPI_Waitsome MPI_Neighbor_alltoall MPI_Comm_spawn MPI_Finalize; do
            [ "$(all_calls timing.1 $call)" -gt 0 ] || fail "$mpi, $binding: there is no $call"
        done
        rm -rf timing.* file
    done
done
