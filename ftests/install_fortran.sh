#!/bin/sh
# An installed tree suffices for Fortran: programs with the module and with gptl.inc compile, link
# and run by pkg-config, shared and static, with libgptlf or libgptl alone; the module can be built
# from its source; and CMake projects, also in Fortran only, find the targets.
. "$srcdir/ctests/lib.sh"
[ "$enable_fortran" = yes ] || skip "built without Fortran"
need "$CC" "$FC" "$PKG_CONFIG" readelf
need_plain_build

root=$PWD/root
install_tree "$root"
[ -f "$root$libdir/pkgconfig/gptlf.pc" ] || fail "no gptlf.pc"
pkg_config_sees "$root"

# Handles of 8 bytes go through a generic name of the module.
cat >by_module.f90 <<'END'
program by_module
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t
    use gptl
    implicit none
    integer(c_int64_t) :: handle = 0
    integer(c_int) :: count = 0
    if (gptlsetoption(GPTLpercent, 1) /= 0) error stop 'option'
    if (gptlstart_handle('region', handle) /= 0) error stop 'start'
    if (gptlstop_handle('region', handle) /= 0) error stop 'stop'
    if (gptlget_count('region', -1, count) /= 0 .or. count /= 1) error stop 'count'
    if (gptlpr_file('report') /= 0) error stop 'report'
end program
END
# Fixed form, as in older programs.
cat >by_include.f <<'END'
      program byincl
      implicit none
      include 'gptl.inc'
      integer ret
      ret = gptlsetoption (gptlpercent, 1)
      ret = ret + gptlstart ('region')
      ret = ret + gptlstop ('region')
      ret = ret + gptlpr_file ('report')
      if (ret .ne. 0) stop 1
      ret = gptlpr_summary_file (0, 'summary')
      if (ret .ne. -1) stop 2
      end
END

# build NAME SOURCE PACKAGE PKG_CONFIG_OPTIONS LINK_FLAGS
# shellcheck disable=SC2046,SC2086 # lists of words
build() {
    echo "$1: $($PKG_CONFIG $4 --cflags --libs "$3")"
    $FC -o "$1" "$2" $($PKG_CONFIG --cflags "$3") $5 $($PKG_CONFIG $4 --libs "$3") ||
        fail "cannot link: $1"
}

# run NAME: the program measures, and its report names the region.
run() {
    rm -f report
    LD_LIBRARY_PATH=$root$libdir "./$1" || fail "$1 ended with $?"
    grep -q '^  region .* 1 ' report || fail "$1 wrote no report of its region"
}

# both KIND PKG_CONFIG_OPTIONS LINK_FLAGS
both() {
    for package in gptlf gptl; do
        for source in by_module.f90 by_include.f; do
            program=$1.$package.${source%.*}
            build "$program" $source $package "$2" "$3"
            run "$program"
        done
    done
}

# The same with a module built here, by any compiler.
made_anew() {
    source=$(find "$root" -name gptl.f90)
    [ -n "$source" ] || fail "the source of the module is not installed"
    mkdir anew
    (cd anew && $FC -c "$source") || fail "cannot compile $source"
    # shellcheck disable=SC2046 # a list of words
    $FC -o made_anew by_module.f90 "${FC_MODINC}anew" $($PKG_CONFIG --libs gptl) ||
        fail "cannot link with the new module"
    run made_anew
}

# ---- CMake ------------------------------------------------------------------

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.10)
project(user ${languages})
find_package(GPTL 0.1 REQUIRED)
foreach(target gptl gptlf gptl_static gptlf_static)
    if(TARGET GPTL::${target})
        foreach(source by_module.f90 by_include.f)
            string(REGEX REPLACE "[.].*" "" name ${source})
            add_executable(${target}.${name} ${source})
            target_link_libraries(${target}.${name} GPTL::${target})
        endforeach()
    endif()
endforeach()
if(DEFINED include OR DEFINED libdir OR DEFINED prefix OR DEFINED needs)
    message(FATAL_ERROR "find_package(GPTL) sets variables of its caller")
endif()
END

# by_cmake TREE TARGET...: in a project of Fortran only, and in one with C.
by_cmake() {
    tree=$1
    shift
    for languages in Fortran "C;Fortran"; do
        rm -rf out
        $CMAKE -S . -B out -DGPTL_DIR="$tree$libdir/cmake/GPTL" -Dlanguages="$languages" \
            -DCMAKE_Fortran_COMPILER="${FC%% *}" -DCMAKE_C_COMPILER="${CC%% *}" >cmake.log 2>&1 ||
            { cat cmake.log; fail "cmake configure, $languages"; }
        $CMAKE --build out >cmake.log 2>&1 || { cat cmake.log; fail "cmake build, $languages"; }
        built=$(cd out && for file in gptl*.by_*; do echo "${file%%.*}"; done | sort -u)
        wanted=$(printf '%s\n' "$@" | sort)
        [ "$built" = "$wanted" ] || 
            fail "the targets are $(echo "$built" | tr '\n' ' ')"
        for target; do
            for source in by_module by_include; do
                run "out/$target.$source"
            done
        done
    done
}

# Without the libraries for Fortran the others are still found.
without_gptlf() {
    cp -R "$root" "$root.c"
    find "$root.c$libdir" -name 'libgptlf*' -exec rm {} \;
    by_cmake "$root.c" "$@"
}

# Whether static linking works here.
links_statically() {
    echo 'end' >probe.f90
    $FC -static -o probe probe.f90 2>/dev/null && ./probe
}

# ---- The tests --------------------------------------------------------------

static=
[ "$enable_static" = no ] || static=_static
if [ "$enable_shared" = yes ]; then
    both shared "" ""
    made_anew
    readelf -d shared.gptlf.by_module | grep -q 'NEEDED.*\[libgptl\.so\.9\]' ||
        fail "libgptl is not linked by soname"
    readelf -d shared.gptl.by_module | grep -q 'NEEDED.*libgptlf' &&
        fail "gptl.pc asks for libgptlf"
fi
if [ -n "$CMAKE" ]; then
    by_cmake "$root" gptl gptlf ${static:+gptl_static gptlf_static}
    without_gptlf gptl ${static:+gptl_static}
fi
if [ "$enable_static" = yes ]; then
    # Without the shared ones the linker takes the archives.
    find "$root$libdir" -name 'libgptl*.so*' -exec rm {} \;
    both static --static ""
    for program in static.*; do
        readelf -d "$program" | grep -q 'NEEDED.*libgptl' && fail "$program needs libgptl.so"
    done
    if links_statically; then
        both all_static --static -static
    fi
fi
[ -n "$CMAKE" ] || skip "no cmake; all else is well"
