#!/bin/sh
# The summary of ranks with known calls, over all of them and over two communicators; one report for a
# whole job; refused calls.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"

need python3
python3 -c 'import jsonschema' 2>/dev/null || skip "no jsonschema (Debian: python3-jsonschema)"

cat >expect.py <<'END'
"""expect.py FILE NRANKS RANK...: what mpi_summary.c did on these ranks is what FILE says."""
import json
import math
import sys

document = json.load(open(sys.argv[1], encoding="utf-8"))
size = int(sys.argv[2])
ranks = [int(word) for word in sys.argv[3:]]
called = [r for r in ranks if size == 1 or r < size - 1]
regions = {region["name"]: region for region in document["regions"]}


def check(found, expected, what):
    if not math.isclose(found, expected, rel_tol=1e-9):
        sys.exit(f"{sys.argv[1]}: {what} is {found}, expected {expected}")


def check_region(name, values):
    """VALUES are (rank, calls, seconds)."""
    if not values:
        if name in regions:
            sys.exit(f"{name} was called")
        return
    region = regions[name]
    seconds = [value[2] for value in values]
    mean = sum(seconds) / len(values)
    check(region["ranks"], len(values), f"ranks of {name}")
    check(region["calls"], sum(value[1] for value in values), f"calls of {name}")
    check(region["seconds"], sum(seconds), f"seconds of {name}")
    check(region["mean"], mean, f"mean of {name}")
    check(region["std_dev"] + 1, 1 + math.sqrt(sum((s - mean) ** 2 for s in seconds) / len(values)),
          f"deviation of {name}")
    most, least = max(values, key=lambda v: v[2]), min(values, key=lambda v: v[2])
    check(region["max"]["rank"] + 1, most[0] + 1, f"rank with the most of {name}")
    check(region["min"]["rank"] + 1, least[0] + 1, f"rank with the least of {name}")
    check(region["imbalance"] + 1, max(seconds) / mean, f"imbalance of {name}")


check(document["ranks"], len(ranks), "ranks")
check_region("work", [(r, r + 1, (r + 1) * (r + 1)) for r in called])
for r in range(size):
    check_region(f"odd {r}", [(r, 1, r + 1)] if r in called and r % 2 else [])
check(regions["main"]["ranks"], len(called), "ranks of main")
for name in ("the barrier", "MPI_Init"):
    check(regions[name]["ranks"], len(ranks), f"ranks of {name}")
    check(regions[name]["calls"], len(ranks), f"calls of {name}")
END

# valid FILE: by the schema, and consistent.
valid() {
    python3 "$srcdir/ctests/summary_check.py" "$srcdir/doc/summary.schema.json" "$1" ||
        fail "$mpi, $n ranks: $1 is not valid"
}

# Without it there are tables only.
GPTL_OPTIONS=output=text,json
export GPTL_OPTIONS

# run WHAT: the program with N ranks.
run() {
    mpirun "$mpi" "$n" ./program "$1" >out 2>&1 || {
        cat out
        fail "$mpi, $1, $n ranks: ended with $?"
    }
}

only() {
    [ "$(echo timing.*)" = "$*" ] || fail "$mpi, $n ranks: files are $(echo timing.*), not $*"
}

for mpi in $mpis; do
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" program "$programs/mpi_summary.c" $(linked "$mpi") \
        $([ "$enable_fortran" = no ] || echo -DFORTRAN)
    for n in 1 2 3 4; do
        all=$(seq 0 $((n - 1)))
        GPTL_OPTIONS='' run all
        only timing.summary # the one report that was asked for
        run all
        only timing.summary timing.summary.json
        valid timing.summary.json
        # shellcheck disable=SC2086 # numbers
        python3 expect.py timing.summary.json "$n" $all || fail "$mpi, $n ranks"
        grep -q "^work  *$((n > 1 ? n - 1 : 1)) " timing.summary || fail "no work in timing.summary"
        grep -q "^  work  *$((n > 1 ? n - 1 : 1)) " timing.summary || fail "no path to work"
        rm timing.*
    done

    n=4
    run halves
    only timing.half.0 timing.half.0.json timing.half.1 timing.half.1.json
    for half in 0 1; do
        valid timing.half.$half.json
        python3 expect.py timing.half.$half.json 4 $half $((half + 2)) || fail "$mpi, half $half"
    done
    rm timing.*

    # Calls from Fortran, with its communicators.
    if [ "$enable_fortran" = yes ]; then
        n=2
        run fortran
        only timing.even timing.even.json timing.odd timing.odd.json timing.summary timing.summary.json
        python3 expect.py timing.summary.json 2 0 1 || fail "$mpi, Fortran"
        grep -q '"name":"fortran barrier","ranks":2,' timing.summary.json ||
            fail "$mpi, Fortran: the barrier is not there"
        grep -q '"ranks":1,"silent_ranks":0' timing.odd.json || fail "$mpi, Fortran: not the odd rank"
        rm timing.*
    fi

    # Messages have more than a megabyte.
    for n in 1 3; do
        GPTL_OPTIONS='output=merged' run merged
        only timing.merged timing.merged.json
        [ "$n" = 1 ] || [ "$mpi" != "${mpis%% *}" ] || valid timing.merged.json # takes a while
        # shellcheck disable=SC2046 # numbers
        python3 expect.py timing.merged.json "$n" $(seq 0 $((n - 1))) || fail "$mpi, merged, $n"
        grep -q '"name":"region 1999 of a long name","ranks":'"$n," timing.merged.json ||
            fail "$mpi, merged, $n ranks: not all regions are there"
        rm timing.*
        GPTL_OPTIONS='output=merged,json;output.path=result' run merged
        [ -f result.json ] && [ ! -e result ] && [ ! -e timing.0 ] || fail "$mpi, merged JSON: $(ls)"
        rm result.json
    done
    # The reports of all ranks in one file, which gptl report reads like separate ones.
    for n in 1 3; do
        GPTL_OPTIONS='output=ranks,text' run merged
        only timing.merged timing.merged.ranks.json
        [ "$(python3 -c "
import json
print([p['rank'] for p in json.load(open('timing.merged.ranks.json'))['profiles']])")" = \
            "$(python3 -c "print(list(range($n)))")" ] || fail "$mpi, $n ranks: others are in the file"
        if [ -x "$builddir/gptl" ]; then
            [ "$("$builddir/gptl" report --csv timing.merged.ranks.json | grep -c ',"work",2,')" = \
                $((n > 1 ? n - 1 : 1)) ] || fail "$mpi, $n ranks: gptl report does not see all"
            "$builddir/gptl" report --summary timing.merged.ranks.json | sed '1,/^$/d' >again
            sed '1,/^$/d' timing.merged >once
            cut -c1-70 once | sort | grep -v MPI_ >a
            cut -c1-70 again | sort | grep -v MPI_ >b
            cmp -s a b || fail "$mpi, $n ranks: --summary says something else"
        fi
        rm timing.*
    done
    n=3
    GPTL_OPTIONS='output=json' run merged
    only timing.0.json timing.1.json timing.2.json
    rm timing.*

    for n in 1 2; do
        run wrong
        valid after.json
        [ ! -e timing.summary ] || fail "$mpi, wrong, $n ranks: a summary was written"
        grep -q 'MPI_COMM_NULL' out || fail "$mpi, wrong, $n ranks: $(cat out)"
        rm -f after*
    done
done
