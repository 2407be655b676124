#!/bin/sh
# Other PMPI libraries stay active: linked with the program or preloaded, after this library (both count) or
# before it (the tool counts, and the report lists the functions). No internal call of this library reaches a
# tool, even if all ranks write one report.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"
need_plain_build

cat >tool.c <<'END'
#include <mpi.h>
#include <stdio.h>

static int sends, reduces, others;

int MPI_Send(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)
{
    sends++;
    return PMPI_Send(b, n, t, to, tag, c);
}

int MPI_Allreduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
    reduces++;
    return PMPI_Allreduce(s, r, n, t, o, c);
}

int MPI_Iprobe(int from, int tag, MPI_Comm c, int *flag, MPI_Status *s)
{
    others++;
    return PMPI_Iprobe(from, tag, c, flag, s);
}

int MPI_Comm_dup(MPI_Comm c, MPI_Comm *to)
{
    others++;
    return PMPI_Comm_dup(c, to);
}

int MPI_Finalize(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "TOOL %d: %d sends %d reduces %d others\n", rank, sends, reduces, others);
    return PMPI_Finalize();
}
END

# Removes the last rank: the program sees the others.
cat >virtual.c <<'END'
#include <mpi.h>
#include <stdlib.h>

static MPI_Comm own;

static MPI_Comm map(MPI_Comm c)
{
    return c == MPI_COMM_WORLD ? own : c;
}

int MPI_Init(int *argc, char ***argv)
{
    int rc = PMPI_Init(argc, argv), rank, size;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    PMPI_Comm_split(MPI_COMM_WORLD, rank == size - 1, rank, &own);
    if (rank == size - 1) {
        PMPI_Barrier(MPI_COMM_WORLD);
        PMPI_Finalize();
        exit(0);
    }
    return rc;
}

int MPI_Comm_rank(MPI_Comm c, int *rank)
{
    return PMPI_Comm_rank(map(c), rank);
}

int MPI_Comm_size(MPI_Comm c, int *size)
{
    return PMPI_Comm_size(map(c), size);
}

int MPI_Allreduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
    return PMPI_Allreduce(s, r, n, t, o, map(c));
}

int MPI_Finalize(void)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    return PMPI_Finalize();
}
END

# Serial stubs of MPI after the program are not a tool.
cat >stub.c <<'END'
#include <stdlib.h>
int MPI_Allreduce(void);
int MPI_Allreduce(void)
{
    abort();
}
END

cat >prog.c <<'END'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, one = 1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 3; i++) {
        for (int to = 1; rank == 0 && to < size; to++)
            MPI_Send(&one, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
        if (rank > 0)
            MPI_Recv(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d ranks compute, sum %d\n", size, sum);
    MPI_Finalize();
    return 0;
}
END

# run PRELOADED PROGRAM: on two ranks. LD_PRELOAD applies to the program only.
run() {
    what="$mpi, $1, $2"
    rm -f timing*
    mpirun "$mpi" 2 env LD_PRELOAD="$1" "$2" >out 2>&1 || fail "$what: ended with $?: $(cat out)"
    for line in '2 ranks compute, sum 2' 'TOOL 0: 3 sends 3 reduces 0 others' \
        'TOOL 1: 0 sends 3 reduces 0 others'; do
        [ "$(grep -c "$line" out)" = 1 ] || fail "$what: no line '$line': $(cat out)"
    done
}

# both: the report has the calls as well, and nothing is missing.
both() {
    called timing.0 MPI_Init:1 MPI_Send:3 MPI_Allreduce:3 MPI_Finalize:1
    ! grep -A1 'are called, but not measured' timing.0 || fail "$what: a note"
}

# hidden: by a tool before the library, as the report states.
hidden() {
    called timing.0 MPI_Init:1 MPI_Send:0
    note=$(grep -A1 'are called, but not measured' timing.0) || fail "$what: no note: $(cat timing.0)"
    for function in MPI_Send MPI_Allreduce MPI_Finalize; do
        case " $note " in *" $function "*) ;; *) fail "$what: $function is not in the note: $note" ;; esac
    done
}

for mpi in $mpis; do
    ours=$builddir/.libs/libgptl_mpi-$mpi.so.0
    compile_mpi "$mpi" libtool.so tool.c -shared -fPIC
    compile_mpi "$mpi" libvirtual.so virtual.c -shared -fPIC
    ${CC:-cc} -shared -fPIC -o libstub.so stub.c || fail "cannot compile stub.c"
    compile_mpi "$mpi" prog prog.c
    compile_mpi "$mpi" tooled prog.c ./libtool.so
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" before prog.c $(linked "$mpi") -Wl,--no-as-needed ./libtool.so
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" behind prog.c -Wl,--no-as-needed ./libtool.so $(linked "$mpi")
    compile_mpi "$mpi" virtual prog.c ./libvirtual.so

    export GPTL_OPTIONS=output=text
    run "$ours $PWD/libtool.so" ./prog && both
    run "$ours" ./tooled && both
    run "$ours $PWD/libstub.so $PWD/libtool.so" ./prog && both
    run "" ./before && both
    run "$builddir/.libs/libgptl_mpi-any.so.0" ./tooled && both
    run "$PWD/libtool.so $ours" ./prog && hidden
    run "" ./behind && hidden

    # The messages of this library for the merged report and the trace are invisible to tools.
    GPTL_OPTIONS="output=merged;mpi_matrix=on"
    run "$ours" ./tooled
    [ -f timing.merged ] || fail "$what: no merged report: $(cat out)"

    GPTL_OPTIONS=output=text
    rm -f timing*
    mpirun "$mpi" 3 env LD_PRELOAD="$ours" ./virtual >out 2>&1 || fail "$mpi, virtual: ended with $?: $(cat out)"
    grep -q '^2 ranks compute, sum 2$' out || fail "$mpi, virtual: $(cat out)"
    called timing.0 MPI_Send:3 MPI_Allreduce:3 MPI_Finalize:1
done
