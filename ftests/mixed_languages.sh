#!/bin/sh
# Fortran, C and C++ in one program: their regions form one tree, regardless of the language,
# and C++ scopes end when an exception propagates.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
[ "$enable_fortran" = yes ] || skip "built without Fortran"
need "$FC" "$CC" "$CXX"

# objects SOURCE...: compiled, not linked.
objects() {
    for source; do
        # shellcheck disable=SC2030,SC2034 # nothing is linked here
        case $source in
            *.f90) (link=; compile_fortran "${source%.*}.o" "$source" -c) ;;
            *) (link=; compile "${source%.*}.o" "$source" -c) ;;
        esac
    done
}

# tree REPORT: regions of thread 0 with their indentation and calls.
tree() {
    sed -n '/^Stats for thread 0:/,/^$/p' "$1" |
        sed -nE 's/^[* ]{2}(.*[^ ]) +([0-9]+) +(-|[0-9]+) +[0-9.]+ .*/\1 \2/p'
}

# ---- main is Fortran --------------------------------------------------------

cat >fortran_main.f90 <<'EOF'
module kernels
    use, intrinsic :: iso_c_binding
    use gptl
    implicit none
contains
    subroutine check(ret)
        integer(c_int), intent(in) :: ret
        if (ret /= 0) error stop 'a call failed'
    end subroutine

    ! Called by C and C++.
    subroutine kernel(n) bind(c)
        integer(c_int), value :: n
        character(len=20) :: name
        integer :: i
        name = 'kernel'
        do i = 1, n
            call check(gptlstart(name))
            call check(gptlstop(name))
        end do
    end subroutine
end module

program fortran_main
    use kernels
    implicit none
    interface
        subroutine c_part(step, handle) bind(c)
            import
            integer(c_int), value :: step
            integer(c_int), intent(inout) :: handle
        end subroutine
        subroutine end_across() bind(c)
        end subroutine
    end interface
    integer(c_int) :: i, handle = 0, count
    call check(gptlsetoption(GPTLprint_method, GPTLfull_tree))
    call check(gptlinitialize())
    call check(gptlstart('main'))
    call kernel(1)
    call check(gptlstart_handle('shared', handle))
    call check(gptlstop_handle('shared', handle))
    do i = 1, 3
        call c_part(i, handle)
    end do
    call check(gptlstart('across'))
    call end_across()
    call check(gptlstop('main'))
    call check(gptlget_count('kernel', -1, count))
    if (count /= 1 + 3*(1 + 2 + 1)) error stop 'calls of kernel'
    call check(gptlget_count('shared', -1, count))
    if (count /= 1 + 3 + 3) error stop 'calls of shared'
    if (gptlnum_errors() /= 0) error stop 'errors'
    call check(gptlpr_file('fortran_main.report'))
    call check(gptlfinalize())
end program
EOF
cat >part.c <<'EOF'
#include <gptl.h>
#include <stdlib.h>

void kernel(int n);
int cpp_part(int step, int *handle);
void c_part(int step, int *handle);
void end_across(void);

static void check(int rc)
{
    if (rc)
        abort();
}

void c_part(int step, int *handle)
{
    int count = 0;
    check(GPTLstart("c part"));
    kernel(1);
    check(GPTLstart_handle("shared", handle)); /* made by Fortran */
    check(cpp_part(step, handle));
    check(GPTLstop_handle("shared", handle));
    check(GPTLget_count("shared", -1, &count));
    check(count != 1 + 2 * step);
    check(GPTLstop("c part"));
}

void end_across(void)
{
    check(GPTLstart("c end"));
    check(GPTLstop("c end"));
    check(GPTLstop("across"));
}
EOF
cat >part.cpp <<'EOF'
#include <gptl.hpp>
#include <stdexcept>

extern "C" void kernel(int n);
extern "C" int cpp_part(int step, int *handle);

static void risky(int step)
{
    GPTL_FUNCTION();
    GPTL_SCOPE("step " + std::to_string(step));
    kernel(1);
    throw std::runtime_error("as expected");
}

extern "C" int cpp_part(int step, int *handle)
{
    GPTL_FUNCTION();
    {
        GPTL_SCOPE("assemble");
        kernel(2);
    }
    try {
        gptl::handle_scope again("shared", handle);
        GPTL_SCOPE("attempt");
        risky(step);
    } catch (const std::runtime_error &) {
        GPTL_SCOPE("recover");
        return 0;
    }
    return 1;
}
EOF
objects fortran_main.f90 part.c
# shellcheck disable=SC2086 # a list of words
compile fortran_main part.cpp fortran_main.o part.o $FCLIBS
ends 0 ./fortran_main

# "shared" inside of "shared" is one more call of the same.
cat >wanted <<'EOF'
main 1
  kernel 1
  shared 1
  c part 3
    kernel 3
    shared 6
      cpp_part 3
        assemble 3
          kernel 6
        recover 3
      attempt 3
        risky 3
          step 1 1
            kernel 1
          step 2 1
            kernel 1
          step 3 1
            kernel 1
  across 1
    c end 1
EOF
tree fortran_main.report | diff -u wanted - ||
    { cat fortran_main.report; fail "the tree of fortran_main"; }

# ---- main is C++ ------------------------------------------------------------

cat >fortran_part.f90 <<'EOF'
! Between two functions of C++: what is open there stays open while they throw and catch.
recursive subroutine descend(level, callback) bind(c)
    use, intrinsic :: iso_c_binding
    implicit none
    include 'gptl.inc'
    integer(c_int), value :: level
    type(c_funptr), value :: callback
    interface
        subroutine go_on(level) bind(c)
            import
            integer(c_int), value :: level
        end subroutine
    end interface
    procedure(go_on), pointer :: call_back
    call c_f_procpointer(callback, call_back)
    if (gptlstart('descend') /= 0) error stop 'start'
    call call_back(level - 1)
    if (gptlstart('ascend') /= 0) error stop 'start'
    if (gptlstop('ascend') /= 0) error stop 'stop'
    if (gptlstop('descend') /= 0) error stop 'stop'
end subroutine
EOF
cat >cpp_main.cpp <<'EOF'
#include <gptl.hpp>
#include <cstdio>

extern "C" void descend(int level, void (*callback)(int));

extern "C" {
static void in_between(int level)
{
    GPTL_SCOPE("in between");
    try {
        GPTL_SCOPE("try");
        if (level == 0)
            throw level;
        descend(level, in_between);
    } catch (int) {
        GPTL_SCOPE("catch");
    }
}
}

int main()
{
    int count = 0, on = -1;
    GPTLsetoption(GPTLprint_method, GPTLfull_tree);
    gptl::session session;
    {
        GPTL_SCOPE(std::string("main"));
        descend(1, in_between);
        descend(3, in_between);
    }
    if (GPTLget_count("descend", -1, &count) || count != 4)
        return 1;
    if (GPTLquery("try", -1, &count, &on, nullptr, nullptr, nullptr, nullptr, 0) || count != 4)
        return 2;
    if (on != 0)
        return 2;
    return GPTLnum_errors() == 0 ? 0 : 3;
}
EOF
objects fortran_part.f90
# shellcheck disable=SC2086 # a list of words
compile cpp_main cpp_main.cpp fortran_part.o $FCLIBS
ends 0 env GPTL_OPTIONS=output=text ./cpp_main
cat >wanted <<'EOF'
main 1
  descend 4
    in between 4
      try 4
      catch 2
    ascend 4
EOF
tree timing.0 | diff -u wanted - || { cat timing.0; fail "the tree of cpp_main"; }
