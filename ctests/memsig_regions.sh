#!/bin/sh
# The paths of regions of gptl memsig are those that the library reports, with the same calls, and
# what runs in them counts there: nested, recursive, crossed, by handle, on threads, from Fortran,
# of functions. The library's own work is in none.
# Takes up to 60 seconds on a machine with other work.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need_tools
. "$srcdir/ctests/memsig_lib.sh"

# same PROGRAM: its report and its signature have the same paths.
same() {
    rm -f timing.0*
    GPTL_OPTIONS='output=json' "./$1" >/dev/null 2>&1 || fail "$1: exit status $?"
    signature "$1.json" -- "./$1"
    python "$1" <<'EOF2'
import json
import sys
from memsig_sums import Signature
report = json.load(open("timing.0.json", encoding="utf-8"))
known = {}
for thread in report["threads"]:
    paths = {0: ()}
    for node in thread["nodes"]:
        paths[node["id"]] = paths[node["parent"]] + (node["name"],)
        path = paths[node["id"]]
        known[path] = known.get(path, 0) + node["calls"]
found = Signature(sys.argv[1] + ".json").paths()
assert len(known) > 3
assert found == known, "%s\nbut the report has\n%s" % (found, known)
EOF2
}

compile regions "$srcdir/ctests/programs/memsig_regions.c"
same regions
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

# Functions, whose names the library takes from the same tables.
cat >hooks.c <<'EOF2'
__attribute__((noinline)) static int leaf(int n) { return n + 1; }
__attribute__((noinline)) static int middle(int n) { return leaf(n) + leaf(n + 1); }
int main(void) { return middle(1) + leaf(2) - 8; }
EOF2
if [ "$enable_shared" = yes ]; then
    compile hooks hooks.c -finstrument-functions -Wl,--no-as-needed
    same hooks
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
    same fortran_regions
fi
