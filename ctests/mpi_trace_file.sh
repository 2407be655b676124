#!/bin/sh
# A missing trace directory is created; if that fails, one sentence is printed, and the program runs without a trace.
# The trace's own file is not I/O of the program.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"
need_plain_build
need python3

cat >prog.c <<'END'
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int one = 1, sum;
    MPI_Init(&argc, &argv);
    int fd = open("ten", O_WRONLY | O_CREAT, 0666);
    if (write(fd, "0123456789", 10) != 10)
        return 1;
    close(fd);
    for (int i = 0; i < 5000; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END

# Rank 0 waits 0.2 s for a generalized request and a message, then 0.2 s for a generalized request alone, and last for
# requests without a partner.
cat >waits.c <<'END'
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int release(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static void *help(void *request)
{
    usleep(200000);
    MPI_Grequest_complete(*(MPI_Request *)request);
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, provided, x = 0;
    MPI_Request generalized, requests[2];
    pthread_t helper;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int n = 2; n > 0; n--) {
        if (rank == 0) {
            MPI_Grequest_start(query, release, cancel, NULL, &generalized);
            requests[0] = generalized;
            if (n == 2)
                MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[1]);
            pthread_create(&helper, NULL, help, &generalized);
            MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
            pthread_join(helper, NULL);
        } else if (n == 2) {
            MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Recv_init(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Finalize();
    return 0;
}
END

# The replay takes the measured 0.4 s of both waits, minus the delay by a busy machine, and counts two calls.
check_waits() {
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" waits waits.c $(linked "$mpi") -pthread
    rm -rf waited
    GPTL_OPTIONS="output=none;trace=ti;trace.dir=waited" mpirun "$mpi" 2 ./waits >out 2>&1 || fail "$mpi: waits: $(cat out)"
    "$builddir/gptl" net waited --events 0 >events || fail "$mpi: no events of waits"
    [ "$(grep -c '^0 other .* name=MPI_Waitall, not replayed$' events)" = 2 ] || fail "$mpi: waits are $(cat events)"
    [ "$(grep -c '^0 wait .* requests=' events)" = 1 ] || fail "$mpi: waits for messages are $(cat events)"
    [ "$(grep -c '^0 other ' events)" = 2 ] || fail "$mpi: what is left out is $(cat events)"
    [ -x "$builddir/gptl-replay" ] || return 0
    "$builddir/gptl" net waited --latency 1us --bandwidth 1GB/s --json >out || fail "$mpi: no replay of waits"
    python3 - <<'END' || fail "$mpi: the replay of waits: $(cat out)"
import json
found = json.load(open("out"))
left = found["not_replayed"]
assert [one["calls"] for one in left] == [2], left
assert left[0]["seconds"] >= 0.2, left
assert found["predicted_seconds"] >= left[0]["seconds"], found
END
}

# Failed tests of a request that is not replayed keep their time, even if the rank computes in between and records
# other calls; those of a message's request do not. Each takes 2 ms at least.
cat >polls.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <time.h>
#include <unistd.h>

#define SLOW(name, parameters, arguments)                                                          \
    int name parameters                                                                            \
    {                                                                                              \
        int(*next) parameters = (int(*) parameters)dlsym(RTLD_NEXT, #name);                        \
        usleep(2000);                                                                              \
        return next arguments;                                                                     \
    }
SLOW(PMPI_Test, (MPI_Request * r, int *flag, MPI_Status *s), (r, flag, s))
SLOW(PMPI_Testall, (int n, MPI_Request r[], int *flag, MPI_Status s[]), (n, r, flag, s))
SLOW(PMPI_Testany, (int n, MPI_Request r[], int *i, int *flag, MPI_Status *s), (n, r, i, flag, s))
SLOW(PMPI_Testsome, (int n, MPI_Request r[], int *m, int i[], MPI_Status s[]), (n, r, m, i, s))
SLOW(PMPI_Request_get_status, (MPI_Request r, int *flag, MPI_Status *s), (r, flag, s))

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    return MPI_Status_set_cancelled(status, 0);
}

static int release(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static void compute(void)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 50000);
}

static void poll(MPI_Request *requests)
{
    int flag, index, indexes[2], barrier = 0;
    for (int i = 0; i < 20; i++) {
        if (i % 2)
            compute();
        if (i == 10)
            MPI_Sendrecv(&i, 1, MPI_INT, 0, 1, &barrier, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
        MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
        MPI_Testsome(2, requests, &index, indexes, MPI_STATUSES_IGNORE);
        MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int rank, x[2];
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Grequest_start(query, release, cancel, NULL, &requests[0]);
        MPI_Irecv(&x[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[1]);
        poll(requests);
        MPI_Grequest_complete(requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Irecv(&x[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        poll(requests);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; rank == 1 && i < 2; i++)
        MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
END

check_polls() {
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" polls polls.c -rdynamic $(linked "$mpi") -ldl
    rm -rf polled
    GPTL_OPTIONS="output=none;trace=ti;trace.dir=polled" mpirun "$mpi" 2 ./polls >out 2>&1 || fail "$mpi: polls: $(cat out)"
    "$builddir/gptl" net polled --events 0 >events || fail "$mpi: no events of polls"
    # Of 100 tests of 2 ms, and the wait time of the last ones.
    sed -n 's/^0 other .*ns=\([0-9]*\) name=.*, not replayed$/\1/p' events | awk '{ n += $1 } END { exit !(n >= 200e6 && NR >= 5) }' ||
        fail "$mpi: tests in vain of what is not replayed: $(cat events)"
    sed -n '/not replayed/d; s/^0 .* ns=\([0-9]*\)\( .*\)*$/\1/p' events | awk '{ n += $1 } END { exit !(n >= 200e6) }' ||
        fail "$mpi: tests in vain of a message: $(cat events)"
    [ -x "$builddir/gptl-replay" ] || return 0
    "$builddir/gptl" net polled --latency 1us --bandwidth 1GB/s --json >out || fail "$mpi: no replay of polls"
    python3 - <<'END' || fail "$mpi: the replay of polls: $(cat out)"
import json
found = json.load(open("out"))
left = sum(one["seconds"] for one in found["not_replayed"])
assert left >= 0.2, found
assert found["predicted_seconds"] >= left, found
END
}

for mpi in $mpis; do
    check_waits
    check_polls
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" prog prog.c $(linked "$mpi")
    rm -rf deep traces.log
    GPTL_OPTIONS="output=none;trace=ti;trace.dir=deep/er" mpirun "$mpi" 2 ./prog >out 2>&1 ||
        fail "$mpi: ended with $?: $(cat out)"
    [ ! -s out ] || fail "$mpi: it said something: $(cat out)"
    [ "$(find deep/er -type f -size +1k | wc -l)" = 2 ] || fail "$mpi: traces are $(ls -l deep/er)"

    : >file
    GPTL_OPTIONS="output=none;trace=ti;trace.dir=file/er" mpirun "$mpi" 2 ./prog >out 2>&1 ||
        fail "$mpi, no folder: ended with $?: $(cat out)"
    [ "$(grep -c 'this run is not traced' out)" = 1 ] || fail "$mpi: not one sentence: $(cat out)"

    if [ -f "$builddir/.libs/libgptl_io.so" ] && command -v strings >/dev/null; then
        GPTL_OPTIONS="output=none;trace=ti;trace.dir=deep" GPTL_IOC="path=$PWD/traces.log" \
            mpirun "$mpi" 1 env LD_PRELOAD="$builddir/.libs/libgptl_io.so" ./prog >out 2>&1 ||
            fail "$mpi, with --io: ended with $?: $(cat out)"
        for log in traces.log*; do
            [ ! -e "$log" ] || ! strings "$log" | grep 'deep/' || fail "$mpi: the trace is in the log of I/O"
        done
    fi
done

echo "== gptl run: while the ranks run, the working directory has no trace and no report of theirs"
# Lists the working directory between two barriers; KILL: rank 1 then ends by a signal.
cat >lists.c <<'END_C'
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, one = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20000; i++) /* more than fits into a buffer of the trace */
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && system("find . >../seen") != 0)
        return 1;
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && rank == 1)
        raise(SIGKILL);
    MPI_Finalize();
    if (rank == 0 && system("find . >>../seen") != 0)
        return 1;
    return 0;
}
END_C
# staged TRACE_DIR STATUS [KILL]: the location of the traces that appear when the job has ended.
staged() {
    rm -rf w
    mkdir w
    got=0
    (
        cd w
        "$builddir/gptl" run --mpi --set "output=ranks;trace=ti;trace.dir=$1" -- \
            timeout 60 "$(of "$mpi" MPIEXEC)" -n 2 ../lists ${3:+"$3"} >../out 2>&1
    ) || got=$?
    [ "$2" = any ] || [ "$got" = "$2" ] || fail "$mpi, $1: ended with $got: $(cat out)"
    same "$mpi, $1: what was there during the run" "$(sort -u seen)" "."
    [ "$(find w -name 'trace.*.ti' -size +1k | wc -l)" = 2 ] || fail "$mpi, $1: no traces: $(find w) $(cat out)"
    same "$mpi, $1: directories of runs" "$(ls runs)" ""
}
[ -x "$builddir/gptl" ] && [ -f "$builddir/.libs/libgptl_mpi-any.so" ] || exit 0
mkdir runs
GPTL_RUN_DIR=$PWD/runs
export GPTL_RUN_DIR
for mpi in $mpis; do
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" lists lists.c
    staged "" 0
    same "$mpi: results" "$(cd w && files ./* | tr '\n' ' ')" "./timing.merged ./timing.merged.json ./timing.merged.ranks.json ./trace.0.ti ./trace.1.ti "
    staged traces/of 0
    same "$mpi: the directory of traces" "$(files w/traces/of/* | tr '\n' ' ')" "w/traces/of/trace.0.ti w/traces/of/trace.1.ti "
    "$builddir/gptl" net w/traces/of --events 0 >events || fail "$mpi: the traces cannot be read"
    staged "$PWD/w/absolute" 0
    staged killed any kill
    # If the user names another directory, the traces appear there at once, regardless of their size.
    rm -rf elsewhere
    (cd w && "$builddir/gptl" run --mpi --set "output=none;trace=ti;trace.dir=$PWD/../elsewhere" -- \
        timeout 60 "$(of "$mpi" MPIEXEC)" -n 2 sh -c '../lists && ls ../elsewhere/trace.0.ti' >../out 2>&1) ||
        fail "$mpi: no trace elsewhere: $(cat out)"
    # A trace that cannot be moved to its destination stays, and a message names both.
    rm -rf w
    mkdir w
    if unshare -m sh -c 'mount --bind w w && mount -o remount,ro,bind w' 2>/dev/null; then
        # shellcheck disable=SC2016 # for the other shell
        unshare -m sh -c 'mount --bind w w && mount -o remount,ro,bind w && cd w && exec "$@"' - \
            "$builddir/gptl" run --mpi --set "output=none;trace=ti" -- \
            timeout 60 "$(of "$mpi" MPIEXEC)" -n 2 ../lists >out 2>&1 || :
        grep -q "^gptl run: cannot write trace.0.ti: Read-only file system; the results are in $PWD/runs/" out ||
            fail "$mpi: a directory that is read-only: $(cat out)"
        [ "$(find runs -name 'trace.*.ti' -size +1k | wc -l)" = 2 ] || fail "$mpi: the traces are lost"
        rm -rf runs/*
    fi
done
