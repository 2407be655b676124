#!/bin/sh
# A mistake in GPTL_OPTIONS is reported once per job, even if many of its processes have the library: by
# rank 0, or by the process that starts the job. A mistake of a program is reported by each process.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"

# The launcher of Open MPI often hangs if processes end while it still starts others: the one of Debian does
# for 64 of /bin/true.
cat >small.c <<'END'
#include <gptl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    sleep(1);
    if (argc > 1 && *argv[1])
        GPTLsetoption(12345, 1);
    return GPTLstart("a") || GPTLstop("a");
}
END
compile small small.c

# told TIMES TEXT: in the output of the last run.
told() {
    [ "$(grep -c "$2" out)" = "$1" ] || {
        cat out
        fail "$mpi: $what: \"$2\" is told $(grep -c "$2" out) times, not $1"
    }
}

# ranks N OPTIONS [ARGUMENT]: only they have the library.
ranks() {
    what="$1 ranks, $2"
    mpirun "$mpi" "$1" env GPTL_OPTIONS="$2" ./small "${3:-}" >out 2>&1 || fail "$what: ended with $?"
    rm -f timing*
}

for mpi in $mpis; do
    ranks 64 "no_such=1"
    told 1 'there is no option "no_such"'
    ranks 4 "percent=7;memory=x;output=paper;filter=no/such/file;output.path=timing.{rank}.{nobody}"
    told 1 'percent=7'
    told 1 'memory=x'
    told 1 'output=paper'
    told 1 'no/such/file'
    told 1 '{nobody} is no token'
    ranks 4 'output="none'
    told 1 'a quote is not closed'
    ranks 4 "output=none" wrong
    told 4 'GPTLsetoption'

    # The launcher has the library as well, and so do the programs that start the ranks.
    what="all processes"
    (
        GPTL_OPTIONS="no_such=2;percent=8;output=none"
        export GPTL_OPTIONS
        preloaded "$mpi" 4 sh -c './small; true'
    ) >out 2>&1 || fail "$mpi: preloaded ended with $?"
    told 1 'there is no option "no_such"'
    told 1 'percent=8'

    [ -x "$gptl" ] && [ -e "$builddir/.libs/libgptl_mpi-any.so.0" ] || continue
    what="gptl run"
    GPTL_OPTIONS="no_such=3" "$gptl" run --mpi --set output=none -- \
        "$(of "$mpi" MPIEXEC)" -n 4 ./small >out 2>&1 || {
        cat out
        fail "$mpi: gptl run ended with $?"
    }
    told 1 'there is no option "no_such"'

    # Under gptl run also a mistake of other ranks than rank 0, once for all of them.
    what="gptl run, ranks 1 to 3"
    # shellcheck disable=SC2016 # the inner shell expands it
    "$gptl" run --mpi --set output=none -- "$(of "$mpi" MPIEXEC)" -n 4 sh -c '
        [ "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}" = 0 ] || GPTL_OPTIONS="$GPTL_OPTIONS;no_such=4"
        exec ./small' >out 2>&1 || fail "$mpi: $what: ended with $?"
    told 1 'there is no option "no_such"'

    if can_spawn "$mpi"; then
        what="spawned"
        OMPI_MCA_btl=self,vader,tcp "$gptl" run --mpi --set "output=none;trace=ti" -- \
            "$(of "$mpi" MPIEXEC)" -n 1 ./spawns >out 2>&1 || fail "$mpi: $what: ended with $?"
        told 1 'MPI starts later are not traced'
    fi
    rm -rf timing* .gptl-run* trace*
done
