#!/bin/sh
# One report for a job is made of all its ranks, or of none, and no rank waits forever: jobs of two programs of
# which one, the other, both or some ranks have the library; programs with sessions only.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"

cat >prog.c <<'EOF2'
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, one = 1, sum = 0, from;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    /* What takes any message must get none of the library's. */
    if (rank != 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < size; i++) {
        MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG != 7 || status.MPI_SOURCE != from)
            MPI_Abort(MPI_COMM_WORLD, 9);
    }
    MPI_Finalize();
    return sum != size;
}
EOF2

cat >publish.c <<'END'
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Publish_name(argv[1], MPI_INFO_NULL, argv[2]);
    MPI_Finalize();
    return 0;
}
END

# Two programs are not combined by a colon, because the launcher of Open MPI 5.0.7 crashes.
cat >each <<'END'
#!/bin/sh
# each PROGRAM...: the programs of ranks 0, 1, ...
shift "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}"
exec "$1"
END
chmod +x each

# job WHAT ARGUMENT...: of mpiexec; it exits with 0 within a minute.
job() {
    what="$mpi, $1"
    shift
    rm -f timing*
    GPTL_OPTIONS=output=merged timeout 100 "$(of "$mpi" MPIEXEC)" "$@" >out 2>&1 || {
        status=$?
        cat out
        fail "$what: ended with $status"
    }
}

# left FILE...: these reports exist.
left() {
    [ "$(echo timing*)" = "$*" ] || { cat out; fail "$what: reports are $(echo timing*), not $*"; }
}

# told: one sentence about it.
told() {
    [ "$(grep -c 'not all ranks of this job have this library' out)" = 1 ] ||
        { cat out; fail "$what: not one sentence"; }
}

for mpi in $mpis; do
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" has prog.c $(linked "$mpi")
    compile_mpi "$mpi" lacks prog.c
    cp has copy
    compile_mpi "$mpi" publish publish.c

    job "one program" -n 3 ./has
    left timing.merged timing.merged.json
    grep -q '^MPI_Finalize  *3  *3  *0 ' timing.merged || fail "$what: no row of MPI_Finalize"
    job "two programs that have it" -n 3 ./each ./has ./copy ./has
    left timing.merged timing.merged.json
    job "the second lacks it" -n 3 ./each ./has ./has ./lacks
    left timing.0 timing.1
    told
    job "the first lacks it" -n 4 ./each ./lacks ./has ./has ./has
    left timing.1 timing.2 timing.3
    told
    job "some in the middle lack it" -n 5 ./each ./has ./has ./lacks ./has ./has
    left timing.0 timing.1 timing.3 timing.4
    told

    [ "$mpi" = mpich ] || continue
    # A name server keeps the names of ended jobs, including killed ones.
    if command -v hydra_nameserver >/dev/null && command -v python3 >/dev/null; then
        port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("localhost", 0)); print(s.getsockname()[1])')
        job "no name server listens" -nameserver "localhost:$port" -n 3 ./has
        left timing.merged timing.merged.json
        hydra_nameserver -port "$port" >server.out 2>&1 &
        server=$!
        trap 'kill $server 2>/dev/null' EXIT
        job "a server" -nameserver "localhost:$port" -n 3 ./each ./has ./lacks ./has
        left timing.0 timing.2
        told
        # Names of ranks that the next job has, and answers to them.
        for stale in here.1=here found.0=a.b go.1=yhere ack.1=a gone.1=here here.2=here; do
            "$(of "$mpi" MPIEXEC)" -nameserver "localhost:$port" -n 1 ./publish "gptl.${stale%=*}" "${stale#*=}" ||
                fail "cannot publish $stale"
        done
        job "names of an earlier job" -nameserver "localhost:$port" -n 3 ./has
        left timing.merged timing.merged.json
        for stale in here.1=here go.1=yhere ack.1=a here.2=here; do
            "$(of "$mpi" MPIEXEC)" -nameserver "localhost:$port" -n 1 ./publish "gptl.${stale%=*}" "${stale#*=}" ||
                fail "cannot publish $stale"
        done
        job "names of an earlier job, and one rank lacks it" -nameserver "localhost:$port" -n 3 \
            ./each ./has ./lacks ./has
        left timing.0 timing.2
        kill "$server"
        trap - EXIT
    fi
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" life "$programs/mpi_life.c" $(linked "$mpi")
    job "sessions" -n 3 ./life sessions
    left timing.merged timing.merged.json
    grep -q '^MPI_Session_finalize  *3  *3  *0 ' timing.merged || fail "$what: no row of the end"
    grep -q '^MPI_Barrier  *3  *3  *3 ' timing.merged || fail "$what: no row of a barrier"
done
