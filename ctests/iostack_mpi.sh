#!/bin/sh
# gptl run --iostack with unchanged MPI programs: each MPI-IO call is a span with exactly its bytes, offset, file and
# number, I/O calls are below it, and so is communication where it is visible.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"
need nm python3
need_tools
[ -e "$builddir/.libs/libgptl_mpi-any.so.0" ] || skip "gptl run --iostack sees no MPI on this processor"
PYTHONPATH=$programs
export PYTHONPATH

# checked FAMILY RANKS COMM [ARGUMENT]: see check_iostack_mpi.py.
checked() {
    mpi=$1
    ranks=$2
    comm=$3
    shift 3
    echo "== $mpi, $ranks ranks $*"
    rm -rf logs ./*.data expected.*
    "$gptl" run --iostack=logs --set output=none -- "$(of "$mpi" MPIEXEC)" -n "$ranks" "./all.$mpi" "$@" \
        2>stderr || { cat stderr; fail "$mpi, $ranks ranks: ended with $?"; }
    grep -q '^gptl run: .* look at them with: gptl iostack logs$' stderr || fail "does not say where logs are"
    python3 "$programs/check_iostack_mpi.py" logs "$ranks" "$comm" || fail "$mpi, $ranks ranks"
    "$gptl" iostack --json logs >out.json || fail "gptl iostack"
    for count in open:0 ends_without_begin:0 duplicates:0 without_parent:0 lost:0 damaged:0 among_several:0; do
        grep -q "\"${count%:*}\":${count#*:}[,}]" out.json || fail "not $count: $(grep counts out.json)"
    done
}

for mpi in $mpis; do
    compile_mpi "$mpi" "all.$mpi" "$programs/iostack_mpi.c"
    # OMPIO, the default of Open MPI, calls no function that can be intercepted.
    seen="comm"
    [ "$mpi" = mpich ] || seen=none
    for ranks in 1 2 4; do
        checked "$mpi" $ranks "$seen"
    done
    if [ "$mpi" = mpich ]; then
        grep -q '[1-9][0-9]* collective calls ended in another call' out.json ||
            fail "does not say what is not seen of non-blocking collectives"
    fi
    if [ "$mpi" = openmpi ]; then
        grep -q "nothing is known of the communication" out.json || fail "does not say that nothing is seen of OMPIO"
    fi
    # A row for each collective, even if processes have made other calls before; the work of one process is visible to
    # all.
    "$gptl" iostack --csv logs >out.csv
    awk -F, '$4 == "write" && $5 ~ /a.data$/ && $6 == 4 { n++ } END { exit n < 7 }' out.csv ||
        fail "$mpi: not a row for each collective: $(cat out.csv)"
done
for mpi in $mpis; do
    [ "$mpi" = openmpi ] && ompi_info.openmpi 2>/dev/null | grep -q 'MCA io: romio' || continue
    OMPI_MCA_io=romio321
    export OMPI_MCA_io
    checked "$mpi" 2 comm plain
    unset OMPI_MCA_io
done

echo "== two-phase: one process writes for two, and both calls show it"
cat >two.c <<'END'
#include <mpi.h>

int main(int argc, char **argv)
{
    static char b[4096];
    MPI_File file;
    MPI_Info info;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_nodes", "1");
    MPI_Info_set(info, "romio_cb_write", "enable");
    MPI_File_open(MPI_COMM_WORLD, "two.data", MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &file);
    if (rank == 0) /* so that numbers of calls differ */
        MPI_File_write_at(file, 100000, b, 10, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(file, rank * 4096, b, 4096, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
END
for mpi in $mpis; do
    [ "$mpi" = mpich ] || continue
    compile_mpi "$mpi" two two.c
    rm -rf logs
    "$gptl" run --iostack=logs --set output=none -- "$(of "$mpi" MPIEXEC)" -n 2 ./two 2>stderr || fail "two"
    "$gptl" iostack --csv logs >out.csv 2>err || { cat err; fail "gptl iostack"; }
    same "rows of calls that all make" "$(awk -F, '$2 == "mpi" && $6 == 2 { print $4 }' out.csv | tr '\n' ' ')" "open write close "
    same "the row of what one makes alone" "$(grep '^rank 0,mpi,1,write' out.csv | cut -d, -f6)" 1
    same "the collective's row" "$(grep '^,mpi,2,write' out.csv | cut -d, -f4,6)" "write,2"
    same "its accesses" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "disk_accesses") c = i }
        /^,mpi,2,write/ { print $c }' out.csv)" 1
    grep -q 'shared by the collective' err || fail "does not say what is shared"
    "$gptl" iostack --by client --csv logs >out.csv 2>err
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $4 == "write" && $(at["bytes"]) == 4096 { print $1, $(at["disk_accesses"]), $(at["shared_accesses"]) }' \
        out.csv >got
    printf 'rank 0 1 0\nrank 1 1 1\n' | diff - got || fail "what the clients show: $(cat out.csv)"
done

echo "== a call that an error handler leaves by a jump is over, and the next one is not under it"
cat >jump.c <<'END'
#include <mpi.h>
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf back;

static void jump(MPI_File *file, int *error, ...)
{
    (void)file;
    (void)error;
    longjmp(back, 1);
}

int main(int argc, char **argv)
{
    static char b[10];
    MPI_File file;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_SELF, "jump.data", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_create_errhandler(jump, &handler);
    MPI_File_set_errhandler(file, handler);
    for (volatile int i = 0; i < 3; i++)
        if (setjmp(back) == 0)
            MPI_File_read_at(file, 0, b, 10, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(file, 0, b, 10, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
END
cat >ended.py <<'END'
import glob
from iostack_log import read
for s in sorted(read(glob.glob("logs/mpi.*.log"))[0], key=lambda s: s.begin):
    assert s.end and not s.parent and not s.flags, vars(s)
    print(s.operation, s.bytes)
END
for mpi in $mpis; do
    compile_mpi "$mpi" jump jump.c
    rm -rf logs
    "$gptl" run --iostack=logs --set output=none -- "$(of "$mpi" MPIEXEC)" -n 1 ./jump 2>stderr || fail "$mpi: jump"
    python3 ended.py >got || fail "$mpi: a call that was left"
    printf '%s\n' '3 -1' '1 -1' '1 -1' '1 -1' '2 10' '4 -1' | diff - got || fail "$mpi: other calls than were made"
done

echo "== a program that measures nothing else is as it was; both kinds of reports together"
for mpi in $mpis; do
    rm -rf logs timing.* ./*.data
    "$gptl" run --mpi --iostack=logs --set output=text -- "$(of "$mpi" MPIEXEC)" -n 2 "./all.$mpi" plain \
        2>stderr || fail "$mpi: ended with $?"
    same "$mpi: calls in the report" "$(calls timing.1 MPI_File_write_at_all)" 7
done
