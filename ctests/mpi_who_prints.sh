#!/bin/sh
# A rank of a program that calls GPTLinitialize prints its own reports: a rank without a call of GPTLpr leaves no
# file, with and without the wrappers, whether it finalizes the library or not. GPTL_OPTIONS=output=... requests a
# report of each rank. One merged report is also made if GPTLfinalize precedes MPI_Finalize on some ranks.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"
need_plain_build
need python3

cat >who.c <<'END'
#include <gptl.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* who WORD...: initialize, print (rank 0), finalize (all), finalize_odd, exit (no MPI_Finalize on one rank) */
int main(int argc, char **argv)
{
    int rank, sum, one = 1;
    const char *words = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strstr(words, "initialize"))
        GPTLinitialize();
    GPTLstart("a");
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    GPTLstop("a");
    if (strstr(words, "print") && rank == 0)
        GPTLpr(0);
    if (strstr(words, "end") && (!strstr(words, "end_odd") || rank % 2))
        GPTLfinalize();
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (strstr(words, "again")) { /* what is measured after the end is in no report */
        GPTLinitialize();
        GPTLstart("second");
        GPTLstop("second");
    }
    MPI_Finalize();
    return 0;
}
END

# left LIBRARY OPTIONS WORDS FILE...: the reports that four ranks leave.
left() {
    library=$1
    words=$3
    what="$mpi, $1, '$2', $3"
    GPTL_OPTIONS=$2
    export GPTL_OPTIONS
    shift 3
    rm -f timing*
    mpirun "$mpi" 4 "./$library" "$words" >out 2>&1 || fail "$what: ended with $?: $(cat out)"
    found=$(for file in timing*; do [ ! -e "$file" ] || printf '%s ' "$file"; done)
    [ "$found" = "$*${*:+ }" ] || fail "$what: reports are $found, not $*: $(cat out)"
}

# merged: the report of four ranks has the regions of all.
merged() {
    python3 - timing.merged.json <<'END' || fail "$what: the merged report is not right"
import json, sys
regions = {r["name"]: r for r in json.load(open(sys.argv[1]))["regions"]}
assert regions["a"]["ranks"] == 4 and regions["a"]["calls"] == 4, regions["a"]
assert regions["MPI_Allreduce"]["ranks"] == 4 and regions["MPI_Allreduce"]["calls"] in (20, 22, 24)
assert "second" not in regions
END
}

for mpi in $mpis; do
    # shellcheck disable=SC2046 # flags
    compile_mpi "$mpi" wraps who.c $(linked "$mpi")
    compile_mpi "$mpi" plain who.c "$builddir/.libs/libgptl.so" "-Wl,-rpath,$builddir/.libs"
    for library in plain wraps; do
        left "$library" "" "initialize print end" timing.0
        left "$library" "" "initialize print" timing.0
        left "$library" "" "initialize end"
        left "$library" "" "initialize"
        left "$library" "percent=on" "initialize print" timing.0
        left "$library" "output=text" "initialize" timing.0 timing.1 timing.2 timing.3
        left "$library" "" "" timing.0 timing.1 timing.2 timing.3
        left "$library" "" "end" timing.0 timing.1 timing.2 timing.3
    done
    left wraps "output=merged" "" timing.merged timing.merged.json
    merged
    left wraps "output=merged" "end" timing.merged timing.merged.json
    merged
    left wraps "output=merged" "end_odd" timing.merged timing.merged.json
    merged
    left wraps "output=merged" "initialize end" timing.merged timing.merged.json
    merged
    left wraps "output=merged" "initialize end again" timing.merged timing.merged.json
    merged
    left wraps "output=ranks" "end_odd" timing.merged timing.merged.json timing.merged.ranks.json
    merged
    # Rank 0 printed its own report: then the others write theirs.
    left wraps "output=merged;output.path=timing.{rank}" "print end" timing.0 timing.1 timing.2 timing.3
done
