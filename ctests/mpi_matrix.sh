#!/bin/sh
# Messages by peer, sizes by routine and files of MPI-IO, exactly, compared with the program's own count.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"
need python3

# run OPTIONS RANKS COMMAND...
run() {
    rm -f timing.* expected.*
    GPTL_OPTIONS=$1
    export GPTL_OPTIONS
    ranks=$2
    shift 2
    mpirun "$mpi" "$ranks" "$@" >out 2>&1 || {
        status=$?
        cat out
        fail "$mpi, $ranks ranks, $*: ended with $status"
    }
    unset GPTL_OPTIONS
}

# rows FILE KEY: the number of rows in the JSON under this key, or 0.
rows() {
    python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1])).get(sys.argv[2], [])))' "$1" "$2"
}

check_matrix() {
    run "output=json;mpi_matrix=on;mpi_sizes=on" "$1" "./matrix-$mpi" ${2:+"$2"}
    python3 "$programs/mpi_check_matrix.py" "$1" >found || {
        cat found
        fail "$mpi, $1 ranks $2"
    }
    echo "$mpi, $1 ranks $2: $(tail -n 1 found)"
}

# After a kill.
check_killed() {
    rm -f timing.* expected.* gptl-salvage.*
    GPTL_OPTIONS="salvage=on;mpi_matrix=on;mpi_sizes=on" mpirun "$mpi" 1 "./matrix-$mpi" killed >out 2>&1 || true
    [ -e expected.0 ] || { cat out; fail "$mpi: the killed program did not get so far"; }
    "$builddir/gptl" report --set output=json gptl-salvage.* >timing.0.json || fail "$mpi: gptl report of salvage"
    python3 "$programs/mpi_check_matrix.py" 1 >found || {
        cat found
        fail "$mpi: that is not what the killed process did"
    }
    rm -f gptl-salvage.*
}

check_files() {
    run "output=json;mpi_files=$2" "$1" "./files-$mpi"
    python3 "$programs/mpi_check_files.py" "$1" "$2" || fail "$mpi, $1 ranks, mpi_files=$2"
}

# The combined result of all ranks, by MPI and by gptl.
check_merged() {
    run "output=ranks;mpi_matrix=on;mpi_sizes=on" 4 "./matrix-$mpi"
    python3 - <<'END' || fail "$mpi: the merged report"
import csv, json, subprocess
merged = json.load(open("timing.merged.json"))
pairs = {(row["rank"], row["peer"]): row for row in merged["mpi_peers"]}
assert len(pairs) == 16
for (rank, peer), row in pairs.items():
    other = pairs[peer, rank]
    assert row["sent"] == other["received"] and row["sent_bytes"] == other["received_bytes"], row
    assert row["received_bytes"] > 0
assert [row for row in merged["mpi_sizes"] if row["routine"] == "MPI_Ssend"][0]["ranks"] == 4
END
    grep -q '^  rank  peer  sent  sent_bytes' timing.merged || fail "$mpi: no table in timing.merged"
    "$builddir/gptl" report --csv-peers timing.merged.ranks.json >pairs.csv || fail "$mpi: --csv-peers"
    [ "$(wc -l <pairs.csv)" -eq 17 ] || fail "$mpi: $(cat pairs.csv)"
    python3 - <<'END' || fail "$mpi: gptl report is not what MPI has merged"
import csv, json
merged = json.load(open("timing.merged.json"))["mpi_peers"]
assert [{k: int(v) for k, v in row.items()} for row in csv.DictReader(open("pairs.csv"))] == merged
END
    "$builddir/gptl" report timing.merged.ranks.json >table || fail "$mpi: gptl report"
    grep -q '^  rank  peer  sent  sent_bytes' table || fail "$mpi: no table of gptl report"
    "$builddir/gptl" report --top 3 timing.merged.ranks.json | grep -q 'the 3 of most bytes of 16' ||
        fail "$mpi: --top is not for pairs"
}

for mpi in $mpis; do
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" "matrix-$mpi" "$programs/mpi_matrix.c" $(linked "$mpi")
    # shellcheck disable=SC2046
    compile_mpi "$mpi" "files-$mpi" "$programs/mpi_files.c" $(linked "$mpi")
    for ranks in 1 2 4; do
        check_matrix "$ranks" ""
    done
    check_matrix 2 threads
    if [ "$mpi" = mpich ]; then # Open MPI 4 has no sessions, and of MPICH 4.0 one process alone crashes
        check_matrix 2 sessions
        check_matrix 4 sessions
    fi
    check_merged
    check_killed
    check_files 1 1024
    check_files 2 1024
    check_files 2 5

    # Statistics that are not requested are absent.
    run "output=json" 1 "./matrix-$mpi"
    [ "$(rows timing.0.json mpi_peers) $(rows timing.0.json mpi_sizes)" = "0 0" ] ||
        fail "$mpi: notes that nobody asked for"
    if "$builddir/gptl" report --csv-peers timing.0.json >out 2>&1; then
        fail "$mpi: --csv-peers of nothing"
    fi
    grep -q 'mpi_matrix=on' out || fail "$mpi: $(cat out)"
    run "output=json;mpi_files=0" 1 "./files-$mpi"
    [ "$(rows timing.0.json mpi_files)" = 0 ] || fail "$mpi: files that nobody asked for"
done
