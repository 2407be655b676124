#!/bin/sh
# The bytes of calls of each class, exactly, compared with the program's own count.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"
need python3

# check FAMILY RANKS PART...
check() {
    mpi=$1
    ranks=$2
    shift 2
    rm -f timing.* expected.*
    GPTL_OPTIONS="output=json;${options:-}" mpirun "$mpi" "$ranks" "./$mpi" "$@" >out 2>&1 || {
        status=$?
        cat out
        fail "$mpi, $ranks ranks, $*: ended with $status"
    }
    python3 "$programs/mpi_check_bytes.py" "$ranks" >found 2>&1 || {
        cat found
        fail "$mpi, $ranks ranks, $*"
    }
    echo "$mpi, $ranks ranks: $(tail -n 1 found) of $*"
    grep -q '^[1-9][0-9]* cases' found || fail "$mpi, $ranks ranks: nothing was checked"
}

for mpi in $mpis; do
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" "$mpi" "$programs/mpi_bytes.c" "$programs/mpi_bytes_messages.c" \
        "$programs/mpi_bytes_collectives.c" "$programs/mpi_bytes_others.c" $(linked "$mpi")
    for ranks in 1 2 4; do
        check "$mpi" "$ranks" messages requests persistent windows collectives across neighbors files
    done
    check "$mpi" 1 large
    # The same with a barrier or a probe before each.
    options='sync_mpi=on' check "$mpi" 4 messages collectives across neighbors
    for region in sync_Bcast sync_Recv sync_Allreduce sync_Neighbor_alltoall; do
        grep -q "\"name\": *\"$region\"" timing.0.json || fail "$mpi: there is no $region"
    done
    if grep '"sync_\(Barrier\|Ibcast\|Send\)"' timing.0.json; then
        fail "$mpi: there is a barrier before what has none"
    fi
done
