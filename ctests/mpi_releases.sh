#!/bin/sh
# The MPI libraries inline the memory layout of libgptl. So the dynamic linker refuses them with the
# libgptl of a release with another layout.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"
need sed nm

private=$(sed -n 's/^\(GPTL_PRIVATE_[0-9]*\) {$/\1/p' "$srcdir/src/libgptl.map")
[ -n "$private" ] || fail "libgptl.map has no private node"
cat >one.c <<'END'
#include <mpi.h>
int main(void)
{
    MPI_Init(0, 0);
    MPI_Finalize();
    return 0;
}
END

# The replacement has the same length, because the other bytes of the file stay unchanged.
mkdir -p other
LC_ALL=C sed "s/$private/GPTL_PRIVATE_x/g" "$builddir/.libs/libgptl.so" >other/libgptl.so.9
ln -sf libgptl.so.9 other/libgptl.so

for mpi in $mpis; do
    nm -D "$builddir/.libs/libgptl_mpi-$mpi.so" | grep -q "gptl_core_tls@$private" ||
        fail "$mpi: the short path does not need $private"
    compile_mpi "$mpi" one one.c
    preloaded "$mpi" 1 ./one || fail "$mpi: refused with the libgptl of this release"
    called timing.0 MPI_Init:1
    rm -f timing.0

    # It looks for libgptl in its own directory.
    cp "$builddir/.libs/libgptl_mpi-$mpi.so" other/libgptl_mpi-"$mpi".so.0
    LD_PRELOAD=$PWD/other/libgptl_mpi-$mpi.so.0 ./one 2>told &&
        fail "$mpi: runs with the libgptl of another release"
    grep -q "version .$private. not found" told ||
        fail "$mpi: it ended for another reason: $(cat told)"
    [ ! -e timing.0 ] || fail "$mpi: it measured"
done
