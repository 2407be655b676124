#!/bin/sh
# Software-defined events through the real libpapi: exact in each node, process-wide, never summed
# over threads; and messages about events that cannot be counted.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/counters_lib.sh"
# shellcheck disable=SC2086 # flags are lists of words
echo 'int main(void) { return papi_sde_init("x") == 0; }' |
    $CC -x c -include sde_lib.h -o probe - -lsde 2>/dev/null || skip "no libsde"
compile events "$srcdir/ctests/programs/events.c" -DSDE -lsde
event=sde:::TEST::COUNT

# ---- Exact -------------------------------------------------------------------

counted "$event" "derive=twice=2*$event,each=$event/wall" ./events
silent
same nodes "$(values timing.0.json 0:main/hundred 0:main/sibling 0:main/ten 0:main/ten/three 0:main |
    sed 's/,[^ ,]*\( \|$\)/\1/g')" "100,200 0,0 130,260 30,60 230,460"
grep -q '^Events  *sde:::TEST::COUNT.*of the whole process' timing.0 || fail "no scope in the preamble"

# Process-wide: concurrent threads contain the counts of each other, so a sum is meaningless.
counted "$event" 'persec=off;overhead=off' ./events threads
silent
same "the sum" "$(sed -n 's/^SUM work  *\([0-9]*\) .* \([^ ]*\)$/\1 \2/p' timing.0)" "4 -"

counted "$event" '' ./events fork
same "the child's" "$(values "$(echo timing.0.*[0-9].json)" 0:child)" 20
same "the parent's" "$(values timing.0.json 0:main)" 230

counted "$event" salvage=on ./events killed
same "status" "$got" 137
if [ -x "$gptl" ]; then
    "$gptl" report gptl-salvage.* >salvaged
    grep -q '^    hundred  .* 100 ' salvaged || fail "values did not survive the kill"
fi

# Derived from times only, without counted events.
counted "" 'derive=same=wall*1;persec=off;overhead=off;narrowprint=off' ./events
silent
awk '$1 == "ten" { found = 1; exit !($4 > 0 && $7 / $4 > 0.999 && $7 / $4 < 1.001) }
    END { if (!found) exit 1 }' timing.0 || { cat timing.0; fail "what is derived of times alone"; }

# ---- What is said ------------------------------------------------------------

counted "$event,PAPI_NO_SUCH,$event" 'derive=bad=1+,(=2,x=wall*wall,GPTL_IPC=1' ./events
same status "$got" 0
says '^GPTL: counters: PAPI_NO_SUCH cannot be counted: .*knows no such event here'
says '^GPTL: derive: bad cannot be counted: column 3 of'
says '^GPTL: derive: (=2 cannot be counted: it should be NAME=EXPRESSION'
same "what is counted still" "$(values timing.0.json 0:main/hundred | cut -d, -f1)" 100
grep -q '^Refused   PAPI_NO_SUCH: ' timing.0 || fail "the report does not say what was refused"
same messages "$(wc -l <messages)" 3

counted GPTL_L3MRT,GPTL_CI '' ./events
says '^GPTL: counters: GPTL_L3MRT cannot be counted: PAPI_L3_TC'
same status "$got" 0

# Without libpapi, and with another version of it.
mkdir other
soname=$(env LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}" ldconfig -p 2>/dev/null |
    sed -n 's/^[[:space:]]*\(libpapi\.so\.[0-9.]*\) .*/\1/p' | sort | head -n 1)
soname=${soname:-libpapi.so.7.0}
soname=$(echo "$soname" | cut -d. -f1-4)
echo 'int nothing(void) { return 0; }' | $CC -shared -fPIC -x c -o "other/$soname" -
compile bare "$srcdir/ctests/programs/events.c"
counted "$event" '' env LD_LIBRARY_PATH="$PWD/other" ./bare
says 'cannot be counted: libpapi.* has no PAPI_'
same "the region's time is measured still" "$(values timing.0.json 0:main/hundred)" ""
cat >none.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
void *dlopen(const char *name, int flags)
{
    void *(*next)(const char *, int);
    *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    return name && strstr(name, "libpapi") ? NULL : next(name, flags);
}
END
$CC -shared -fPIC -o none.so none.c
counted "$event" '' env LD_PRELOAD="$PWD/none.so" ./bare
says 'cannot be counted: there is no libpapi.so.* where this program runs; install PAPI'
same status "$got" 0
