# shellcheck shell=sh
# Shared functions of the tests of the MPI libraries; read after lib.sh. The makefile also sets mpis, the found
# families, and for each FAMILY_MPICC and FAMILY_MPIEXEC.

[ -n "$mpis" ] || skip "built without MPI"
need_plain_build # MPI itself is none
# shellcheck disable=SC2034 # for the tests
programs=$srcdir/ctests/programs

# Settings that Open MPI needs for tests: as root, in containers, with more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # since Open MPI 5
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_plm=isolated OMPI_MCA_hwloc_base_binding_policy=none
HOME=$PWD
TMPDIR=/tmp
export HOME TMPDIR

# of FAMILY WHAT: its compiler (MPICC) or launcher (MPIEXEC).
of() {
    eval "echo \"\$$1_$2\""
}

# compile_mpi FAMILY PROGRAM SOURCE [FLAG...]: compile without any of our libraries, unless the flags name one.
compile_mpi() {
    mpicc=$(of "$1" MPICC)
    to=$2
    from=$3
    shift 3
    "$mpicc" -std=gnu11 -g -O1 -Wall -Wextra -Werror -Wno-deprecated-declarations \
        -Wno-stringop-overflow -Wno-stringop-overread -pthread \
        -I"$srcdir/include" -o "$to" "$from" "$@" -lm || fail "cannot compile $from with $mpicc"
}

# needed_by LIBRARY: flags for the libraries that a shared library requires; its static variant needs the same.
needed_by() {
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/-l:\1/p' | grep -v -e '^-l:libc\.' -e '^-l:ld-'
}

# can_spawn FAMILY: whether its processes can start others here, without our libraries; make ./spawns, which starts
# three. The MPICH of Debian cannot, nor can its Open MPI 5 if the loopback is the only network; earlier ones
# (OpenRTE) can.
can_spawn() {
    cat >spawns.c <<'END'
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children,
                       MPI_ERRCODES_IGNORE);
    MPI_Barrier(parent == MPI_COMM_NULL ? children : parent);
    MPI_Finalize();
    return 0;
}
END
    compile_mpi "$1" spawns spawns.c
    OMPI_MCA_btl=self,vader,tcp mpirun "$1" 1 timeout 60 ./spawns >spawns.out 2>&1 && return
    ! "$(of "$1" MPIEXEC)" --version | grep -q OpenRTE || fail "$1 starts no processes: $(cat spawns.out)"
    echo "$1 starts no processes from processes here: not checked"
    return 1
}

# linked FAMILY: flags for a program that is linked with the library of FAMILY.
linked() {
    echo "$builddir/.libs/libgptl_mpi-$1.so $builddir/.libs/libgptl.so -Wl,-rpath,$builddir/.libs"
}

# mpirun FAMILY RANKS COMMAND...
mpirun() {
    mpiexec=$(of "$1" MPIEXEC)
    n=$2
    shift 2
    "$mpiexec" -n "$n" "$@"
}

# preloaded FAMILY RANKS COMMAND...: the same with the library preloaded into everything.
preloaded() {
    # The launcher gets the library as well, which must not affect it.
    (
        LD_PRELOAD=$builddir/.libs/libgptl_mpi-$1.so.0
        export LD_PRELOAD
        mpirun "$@"
    )
}

# of_threads FILE REGION: its rows in the tables of all threads.
of_threads() {
    awk -v region="$2" '/^Stats for thread / { on = 1 } /^Total calls/ { on = 0 }
        on { sub(/^[*> ]+/, "") } on && $1 == region' "$1"
}

# calls FILE REGION: its calls in the report, or 0.
calls() {
    of_threads "$1" "$2" | awk '{ n += $2 } END { print n + 0 }'
}

# moved FILE REGION: its sent and received bytes.
moved() {
    of_threads "$1" "$2" | awk '{ s += $7; r += $8 } END { print s + 0, r + 0 }'
}

# called FILE REGION:CALLS...: fail unless the calls match.
called() {
    file=$1
    shift
    [ -f "$file" ] || fail "$mpi: there is no $file, but $(echo timing*)"
    for region; do
        found=$(calls "$file" "${region%:*}")
        [ "$found" = "${region##*:}" ] || {
            cat "$file"
            fail "$mpi, $file: ${region%:*} was called $found times, not ${region##*:}"
        }
    done
}
