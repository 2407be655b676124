#!/bin/sh
# `gptl report` when any one memory allocation fails: it exits with 0, or with 2 and a message,
# and never leaves a partial file.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3 "$CC"
need_tools
need_plain_build
PYTHONPATH=$srcdir/ctests/programs
export PYTHONPATH

cat >refuse.c <<'END'
/* The request with the number REFUSE fails. */
#include <errno.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static int refused(void)
{
    static long count, at = -1;
    if (at < 0)
        at = getenv("REFUSE") ? atol(getenv("REFUSE")) : 0;
    if (++count != at)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return refused() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return refused() ? NULL : __libc_realloc(old, size);
}
END
# shellcheck disable=SC2086 # the compiler is a list of words
$CC -g -O1 -shared -fPIC -o refuse.so refuse.c || fail "cannot compile refuse.c"

cat >make.py <<'END'
from profiles import Profile, counted, derived

for rank in range(2):
    profile = Profile(rank)
    profile.metrics = [counted("A"), derived("R", "A/wall")] + ([counted("B")] if rank else [])
    profile.refused = [{"name": "C", "why": "no"}]
    more = [7] if rank else []
    function = profile.function("init", 0x10 + rank, f"{rank}.c")
    thread = profile.thread()
    main = thread.add(0, "main", 1, 1000, values=[5, 1, *more], timed=1, error=1)
    thread.edge(thread.add(main, "init", 1, 100, function=function), main, 1)
    for i in range(5):
        thread.add(main, f"part {i}", 1, i, values=[i, None, *more])
    profile.write(f"runs/timing.{rank}.json")
END
mkdir runs
python3 make.py

# survives ARGUMENT...
survives() {
    n=0
    well=0
    refused=0
    while [ $well -lt 10 ]; do
        n=$((n + 1))
        got=0
        REFUSE=$n LD_PRELOAD=./refuse.so "$gptl" report "$@" -o made runs 2>stderr || got=$?
        case $got in
            0)
                well=$((well + 1))
                [ -s made ] || fail "nothing was written: $*"
                ;;
            2)
                well=0
                refused=$((refused + 1))
                grep -q '^gptl report: ' stderr || fail "no message at request $n: $*"
                [ ! -e made ] || fail "half of a file at request $n: $*"
                ;;
            *) fail "exit status $got at request $n: $*" ;;
        esac
        rm -f made
    done
    [ $refused -gt 20 ] || fail "only $refused requests were refused: $*"
    no_rest
}
survives --table --top 2
survives --table --sort name
survives --table --top 2 --sort A
survives --flat --thread 0
survives --folded --under main
survives --speedscope
survives --chrome
survives --csv
survives --dot
survives --html made
