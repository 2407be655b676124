#!/bin/sh
# Two copies of the library in one process: the preloaded one finds the program's own, deactivates itself with
# one sentence, and the program's copy measures.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"
need_plain_build # a sanitizer does not go into programs that are not built with it
need_shared
need_tools
[ "$enable_static" = yes ] || skip "built without a static library"
aside='GPTL: warning: another copy of libgptl measures this process: this one steps aside'

cat >prog.c <<'EOF'
#include <gptl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    for (int i = 0; i < 3; i++)
        if (GPTLstart("region") || GPTLstop("region"))
            return 90;
    if (argc > 1 && fork() == 0) {
        GPTLstart("child");
        GPTLstop("child");
        exit(0);
    }
    wait(NULL);
    if (argc > 1)
        raise(atoi(argv[1]));
    return GPTLnum_errors();
}
EOF
cat >bare.c <<'EOF'
int main(void)
{
    return 4;
}
EOF
shared_link=$link
link=$builddir/.libs/libgptl.a
compile static prog.c
link="$builddir/.libs/libgptl.a -rdynamic" # the preloaded one could take its names
compile dynamic prog.c
link=$shared_link
compile shared prog.c
# shellcheck disable=SC2086
$CC -o bare bare.c || fail "cannot compile bare.c"

# run STATUS COMMAND...
run() {
    status=$1
    shift
    echo "== $*"
    rm -f timing.*
    ends "$status" "$@" >stdout 2>stderr
    [ ! -s stdout ] || fail "something on stdout"
    no_rest
}

for program in static dynamic; do
    run 0 "$gptl" run ./$program
    one_line stderr "$aside"
    same calls "$(calls timing.0 region)" 3
    same reports "$(files timing.* | tr '\n' ' ')" "timing.0 timing.0.json "

    run 137 "$gptl" run --set output=text ./$program 9
    grep -qxF "$aside" stderr || fail "no sentence"
    same reports "$(files timing.* | wc -l)" 2
    same "calls of the child" "$(cat timing.* | grep -c '^  child  *1 ')" 1
    same "calls of the killed one" "$(cat timing.* | grep -c '^  region  *3 ')" 1

    # Preloaded, but not requested to measure from the start, it prints nothing.
    run 0 env LD_PRELOAD="$library" ./$program
    [ ! -s stderr ] || { cat stderr; fail "$program: it said something"; }
    same calls "$(calls timing.0 region)" 3
done

run 0 "$gptl" run ./shared # one copy
[ ! -s stderr ] || { cat stderr; fail "it said something"; }
same calls "$(calls timing.0 region)" 3
run 4 "$gptl" run ./bare # nothing to measure
[ ! -s stderr ] || { cat stderr; fail "it said something"; }
same reports "$(files timing.*)" ""

if $CC -static -o all_static prog.c -pthread -I"$srcdir/include" "$builddir/.libs/libgptl.a" 2>/dev/null; then
    run 0 "$gptl" run ./all_static # takes no preload, but the options
    [ ! -s stderr ] || { cat stderr; fail "it said something"; }
    same calls "$(calls timing.0 region)" 3
    [ -f timing.0.json ] || fail "the options did not reach it"
fi

# The loader of another C library ends a program at a library that is made for this one. A name makes it another.
cat >foreign.c <<'EOF'
#include <stdlib.h>

int main(void)
{
    return getenv("LD_PRELOAD") ? 5 : 4;
}
EOF
# shellcheck disable=SC2086
$CC -o ours foreign.c && $CC -o foreign foreign.c -Wl,--dynamic-linker="$PWD/ld-other.so" ||
    fail "cannot compile foreign.c"
ln -s "$(readelf -p .interp ours | sed -n 's/^ *\[ *0\] *//p')" ld-other.so
run 5 "$gptl" run ./ours
for sees in '' '--io --mpi --iostack'; do
    # shellcheck disable=SC2086
    run 4 "$gptl" run $sees ./foreign
    grep -q "^gptl run: ./foreign runs with another C library than gptl ($PWD/ld-other.so, not /" stderr ||
        { cat stderr; fail "it did not say why nothing is seen"; }
done

# If the loader would split the names of the libraries, nothing is run.
mkdir "a b"
cp "$gptl" "a b/gptl"
ln -s "$builddir/.libs" "a b/.libs"
for sees in '' '--io --mpi --iostack'; do
    # shellcheck disable=SC2086 # words
    run 126 "a b/gptl" run $sees ./shared
    one_line stderr "/a b/.libs/libgptl_run.so.0: its path has a blank or a colon"
done
# Nothing was measured, for this reason.
run 127 "$gptl" run --io --mpi --iostack ./missing
one_line stderr "gptl run: ./missing: No such file or directory"
same reports "$(files timing.*)" ""
