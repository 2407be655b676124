#!/bin/sh
# A program that is linked with the library, and one that nobody changed with the library preloaded:
# each rank's report has its calls, exactly.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"

# check FAMILY HOW RANKS: the reports of ranks that went round five times.
check() {
    for rank in $(seq 0 $(($3 - 1))); do
        [ -f "timing.$rank" ] || fail "$1, $2, $3 ranks: there is no timing.$rank"
        for region in MPI_Init:1 MPI_Comm_rank:1 MPI_Comm_size:1 MPI_Irecv:5 MPI_Send:5 MPI_Wait:5 \
            MPI_Allreduce:1 MPI_Finalize:1 MPI_Bcast:0; do
            found=$(calls "timing.$rank" "${region%:*}")
            [ "$found" = "${region#*:}" ] || {
                cat "timing.$rank"
                fail "$1, $2, rank $rank of $3: ${region%:*} was called $found times"
            }
        done
    done
    set -- "$1" "$2" "$3" timing.*
    [ $(($# - 3)) = "$3" ] || fail "$1, $2, $3 ranks: reports are $*"
    rm timing.*
}

for mpi in $mpis; do
    compile_mpi "$mpi" bare "$programs/mpi_ring.c"
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" linked "$programs/mpi_ring.c" $(linked "$mpi")
    for n in 1 2; do
        mpirun "$mpi" "$n" ./linked 5 >out || fail "$mpi, linked, $n ranks: ended with $?"
        check "$mpi" linked "$n"
        preloaded "$mpi" "$n" ./bare 5 >out || fail "$mpi, preloaded, $n ranks: ended with $?"
        check "$mpi" preloaded "$n"
        # A shell between the launcher and the program reports nothing.
        preloaded "$mpi" "$n" sh -c 'true; ./bare 5; exit $?' >out ||
            fail "$mpi, in a shell, $n ranks: ended with $?"
        check "$mpi" "in a shell" "$n"
    done
    # One that knows nothing of MPI before a module of it does.
    ${CC:-cc} -o loader "$programs/mpi_loader.c" -ldl || fail "cannot compile mpi_loader.c"
    compile_mpi "$mpi" module.so "$programs/mpi_ring.c" -shared -fPIC -Dmain=module_main
    preloaded "$mpi" 2 ./loader ./module.so 5 >out 2>&1 || {
        cat out
        fail "$mpi, in a module: ended with $?"
    }
    check "$mpi" "in a module" 2
    [ ! -x "$gptl" ] || {
        "$gptl" run --mpi --set output=text -- "$(of "$mpi" MPIEXEC)" -n 2 ./loader ./module.so 5 \
            >out 2>&1 || {
            cat out
            fail "$mpi, in a module, gptl run: ended with $?"
        }
        check "$mpi" "in a module, gptl run" 2
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
    check "$mpi" "without a launcher" 1
done
