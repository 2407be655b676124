#!/bin/sh
# gptl run --mpi: each rank of an unchanged program reports, and no other process, regardless of the programs
# between gptl and the ranks; a killed rank is reported as well.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"
need_tools
GPTL_RUN_DIR=$PWD/runs_here
export GPTL_RUN_DIR
mkdir runs_here
[ -e "$builddir/.libs/libgptl_mpi-any.so.0" ] || skip "gptl run --mpi is not there for this processor"

cat >prog.c <<'EOF2'
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size, one = 1, sum = 0;
    const char *end = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (*end)
        MPI_Barrier(MPI_COMM_WORLD); /* so that nobody is still in the last sum */
    if (strcmp(end, "abort") == 0 && rank == size - 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(end, "kill") == 0 && rank == size - 1)
        raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return sum != size || (argc > 1 && !*end);
}
EOF2
cat >loads.c <<'EOF2'
#include <dlfcn.h>

int main(int argc, char **argv)
{
    void *module = dlopen("./module.so", RTLD_NOW | RTLD_LOCAL);
    int (*run)(int, char **);
    if (!module || !(*(void **)&run = dlsym(module, "module")))
        return 8;
    return run(argc, argv);
}
EOF2
cat >script <<'EOF2'
#!/bin/sh
true
env A=b timeout 60 "$@"
EOF2
chmod +x script

# run STATUS ARGUMENT...: gptl run --mpi
run() {
    status=$1
    shift
    echo "== gptl run --mpi $*"
    rm -rf timing.*
    got=0
    "$gptl" run --mpi --set output=text "$@" >stdout 2>stderr || got=$?
    [ "$got" -eq "$status" ] || { cat stderr; fail "exit status $got, not $status"; }
}

# reported RANKS CALLS: RANKS reports, each with CALLS calls of MPI_Allreduce.
reported() {
    same reports "$(files timing.* | wc -l)" "$1"
    for rank in $(seq 0 $(($1 - 1))); do
        same "calls of rank $rank" "$(calls "timing.$rank" MPI_Allreduce)" "$2"
    done
    [ -z "$(ls "$GPTL_RUN_DIR")" ] || fail "the folder of the run is left"
}

quiet() {
    [ ! -s stderr ] || { cat stderr; fail "something on stderr"; }
}

for mpi in $mpis; do
    compile_mpi "$mpi" prog prog.c
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" linked prog.c $(linked "$mpi")
    mpiexec=$(of "$mpi" MPIEXEC)

    run 0 -- "$mpiexec" -n 4 ./prog
    quiet
    reported 4 5
    run 0 ./prog
    quiet
    reported 1 5
    run 0 "$mpiexec" -n 2 ./linked
    quiet
    reported 2 5
    # Launchers and scripts in between.
    run 0 timeout 60 ./script "$mpiexec" -n 2 ./script ./prog
    quiet
    reported 2 5
    run 0 "$mpiexec" -n 2 sh -c 'exec nice ./prog'
    quiet
    reported 2 5
    # An environment that is cleared in between: for mpiexec, or for the program alone.
    for launcher in "$mpiexec -n 2" ""; do
        # shellcheck disable=SC2086 # a command
        run 0 env -i PATH="$PATH" HOME="$HOME" OMPI_ALLOW_RUN_AS_ROOT=1 \
            OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
            OMPI_MCA_btl="$OMPI_MCA_btl" OMPI_MCA_plm=isolated $launcher ./prog
        quiet
        reported "$([ -n "$launcher" ] && echo 2 || echo 1)" 5
    done

    # An MPI loaded by a module, as in Python: its names are visible to the module only.
    compile_mpi "$mpi" module.so prog.c -shared -fPIC -Dmain=module
    # shellcheck disable=SC2086 # a compiler with flags
    $CC -o loads loads.c || fail "cannot compile loads.c"
    run 0 "$mpiexec" -n 2 ./loads
    quiet
    reported 2 5

    # Ranks that fail.
    for end in kill abort; do
        got=0
        rm -f timing.*
        # shellcheck disable=SC2016 # for the other shell
        "$gptl" run --mpi --set output=text sh -c '"$@"; status=$?; echo $status >status; exit $status' - \
            "$mpiexec" -n 2 ./prog $end >stdout 2>stderr || got=$?
        same "exit status" "$got" "$(cat status)"
        # The launcher of MPICH 4.2 omits the message about a killed rank in a quarter of all runs.
        [ "$got" -ne 0 ] || [ "$mpi $end" = "mpich kill" ] || fail "$mpi, $end: exit status 0"
        grep -q 'wrote .*timing.[01] \(and 1 more \)*from what .* left that ended without a report$' stderr ||
            { cat stderr; fail "$mpi, $end: no word of the report"; }
        reported 2 5
    done
    grep -q '^ *>* *MPI_Abort ' timing.1 || fail "$mpi: no MPI_Abort in the report of who called it"
done

# Both kinds in one run.
# shellcheck disable=SC2086 # a list of words
set -- $mpis
if [ $# -gt 1 ]; then
    for mpi; do
        compile_mpi "$mpi" "prog.$mpi" prog.c
    done
    run 0 sh -c "$(for mpi; do
        echo "GPTL_OPTIONS=\"\$GPTL_OPTIONS;output.path=$mpi.{rank}\" $(of "$mpi" MPIEXEC) -n 2 ./prog.$mpi &&"
    done) true"
    quiet
    for mpi; do
        same "calls with $mpi" "$(calls "$mpi.1" MPI_Allreduce)" 5
    done
fi

# A program without MPI, and one that queries whether there is one.
cat >asks.c <<'EOF2'
extern int MPI_Initialized(int *) __attribute__((weak));
int main(void)
{
    int flag = 1;
    return MPI_Initialized && (MPI_Initialized(&flag) != 0 || flag);
}
EOF2
# shellcheck disable=SC2086 # a compiler with flags
$CC -o asks asks.c || fail "cannot compile asks.c"
run 0 ./asks
one_line stderr "gptl run: no process was seen to call MPI"
run 7 sh -c 'exit 7'
one_line stderr "gptl run: no process was seen to call MPI"
same "reports" "$(files timing.*)" ""
