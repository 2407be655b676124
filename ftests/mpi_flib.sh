# shellcheck shell=sh
# Shared functions of the tests of MPI in Fortran; read after lib.sh and mpi_lib.sh.

[ -n "$mpifs" ] || skip "built without MPI in Fortran"

# Ways to call MPI, numbered as in programs/mpi_binding.h.
# shellcheck disable=SC2034 # for the tests
bindings='MPIF_H USE_MPI USE_F08 USE_F08:ABSENT'

# compile_fort FAMILY PROGRAM SOURCE BINDING [FLAG...]: mpif.h does not declare arguments, and
# gfortran requires equal types in all calls.
compile_fort() {
    mpifort=$(of "$1" MPIFORT)
    to=$2
    from=$3
    binding=$4
    shift 4
    allow=
    ! "$mpifort" --version 2>/dev/null | grep -q '^GNU Fortran' || allow=-fallow-argument-mismatch
    # shellcheck disable=SC2086,SC2046 # lists of words
    "$mpifort" -g -O1 -w $allow -D$(echo "$binding" | sed 's/:/ -D/g') \
        -I"$srcdir/ftests/programs" -o "$to" "$from" "$@" ||
        fail "cannot compile $from with $mpifort"
}
