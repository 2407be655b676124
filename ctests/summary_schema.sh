#!/bin/sh
# The golden summary is valid by doc/summary.schema.json, and the check detects errors.
. "$srcdir/ctests/lib.sh"

need python3
python3 -c 'import jsonschema' 2>/dev/null || skip "no jsonschema (Debian: python3-jsonschema)"

check() {
    python3 "$srcdir/ctests/summary_check.py" "$srcdir/doc/summary.schema.json" "$1"
}

check "$srcdir/ctests/golden/summary_ranks.json" || fail "not valid"
for change in 's/"version":1/"version":2/' 's/"ranks":3,//' 's/"parent":1/"parent":9/' \
    's/"calls":40/"calls":41/' 's/"seconds":24/"seconds":25/' 's/"region":2/"region":1/' \
    's/"mean":8,/"mean":8.1,/' 's/,3\]\]/,2]]/' 's/"all":800/"all":"800"/'; do
    sed "$change" "$srcdir/ctests/golden/summary_ranks.json" >changed.json
    cmp -s changed.json "$srcdir/ctests/golden/summary_ranks.json" && fail "$change changes nothing"
    ! check changed.json >found || fail "$change: is not found"
done
