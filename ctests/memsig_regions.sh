#!/bin/sh
# The region paths of gptl memsig are the paths reported by the library, with the same calls, and code
# inside them counts there: nested, recursive, crossed, by handle, on threads, from Fortran, of functions.
# The library's own work belongs to no path.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need_tools
. "$srcdir/ctests/memsig_lib.sh"

# same_paths PROGRAM ARGUMENT...: its report and its signature have the same paths.
same_paths() {
    program=$1
    shift
    rm -f timing.0*
    GPTL_OPTIONS='output=json' "./$program" "$@" >/dev/null 2>&1 || fail "$program $*: exit status $?"
    signature "$program.json" -- "./$program" "$@"
    python "$program.json" timing.0.json <<'EOF2'
import sys
from memsig_sums import Signature, reported
Signature(sys.argv[1]).has_paths_of(reported(sys.argv[2:]))
EOF2
}

compile regions "$srcdir/ctests/programs/memsig_regions.c"
same_paths regions
python "" <<'EOF2'
from memsig_sums import Signature
signature = Signature("regions.json")
assert signature.all["threads"] == 3
names = [f["name"] for f in signature.all["functions"]]
assert not [n for n in names if n.startswith(("GPTL", "gptl_"))], "the library's work is counted"
paths = {r["id"]: r["name"] for r in signature.all["regions"]}
flops = {}
for block in signature.of("work"):
    name = paths[block["region"]]
    flops[name] = flops.get(name, 0) + block["flops_scalar"]
print(flops)
known = {"": 1000, "by handle": 500, "of a length": 250, "again": 50, "inner": 30, "one": 100000,
         "two": 100000}
assert {n: f for n, f in flops.items() if f} == known
EOF2

# Prefixes, disabled measurement, resets, external times; mistakes, open regions; OpenMP.
compile settings "$srcdir/ctests/programs/memsig_settings.c"
same_paths settings
compile tree "$srcdir/ctests/programs/tree.c"
for mode in open mistakes threads; do
    same_paths tree "$mode"
done
printf '%s\n' 'grid = 24' 'steps = 3' 'time_step = 2.5e-4' 'diffusivity = 1.0' 'tolerance = 1e-8' >heat.in
# shellcheck disable=SC2086 # words
compile heat "$srcdir/examples/heat.c" -O2 $OPENMP_CFLAGS -lm
OMP_NUM_THREADS=3 same_paths heat heat.in

# The library as it is often installed, without its symbols.
if [ "$enable_shared" = yes ]; then
    mkdir stripped
    cp -L "$library" stripped/
    strip "stripped/${library##*/}"
    LD_LIBRARY_PATH=$PWD/stripped
    export LD_LIBRARY_PATH
    ldd ./tree | grep -q "$LD_LIBRARY_PATH" || fail "the stripped library is not used"
    same_paths tree threads
    unset LD_LIBRARY_PATH
fi

# Paths beyond the limit count in the enclosing ones, with a message.
signature few.json --paths 4 -- ./regions
"$gptl" memsig merge -o twice.json few.json few.json || fail "merge"
"$gptl" memsig show few.json >shown || fail "show"
grep -q 'too many paths' shown || fail "nothing is said of paths: $(cat shown)"
python "" <<'EOF2'
from memsig_sums import Signature
few, whole, twice = map(Signature, ("few.json", "regions.json", "twice.json"))
assert len(few.paths()) == 4 and set(few.paths()) < set(whole.paths())
beyond = few.all["calls_beyond_paths"]
assert sum(few.paths().values()) + beyond >= sum(whole.paths().values()), beyond
assert whole.all["calls_beyond_paths"] == 0 and twice.all["calls_beyond_paths"] == 2 * beyond
assert few.sum("flops_scalar", "work") == whole.sum("flops_scalar", "work")
EOF2

# Functions, whose names the library reads from the same tables.
cat >hooks.c <<'EOF2'
__attribute__((noinline)) static int leaf(int n) { return n + 1; }
__attribute__((noinline)) static int middle(int n) { return leaf(n) + leaf(n + 1); }
int main(void) { return middle(1) + leaf(2) - 8; }
EOF2
if [ "$enable_shared" = yes ]; then
    compile hooks hooks.c -finstrument-functions -Wl,--no-as-needed
    same_paths hooks
fi

if [ "$enable_fortran" = yes ]; then
    cat >regions.f90 <<'EOF2'
program regions
  use gptl
  implicit none
  integer :: i, rc
  rc = gptlinitialize()
  rc = gptlstart('outer   ')
  do i = 1, 7
    rc = gptlstart('step')
    rc = gptlstart('deep')
    rc = gptlstop('deep')
    rc = gptlstop('step')
  end do
  rc = gptlstart('last')
  rc = gptlstop('last')
  rc = gptlstop('outer')
  rc = gptlpr(0)
end program
EOF2
    compile_fortran fortran_regions regions.f90
    same_paths fortran_regions
fi
