#!/bin/sh
# The heat example on a small grid: heat is conserved, an image is written, and
# the report shows the solver under the time step.
. "$srcdir/ctests/lib.sh"

cat >small.in <<'END'
grid        = 48
steps       = 5
time_step   = 1e-4   # s
diffusivity = 1.0
tolerance   = 1e-10
output      = small.pgm
END
OMP_NUM_THREADS=2 "$builddir/examples/heat" small.in >out || { cat out; fail "exit status $?"; }
cat out
grep -q 'heat conserved' out || fail "no word of conserved heat"
[ "$(head -c 2 small.pgm)" = P5 ] || fail "no image"
for region in total read_input initialize timestep cg_solve apply_laplacian dot axpy write_output; do
    grep -q "$region" timing.0 || fail "no region $region in the report"
done

# Input errors are reported, not computed with.
echo 'grid = -3' >bad.in
"$builddir/examples/heat" bad.in 2>message && fail "accepted a negative grid"
grep -q bad.in message || fail "the message does not name the file"
"$builddir/examples/heat" missing.in 2>message && fail "accepted a missing file"
grep -q missing.in message || fail "the message does not name the missing file"
