#!/bin/sh
# gptl run and limits that a program sets after its start: of memory, locked memory, sizes of files and descriptors.
# The program continues; the report is complete or states the missing parts, and has its usual name.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC" setpriv
need_plain_build # a sanitizer needs more memory than the limits leave
need_shared
need_tools
GPTL_RUN_DIR=$PWD/runs
export GPTL_RUN_DIR
mkdir runs

cat >prog.c <<'END'
#define _GNU_SOURCE
#include <gptl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NAMES = 3000, CALLS = 10 };

static void *work(void *of)
{
    char name[64];
    for (int i = 0; i < NAMES * CALLS; i++) {
        snprintf(name, sizeof name, "%s_%d", (const char *)of, i % NAMES);
        GPTLstart(name);
        GPTLstop(name);
    }
    return NULL;
}

static rlim_t size_now(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld", &pages) != 1)
        exit(90);
    fclose(f);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* LIMIT BYTES [kill]: two threads with many regions after the limit is set. */
int main(int argc, char **argv)
{
    static const char *const names[] = {"as", "data", "fsize", "memlock", "nofile"};
    static const int limits[] = {RLIMIT_AS, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_MEMLOCK, RLIMIT_NOFILE};
    static _Alignas(64) char stack[1 << 18];
    struct rlimit r = {(rlim_t)atol(argv[2]), (rlim_t)atol(argv[2])};
    pthread_attr_t attributes;
    pthread_t other;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, sizeof stack);
    GPTLstart("total");
    if (strcmp(argv[1], "as") == 0)
        r.rlim_cur = r.rlim_max = r.rlim_max + size_now();
    for (int i = 0; i < 5; i++) {
        struct rlimit most;
        if (strcmp(argv[1], names[i]) != 0)
            continue;
        if (getrlimit(limits[i], &most) == 0 && most.rlim_max < r.rlim_max)
            r = (struct rlimit){most.rlim_max, most.rlim_max};
        if (setrlimit(limits[i], &r) != 0)
            return 91;
    }
    if (strcmp(argv[1], "memlock") == 0 && mlockall(MCL_FUTURE) != 0)
        return 77;
    work("first");
    if (pthread_create(&other, &attributes, work, "second") == 0)
        pthread_join(other, NULL);
    GPTLstop("total");
    if (argc > 3)
        raise(SIGKILL);
    return 7;
}
END
compile prog prog.c

# calls_of NAME: all calls of regions NAME_* in the report.
calls_of() {
    awk -v name="$1" '{ i = $1 == ">" ? 2 : 1; if (index($i, name "_") == 1) n += $(i + 1) } END { print n + 0 }' timing.0
}

# limited LIMIT BYTES
limited() {
    for how in '' kill; do
        echo "== $1 $2 $how"
        rm -f timing*
        wanted=7
        [ -z "$how" ] || wanted=137
        # Standard error is a pipe, which the limit on files does not reach. Without the capability, locks have a limit.
        # shellcheck disable=SC2086 # a word or none
        { status=0 && setpriv --bounding-set -ipc_lock --inh-caps -ipc_lock \
            "$gptl" run ./prog "$1" "$2" $how 2>&1 || status=$?; echo "$status" >status; } | cat >said
        [ "$(cat status)" != 77 ] || { echo "(mlockall is refused here)"; continue; }
        same "exit status" "$(cat status)" $wanted
        [ -s timing.0 ] || { cat said; fail "no report timing.0: $(files timing*)"; }
        same "directories of runs" "$(ls runs)" ""
        same "calls of total" "$(calls timing.0 total | sed 's/^0$/1/')" 1
        if [ "$(calls_of first) $(calls_of second)" != "30000 30000" ]; then
            grep -q 'It lacks paths, names and threads\|calls of further \(paths\|names\)' timing.0 ||
                { sed 20q timing.0; fail "$(calls_of first) and $(calls_of second) calls, and nothing says what is missing"; }
        fi
    done
}
limited none 0
same "calls without a limit" "$(calls_of first) $(calls_of second)" "30000 30000"
for bytes in 0 65536 1048576 4194304; do
    limited as $bytes
done
limited data 0
for bytes in 0 4096 1048576; do
    limited fsize $bytes
done
limited nofile 0
same "calls without descriptors" "$(calls_of first) $(calls_of second)" "30000 30000"
if [ "$(id -u)" -eq 0 ]; then
    limited memlock 65536
    limited memlock 67108864
fi

echo "== a limit on open files before the start, and on their sizes"
for limit in '-n 4' '-n 6' '-f 0'; do
    rm -f timing*
    # shellcheck disable=SC3045,SC2086 # which every shell has; words
    { status=0 && (ulimit $limit && exec "$gptl" run ./prog none 0) 2>&1 || status=$?; echo "$status" >status; } | cat >said
    same "exit status with ulimit $limit" "$(cat status)" 7
done

echo "== a control group with little memory"
group=
if [ "$(id -u)" -eq 0 ] && [ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
    group=/sys/fs/cgroup/memory/gptl_limits.$$ limit=memory.limit_in_bytes
elif [ "$(id -u)" -eq 0 ] && grep -q memory /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
    group=/sys/fs/cgroup/gptl_limits.$$ limit=memory.max
fi
if [ -n "$group" ] && mkdir "$group" 2>/dev/null; then
    trap 'rmdir "$group"' EXIT
    unset GPTL_RUN_DIR
    echo 16777216 >"$group/$limit" || fail "no limit of the group"
    rm -f timing*
    # shellcheck disable=SC2016 # for the other shell
    ends 137 sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$group" "$gptl" run ./prog none 0 kill
    same "calls in a small group" "$(calls_of first) $(calls_of second)" "30000 30000"
fi

echo "== a directory of runs on a disk of 4 MiB: the report comes from what the process left, or goes to its place at once"
mkdir disk
if command -v mkfs.ext4 >/dev/null && dd if=/dev/zero of=image bs=1M count=4 2>/dev/null && mkfs.ext4 -q image &&
    unshare -m mount -o loop image disk 2>/dev/null; then
    for how in '' kill; do
        rm -f timing*
        wanted=7
        [ -z "$how" ] || wanted=137
        # shellcheck disable=SC2016,SC2086 # for the other shell; a word or none
        GPTL_RUN_DIR=$PWD/disk ends $wanted unshare -m sh -c 'mount -o loop image disk && exec "$@"' - \
            "$gptl" run ./prog none 0 $how 2>stderr
        same "reports" "$(files timing* | tr '\n' ' ')" "timing.0 timing.0.json "
        same "calls" "$(calls_of first) $(calls_of second)" "30000 30000"
    done
fi
echo "== directories of runs that cannot be used, and the reason"
mkdir small sealed
if unshare -m mount -t tmpfs -o size=4m none small 2>/dev/null; then
    refused() {
        rm -f timing*
        GPTL_RUN_DIR=$PWD/$1 ends 7 unshare -m sh -c "mount -t tmpfs -o $2 none $1 && exec \"\$@\"" - \
            "$gptl" run ./prog none 0 2>stderr
        one_line stderr "gptl run: cannot use GPTL_RUN_DIR \"$PWD/$1\": $3; name the absolute path of a directory"
        same "calls" "$(calls_of first) $(calls_of second)" "30000 30000"
    }
    refused small size=4m "No space left on device"
    refused sealed ro "Read-only file system"
    unset GPTL_RUN_DIR
    for size in 64k 4m; do # as it is in many containers
        rm -f timing*
        # shellcheck disable=SC2016 # for the other shell
        ends 137 unshare -m sh -c 'mount -t tmpfs -o size=$0 none /dev/shm && exec "$@"' $size "$gptl" run ./prog none 0 kill 2>stderr
        same "calls with a small /dev/shm" "$(calls_of first) $(calls_of second)" "30000 30000"
    done
fi
