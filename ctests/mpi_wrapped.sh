#!/bin/sh
# Every function that the installed MPI exports with a PMPI entry point has a wrapper, and the libraries
# export nothing else. Functions without a row in traits.def are those of a reviewed list: a new release of
# MPI with more functions makes this test fail.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"
need nm awk

for mpi in $mpis; do
    # made WHAT: see src/mpi/generate.
    made() {
        eval "flags=\$${mpi}_CPPFLAGS"
        # shellcheck disable=SC2154,SC2086 # a list of words
        NM=nm OBJDUMP=objdump AWK=awk CPP="$CC -E" sh "$srcdir/src/mpi/generate" "$1" \
            "$(of "$mpi" MPICC)" $flags
    }
    made names >exported
    nm -D --defined-only "$builddir/.libs/libgptl_mpi-$mpi.so" | awk '$2 != "A" { print $3 }' |
        sort >symbols
    printf '%s\n' gptl_mpi_find_next gptl_mpi_lowest \
        gptl_mpi_shared_next | sort - exported >expected
    diff expected symbols || fail "$mpi: wrappers (>) are not what MPI exports (<)"
    echo "$mpi: $(wc -l <exported) functions"

    # A row applies to its function's large-count variant as well.
    made rows | awk '$2 == "none" { sub(/_c$/, "", $1); print $1 }' | sort -u >plain
    grep -v '^#' "$srcdir/ctests/mpi_plain.list" | sort >reviewed
    comm -23 plain reviewed >unread
    [ ! -s unread ] || fail "$mpi: neither in traits.def nor in mpi_plain.list: $(cat unread)"

    # Calls that bypass the library are in the report: here functions without a wrapper.
    cat >behind.c <<'END'
#include <mpi.h>
int main(void)
{
    int provided;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Init(0, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
END
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" behind behind.c $(linked "$mpi")
    rm -f timing.0
    mpirun "$mpi" 1 ./behind || fail "$mpi: behind ended with $?"
    called timing.0 MPI_Barrier:1
    grep -A1 '^NOTE: these functions of MPI' timing.0 | tail -n 1 | tr ' ' '\n' | sed '/^$/d' |
        sort >told
    printf 'MPI_T_finalize\nMPI_T_init_thread\n' | diff - told || fail "$mpi: the report tells of others (>)"
done
