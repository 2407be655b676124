#!/bin/sh
# gptl run --iostack with programs in Fortran, by mpif.h, mpi and mpi_f08: one span for each call of MPI-IO,
# with its file and bytes.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"
. "$srcdir/ftests/mpi_flib.sh"
need python3
need_tools
PYTHONPATH=$srcdir/ctests/programs
export PYTHONPATH

cat >program.F90 <<'END'
#include "mpi_binding.h"
program iostack
    MODULE_
    implicit none
    INCLUDE_
    integer :: rank, ierr, numbers(250)
    integer(kind=MPI_OFFSET_KIND) :: at
    FILE_ :: file
    REQUEST_ :: request
    STATUS_(status)
    character(len=40) :: name
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    numbers = rank
    at = rank * 1000
    name = '  f.data'
    call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file E_)
    call MPI_File_write_at_all(file, at, numbers, 250, MPI_INTEGER, MPI_STATUS_IGNORE E_)
    call MPI_File_iwrite_at(file, at, numbers, 250, MPI_INTEGER, request E_)
    call MPI_Wait(request, MPI_STATUS_IGNORE E_)
    call MPI_File_write_at_all_begin(file, at, numbers, 250, MPI_INTEGER E_)
    call MPI_File_write_at_all_end(file, numbers, status E_)
    call MPI_File_read_at(file, at, numbers, 25, MPI_INTEGER, status E_)
    at = 0
    call MPI_File_set_view(file, at, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL E_)
    call MPI_File_read_all(file, numbers, 250, MPI_INTEGER, status E_)
    call MPI_File_close(file E_)
    call MPI_Barrier(MPI_COMM_WORLD E_)
    if (rank == 0) call MPI_File_delete('f.data', MPI_INFO_NULL E_)
    call MPI_Finalize(ierr)
end program
END
cat >calls.py <<'END'
import glob
from iostack_log import MPI, OPERATIONS, POSIX, read
spans, _ = read(glob.glob("logs/*.log"))
for s in sorted((s for s in spans if s.layer == MPI), key=lambda s: (s.log.rank, s.begin)):
    assert s.end, vars(s)
    print(s.log.rank, OPERATIONS[s.operation], s.bytes, s.offset, s.collective, s.file.split("/")[-1])
for s in spans:
    if s.layer == POSIX and s.file.endswith("f.data") and s.bytes > 0:
        assert s.parent.layer == MPI, vars(s)
END
for rank in 0 1; do
    cat <<END
$rank open -1 -1 1 f.data
$rank write 1000 ${rank}000 2 f.data
$rank write 1000 ${rank}000 0 f.data
$rank write 1000 ${rank}000 3 f.data
$rank read 100 ${rank}000 0 f.data
$rank metadata -1 -1 4 f.data
$rank read 1000 0 5 f.data
$rank close -1 -1 6 f.data
END
done | sed 's/ 0000 / 0 /' >expected
sed -i '8a0 metadata -1 -1 0 f.data' expected

for mpi in $mpifs; do
    for binding in $bindings; do
        compile_fort "$mpi" program program.F90 "$binding"
        rm -rf logs f.data
        "$gptl" run --iostack=logs --set output=none -- "$(of "$mpi" MPIEXEC)" -n 2 ./program 2>stderr ||
            { cat stderr; fail "$mpi, $binding: ended with $?"; }
        python3 calls.py >got || fail "$mpi, $binding: the logs"
        diff expected got || fail "$mpi, $binding: other calls"
    done
done
