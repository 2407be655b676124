#!/bin/sh
# A CMake project finds the installed library with find_package(GPTL), wherever
# the installed tree was moved to, and its targets link and run.
. "$srcdir/ctests/lib.sh"
need "$CC" "$CMAKE"
need_plain_build

root=$PWD/root
install_tree "$root"

cat >user.c <<'END'
#include <gptl.h>
int main(void)
{
    return GPTLstart("region") || GPTLstop("region") || GPTLpr_file("report");
}
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.10)
project(user C)
find_package(GPTL 8 REQUIRED)
add_executable(user user.c)
target_link_libraries(user GPTL::gptl)
add_executable(user_find_module user.c)
target_link_libraries(user_find_module GPTL::GPTL)
if(TARGET GPTL::gptl_static)
    add_executable(user_static user.c)
    target_link_libraries(user_static GPTL::gptl_static)
endif()
if(DEFINED include OR DEFINED libdir OR DEFINED prefix)
    message(FATAL_ERROR "find_package(GPTL) sets variables of its caller")
endif()
END

config=$root$libdir/cmake/GPTL
$CMAKE -S . -B out -DGPTL_DIR="$config" -DCMAKE_C_COMPILER="${CC%% *}" >cmake.log 2>&1 ||
    { cat cmake.log; fail "cmake configure"; }
$CMAKE --build out >cmake.log 2>&1 || { cat cmake.log; fail "cmake build"; }

for program in user user_find_module user_static; do
    case $program:$enable_static in
        user_static:no) continue ;;
    esac
    rm -f report
    "out/$program" || fail "$program ended with $?"
    grep -q region report || fail "$program wrote no report of its region"
done

# A newer version is refused.
for version in 9.1 9.0.99 10.0; do
    mkdir "ask$version"
    printf 'cmake_minimum_required(VERSION 3.10)\nproject(ask C)\nfind_package(GPTL %s)\n' \
        "$version" >"ask$version/CMakeLists.txt"
    echo 'if(GPTL_FOUND)
    message(FATAL_ERROR "accepted")
endif()' >>"ask$version/CMakeLists.txt"
    $CMAKE -S "ask$version" -B "ask$version/out" -DGPTL_DIR="$config" >cmake.log 2>&1 ||
        { cat cmake.log; fail "version $version was accepted"; }
done
