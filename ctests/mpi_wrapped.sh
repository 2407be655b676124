#!/bin/sh
# Every function that the installed MPI exports with a PMPI twin has a wrapper, and the libraries show
# nothing else. Functions of which no row in traits.def says what they move are those of a list that
# somebody has read: a new release of MPI that brings more makes this test fail.
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
    printf '%s\n' GPTLbarrier GPTLpr_summary GPTLpr_summary_file | sort - exported >expected
    diff expected symbols || fail "$mpi: wrappers (>) are not what MPI exports (<)"
    echo "$mpi: $(wc -l <exported) functions"

    # A row is for its function's large counts as well.
    made rows | awk '$2 == "none" { sub(/_c$/, "", $1); print $1 }' | sort -u >plain
    grep -v '^#' "$srcdir/ctests/mpi_plain.list" | sort >reviewed
    comm -23 plain reviewed >unread
    [ ! -s unread ] || fail "$mpi: neither in traits.def nor in mpi_plain.list: $(cat unread)"
done
