#!/bin/sh
# The layer ADIO of a program with a static MPICH, by the linker option --wrap: each access of ROMIO is below the
# MPI-IO call that caused it, has its bytes, and has the libc calls below it.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"
need python3 readelf
need_tools
need_shared
case " $mpis " in *" mpich "*) ;; *) skip "built without MPICH" ;; esac
mpi=mpich
mpicc=$(of mpich MPICC)
static=$("$mpicc" "-print-file-name=libmpich.a")
[ -f "$static" ] || skip "MPICH is here without libmpich.a"
[ -f "$builddir/libgptl_mpi-mpich.a" ] || skip "built without libgptl_mpi-mpich.a"

"$mpicc" -w -c "$programs/iostack_adio.c" -o program.o || fail "cannot compile"
names=ADIOI_GEN_ReadContig,--wrap=ADIOI_GEN_WriteContig
# shellcheck disable=SC2046 # a list of words
$CC -o program program.o -Wl,--wrap=$names,-u,__wrap_ADIOI_GEN_WriteContig "$builddir/libgptl_mpi-mpich.a" \
    "$builddir/.libs/libgptl.so" -Wl,--no-as-needed "$builddir/.libs/libgptl_probe.so" -Wl,-rpath,"$builddir/.libs" \
    "$static" $(needed_by "${static%.a}.so") -lm -pthread || fail "cannot link with $static"

"$gptl" run --iostack=logs --set output=none -- "$(of mpich MPIEXEC)" -n 2 ./program 2>stderr ||
    { cat stderr; fail "ended with $?"; }
PYTHONPATH=$programs python3 - <<'END' || fail "other accesses than there were"
import glob
from iostack_log import ADIO, MPI, POSIX, READ, WRITE, read

spans, _ = read(glob.glob("logs/*.log"))
accesses = [s for s in spans if s.layer == ADIO]
for s in accesses:
    assert s.end and s.parent and s.parent.layer == MPI and s.parent.log.rank == s.log.rank, vars(s)
    assert sum(c.bytes for c in s.children if c.layer == POSIX) == s.bytes, vars(s)
    assert s.offset >= 0, vars(s)
for operation, wanted in (WRITE, 6000), (READ, 6000):
    got = sum(s.bytes for s in accesses if s.operation == operation)
    assert got == wanted, (operation, got)
for s in spans:
    if s.layer == POSIX and s.file.endswith("adio.data") and s.operation in (READ, WRITE):
        assert s.parent.layer == ADIO, vars(s)
END
