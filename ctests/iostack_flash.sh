#!/bin/sh
# A program that does I/O like FLASH, through HDF5 and PnetCDF, on 3 ranks: 50 collective writes each, MPI-IO calls
# below the calls of the library, the same bytes in both layers, pictures.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/iostack_lib.sh"
. "$srcdir/ctests/mpi_lib.sh"

[ -n "$hdf5_mpi$pnetcdf_mpi" ] || skip "neither HDF5 nor PnetCDF"

# count PATTERN: spans of rank 1, with fields separated by blanks here.
count() {
    awk -F'\t' '$3 == 1 { print $1, $2, "<", $4 }' found | grep -cx -- "$1" || true
}

# sum LAYER OPERATION: bytes of all ranks.
sum() {
    awk -F'\t' -v l="$1" -v o="$2" '$1 == l && $2 == o && $5 > 0 { n += $5 } END { print n + 0 }' found
}

# A block has 8*8*8 cells of 24 doubles, 4 floats, and 9*9*9 corners of 4 floats; 6 arrays about it have 17
# ints and 12 reals, which are doubles in one file and floats in two.
bytes=$((3 * 80 * (512 * 24 * 8 + 512 * 4 * 4 + 729 * 4 * 4 + 17 * 4 * 3 + 12 * (8 + 4 + 4))))

# flash LAYER FAMILY ATTRIBUTES: written by calls that are writes.
flash() {
    rm -rf logs ./*.log
    "$gptl" run --iostack=logs --set output=none -- "$(of "$2" MPIEXEC)" -n 3 "./flash_$1" "$1" 2>stderr ||
        { cat stderr; fail "flash with $1"; }
    mv logs/*.log .
    whole
    spans ./*.log >found
    same "$1: writes of a rank" "$(awk -F'\t' -v l="$1" '$1 == l && $2 == "write" && $3 == 1 && $5 > 4 && $7 > 0' found | wc -l)" 50
    same "$1: MPI-IO's under them" "$(count "mpi write < $1 write")" 50
    same "$1: collective calls of each file" \
        "$(awk -F'\t' -v l="$1" '$1 == l && $2 == "write" && $5 > 4 && $7 && !seen[$8, $7]++ { n[$8]++ }
            END { for (f in n) print f ":" n[f] }' found | sort | tr '\n' ' ')" "${1}_chk_0000:30 ${1}_plt_cnt_0000:10 ${1}_plt_crn_0000:10 "
    "$gptl" iostack --csv ./*.log >rows.csv 2>err || { cat err; fail "rows by call"; }
    # Three files with an attribute each, which HDF5 writes as a separate call.
    same "$1: rows of what all processes make together" \
        "$(awk -F, -v l="$1" '$2 == l && $4 ~ /^(open|close|write)$/ { n[$4 " by " $6]++ }
            END { for (w in n) print n[w], w }' rows.csv | sort -k2 | tr '\n' ' ')" \
        "3 close by 3 3 open by 3 $((50 + $3)) write by 3 "
    same "$1: opened" "$(count "mpi open < $1 open")" 3
    same "$1: closed" "$(count "mpi close < $1 close")" 3
    same "$1: MPI-IO that no call caused" "$(awk -F'\t' '$1 == "mpi" && $4 == "-"' found | wc -l)" 0
    same "$1: bytes of MPI-IO's calls under writes" \
        "$(awk -F'\t' -v p="$1 write" '$1 == "mpi" && $4 == p && $5 > 0 { n += $5 } END { print n }' found)" "$bytes"
    echo "$1 on $2: $(awk -F'\t' '$1 == "mpi" && $2 == "write"' found | wc -l) calls of MPI-IO that write"
    "$gptl" iostack --operation w --calls 1-60 --draw client=1 -o "$1.png" ./*.log || fail "no picture"
    [ "$(od -An -tx1 -N4 "$1.png" | tr -d ' ')" = 89504e47 ] || fail "$1.png is no picture"
}

for library in hdf5 pnetcdf; do
    family=$(eval "echo \$${library}_mpi")
    [ -n "$family" ] || { echo "$library is not here: its part is left out"; continue; }
    with=
    [ $library = hdf5 ] || with=-DWITH_PNETCDF
    echo "== $library with $family"
    # shellcheck disable=SC2046,SC2086 # lists of words
    compile_mpi "$family" flash_$library "$programs/flash.c" $with $(eval "echo \$${library}_FLAGS")
    attributes=0
    [ $library = pnetcdf ] || attributes=3
    flash $library "$family" $attributes
    if [ $library = hdf5 ]; then
        same "bytes of the calls, with those of attributes" "$(sum hdf5 write)" $((bytes + 3 * 3 * 4))
    else
        same "bytes of the calls" "$(sum pnetcdf write)" "$bytes"
        # One rank writes the header of each file when it is closed or defined.
        same "writes of the header" "$(awk -F'\t' '$1 == "mpi" && $2 == "write" && $4 != "pnetcdf write"' found | wc -l)" 3
    fi
    if [ "$family" = openmpi ]; then
        echo "== $library with $family's ROMIO"
        romio=$(ompi_info --parsable 2>/dev/null | sed -n 's/^mca:io:\(romio[0-9]*\):version:.*/\1/p' | head -n 1)
        [ -n "$romio" ] || { echo "this Open MPI has no ROMIO"; continue; }
        OMPI_MCA_io=$romio
        export OMPI_MCA_io
        flash $library "$family" $attributes
        unset OMPI_MCA_io
    fi
done
