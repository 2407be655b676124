#!/bin/sh
# Programs that call MPI from Fortran, by mpif.h, mpi and mpi_f08: each call is counted once, with its bytes, on any
# path through the MPI.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"
. "$srcdir/ftests/mpi_flib.sh"
export GPTL_OPTIONS=mpi=all

# table REPORT: "region calls sent received" for each region.
table() {
    awk '
        /^Stats for thread/ { on = 1; next }
        /^Total calls/ { on = 0 }
        on && /Called/ { for (i = 1; i <= NF; i++) at[$i] = i + 1; next }
        on && NF > 5 { print $1, $2, $at["MPI_SENT"], $at["MPI_RECEIVED"] }' "$1"
}

# Calls, bytes sent and received; a number of calls that depends on timing is 0.
cat >expected.0 <<'END'
MPI_Init 1 0 0
MPI_Comm_rank 1 0 0
MPI_Send 7 60 0
MPI_Ssend 1 8 0
MPI_Recv 1 0 12
MPI_Sendrecv 1 16 16
MPI_Type_vector 1 0 0
MPI_Type_commit 1 0 0
MPI_Sendrecv_replace 1 8 8
MPI_Irecv 7 0 52
MPI_Isend 1 12 0
MPI_Waitall 5 0 0
MPI_Wait 3 0 0
MPI_Test 0 0 0
MPI_Waitany 1 0 0
MPI_Waitsome 0 0 0
MPI_Recv_init 1 0 0
MPI_Send_init 1 0 0
MPI_Startall 3 36 36
MPI_Start 2 12 12
MPI_Request_free 2 0 0
MPI_Cancel 1 0 0
MPI_Barrier 1 0 0
MPI_Bcast 1 8 0
MPI_Allreduce 2 24 24
MPI_Reduce 1 8 0
MPI_Gather 1 4 8
MPI_Allgather 2 16 32
MPI_Allgatherv 1 4 12
MPI_Alltoallv 2 32 32
MPI_Alltoallw 2 32 32
MPI_Iallreduce 1 4 4
MPI_Win_allocate 1 0 0
MPI_Win_fence 3 0 0
MPI_Put 1 8 0
MPI_Get 1 0 12
MPI_Win_free 1 0 0
MPI_File_open 1 0 0
MPI_File_write 1 20 0
MPI_File_read_at 1 0 12
MPI_File_close 1 0 0
MPI_Comm_get_attr 1 0 0
MPI_Type_free 1 0 0
MPI_Wtime 1 0 0
MPI_Finalize 1 0 0
END
# shellcheck disable=SC2016 # sed's $
# Rank 1 receives while rank 0 sends, and queries a count.
sed -e '/^MPI_Ssend/d' -e 's/^MPI_Recv 1 0 12/MPI_Recv 2 0 28/' -e 's/^MPI_Send 7 60/MPI_Send 7 52/' \
    -e 's/^MPI_Bcast 1 8 0/MPI_Bcast 1 0 8/' -e 's/^MPI_Reduce 1 8 0/MPI_Reduce 1 8 8/' \
    -e 's/^MPI_Gather 1 4 8/MPI_Gather 1 4 0/' -e 's/^MPI_Allgatherv 1 4/MPI_Allgatherv 1 8/' \
    -e '$aMPI_Get_count 1 0 0' expected.0 | sort >expected.1
sort -o expected.0 expected.0

# counted WHAT: the reports have the expected counts.
counted() {
    for rank in 0 1; do
        table timing.$rank | sed 's/^\(MPI_Test\|MPI_Waitsome\) [1-9][0-9]* /\1 0 /' | sort >found
        diff expected.$rank found || fail "$1, rank $rank: that is not what was called"
    done
    rm timing.*
}

for mpi in $mpifs; do
    for binding in $bindings; do
        compile_fort "$mpi" bare "$srcdir/ftests/programs/mpi_calls.F90" "$binding"
        (
            LD_PRELOAD=$builddir/.libs/libgptl_mpif-$mpi.so.0:$builddir/.libs/libgptl_mpi-$mpi.so.0
            export LD_PRELOAD
            mpirun "$mpi" 2 ./bare
        ) || fail "$mpi, $binding, preloaded: ended with $?"
        counted "$mpi, $binding, preloaded"
    done
    # As in gptl_mpif.pc: some of Fortran's functions call C's, so both have to precede MPI.
    compile_fort "$mpi" linked "$srcdir/ftests/programs/mpi_calls.F90" USE_F08 \
        -Wl,--push-state,--no-as-needed "$builddir/.libs/libgptl_mpif-$mpi.so" "$builddir/.libs/libgptl_mpi-$mpi.so" \
        -Wl,--pop-state "$builddir/.libs/libgptl.so" -Wl,-rpath,"$builddir/.libs"
    mpirun "$mpi" 2 ./linked || fail "$mpi, linked: ended with $?"
    counted "$mpi, linked"
    # A program that is linked with the library and gets it preloaded as well.
    [ ! -x "$gptl" ] || {
        "$gptl" run --mpi --set output=text -- "$(of "$mpi" MPIEXEC)" -n 2 ./linked 2>stderr ||
            fail "$mpi, linked and preloaded: ended with $?"
        [ ! -s stderr ] || { cat stderr; fail "something on stderr"; }
        counted "$mpi, linked and preloaded"
    }
    # The library is C: it needs neither a run-time library of Fortran, nor MPI.
    for library in mpif-$mpi mpi-$mpi mpi-any; do
        file=$builddir/.libs/libgptl_$library.so
        [ ! -e "$file" ] || ! objdump -p "$file" | grep -E 'NEEDED.*(fortran|libmpi)' ||
            fail "$file is linked with that"
    done
done
