#!/bin/sh
# A C++ program: calls abandoned by exceptions, through regions or through MPI itself, end there, and
# each call has the right parent.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"
export GPTL_OPTIONS=mpi=all

# tree FILE: its regions, with a blank per level, and their calls.
tree() {
    sed -n '/^Stats for thread 0/,/^Total calls/p' "$1" |
        awk '/^Total|^Stats|^ *Called/ { next } NF > 5 {
            match($0, /^[*> ]*/)
            depth = int((RLENGTH - 2) / 2)
            sub(/^[*> ]+/, "")
            printf "%*s%s %s\n", depth, "", $1, $2
        }'
}

cat >expected <<'END'
MPI_Init 1
MPI_Comm_rank 1
MPI_Comm_size 1
between 3
 MPI_Comm_dup 3
 MPI_Barrier 3
 MPI_Comm_free 3
sum 2
 MPI_Allreduce 2
MPI_Bcast 5
MPI_Finalize 1
END
# Of several callers, the tree shows one.
cat >expected.thrown <<'END'
MPI_Init 1
MPI_Comm_rank 1
MPI_Comm_size 1
between 3
 MPI_Comm_dup 4
 MPI_Barrier 5
 MPI_Comm_free 4
MPI_Comm_create_errhandler 1
MPI_Comm_set_errhandler 1
MPI_Errhandler_free 1
thrown 2
 inner 2
  MPI_Send 2
sum 2
 MPI_Allreduce 2
MPI_Bcast 5
MPI_Finalize 1
END

for mpi in $mpis; do
    mpicxx=$(of "$mpi" MPICC | sed 's,mpicc\([^/]*\)$,mpicxx\1,')
    need "$mpicxx"
    # The C++ bindings of an MPI cause warnings.
    # shellcheck disable=SC2046 # a list of words
    "$mpicxx" -g -O1 -Wall -Wextra -Werror -Wno-cast-function-type -I"$srcdir/include" -o program \
        "$programs/mpi_cpp.cpp" $(linked "$mpi") || fail "cannot compile with $mpicxx"
    for how in "" thrown; do
        rm -f timing.*
        # shellcheck disable=SC2086 # an argument or none
        mpirun "$mpi" 2 ./program $how || fail "$mpi, ${how:-plain}: ended with $?"
        for rank in 0 1; do
            # Objects of Open MPI query that before main.
            tree "timing.$rank" | grep -v MPI_Initialized >found
            diff "expected${how:+.$how}" found || fail "$mpi, ${how:-plain}: the tree is another (>)"
            [ "$(moved "timing.$rank" MPI_Allreduce)" = "12 12" ] || fail "$mpi: bytes of MPI_Allreduce"
        done
        # Barriers in exception handlers belong to these handlers.
        [ -z "$how" ] || sed -n '/^Multiple parent/,$p' timing.1 | grep -q ' 2 .*thrown' || {
            cat timing.1
            fail "$mpi: the barriers are not below what caught the exceptions"
        }
    done
done
