#!/bin/sh
# Hooks that are called before thread-local storage exists: by functions that select others during
# relocation (ifunc), in the program and in a library initialized before ours; and by a static program's
# memcpy, which libc calls at startup.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"
need_plain_build

cat >ifunc.c <<'EOF'
static int add_once(int a, int b)
{
    return a + b;
}

__attribute__((noinline)) static void *choose(void)
{
    return (void *)add_once;
}

static void *resolve(void)
{
    return choose();
}

int NAME(int a, int b) __attribute__((ifunc("resolve")));
EOF
cat >main.c <<'EOF'
int add(int a, int b);
#ifdef LIBRARY
int other(int a, int b);
#else
#define other add
#endif

__attribute__((noinline)) int sum(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s = other(add(s, i), 1);
    return s;
}

int main(void)
{
    return sum(10) == 55 ? 7 : 3;
}
EOF
cc="$CC -O1 -finstrument-functions"
# shellcheck disable=SC2086 # compilers and flags are lists of words
{
    $cc -DNAME=add -c -o add.o ifunc.c 2>/dev/null || skip "no ifunc here"
    if [ "$enable_shared" = yes ]; then
        $cc -fPIC -shared -DNAME=other -o libother.so ifunc.c
        for how in "-fPIE -pie" "-fno-pie -no-pie" "-Wl,-z,now"; do
            $cc $how -DNAME=add -DLIBRARY -o plain ifunc.c main.c libother.so -Wl,-rpath,"$PWD"
            # shellcheck disable=SC2154 # link is set in programs.sh
            $cc $how -DNAME=add -DLIBRARY -o linked ifunc.c main.c libother.so -Wl,-rpath,"$PWD" \
                -Wl,--no-as-needed $link
            ends 7 ./plain
            ends 7 ./linked
            LD_PRELOAD=$library ends 7 ./plain
            for program in plain linked; do
                rm -f timing.0
                preload=
                [ $program = linked ] || preload=$library
                LD_PRELOAD=$preload GPTL_OPTIONS=output=text ends 7 ./$program
                # Early calls are excluded, all others counted.
                same "calls of add_once in $program" \
                    "$(awk '$1 == "add_once" { printf "%s ", $2 }' timing.0)" "10 10 "
            done
        done
    fi
    if [ "$enable_static" = yes ]; then
        cat >own.c <<'EOF'
#include <stddef.h>
#ifdef OWN
void *memcpy(void *to, const void *from, size_t n)
{
    char *t = to;
    for (const char *f = from; n > 0; n--)
        *t++ = *f++;
    return to;
}
size_t strlen(const char *s)
{
    const char *p = s;
    while (*p)
        p++;
    return (size_t)(p - s);
}
#endif
EOF
        for how in -static -static-pie; do
            $cc -O0 -fno-builtin $how -DNAME=add -o static ifunc.c main.c own.c \
                "$builddir/.libs/libgptl.a" -ldl -lm -pthread 2>/dev/null || continue
            ends 7 ./static
            $cc -O0 -fno-builtin $how -DOWN -DNAME=add -o static ifunc.c main.c own.c \
                "$builddir/.libs/libgptl.a" -ldl -lm -pthread 2>/dev/null || continue
            ends 7 ./static
            rm -f timing.0
            GPTL_OPTIONS=output=text ends 7 ./static
            # Without libdw, functions have addresses instead of names.
            same "calls of add_once in a $how program" \
                "$(awk '$2 == 20 { n++ } END { print n + 0 }' timing.0)" 1
        done
    fi
}
