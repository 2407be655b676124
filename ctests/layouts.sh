#!/bin/sh
# Reports in the layouts that scripts read, gptl8 and cesm: names of files, and each number at its expected place.
# GPTL_OPTIONS selects the layout, or a call that only climate models make. Tokens of output.path have widths.
. "$srcdir/ctests/lib.sh"
need "$CC" python3
need_plain_build

$CC -I"$srcdir/include" -o layouts "$srcdir/ctests/programs/layouts.c" "$builddir/.libs/libgptl.so" -pthread \
    -Wl,-rpath,"$builddir/.libs" || fail "cannot compile"

# read_as LAYOUT: the files of a run are right; the numbers of a modified one are not.
read_as() {
    python3 "$srcdir/ctests/layouts.py" "$1" 0 || fail "the layout $1"
}

echo "== gptl8"
GPTL_OPTIONS=layout=gptl8 ./layouts gptl8 || fail "layouts gptl8 ended with $?"
[ ! -e timing.0 ] || fail "there is a timing.0"
read_as gptl8
sed -i 's/^\(loop.*\) 1\.000/\1 1.001/; s/\( loop.*\) 1\.000/\1 1.001/' timing.000000
! python3 "$srcdir/ctests/layouts.py" gptl8 0 2>/dev/null || fail "a wrong number is not seen"

echo "== cesm, by calls"
./layouts cesm || fail "layouts cesm ended with $?"
read_as cesm
rm model_timing_stats
GPTL_OPTIONS=layout=gptl ./layouts cesm || fail "layouts cesm ended with $?"
grep -q '^Process ' model_timing_stats || fail "layout=gptl does not hold against calls"

echo "== cesm, by an option"
for options in layout=cesm abi=cesm; do
    rm -f timing*
    GPTL_OPTIONS=$options ./layouts gptl8 || fail "layouts ended with $?"
    grep -q '^\*\{12\} PROCESS      0 (     0) \*\{12\}$' timing.0 || fail "$options does not choose cesm"
done

echo "== names of files"
rm -f timing*
./layouts gptl8 || fail "layouts ended with $?"
grep -q '^ *Called .* Wallclock ' timing.0 || fail "gptl is not the default"
GPTL_OPTIONS='layout=gptl8;output.path=own.{rank}' ./layouts gptl8 && [ -e own.0 ] || fail "output.path does not hold"
GPTL_OPTIONS='output.path=x.{rank:06}.{rank:3}.{rank:1}' ./layouts gptl8
[ -e 'x.000000.  0.0' ] || fail "no x.000000.  0.0"
GPTL_OPTIONS='output.path=y.{pid:010}.{program}' ./layouts gptl8
ls y.0000[0-9][0-9][0-9][0-9][0-9][0-9].layouts >/dev/null || fail "no padded pid: $(echo y*)"
for token in rank: rank:x rank:06x rank:999 job:3 program:06; do
    GPTL_OPTIONS="output.path=z.{$token}" ./layouts gptl8 2>err
    [ -e "z.{$token}" ] || fail "{$token} does not stay as it is"
    grep -q 'there are {rank} {rank:06} {pid}' err || fail "nobody says what is wrong with {$token}"
done
