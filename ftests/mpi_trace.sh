#!/bin/sh
# The records of trace=ti for programs that call MPI from Fortran, by mpif.h, mpi and mpi_f08, with each MPI:
# the same for all, complete, and replayable to the end.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"
. "$srcdir/ftests/mpi_flib.sh"
need_tools

# The calls of rank 0 that always create a record; a Sendrecv_replace is a sendrecv, and the end of a window a
# fence.
cat >expected <<'END'
barrier 1
bcast 1
reduce 1
allreduce 3
gather 1
allgather 2
allgatherv 1
alltoallv 2
alltoallw 2
sendrecv 2
onesided 2
fence 4
END

for mpi in $mpifs; do
    rm -f first
    for binding in $bindings; do
        compile_fort "$mpi" bare "$srcdir/ftests/programs/mpi_calls.F90" "$binding"
        rm -rf t
        mkdir t
        (
            LD_PRELOAD=$builddir/.libs/libgptl_mpif-$mpi.so.0:$builddir/.libs/libgptl_mpi-$mpi.so.0
            GPTL_OPTIONS="output=none;trace=ti;trace.dir=t"
            export LD_PRELOAD GPTL_OPTIONS
            mpirun "$mpi" 2 ./bare
        ) || fail "$mpi, $binding: ended with $?"
        "$gptl" net t --events 0 >events || fail "$mpi, $binding: no events"
        while read -r call times; do
            found=$(grep -cE "^0 (sendrecv|collective|epoch) .*\b$call\b|^0 $call " events || true)
            [ "$found" = "$times" ] || { cat events; fail "$mpi, $binding: $found times $call, not $times"; }
        done <expected
        grep -E '^0 (send|sendrecv|receive) ' events | sed 's/ns=[0-9]* //; s/request=[0-9]* //' >messages
        [ -s first ] || cp messages first
        diff first messages || fail "$mpi: the messages of $binding are not those of the others"
        [ -x "$builddir/gptl-replay" ] || continue
        "$gptl" net t --latency 1us --bandwidth 1GB/s >out || fail "$mpi, $binding: no replay"
        if grep -q 'left out' out; then cat out; fail "$mpi, $binding: something was left out"; fi
    done
done
