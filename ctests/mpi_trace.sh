#!/bin/sh
# The records of trace=ti, with both MPIs: each call with its peers, sizes and requests, so that the replay reaches
# its end; the trace of a killed rank, on a full disk and of an ended measurement.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"

# record FOLDER RANKS COMMAND...
record() {
    rm -rf "$1"
    mkdir "$1"
    GPTL_OPTIONS="output=none;trace=ti;trace.dir=$1"
    export GPTL_OPTIONS
    shift
    mpirun "$mpi" "$@" >out 2>&1
    status=$?
    unset GPTL_OPTIONS
    return $status
}

# counted N PATTERN: N records of rank 0 match.
counted() {
    found=$(grep -cE "$2" events || true)
    [ "$found" = "$1" ] || { cat events; fail "$mpi: $found records are \"$2\", not $1"; }
}

check_calls() {
    record trace "$1" "./trace-$mpi" || { cat out; fail "$mpi: $1 ranks failed"; }
    "$builddir/gptl" net trace --events 0 >events || fail "$mpi: no events"
    counted 1 '^0 send .* buffered$'
    counted 1 '^0 send .*tag=2 .*bytes=50 ready$'
    counted 1 '^0 send .*tag=3 .* synchronous$'
    counted 4 '^0 send ns=[0-9]+ request=[0-9]+ .*tag=20 .* synchronous$'
    counted 1 '^0 sendrecv .*tag=4 '
    counted 1 '^0 sendrecv .*tag=5 '
    counted 1 "^0 receive ns=[0-9]+ peer=$(($1 - 1)) tag=1 comm=0 bytes=100\$"
    counted 1 '^0 receive ns=.* peer=-1 tag=-1 '
    counted 1 "^0 wait .*\(from $(($1 - 1)) tag 3\)\$"
    counted 1 '^0 wait .*\(cancelled\)$'
    counted 2 '^0 probe .*tag=7 .*bytes=10$'
    counted 1 '^0 receive ns=.*tag=8 .*bytes=20$'
    counted 1 '^0 receive ns=.*tag=9 .*bytes=30$'
    # A failed test after a millisecond of computation is recorded, but not each of twenty thousand consecutive ones.
    polls=$(sed -n '/ tag=71 .*bytes=0$/,/ barrier /p' events | grep -cE '^0 wait ns=[0-9]+$')
    [ "$polls" -ge 1 ] && [ "$polls" -lt 2000 ] || { cat events; fail "$mpi: $polls tests in vain"; }
    while read -r tag piece row list; do
        counted 1 "^0 sendrecv .*tag=$tag .* piece=$piece row=$row${list:+ list=$list} from=[0-9]+ from_tag=$tag\$"
    done <<'END'
51 4 4
52 8 8
53 16 16
54 24 24
56 8 8 -8
57 6 12 -6
58 8 8
60 8 8
64 8 16
65 8 24
66 8 32
67 8 8 8
68 8 8
69 4 8 8
70 4 12 4
END
    counted 0 '^0 sendrecv .*tag=(55|59|61) .*piece'
    counted 1 '^0 send .*tag=62 .* piece=24 row=24$'
    counted 1 '^0 receive .*tag=62 .* piece=24 row=24$'
    counted 1 '^0 sendrecv .* bytes=120 from=[0-9]+ from_tag=63 from_piece=24 from_row=24$'
    counted 24 '^0 send .*request=.*tag=1[0-5] '
    counted 3 '^0 collective .* alltoallw comm=[0-9]+ bytes=0 each=4'
    counted 3 '^0 collective ns=[0-9]+ request=.* allreduce '
    counted 6 '^0 collective .* agree '
    counted 2 '^0 neighbors .*to=1:4 from=1$'
    counted 3 '^0 epoch .* fence comm=1$' # and the end of the window
    counted 1 "^0 onesided ns=[0-9]+ peer=1 comm=1 goes=4 comes=0\$"
    counted 1 '^0 onesided ns=[0-9]+ peer=1 comm=1 goes=0 comes=8$'
    counted 1 '^0 onesided ns=[0-9]+ peer=1 comm=1 goes=12 comes=0$'
    counted 1 '^0 onesided ns=[0-9]+ peer=1 comm=1 goes=4 comes=4$'
    counted 1 '^0 onesided ns=[0-9]+ request=[0-9]+ peer=1 comm=1 goes=16 comes=0$'
    counted 1 "^0 epoch .* post comm=1 with=$(($1 - 1))\$"
    counted 1 '^0 epoch .* start comm=1 with=1$'
    counted 1 '^0 epoch .* complete comm=1$'
    counted 1 '^0 epoch .* exposed comm=1$'
    counted 2 '^0 epoch .* lock comm=1' # one of all
    counted 2 '^0 epoch .* unlock comm=1'
    counted 1 '^0 epoch .* flush comm=1 with=1$'
    counted 1 '^0 send .* peer=1 tag=41 .*bytes=70$'
    counted 1 '^0 other .*name=a collective between two groups$'
    counted 1 '^0 end .*lost=0$'
    grep -q '^0 compute .*region=messages/probes$' events || fail "$mpi: no computation in the region probes"
    grep '^0 compute' events | grep -q 'region=.*MPI_' && fail "$mpi: calls of MPI are regions of computation"
    [ -n "$replay" ] || return 0
    "$builddir/gptl" net trace --latency 1us --bandwidth 1GB/s >out 2>&1 || { cat out; fail "$mpi: replay of $1 ranks"; }
    grep -q "collective between two groups  *$1 calls" out ||
        { cat out; fail "$mpi: what groups do together is not told"; }
    if grep -q 'left out' out; then cat out; fail "$mpi: something was left out"; fi
}

check_threads() {
    record trace 2 "./trace-$mpi" threads || { cat out; fail "$mpi: threads failed"; }
    "$builddir/gptl" net trace --events 1 >events || fail "$mpi: no events of threads"
    counted 100 '^[0-9]+ send '
    [ "$(grep ' send ' events | cut -d' ' -f1 | sort -u | wc -l)" = 2 ] || fail "$mpi: threads are one"
    [ -z "$replay" ] || "$builddir/gptl" net trace --latency 1us --bandwidth 1GB/s >out || fail "$mpi: replay of threads"
}

check_killed() {
    record trace 2 "./trace-$mpi" killed && fail "$mpi: the program was not killed"
    "$builddir/gptl" net trace --events 0 >events || fail "$mpi: what was killed cannot be read"
    [ "$(grep -c sendrecv events)" -gt 1000 ] || fail "$mpi: a killed rank has lost its records"
    if grep -q '^0 end' events; then fail "$mpi: a killed rank has an end"; fi
}

check_full_disk() {
    [ -w /dev/full ] || return 0
    rm -rf trace
    mkdir trace
    ln -s /dev/full trace/trace.0.ti
    GPTL_OPTIONS="output=none;trace=ti;trace.dir=trace" mpirun "$mpi" 1 "./trace-$mpi" >out 2>&1 ||
        { cat out; fail "$mpi: a full disk ended the program"; }
    [ "$(grep -c 'the trace ends here' out)" = 1 ] || { cat out; fail "$mpi: a full disk is not told once"; }
}

# A program without MPI_Init lacks a world: a message states that.
check_sessions() {
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" life "$programs/mpi_life.c" $(linked "$mpi")
    record trace 2 ./life sessions || { cat out; fail "$mpi: sessions"; }
    grep -q 'sessions of MPI only' out || { cat out; fail "$mpi: it is not told that sessions have no trace"; }
    [ -z "$(ls trace)" ] || fail "$mpi: sessions have left a trace"
}

# MPI rejects invalid windows and sessions, and reports that to the program as often as without us.
check_refused() {
    cat >refused.c <<'END'
#include <mpi.h>
#include <stdio.h>

static int told;

static void tell(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
    told++;
}

int main(void)
{
    MPI_Errhandler handler;
    MPI_Win win = MPI_WIN_NULL;
    int refused = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_create_errhandler(tell, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    refused += MPI_Win_free(&win) != MPI_SUCCESS;
#ifdef MPICH /* others look where the pointer points */
    refused += MPI_Win_free(NULL) != MPI_SUCCESS;
    refused += MPI_Session_finalize(NULL) != MPI_SUCCESS;
#endif
    printf("refused %d told %d\n", refused, told);
    MPI_Finalize();
    return 0;
}
END
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" refused refused.c $(linked "$mpi")
    compile_mpi "$mpi" plain refused.c
    mpirun "$mpi" 1 ./plain >expected || fail "$mpi: what MPI refuses ends a program without us"
    grep -Eq 'told [13]$' expected || { cat expected; fail "$mpi: MPI refuses nothing"; }
    record trace 1 ./refused || { cat out; fail "$mpi: what MPI refuses ended the program"; }
    grep -qxf expected out || { cat expected out; fail "$mpi: what MPI refuses is told otherwise"; }
}

# A clock that advances in steps, each reading of which takes 25.4 ns: there is no computation between the calls.
check_clock() {
    cat >steps.c <<'END'
#define _GNU_SOURCE
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic long readings;
static uint64_t base;

/* Replaces the function in libgptl, which reads the kernel's clock past any replaced clock_gettime. */
uint64_t gptl_core_read_systime(clockid_t clock)
{
    struct timespec t;
    if (clock != CLOCK_MONOTONIC || readings == 0) {
        syscall(SYS_clock_gettime, clock, &t);
        return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    }
    return (base + (uint64_t)readings++ * 254 / 10) / 10 * 10;
}

int main(void)
{
    char in, out = 0;
    base = gptl_core_read_systime(CLOCK_MONOTONIC);
    readings = 1;
    MPI_Init(NULL, NULL);
    for (int i = 0; i < 2000; i++)
        MPI_Sendrecv(&out, 1, MPI_CHAR, 0, 5, &in, 1, MPI_CHAR, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    readings = 0;
    MPI_Finalize();
    return 0;
}
END
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" steps steps.c $(linked "$mpi")
    record trace 1 ./steps || { cat out; fail "$mpi: a clock with steps"; }
    "$builddir/gptl" net trace --events 0 >events || fail "$mpi: no events with that clock"
    counted 2000 '^0 sendrecv '
    computed=$(awk '/^0 sendrecv /{sum += last; last = 0; on = 1}
                    on && match($0, /^0 compute .*ns=/){last += substr($0, RLENGTH + 1)}
                    END{print sum + 0}' events)
    [ "$computed" -lt 2000 ] || fail "$mpi: 2000 times nothing are $computed ns"
}

# The memory that a collective writes to is new to the process at first, and later it is not.
check_renewed() {
    cat >renewed.c <<'END'
#define _GNU_SOURCE
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 50 };

int main(void)
{
    MPI_Init(NULL, NULL);
    size_t size = PAGES * (size_t)sysconf(_SC_PAGESIZE);
    char *out = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *in = out + size;
    madvise(out, 2 * size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < size; i++)
        out[i] = 1;
    for (int i = 0; i < 2; i++)
        MPI_Allgather(out, (int)size, MPI_CHAR, in, (int)size, MPI_CHAR, MPI_COMM_SELF);
    MPI_Finalize();
    return 0;
}
END
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" renewed renewed.c $(linked "$mpi")
    record trace 1 ./renewed || { cat out; fail "$mpi: new memory"; }
    "$builddir/gptl" net trace --events 0 >events || fail "$mpi: no events with new memory"
    # shellcheck disable=SC2046 # two words
    set -- $(awk '/ allgather /{print /renewed=/ ? substr($NF, 9) : 0}' events)
    least=$(($(getconf PAGESIZE) * 50))
    [ "$1" -ge $least ] && [ "$1" -lt $((2 * least)) ] && [ "$2" -lt $((least / 5)) ] ||
        { cat events; fail "$mpi: 50 new pages, and then none, are $1 and $2 bytes"; }
}

# The received data that is written to memory from which the process sent last.
check_reused() {
    cat >reused.c <<'END'
#include <mpi.h>
#include <stddef.h>

enum { SIZE = 8192 };
static char a[2 * SIZE], b[2 * SIZE];

int main(void)
{
    int rank, peer;
    MPI_Request requests[2], again[2];
    MPI_Status statuses[2];
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    for (int i = 0; i < 2; i++) { /* the second time, as what was sent comes next */
        char *from = i ? b : a, *to = i ? a : b;
        MPI_Irecv(to, SIZE, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(from, SIZE, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, statuses);
    }
    MPI_Sendrecv(a, 100, MPI_CHAR, peer, 2, b, SIZE, MPI_CHAR, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* too few */
    MPI_Sendrecv_replace(a, SIZE, MPI_CHAR, peer, 3, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_Bcast(a, SIZE, MPI_CHAR, i, MPI_COMM_WORLD); /* rank 0, the second time */
    for (int i = 0; i < 2; i++) {
        MPI_Gather(b, SIZE, MPI_CHAR, a, SIZE, MPI_CHAR, 0, MPI_COMM_WORLD); /* the second time, its root */
        MPI_Scatter(a, SIZE, MPI_CHAR, b, SIZE, MPI_CHAR, 0, MPI_COMM_WORLD); /* both times */
    }
    MPI_Recv_init(b, SIZE, MPI_CHAR, peer, 4, MPI_COMM_WORLD, &again[0]);
    MPI_Send_init(a, SIZE, MPI_CHAR, peer, 4, MPI_COMM_WORLD, &again[1]);
    MPI_Startall(2, again);
    MPI_Waitall(2, again, statuses);
    MPI_Request_free(&again[0]);
    MPI_Request_free(&again[1]);
    MPI_Recv_init(a, SIZE, MPI_CHAR, peer, 5, MPI_COMM_WORLD, &again[0]);
    MPI_Send_init(b, SIZE, MPI_CHAR, peer, 5, MPI_COMM_WORLD, &again[1]);
    MPI_Startall(2, again); /* a was sent */
    MPI_Waitall(2, again, statuses);
    MPI_Request_free(&again[0]);
    MPI_Request_free(&again[1]);
    MPI_Finalize();
    return 0;
}
END
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" giving reused.c $(linked "$mpi")
    record trace 2 ./giving || { cat out; fail "$mpi: memory that is given from"; }
    for rank in 0 1; do
        "$builddir/gptl" net trace --events $rank >events || fail "$mpi: no events with such memory"
        awk '/ reused=/{print $2 == "collective" ? $4 : $2, substr($NF, 8)}' events | xargs echo
    done >reused
    diff - reused <<'END' || fail "$mpi: memory that was given from, and taken to"
receive 8192 sendrecv 8192 bcast 8192 scatter 8192 gather 16384 scatter 8192 receive 8192
receive 8192 sendrecv 8192 scatter 8192 scatter 8192 receive 8192
END
}

# Programs print reports and end their measurement before MPI_Finalize, some begin another: earlier computation and
# earlier posted requests still have their regions, which no longer exist.
check_ended() {
    cat >ended.c <<'END'
#include <mpi.h>
#include <stdio.h>

#include "gptl.h"

enum { REGIONS = 300 };

static void work(double seconds)
{
    for (double until = MPI_Wtime() + seconds; MPI_Wtime() < until;)
        ;
}

static void measure(int round, MPI_Request *requests)
{
    static int in[2], out;
    char name[32];
    for (int i = 0; i < REGIONS; i++) {
        snprintf(name, sizeof name, "round %d, %d", round, i);
        GPTLstart(name);
        work(2e-6);
        GPTLstart("within");
        work(2e-6);
        GPTLstop("within");
        GPTLstop(name);
    }
    GPTLstart("posts");
    MPI_Irecv(&in[0], 1, MPI_INT, 0, round, MPI_COMM_SELF, &requests[0]);
    MPI_Recv_init(&in[1], 1, MPI_INT, 0, round, MPI_COMM_SELF, &requests[1]);
    MPI_Start(&requests[1]);
    for (int i = 0; i < 2; i++)
        MPI_Send(&out, 1, MPI_INT, 0, round, MPI_COMM_SELF);
    GPTLstop("posts");
}

int main(int argc, char **argv)
{
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 3; round++) {
        GPTLinitialize();
        measure(round, requests);
        GPTLstart("last");
        work(1e-4);
        GPTLstop("last");
        GPTLpr_file("report"); /* measures what a start costs */
        GPTLfinalize();
        work(1e-4);
        if (argc > 1) /* else others are where they were */
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        GPTLinitialize();
        GPTLstart("between");
        work(1e-4);
        GPTLstop("between");
        if (argc == 1)
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Request_free(&requests[1]);
        GPTLfinalize();
    }
    MPI_Finalize();
    puts("done");
    return 0;
}
END
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" ended ended.c $(linked "$mpi")
    for more in "" again; do
        GPTL_OPTIONS=output=none mpirun "$mpi" 1 ./ended $more >out 2>&1 || { cat out; fail "$mpi: requests of nodes that are no more"; }
        record trace 1 ./ended $more || { cat out; fail "$mpi: a trace of nodes that are no more"; }
        grep -q '^done$' out || { cat out; fail "$mpi: a measurement that ended has ended the program"; }
        "$builddir/gptl" net trace --events 0 >events || fail "$mpi: no events of measurements that ended"
        for round in 0 1 2; do
            found=$(grep -c "^0 compute .*region=round $round, [0-9]*/within\$" events)
            [ "$found" = 300 ] || { cat events; fail "$mpi: of 300 regions of measurement $round there are $found"; }
        done
        counted 3 '^0 compute .*region=last$'
        counted 3 '^0 compute .*region=between$'
        counted 0 'region=.*overhead'
        counted 0 'region=.*(within|last|posts)/'
    done
}

# Communicators created by a subset of the processes, and communicators first used in another order than created.
check_made() {
    cat >made.c <<'END'
#include <mpi.h>

int main(void)
{
    int rank, x[2] = {0};
    MPI_Group world, two;
    MPI_Comm of_two, again[2], freed;
    MPI_Request requests[2];
    MPI_Init(0, 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, (int[]){0, 1}, &two);
    if (rank < 2) {
        MPI_Comm_create_group(MPI_COMM_WORLD, two, 7, &of_two);
        MPI_Barrier(of_two);
        MPI_Comm_free(&of_two);
    }
    MPI_Comm_idup(MPI_COMM_WORLD, &freed, requests); /* and never used */
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    MPI_Comm_free(&freed);
    for (int i = 0; i < 2; i++)
        MPI_Comm_idup(MPI_COMM_WORLD, &again[i], &requests[i]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 2 && rank < 2; k++) {
        int i = k ^ rank;
        if (rank == 0)
            MPI_Isend(&x[i], 1, MPI_INT, 1, i, again[i], &requests[i]);
        else
            MPI_Irecv(&x[i], 1, MPI_INT, 0, i, again[i], &requests[i]);
    }
    if (rank < 2)
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" made made.c $(linked "$mpi")
    record trace 3 ./made || { cat out; fail "$mpi: communicators"; }
    "$builddir/gptl" net trace --events 0 >events || fail "$mpi: no events of communicators"
    counted 1 '^0 collective .* agree comm=1 '
    counted 3 '^0 collective .* agree comm=0 '
    counted 1 '^communicator 1: 0 1$'
    [ -z "$replay" ] || "$builddir/gptl" net trace --latency 1us --bandwidth 1GB/s >out 2>&1 ||
        { cat out; fail "$mpi: replay of communicators"; }
}

replay=
[ ! -x "$builddir/gptl-replay" ] || replay=yes
for mpi in $mpis; do
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" "trace-$mpi" "$programs/mpi_trace.c" $(linked "$mpi")
    check_calls 2
    check_calls 4
    check_threads
    check_killed
    check_full_disk
    check_clock
    check_renewed
    check_reused
    check_refused
    check_ended
    check_made
    [ "$mpi" != mpich ] || check_sessions # Open MPI 4 has none
    record trace 1 "./trace-$mpi" || fail "$mpi: one rank"
    rm -rf beside # the report, under gptl run as well
    mkdir beside
    (cd beside && "$builddir/gptl" run --mpi --set "output=text;trace=ti" -- \
        "$(of "$mpi" MPIEXEC)" -n 1 "../trace-$mpi") >out 2>&1 || { cat out; fail "$mpi: under gptl run"; }
    [ "$(cd beside && echo .g* *)" = ".g* timing.0 trace.0.ti" ] || { ls -AR beside; fail "$mpi: the trace is elsewhere"; }
    rm -rf trace
    mkdir trace
    GPTL_OPTIONS="output=none;trace=otf" mpirun "$mpi" 1 "./trace-$mpi" >out 2>&1 || fail "$mpi: trace=otf"
    grep -q 'only trace=ti' out || { cat out; fail "$mpi: trace=otf is not refused"; }
    [ ! -e trace.0.ti ] || fail "$mpi: a trace that nobody asked for"
done
