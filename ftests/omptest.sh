#!/bin/sh
# The published example of two OpenMP threads, compiled unchanged: its tables have the regions,
# nesting, counts, threads and sums of the golden report, and the times are its sleeps.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
[ "$enable_fortran" = yes ] || skip "built without Fortran"
need "$FC"
[ -n "$OPENMP_FCFLAGS" ] || skip "the Fortran compiler has no OpenMP"
case $sanitize in *thread*) skip "the thread sanitizer does not know OpenMP" ;; esac

# shellcheck disable=SC2086 # a list of words
compile_fortran omptest "$srcdir/examples/omptest.f90" $OPENMP_FCFLAGS
OMP_NUM_THREADS=2
export OMP_NUM_THREADS
golden=$srcdir/ctests/golden/text_omptest.txt

# Rows with one blank between the columns, without the seconds.
shape() { tables "$1" | sed -E 's/ +([0-9]+\.[0-9]+)/ S/g; s/([^ ]) +/\1 /g; s/-( S)/-\1/g'; }
shape "$golden" >shape.golden
grep -q '^SUM CC 2 - S S S$' shape.golden && grep -q '^      C 1 - S S S$' shape.golden ||
    { cat shape.golden; fail "the golden report is not what it was"; }

# Label, region and seconds of each row.
seconds() {
    tables "$1" | awk '
        /^Stats for thread/ { label = $4; next }
        /^Same stats/ { label = ""; next }
        / (max|min)$/ { next }
        label != "" && NF == 6 { print label, $1, $4, $5, $6 }
        label == "" && NF == 7 { print $1, $2, $5, $6, $7 }'
}
seconds "$golden" >seconds.golden
[ "$(wc -l <seconds.golden)" -eq 21 ] || { cat seconds.golden; fail "these are not all rows"; }

# Seconds equal the seconds of the golden report, to 5 %.
are_right() {
    seconds timing.0 | paste -d ' ' seconds.golden - | awk '
        $1 != $6 || $2 != $7 { print "not of one region: " $0; bad = 1 }
        {
            for (i = 3; i <= 5; i++) {
                off = $(i + 5) - $i
                if ((off < 0 ? -off : off) > 0.05 * $i + 0.001) {
                    print "off by " off ": " $0
                    bad = 1
                }
            }
        }
        END { exit bad }'
}

# A busy machine may sometimes oversleep, but not always.
tries=1
while :; do
    ends 0 ./omptest >printed
    [ ! -s printed ] || fail "something was printed: $(cat printed)"
    shape timing.0 | diff -u shape.golden - || { cat timing.0; fail "not as the golden report"; }
    ! are_right || break
    [ $tries -lt 4 ] || { cat timing.0; fail "the times are not as slept"; }
    tries=$((tries + 1))
done
