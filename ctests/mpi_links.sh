#!/bin/sh
# Programs linked as documented compute the same results as without the library: constants of MPI that are
# addresses (MPI_IN_PLACE, MPI_BOTTOM and so on), in C, C++ and all bindings of Fortran, with a linker that drops
# libraries (--as-needed) and one that keeps them, with the module of each .pc file for MPI, each line of INSTALL,
# the CMake targets, and static libraries. If wrappers are linked, MPI calls are regions.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"
. "$srcdir/ftests/mpi_flib.sh"
need_plain_build
need "$PKG_CONFIG"

root=$PWD/root
install_tree "$root"
pkg_config_sees "$root"
LD_LIBRARY_PATH=$root$libdir
export LD_LIBRARY_PATH
cp "$programs/mpi_constants.c" program.c
cp "$programs/mpi_constants.c" program.cpp

# plain COMPILER SOURCE FLAG...: the output without our libraries.
plain() {
    compiler=$1
    source=$2
    shift 2
    printf '#define GPTLstart(name) 0\n#define GPTLstop(name) 0\n' >none.h
    mkdir -p none
    : >none/gptl.h
    : >none/gptl.hpp
    # Without -I for an installed header, ours comes next.
    "$compiler" -w -include none.h -Inone -o plain "$source" "$@" || fail "$mpi: cannot compile $source"
    mpirun "$mpi" 2 ./plain | sort >expected || fail "$mpi, $source: ended with $?"
    [ "$(grep -c ' T$' expected)" -ge 10 ] && ! grep ' F$' expected || fail "$mpi, $source: $(cat expected)"
}

# check WHAT REGIONS: ./program prints the same; REGIONS is 1 if MPI calls are regions.
check() {
    rm -f timing.*
    mpirun "$mpi" 2 ./program >out 2>err || { cat out err; fail "$mpi, $1: ended with $?"; }
    sort out | diff expected - || { cat err; fail "$mpi, $1: other results"; }
    [ ! -s err ] || fail "$mpi, $1: on stderr: $(cat err)"
    found=0
    ! grep -q '^[* ]*MPI_Init ' timing.0 2>/dev/null || found=1
    [ "$found" = "$2" ] || fail "$mpi, $1: calls of MPI are regions: $found, expected $2: $(ls)"
    [ "$2" = 0 ] || ! grep '^NOTE' timing.0 || fail "$mpi, $1: the report has a note"
    echo "$mpi: $1"
}

has_wrappers() {
    case $1 in
        *gptl_mpi*) echo 1 ;;
        *) echo 0 ;;
    esac
}

# by_modules COMPILER SOURCE MODULE... : with pkg-config, as in the manual pages.
# shellcheck disable=SC2046,SC2086 # lists of words
by_modules() {
    compiler=$1
    source=$2
    shift 2
    for module; do
        for keep in --as-needed --no-as-needed; do
            "$compiler" $fflags -w -o program "$source" $($PKG_CONFIG --cflags "$module") "-Wl,$keep" \
                $($PKG_CONFIG --libs "$module") || fail "$mpi: cannot link $source with $module"
            check "$compiler $source $keep, $module.pc" "$(has_wrappers "$module")"
            case $module in *mpif-*) continue ;; esac
            "$compiler" $fflags -w -o program "$source" $($PKG_CONFIG --cflags gptl) "-L$root$libdir" "-Wl,$keep" \
                "-l$module" $([ "$module" = gptl ] || echo -lgptl) || fail "$mpi: cannot link with -l$module"
            check "$compiler $source $keep, -l$module -lgptl" "$(has_wrappers "$module")"
        done
    done
}

# The lines of INSTALL for compilers of MPI.
sed -n 's/ *#.*//; s/^ *\(mpi\(cc\|cxx\|f90\) program.*\)/\1/p' "$srcdir/INSTALL" | sort -u >lines
[ "$(grep -c pkg-config lines)" -ge 5 ] || fail "INSTALL has other lines: $(cat lines)"

# by_line LINE COMPILER SOURCE
by_line() {
    eval "\"$2\" $fflags -w -o program $3 ${1#* * }" || fail "$mpi: cannot link: $1"
    check "INSTALL: $1" "$(has_wrappers "$1")"
}

# lines_of PREFIX COMPILER SOURCE
lines_of() {
    grep "^$1 " lines >these
    while read -r line <&3; do
        by_line "$line" "$2" "$3"
    done 3<these
}

# by_cmake LANGUAGE COMPILER SOURCE TARGET
by_cmake() {
    cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.10)
project(user $1)
find_package(GPTL REQUIRED)
set(CMAKE_$1_FLAGS "-w $fflags")
add_executable(program $3)
target_link_libraries(program GPTL::$4)
END
    rm -rf cmake
    {
        $CMAKE -S . -B cmake -DGPTL_DIR="$root$libdir/cmake/GPTL" "-DCMAKE_$1_COMPILER=$2" &&
            $CMAKE --build cmake
    } >cmake.log 2>&1 || { cat cmake.log; fail "$mpi: cmake, $3, GPTL::$4"; }
    mv cmake/program program
    check "CMake: $3, GPTL::$4" "$(has_wrappers "$4")"
}

# by_static SOURCE_OBJECT [LIBRARY]: with the static wrappers and a static MPI. The Fortran LIBRARY calls the C
# functions of MPI, so it precedes the wrappers.
by_static() {
    object=$1
    # shellcheck disable=SC2046 # a list of words
    $CC -o program "$@" "$root$libdir/libgptl_mpi-$mpi.a" "$root$libdir/libgptl.a" "$static" \
        $(needed_by "${static%.a}.so") -lgfortran -lm -ldl -pthread || fail "$mpi: cannot link with $static"
    # The functions of mpi_f08 do not call C functions in a static MPI, see INSTALL: only the results count.
    regions=1
    [ "$object" != USE_F08.o ] || regions=0
    check "static, $object" $regions
}

for mpi in $mpis; do
    mpicc=$(of "$mpi" MPICC)
    mpicxx=$(echo "$mpicc" | sed 's,mpicc\([^/]*\)$,mpicxx\1,')
    static=$("$mpicc" "-print-file-name=lib$mpi.a")
    fflags=
    plain "$mpicc" program.c
    by_modules "$mpicc" program.c gptl gptl_mpi "gptl_mpi-$mpi"
    by_modules "$mpicxx" program.cpp gptl_mpi
    lines_of mpicc "$mpicc" program.c
    lines_of mpicxx "$mpicxx" program.cpp
    if [ -n "$CMAKE" ]; then
        for target in gptl gptl_mpi; do
            by_cmake C "$mpicc" program.c "$target"
        done
    fi
    if [ "$enable_static" = yes ] && [ -f "$static" ]; then
        # shellcheck disable=SC2046 # a list of words
        "$mpicc" -w -c -o c.o program.c $($PKG_CONFIG --cflags gptl)
        by_static c.o
    fi

    # A program that needs only names of its MPI.
    : >expected
    for module in gptl_mpi "gptl_mpi-$mpi"; do
        # shellcheck disable=SC2046 # a list of words
        "$mpicc" -DBARE -w -o program program.c $($PKG_CONFIG --cflags gptl) "-L$root$libdir" \
            -Wl,--as-needed "-l$module" -lgptl || fail "$mpi: cannot link with -l$module"
        check "bare, -l$module" 1
    done
done

for mpi in $mpifs; do
    mpifort=$(of "$mpi" MPIFORT)
    static=$("$(of "$mpi" MPICC)" "-print-file-name=lib$mpi.a")
    for binding in MPIF_H USE_MPI USE_F08; do
        fflags="-fallow-argument-mismatch -D$binding -I$srcdir/ftests/programs"
        cp "$srcdir/ftests/programs/mpi_constants.F90" "$binding.F90"
        # shellcheck disable=SC2086 # a list of words
        "$mpifort" $fflags -w -o plain "$binding.F90" || fail "$mpi: cannot compile $binding"
        mpirun "$mpi" 2 ./plain | sort >expected || fail "$mpi, $binding: ended with $?"
        [ "$(grep -c ' T$' expected)" = 10 ] || fail "$mpi, $binding: $(cat expected)"
        by_modules "$mpifort" "$binding.F90" gptl_mpif "gptl_mpif-$mpi"
        lines_of mpif90 "$mpifort" "$binding.F90"
        if [ "$enable_static" = yes ] && [ -f "$static" ]; then
            # shellcheck disable=SC2086 # a list of words
            "$mpifort" $fflags -w -c -o "$binding.o" "$binding.F90"
            by_static "$binding.o" "${static%.a}fort.a"
        fi
    done
    [ -z "$CMAKE" ] || by_cmake Fortran "$mpifort" USE_F08.F90 gptl_mpif
done
