#!/bin/sh
# An installed tree suffices to compile, link and run a program that uses MPI, with pkg-config and the
# compilers of each MPI: C, Fortran, and C++; and with CMake.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"
need "$PKG_CONFIG" readelf

root=$PWD/root
install_tree "$root"
pkg_config_sees "$root"
LD_LIBRARY_PATH=$root$libdir
export LD_LIBRARY_PATH

cat >user.c <<'END'
#include <mpi.h>

#include <gptl.h>
#include <gptlmpi.h>

int main(int argc, char **argv)
{
    int one = 1, sum = 0, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int rc = GPTLstart("region");
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    rc |= GPTLstop("region") | GPTLbarrier(MPI_COMM_WORLD, "barrier");
    MPI_Finalize();
    return rc != 0 || sum != size;
}
END
cp user.c user.cpp
cat >user.f90 <<'END'
program user
    use mpi
    use gptl
    implicit none
    integer :: one, all, n, error
    one = 1
    call mpi_init(error)
    call mpi_comm_size(mpi_comm_world, n, error)
    if (gptlstart("region") /= 0) error stop "gptlstart"
    call mpi_allreduce(one, all, 1, mpi_integer, mpi_sum, mpi_comm_world, error)
    if (gptlstop("region") /= 0) error stop "gptlstop"
    if (gptlbarrier(mpi_comm_world, "barrier") /= 0) error stop "gptlbarrier"
    call mpi_finalize(error)
    if (all /= n) error stop "the sum"
end program
END
sed -e 's/use mpi$/use mpi_f08/' -e 's/gptlbarrier(mpi_comm_world/&%mpi_val/' user.f90 >user_f08.f90

# build COMPILER SOURCE MODULE [FLAG...]
build() {
    echo "$1: $($PKG_CONFIG --cflags --libs "$3")"
    compiler=$1 source=$2 module=$3
    shift 3
    # shellcheck disable=SC2046 # a list of words
    "$compiler" -w -o user "$source" $($PKG_CONFIG --cflags "$module") "$@" $($PKG_CONFIG --libs "$module") ||
        fail "$compiler cannot link with $module"
}

# run LIBRARY: two ranks report, by this shared library.
run() {
    readelf -d user | grep -q "NEEDED.*lib$1\.so\.0" || fail "not linked with lib$1"
    reports
}

reports() {
    rm -f timing.*
    mpirun "$mpi" 2 ./user >out 2>&1 || { cat out; fail "$mpi: ended with $?"; }
    for rank in 0 1; do
        called "timing.$rank" MPI_Init:1 region:1 MPI_Allreduce:1 barrier:1 MPI_Finalize:1
        [ "$(moved "timing.$rank" MPI_Allreduce)" = "4 4" ] || fail "$mpi: bytes of MPI_Allreduce"
    done
    ! grep '^NOTE' timing.0 || fail "$mpi: the report has a note"
}

# with_cmake: find_package(GPTL) has a target for this MPI, and no other libraries than those for programs.
with_cmake() {
    cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.10)
project(user C)
find_package(GPTL REQUIRED)
add_executable(user user.c)
target_link_libraries(user GPTL::gptl_mpi-$mpi)
if(TARGET GPTL::gptl_mpi-any OR NOT TARGET GPTL::gptl_mpi)
    message(FATAL_ERROR "wrong targets")
endif()
END
    {
        $CMAKE -S . -B "$mpi" -DGPTL_DIR="$root$libdir/cmake/GPTL" -DCMAKE_C_COMPILER="$mpicc" &&
            $CMAKE --build "$mpi"
    } >cmake.log 2>&1 || { cat cmake.log; fail "cmake, $mpi"; }
    mv "$mpi/user" user
    run "gptl_mpi-$mpi"
}

# with_static MPI.a MPI.so
with_static() {
    # shellcheck disable=SC2046 # a list of words
    "$mpicc" -w -c user.c $($PKG_CONFIG --cflags "gptl_mpi-$mpi") || fail "$mpicc cannot compile"
    # shellcheck disable=SC2046 # a list of words
    $CC -o user user.o "$root$libdir/libgptl_mpi-$mpi.a" $($PKG_CONFIG --libs gptl) "$1" \
        $(needed_by "$2") -lm -pthread || fail "cannot link with $1"
    ! readelf -d user | grep 'NEEDED.*mpi' || fail "linked with $1, it needs that as well"
    LD_DEBUG=files ./user 2>&1 | grep 'calling init.*libmpi' && fail "linked with $1, it has loaded that"
    reports
}

for mpi in $mpis; do
    mpicc=$(of "$mpi" MPICC)
    build "$mpicc" user.c "gptl_mpi-$mpi"
    run "gptl_mpi-$mpi"
    [ -z "$CMAKE" ] || with_cmake
    mpicxx=$(echo "$mpicc" | sed 's,mpicc\([^/]*\)$,mpicxx\1,')
    build "$mpicxx" user.cpp "gptl_mpi-$mpi"
    run "gptl_mpi-$mpi"
    static=$("$mpicc" "-print-file-name=lib$mpi.a") # mpicc.openmpi has none in Debian
    if [ "$enable_static" = yes ] && [ -f "$static" ]; then
        with_static "$static" "${static%.a}.so"
        echo "$mpi: linked with $static"
    else
        echo "$mpi: no static one"
    fi
    case " $mpifs " in
        *" $mpi "*)
            # No library of the MPI itself may contain names that these programs use.
            for source in user.f90 user_f08.f90; do
                build "$(of "$mpi" MPIFORT)" $source "gptl_mpif-$mpi"
                run "gptl_mpif-$mpi"
            done
            ;;
    esac
done
