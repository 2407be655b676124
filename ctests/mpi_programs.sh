#!/bin/sh
# A program linked with the library, and an unchanged one with the library preloaded: the report of
# each rank has its calls, exactly.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"

# check HOW RANKS: the reports of ranks that made five rounds.
check() {
    for rank in $(seq 0 $(($2 - 1))); do
        called "timing.$rank" MPI_Init:1 MPI_Comm_rank:0 MPI_Comm_size:0 MPI_Irecv:5 MPI_Send:5 \
            MPI_Wait:5 MPI_Allreduce:1 MPI_Finalize:1 MPI_Bcast:0
        [ "$(moved "timing.$rank" MPI_Irecv)" = "0 20" ] || fail "$mpi, $1, $2 ranks: bytes"
    done
    set -- "$1" "$2" timing.*
    [ $(($# - 2)) = "$2" ] || fail "$mpi, $1, $2 ranks: reports are $*"
    rm timing.*
}

for mpi in $mpis; do
    compile_mpi "$mpi" bare "$programs/mpi_ring.c"
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" linked "$programs/mpi_ring.c" $(linked "$mpi")
    for n in 1 2; do
        mpirun "$mpi" "$n" ./linked 5 >out || fail "$mpi, linked, $n ranks: ended with $?"
        check linked "$n"
        preloaded "$mpi" "$n" ./bare 5 >out || fail "$mpi, preloaded, $n ranks: ended with $?"
        check preloaded "$n"
        # A shell between the launcher and the program does not report.
        preloaded "$mpi" "$n" sh -c 'true; ./bare 5; exit $?' >out ||
            fail "$mpi, in a shell, $n ranks: ended with $?"
        check "in a shell" "$n"
    done
    # A program without MPI until a module loads one.
    ${CC:-cc} -o loader "$programs/mpi_loader.c" -ldl || fail "cannot compile mpi_loader.c"
    compile_mpi "$mpi" module.so "$programs/mpi_ring.c" -shared -fPIC -Dmain=module_main
    preloaded "$mpi" 2 ./loader ./module.so 5 >out 2>&1 || {
        cat out
        fail "$mpi, in a module: ended with $?"
    }
    check "in a module" 2
    [ ! -x "$gptl" ] || {
        "$gptl" run --mpi --set output=text -- "$(of "$mpi" MPIEXEC)" -n 2 ./loader ./module.so 5 \
            >out 2>&1 || {
            cat out
            fail "$mpi, in a module, gptl run: ended with $?"
        }
        check "in a module, gptl run" 2
    }
    # Salvage has the bytes too.
    [ ! -x "$gptl" ] || {
        GPTL_OPTIONS=salvage=on ./linked 5 killed >out 2>&1 && fail "$mpi, killed: it was not"
        "$gptl" report gptl-salvage.* >salvaged || fail "$mpi, killed: cannot report"
        grep -q '^ *MPI_Send  *5 .* 20  *0  *4.00e+00' salvaged || {
            cat salvaged
            fail "$mpi, killed: the report has not the bytes"
        }
        rm -f gptl-salvage.* timing.*
    }
    ./linked 5 >out || fail "$mpi, without a launcher: ended with $?"
    check "without a launcher" 1

    # Functions that the program defines itself are not intercepted; all others are measured.
    # shellcheck disable=SC2046
    compile_mpi "$mpi" intercept "$programs/mpi_intercept.c" $(linked "$mpi")
    mpirun "$mpi" 2 ./intercept || fail "$mpi: a program with an MPI_Send of its own ended with $?"
    called timing.1 MPI_Send:0 MPI_Irecv:1 MPI_Wait:1
    [ "$(moved timing.1 MPI_Irecv)" = "0 20" ] || fail "$mpi: bytes beside an MPI_Send of its own"
    rm timing.*

    # Without MPI in the process the library has no effect.
    LD_PRELOAD=$builddir/.libs/libgptl_mpi-$mpi.so.0 /bin/sh -c 'echo fine' >out 2>&1
    [ "$(cat out)" = fine ] || fail "$mpi: preloaded into a shell: $(cat out)"
    [ ! -f timing.0 ] || fail "$mpi: a shell has a report"
done

# A library for another MPI cannot work, and prints that.
if [ "$mpis" = "mpich openmpi" ]; then
    compile_mpi openmpi other "$programs/mpi_ring.c"
    LD_PRELOAD=$builddir/.libs/libgptl_mpi-mpich.so.0 timeout 20 ./other 1 >out 2>&1 || true
    grep -q 'uses Open MPI: it needs libgptl_mpi-openmpi' out || fail "nothing is said: $(cat out)"
    compile_mpi mpich other "$programs/mpi_ring.c"
    LD_PRELOAD=$builddir/.libs/libgptl_mpi-openmpi.so.0 timeout 20 ./other 1 >out 2>&1 || true
    grep -q 'uses MPICH or a relative of it: it needs libgptl_mpi-mpich' out ||
        fail "nothing is said: $(cat out)"
fi
