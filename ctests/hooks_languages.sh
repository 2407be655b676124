#!/bin/sh
# Programs instrumented by gcc, g++, gfortran, clang and clang++, at all
# optimization levels, with and without inlining, position-independent or not,
# linked as one file, with shared libraries, fully static: each has the same
# calls.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/hooks_lib.sh"
need "$CC"
need_plain_build # other flags than the library's

after=-finstrument-functions-after-inlining

# Nested, inlined, recursive, mutually recursive, called through a pointer.
cat >calls.c <<'EOF'
#include <gptl.h>

static void inlined(void)
{
    __asm__ volatile("");
}

static void middle(void)
{
    inlined();
    inlined();
    __asm__ volatile("");
}

static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int odd(int n);
static __attribute__((noinline)) int even(int n)
{
    return n == 0 ? 1 : odd(n - 1) + 0 * (*(volatile int *)&n);
}

static __attribute__((noinline)) int odd(int n)
{
    return n == 0 ? 0 : even(n - 1) + 0 * (*(volatile int *)&n);
}

static void (*volatile pointer)(void) = middle;

int work(int n);
int work(int n)
{
    middle();
    pointer();
    GPTLstart("by hand");
    middle();
    GPTLstop("by hand");
    return even(n) + fibonacci(n);
}
EOF
cat >main.c <<'EOF'
int work(int n);

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += work(10);
    return sum == 3 * 56 ? 0 : 3;
}
EOF
expected='0 /main 1
0 /main/work 3
0 /main/work/by_hand 3
0 /main/work/by_hand/middle 3
0 /main/work/by_hand/middle/inlined 6
0 /main/work/even 18
0 /main/work/even/odd 15
0 /main/work/fibonacci 531
0 /main/work/middle 6
0 /main/work/middle/inlined 12'

# check_c PROGRAM WHAT [LIBRARY]: it makes these calls.
check_c() {
    silent ./"$1"
    has "$2" timing.0.json "$1" ${3:+"$3"} <<EOF
$expected
EOF
}

both="$CC"
if command -v clang >/dev/null && [ "${CC%% *}" != clang ]; then
    both="$both clang"
fi
[ "$enable_shared" = yes ] || need_shared

for compiler in $both; do
    for flags in -O0 -O2 -O3 "-Os -no-pie -fno-pie" "-O2 -flto" "-O1 -fsanitize=address"; do
        case "$compiler $flags" in
            clang*-flto*) flags="$flags -fuse-ld=lld" ;;
        esac
        # shellcheck disable=SC2086
        $compiler -g $flags $hooks -I"$srcdir/include" -o prog main.c calls.c $link ||
            fail "cannot compile with $compiler $flags"
        check_c prog "$compiler $flags"
    done
done

# Only functions that were not inlined.
if command -v clang >/dev/null; then
    # shellcheck disable=SC2086
    clang -g -O2 $after -I"$srcdir/include" -o prog main.c calls.c $link || fail "cannot compile"
    silent ./prog
    tree timing.0.json prog >found
    grep -q '/inlined ' found && fail "what was inlined has calls"
    grep -q '^0 /main/work/even 18$' found ||
        { cat found; fail "clang $after: no calls of what was not inlined"; }
    # shellcheck disable=SC2086
    clang -g -O0 $after -I"$srcdir/include" -o prog main.c calls.c $link || fail "cannot compile"
    check_c prog "clang -O0 $after"
fi

# Instrumentation in shared libraries only, and in both. The program is linked with the library
# in any case: otherwise the empty hooks of libc would precede those that only its library needs.
for compiler in $both; do
    # shellcheck disable=SC2086
    $compiler -g -O2 $hooks -fPIC -shared -I"$srcdir/include" -o libcalls.so calls.c $link &&
        $compiler -g -O2 -o prog main.c ./libcalls.so -Wl,-rpath,. -Wl,--no-as-needed $link ||
        fail "cannot compile"
    silent ./prog
    has "$compiler: only a shared library" timing.0.json prog libcalls.so <<EOF
$(echo "$expected" | sed -n 's,/main/,/,p')
EOF
    # shellcheck disable=SC2086
    $compiler -g -O2 $hooks -o prog main.c ./libcalls.so -Wl,-rpath,. $link || fail "cannot compile"
    check_c prog "$compiler: a program and a library" libcalls.so
done

# With the static library, and with nothing else.
if [ "$enable_static" = yes ]; then
    for compiler in $both; do
        for flags in "" -static -static-pie; do
            $compiler -g -O2 $flags "$hooks" -I"$srcdir/include" -o prog main.c calls.c \
                "$builddir/.libs/libgptl.a" -pthread >log 2>&1 || { cat log; fail "cannot link $flags"; }
            check_c prog "$compiler: static library, $flags"
        done
    done
fi

# ---- C++ -------------------------------------------------------------------------

if [ -n "$CXX" ]; then
    cat >classes.cpp <<'EOF'
#include <functional>
#include <vector>

namespace shapes
{
struct shape {
    virtual ~shape();
    virtual double area() const = 0;
};
shape::~shape() {}

struct square : shape {
    double side = 2;
    double area() const override { return side * side; }
};
struct circle : shape {
    double area() const override { return 3; }
};
template <typename T> T twice(T x)
{
    return x + x;
}
} // namespace shapes

int main()
{
    std::vector<shapes::shape *> all{new shapes::square, new shapes::circle, new shapes::square};
    double sum = 0;
    for (int i = 0; i < 100; i++)
        for (auto *s : all)
            sum += s->area();
    sum += shapes::twice(1.5) + shapes::twice(2);
    std::function<double(double)> later = [](double x) { return shapes::twice(x); };
    sum += later(0.5);
    for (auto *s : all)
        delete s;
    return sum == 1108 ? 0 : 3;
}
EOF
    for compiler in $CXX $(command -v clang++ >/dev/null && [ "${CXX%% *}" != clang++ ] && echo clang++); do
        for flags in -O0 -O2 "-O3 -fno-exceptions"; do
            # Functions of the standard library's templates are not checked.
            case $compiler in
                clang*) only='' ;;
                *) only=-finstrument-functions-exclude-file-list=/include/ ;;
            esac
            # shellcheck disable=SC2086
            $compiler -g -std=c++17 $flags $hooks $only -o prog classes.cpp $link ||
                fail "cannot compile with $compiler $flags"
            silent ./prog
            tree timing.0.json prog |
                awk '{ n = split($2, w, "/"); c[w[n]] += $NF } END { for (i in c) print i, c[i] }' >found
            for wanted in "shapes::square::area 200" "shapes::circle::area 100" "shapes::twice 3" "main 1"; do
                grep -qxF "$wanted" found || { cat found; fail "$compiler $flags: no \"$wanted\""; }
            done
            awk '$1 == "shapes::shape::~shape" { n += $2 } END { exit n != 3 }' found ||
                { cat found; fail "$compiler $flags: destructors"; }
        done
    done
fi

# ---- Fortran ---------------------------------------------------------------------

[ -n "$FC" ] || exit 0
cat >program.f90 <<'EOF'
module steps
    implicit none
contains
    subroutine step(n)
        integer, intent(in) :: n
        integer :: i
        do i = 1, n
            call inner(i)
        end do
    contains
        subroutine inner(k)
            integer, intent(in) :: k
            if (k < 0) print *, n
        end subroutine inner
    end subroutine step

    recursive integer function factorial(n) result(f)
        integer, intent(in) :: n
        f = 1
        if (n > 1) f = n * factorial(n - 1)
    end function factorial
end module steps

program main
    use steps
    implicit none
    call step(4)
    call step(2)
    if (factorial(5) /= 120) stop 3
end program main
EOF
for flags in -O0 "-O1 -static-libgfortran"; do
    # shellcheck disable=SC2086
    $FC -g $flags "$hooks" -o prog program.f90 $link || fail "cannot compile with $FC $flags"
    silent ./prog
    tree timing.0.json prog | sed 's/__steps_MOD_//g; s/inner[.0-9]*/inner/; s/MAIN__/main/g' >found
    for wanted in "/step 2" "/step/inner 6" "/factorial 5"; do
        grep -q "$wanted\$" found || { cat found; fail "$FC $flags: no \"$wanted\""; }
    done
done
