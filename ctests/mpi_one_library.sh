#!/bin/sh
# Programs linked with libgptl and their MPI, without other libraries of ours: summaries, barriers and the clock
# of MPI work, in C and in Fortran, with shared and static libraries; no MPI call is a region, and no other file
# is written. Without MPI, before MPI_Init and after MPI_Finalize each call is refused with one line.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"
need_plain_build

# lines N TEXT: in the output of the last run.
lines() {
    [ "$(grep -c "$2" out)" = "$1" ] || {
        cat out
        fail "$what: \"$2\" is told $(grep -c "$2" out) times, not $1"
    }
}

# row FILE REGION: processes, calls and seconds.
row() {
    awk -v region="$2" '/^name / { on = 1 } on && $1 == region { printf "%d %d %.3f\n", $2, $4, $5; exit }' "$1"
}

# check_program RANKS: the program, whose calls are known.
check_program() {
    rm -f timing.* half.* own
    mpirun "$mpi" "$1" ./program >out 2>&1 || {
        cat out
        fail "$what: ended with $?"
    }
    [ "$(echo timing.* half.*)" = "timing.summary half.0 half.1" ] || fail "$what: files are $(ls)"
    ! grep "^[* ]*MPI_" timing.summary half.0 half.1 own || fail "$what: calls of MPI are regions"
    [ "$(row timing.summary work)" = "$1 $(($1 * ($1 + 1) / 2)) $(seconds "$(seq 1 "$1")")" ] ||
        fail "$what: work is $(row timing.summary work)"
    [ "$(row timing.summary barrier | cut -d' ' -f1,2)" = "$1 $1" ] || fail "$what: no barrier"
    [ "$(row half.0 work)" = "2 4 $(seconds '1 3')" ] || fail "$what: half.0: work is $(row half.0 work)"
    [ "$(row half.1 work)" = "1 2 $(seconds 2)" ] || fail "$what: half.1: work is $(row half.1 work)"
    grep -q '^Clock  *mpiwtime ' own || fail "$what: another clock: $(grep '^Clock' own)"
    lines $(($1 * ${finalized:-3})) 'called before MPI_Init'
    lines $(($1 * ${finalized:-3})) 'called after MPI_Finalize'
}

# seconds 'CALLS...': ranks with CALLS calls, and their seconds.
seconds() {
    echo "$1" | tr ' ' '\n' | awk '{ s += $1 * $1 } END { printf "%.3f\n", s }'
}

cat >moments.c <<'END'
#include <mpi.h>
#include <gptl.h>
#include <stdio.h>
static int summary(void)
{
    return GPTLpr_summary_file(MPI_COMM_WORLD, "moments");
}
int main(int argc, char **argv)
{
    if (GPTLinitialize())
        return 1;
    int before = summary();
    MPI_Init(&argc, &argv);
    int during = summary();
    MPI_Finalize();
    if (argc > 1)
        printf("results %d %d %d\n", before, during, summary());
    else
        printf("results %d %d\n", before, during);
    return 0;
}
END

# check_moments COMPILER RESULTS FLAG...: summaries before MPI_Init, while MPI runs, and after MPI_Finalize; the process continues.
check_moments() {
    compiler=$1
    wanted=$2
    shift 2
    $compiler -o moments moments.o "$@" -lm -ldl -pthread || fail "$what: cannot link"
    # shellcheck disable=SC2086 # a word, or none
    ./moments ${wanted#-1 0} >out 2>&1 || fail "$what: ended with $?: $(cat out)"
    grep -qx "results $wanted" out || fail "$what: $(cat out), not $wanted"
}

for mpi in $mpis; do
    "$(of "$mpi" MPICC)" -w -c -o moments.o moments.c -I"$srcdir/include" || fail "$mpi: cannot compile"
    what="$mpi, wrappers that load MPI in MPI_Init"
    check_moments "$(of "$mpi" MPICC)" "-1 0 -1" "$builddir/.libs/libgptl_mpi-$mpi.so" "$builddir/.libs/libgptl.so" \
        "-Wl,-rpath,$builddir/.libs" -Wl,--as-needed
    lines 1 'called before MPI_Init'
    lines 1 'called after MPI_Finalize'
    what="$mpi, libgptl.so"
    compile_mpi "$mpi" program "$programs/mpi_one_library.c" "$builddir/.libs/libgptl.so" \
        "-Wl,-rpath,$builddir/.libs"
    check_program 3

    [ "$enable_static" = yes ] || continue
    what="$mpi, libgptl.a"
    compile_mpi "$mpi" program "$programs/mpi_one_library.c" "$builddir/.libs/libgptl.a" -ldl
    check_program 3
    static=$("$(of "$mpi" MPICC)" "-print-file-name=lib$mpi.a")
    [ -f "$static" ] || continue
    what="$mpi, libgptl.a, $static"
    "$(of "$mpi" MPICC)" -w -c -o program.o "$programs/mpi_one_library.c" -I"$srcdir/include" ||
        fail "$what: cannot compile"
    # shellcheck disable=SC2046 # a list of words
    $CC -o program program.o "$builddir/.libs/libgptl.a" -Wl,-u,PMPI_Finalized,-u,PMPI_Wtime "$static" \
        $(needed_by "${static%.a}.so") -lm -ldl -pthread || fail "$what: cannot link"
    check_program 3

    # Without PMPI_Finalized, a call after MPI_Finalize is not detected.
    for library in libgptl.a libgptl.so; do
        [ -f "$builddir/.libs/$library" ] || continue
        what="$mpi, $library, $static, without PMPI_Finalized"
        # shellcheck disable=SC2046 # a list of words
        check_moments "$CC" "-1 0" "$builddir/.libs/$library" "-Wl,-rpath,$builddir/.libs" "$static" \
            $(needed_by "${static%.a}.so")
        lines 1 'called before MPI_Init'
        # shellcheck disable=SC2046 # a list of words
        check_moments "$CC" "-1 0 -1" "$builddir/.libs/$library" "-Wl,-rpath,$builddir/.libs" -Wl,-u,PMPI_Finalized \
            "$static" $(needed_by "${static%.a}.so")
        lines 1 'called before MPI_Init'
        lines 1 'called after MPI_Finalize'
    done
done

# A program without MPI, whose compiler does not find any.
cat >serial.c <<'END'
int GPTLsetutr(int clock), GPTLinitialize(void), GPTLpr_summary(int), GPTLpr_summary_file(int, const char *),
    GPTLbarrier(int, const char *), GPTLpr(int);
int main(void)
{
    return GPTLsetutr(4) != -1 || GPTLinitialize() != 0 || GPTLpr_summary(0) != -1 ||
           GPTLpr_summary_file(0, "s") != -1 || GPTLbarrier(0, "b") != -1 || GPTLpr(0) != 0;
}
END
for library in so a; do
    [ -f "$builddir/.libs/libgptl.$library" ] || continue
    what="serial, libgptl.$library"
    $CC -o serial serial.c "$builddir/.libs/libgptl.$library" "-Wl,-rpath,$builddir/.libs" -ldl -lm -pthread ||
        fail "$what: cannot link"
    ./serial >out 2>&1 || fail "$what: ended with $?: $(cat out)"
    lines 4 'there is no MPI in this process'
    [ "$(wc -l <out)" -eq 4 ] || fail "$what: $(cat out)"
    GPTL_OPTIONS=utr=mpiwtime ./serial >out 2>&1 || fail "$what: ended with $?: $(cat out)"
    lines 1 'the clock mpiwtime is not in use: there is no MPI in this process'
done

# The same from Fortran, where communicators are integers.
[ -n "$mpifs" ] && [ "$enable_fortran" = yes ] || exit 0
echo "&gptlnl utr = 'mpiwtime' /" >namelist
cat >program.f90 <<'END'
program one_library
    use mpi
    implicit none
    integer :: ierr, rank, half
    integer, external :: gptlinitialize, gptlstart, gptlstop, gptlbarrier, gptlpr_summary, gptlpr_summary_file
    if (gptlpr_summary(MPI_COMM_WORLD) /= -1) error stop 'before'
    call gptlprocess_namelist('namelist', 1, ierr)
    if (ierr /= 0) error stop 'the clock of MPI before MPI_Init'
    call mpi_init(ierr)
    call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
    if (gptlinitialize() /= 0 .or. gptlstart('work') /= 0 .or. gptlstop('work') /= 0) error stop 'work'
    if (gptlbarrier(MPI_COMM_WORLD, 'barrier') /= 0) error stop 'barrier'
    if (gptlpr_summary(MPI_COMM_WORLD) /= 0) error stop 'summary'
    call mpi_comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
    if (gptlpr_summary_file(half, merge('half.1', 'half.0', rank == 1)) /= 0) error stop 'half'
    call mpi_finalize(ierr)
    if (gptlbarrier(MPI_COMM_WORLD, 'barrier') /= -1) error stop 'after'
end program
END
for mpi in $mpifs; do
    what="$mpi, Fortran"
    "$(of "$mpi" MPIFORT)" -w -o program program.f90 "$builddir/.libs/libgptl.so" \
        "-Wl,-rpath,$builddir/.libs" || fail "$what: cannot compile"
    rm -f timing.* half.*
    mpirun "$mpi" 3 ./program >out 2>&1 || fail "$what: ended with $?: $(cat out)"
    [ "$(echo timing.* half.*)" = "timing.summary half.0 half.1" ] || fail "$what: files are $(ls)"
    for expected in timing.summary:3 half.0:2 half.1:1; do
        n=${expected#*:}
        for region in work barrier; do
            [ "$(row "${expected%:*}" $region | cut -d' ' -f1,2)" = "$n $n" ] ||
                fail "$what: $region in $expected: $(cat "${expected%:*}")"
        done
    done
    lines 3 'called before MPI_Init'
    lines 3 'called after MPI_Finalize'
done
