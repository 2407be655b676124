#!/bin/sh
# Programs that restrict their system calls by a filter continue as without us: libgptl_io makes no system
# call after that, the log contains the earlier calls and later ones where possible; programs that begin in a
# sandbox are not measured.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/io_lib.sh"
need_tools
[ "$(uname -m)" = x86_64 ] || skip "the filters are for x86-64"
compile_io confined io_confined.c
compile_io filtered io_filtered.c
head -c 100 /dev/zero >input

# outcome HOW BYTES: the same output and status under gptl run, and BYTES read from input in the log.
outcome() {
    echo "== $1"
    status=0
    ./confined "$1" input >bare 2>&1 || status=$?
    if [ $status -ne 0 ]; then
        echo "(refused here: $status)"
        return
    fi
    rm -f ioc.log
    ends 0 "$gptl" run --io --set output=none ./confined "$1" input >got 2>stderr
    diff bare got || fail "$1: another output"
    ! grep -v '^gptl run: calls for I/O are in' stderr || fail "$1: something on stderr"
    "$gptl" ioc summary --csv ioc.log >csv || fail "$1: the log cannot be read"
    same "$1: bytes read" "$(awk -F, '/input/ { print $1 }' csv)" "$2"
}

outcome kill 20
outcome trap 20
outcome errno 20
outcome refused 20
outcome thread 40
# Neither calls of a child can be recorded, …
outcome child 20
"$gptl" ioc summary ioc.log | grep -q '^Note: 1 process set a filter of system calls' ||
    fail "the filter is not in the notes"
# … nor any call if even reading the processor's counter ends the program.
outcome strict 10

# If only the counter is forbidden, measurement continues with the clock of the kernel; with a filter as well
# no clock is left.
outcome notsc 20
outcome notsc_by_syscall 20
outcome notsc_then_kill 10
for how in notsc notsc_by_syscall; do
    ./confined $how input >bare 2>&1 || continue
    ends 0 "$gptl" run --io --set output=none ./confined $how input >got
    took=$("$gptl" ioc dump --csv ioc.log | awk -F, '$4 == "read" && /input/ { t[n++] = $1 } END { print t[1] - t[0] }')
    awk -v s="$took" 'BEGIN { exit !(s >= 0.0995 && s < 0.6) }' || fail "$how: $took s between the reads, not 0.1"
done

# The same without gptl run, which would collect the rest: the earlier calls are in the log.
for how in kill child strict; do
    ./confined $how input >bare 2>&1 || continue
    recorded ./confined $how input >got 2>&1 || fail "$how, preloaded: $?: $(cat got)"
    diff bare got || fail "$how, preloaded: another output"
    [ "$(sections | wc -l)" = 1 ] || fail "$how, preloaded: no section"
done

# With spans.
for how in kill thread child; do
    rm -rf spans
    ./confined $how input >bare 2>&1 || continue
    ends 0 "$gptl" run --iostack=spans --set output=none ./confined $how input >got 2>stderr
    diff bare got || fail "$how, spans: another output"
done

# Without the I/O recorder: no other preloaded library may end the program by a system call.
for how in kill trap errno refused thread child strict notsc; do
    ./confined $how input >bare 2>&1 || continue
    status=0
    "$gptl" run --set output=none ./confined $how input >got 2>stderr || status=$?
    same "$how, without I/O: status" "$status" 0
    diff bare got || fail "$how, without I/O: another output"
done

# A program that starts with a filter that gptl run does not have: no message, and it works.
./filtered cat input >bare || fail "filtered"
rm -f ioc.log
ends 0 "$gptl" run --io --set output=none ./filtered cat input >got 2>stderr
cmp bare got || fail "a sandbox: another output"
! grep -v '^gptl run: ' stderr || fail "a sandbox: something on stderr"

# A process that changes its root directory or its user keeps its log: no message, and all calls are in it.
if [ "$(id -u)" = 0 ]; then
    cat >leaves.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int fd = open("before", O_RDWR | O_CREAT, 0666);
    write(fd, "12345", 5);
    mkdir("jail", 0777);
    if (chmod("jail", 0777) != 0 || chroot("jail") != 0 || chdir("/") != 0)
        return 3;
    if (argc > 1 && setuid(65534) != 0)
        return 4;
    write(fd, "67", 2);
    int inside = open("/inside", O_RDWR | O_CREAT, 0666);
    if (inside < 0 || write(inside, "890", 3) != 3)
        return 5;
    if (fork() == 0)
        return write(inside, "x", 1) != 1;
    return wait(NULL) < 0;
}
END
    $CC -o leaves leaves.c || fail "cannot compile leaves.c"
    for how in '' user; do
        rm -rf ioc.log jail before
        # shellcheck disable=SC2086 # nothing or a word
        ends 0 "$gptl" run --io --set output=none ./leaves $how 2>stderr
        ! grep '^gptl ioc: ' stderr || fail "leaves $how: something is said"
        "$gptl" ioc summary --csv ioc.log >csv 2>/dev/null || fail "leaves $how: the log cannot be read"
        same "leaves $how: before" "$(awk -F, '/before/ { n += $2 } END { print n + 0 }' csv)" 7
        same "leaves $how: inside" "$(awk -F, '/inside/ { n += $2 } END { print n + 0 }' csv)" 3
    done
fi
