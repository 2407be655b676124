#!/bin/sh
# Begin and end of measurement: regions around MPI, MPI_Pcontrol, MPI_Abort, error handlers, threads,
# sessions, spawned processes.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"

# run RANKS WHAT: with its reports.
run() {
    rm -f timing*
    mpirun "$mpi" "$1" ./life "$2" >out 2>&1 || {
        status=$?
        [ "$2" = aborts ] || {
            cat out
            fail "$mpi: $2 ended with $status"
        }
    }
}

# same REGION SENT-RECEIVED: its bytes in timing.0.
same() {
    [ "$(moved timing.0 "$1")" = "$2" ] || {
        cat timing.0
        fail "$mpi: $1 moved $(moved timing.0 "$1"), not $2"
    }
}

# same_lines LINE TIMES: in the program's output.
same_lines() {
    [ "$(grep -cx "$1" out)" = "$2" ] || { cat out; fail "$mpi: not $2 times \"$1\""; }
}

for mpi in $mpis; do
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" life "$programs/mpi_life.c" $(linked "$mpi")

    run 2 around
    called timing.0 before:1 MPI_Init:1 MPI_Barrier:1 MPI_Finalize:1
    called timing.1 before:1 MPI_Init:1 MPI_Barrier:1 MPI_Finalize:1
    grep -q '^ *>all' timing.0 || fail "$mpi: the region around MPI_Init is not open"

    run 2 control
    called timing.1 MPI_Barrier:2 MPI_Bcast:1 MPI_Finalize:1

    run 1 half
    called timing.0 MPI_Irecv:1 MPI_Wait:1 MPI_Ssend:1 MPI_Send:0
    same MPI_Irecv "0 16"

    run 1 aborts
    called timing.0 MPI_Init:1 MPI_Barrier:1
    grep -q '>.*MPI_Abort' timing.0 || fail "$mpi: MPI_Abort is not open"

    # Calls of handlers belong to MPI_Send; calls after a handler has jumped away do not.
    run 2 errors
    called timing.0 MPI_Send:3 MPI_Error_string:0 MPI_Comm_rank:0 MPI_Waitall:1 MPI_Barrier:2
    grep -q '^ *\*   MPI_Barrier' timing.0 || fail "$mpi: the first barrier is not within jump"

    run 2 threads
    called timing.0 MPI_Irecv:8000 MPI_Send:8000 MPI_Wait:8000
    same MPI_Irecv "0 80000"
    same MPI_Send "80000 0"

    run 1 handed_on
    same MPI_Irecv "0 160"
    same MPI_Wait "0 0"

    run 1 counter
    ! grep -q disabled out || called timing.0 MPI_Comm_free:6

    run 2 small
    same_lines "summary: 0" 2
    [ -s timing.summary ] || fail "$mpi: no summary"

    if [ "$mpi" = mpich ]; then
        run 2 sessions
        called timing.1 MPI_Session_init:1 MPI_Barrier:1 MPI_Session_finalize:1 MPI_Init:0
    fi
    if can_spawn "$mpi"; then
        OMPI_MCA_btl=self,vader,tcp run 1 spawns
        called timing.0 MPI_Comm_spawn:1
        set -- timing.0.* timing.1.*
        [ $# = 2 ] || fail "$mpi: reports are $(echo timing*)"
        called "$1" MPI_Barrier:1 MPI_Comm_spawn:0
    fi
done
