#!/bin/sh
# Summaries of one and several ranks in the layouts that scripts read, and the files of the ranks.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"
need_plain_build
need python3

for mpi in $mpis; do
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" layouts "$programs/layouts.c" -DWITH_MPI $(linked "$mpi")
    for n in 1 3; do
        rm -f timing* model*
        GPTL_OPTIONS=layout=gptl8 mpirun "$mpi" "$n" ./layouts gptl8 || fail "$mpi: gptl8 on $n ranks"
        python3 "$srcdir/ctests/layouts.py" gptl8 "$n" || fail "$mpi: layout gptl8, $n ranks"
        mpirun "$mpi" "$n" ./layouts cesm || fail "$mpi: cesm on $n ranks"
        python3 "$srcdir/ctests/layouts.py" cesm "$n" || fail "$mpi: layout cesm, $n ranks"
        for layout in gptl8 cesm; do
            rm -f timing*
            GPTL_OPTIONS=layout=$layout mpirun "$mpi" "$n" ./layouts empty || fail "$mpi: empty on $n ranks"
            python3 "$srcdir/ctests/layouts.py" empty "$n" || fail "$mpi: empty $layout, $n ranks"
        done
    done
done
