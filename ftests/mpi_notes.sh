#!/bin/sh
# Messages by peer, sizes and files of programs in Fortran: each call is recorded once, on any path through the
# MPI, and names of files are without the blanks around them.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"
. "$srcdir/ftests/mpi_flib.sh"
need python3

for mpi in $mpifs; do
    compile_fort "$mpi" notes "$srcdir/ftests/programs/mpi_notes.F90" USE_F08 \
        -Wl,--no-as-needed "$builddir/.libs/libgptl_mpif-$mpi.so" "$builddir/.libs/libgptl_mpi-$mpi.so" \
        "$builddir/.libs/libgptl.so" -Wl,-rpath,"$builddir/.libs"
    rm -f timing.*
    GPTL_OPTIONS='output=json;mpi_matrix=on;mpi_sizes=on' mpirun "$mpi" 2 ./notes || fail "$mpi: ended with $?"
    python3 - <<'END' || fail "$mpi: that is not what was called"
import json

for rank in range(2):
    profile = json.load(open(f"timing.{rank}.json"))
    files = {f["file"]: (f["opens"], f["reads"], f["writes"], f["written_bytes"]) for f in profile["mpi_files"]}
    assert files == {"of both": (1, 0, 1, 40), f"own.{rank}": (1, 0, 1, 8)}, files
    peers = {p.pop("peer"): list(p.values()) for p in profile["mpi_peers"]}
    assert peers == {rank: [1, 20, 1, 20], 1 - rank: [1, 28, 1, 28]}, peers
    sizes = {(s["routine"], s["from"]): (s["sent"], s["received"]) for s in profile["mpi_sizes"]}
    assert sizes == {("MPI_File_write", 8): (1, 0), ("MPI_File_write_at", 32): (1, 0), ("MPI_Irecv", 16): (0, 1),
                     ("MPI_Isend", 16): (1, 0), ("MPI_Mrecv", 16): (0, 1), ("MPI_Send", 16): (1, 0)}, sizes
END
done
