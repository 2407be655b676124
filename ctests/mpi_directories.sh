#!/bin/sh
# Ranks with different working directories: one file of all ranks' reports, in the directory of rank 0, no directory
# on the other ranks, and no hanging job; also if the other ranks cannot open that file.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"
need_plain_build
need python3

cat >prog.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#define _GNU_SOURCE 1
#include <sched.h>

int unshare(int flags);

int main(int argc, char **argv)
{
    int rank, one = 1, sum;
    char name[32];
    /* Rank 1 sees an empty file system where the others have their files. */
    const char *number = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
    if (argc > 1 && number && atoi(number) == 1 &&
        (unshare(0x00020000) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
         mount("none", argv[1], "tmpfs", 0, NULL) || chdir(argv[1])))
        return 77;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "rank%d", rank);
    if ((mkdir(name, 0777) || chdir(name)) && argc == 1)
        return 1;
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END

# whole FILE: it has the reports of three ranks, of five calls each.
whole() {
    python3 - "$1" <<'END' || fail "$what: $1 is not right"
import json, sys
profiles = json.load(open(sys.argv[1]))["profiles"]
calls = [sum(node["calls"] for thread in p["threads"] for node in thread["nodes"] if node["name"] == "MPI_Allreduce")
         for p in profiles]
assert calls == [5, 5, 5], calls
END
}

for mpi in $mpis; do
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" prog prog.c $(linked "$mpi")
    what="$mpi, directories"
    rm -rf work
    mkdir work
    (
        cd work
        GPTL_OPTIONS="output=ranks;output.path=sub/timing.{rank}" timeout 60 "$(of "$mpi" MPIEXEC)" -n 3 ../prog >../out 2>&1
    ) || fail "$what: ended with $?: $(cat out)"
    found=$(cd work && find . -type f | sort | tr '\n' ' ')
    [ "$found" = "./rank0/sub/timing.merged ./rank0/sub/timing.merged.json ./rank0/sub/timing.merged.ranks.json " ] ||
        fail "$what: files are $found: $(cat out)"
    whole work/rank0/sub/timing.merged.ranks.json
    [ ! -e work/rank1/sub ] || fail "$what: rank 1 has a folder"

    what="$mpi, hidden file"
    rm -rf work
    mkdir work
    status=0
    (
        cd work
        GPTL_OPTIONS="output=ranks" timeout 60 "$(of "$mpi" MPIEXEC)" -n 3 ../prog "$PWD" >../out 2>&1
    ) || status=$?
    [ "$status" != 77 ] || {
        echo "$what: no mount namespaces here: not checked"
        continue
    }
    [ "$status" = 0 ] || fail "$what: ended with $status: $(cat out)"
    whole work/rank0/timing.merged.ranks.json
done
