#!/bin/sh
# Limits of memory and descriptors, and locked memory: mlockall locks little of ours, and calls are recorded
# as before; daemons may close all descriptors, or replace them.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/io_lib.sh"
need_tools

# wrote FILE: the bytes written to it according to the log.
wrote() {
    sections | tr ' ' '\n' | sed -n "s|^$1=||p" | awk '{ n += $1 } END { print n + 0 }'
}

cat >locks.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
int main(void)
{
    struct rusage usage;
    int fd = open("small", O_RDWR | O_CREAT, 0600);
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
        return 77;
    for (int i = 0; i < 30000; i++)
        if (pwrite(fd, "0123456", 7, 0) != 7)
            return 1;
    for (int i = 0; i < 2000; i++) /* and names */
        access("small", R_OK);
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss);
    return 0;
}
END
$CC -o locks locks.c || fail "cannot compile locks.c"
status=0
./locks >bare || status=$?
if [ $status = 0 ]; then
    # at_most NAME: it has at most 24 MiB more.
    at_most() {
        [ "$(cat got)" -le $(($(cat bare) + 24576)) ] || fail "$1: $(cat got) KiB, $(cat bare) without us"
    }
    recorded ./locks >got || fail "locks, preloaded: $?"
    at_most preloaded
    same "locks, preloaded" "$(wrote small)" 210000
    io_options="full=write" recorded ./locks >got || fail "locks, written out: $?"
    at_most "written out"
    same "locks, written out" "$(wrote small)" 210000
    rm -f ioc.log
    ends 0 "$gptl" run --io --set output=none ./locks >got 2>stderr
    at_most "gptl run"
    "$gptl" ioc summary --csv ioc.log >csv 2>notes || fail "the log cannot be read"
    same "locks, gptl run" "$(awk -F, '/small/ { print $2 }' csv)" 210000
    ! grep lost notes || fail "calls are lost"
else
    echo "(mlockall is refused here: $status)"
fi

cat >daemons.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    dup2(open("own", O_RDWR | O_CREAT, 0600), STDOUT_FILENO);
    if (write(STDOUT_FILENO, "12345", 5) != 5 || daemon(1, 0) != 0)
        return 1;
    for (int i = 0; i < 1000; i++)
        write(STDOUT_FILENO, "0123456789", 10); /* to /dev/null */
    closefrom(0);
    for (int i = 0; i < 20; i++) /* wherever a descriptor of ours could have been */
        if (open("own", O_RDWR) != i)
            _exit(2);
    for (int i = 0; i < 20; i++)
        pwrite(i, "67", 2, 5 + 2 * i);
    close(open("over", O_RDWR | O_CREAT, 0600));
    return 0;
}
END
$CC -o daemons daemons.c || fail "cannot compile daemons.c"
recorded ./daemons || fail "daemons: $?"
for _ in $(seq 100); do
    [ ! -e over ] || break
    sleep 0.1
done
sleep 0.5 # its log comes last
same "the daemon's file" "$(wc -c <own | tr -d ' ')" 45
same "bytes written to own" "$(wrote own)" 45

# A terminal replaces a file, by forkpty and by login_tty: writes to it are not attributed to the file.
cat >terminals.c <<'END'
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>
static void write_both(void)
{
    int fd = open("childs", O_WRONLY | O_CREAT | O_APPEND, 0600);
    for (int i = 0; i < 100; i++)
        if (write(STDOUT_FILENO, "0123456789", 10) != 10)
            _exit(3);
    _exit(write(fd, "123456", 6) != 6 || getpgrp() != getpid() || getsid(0) != getpid());
}
static int take_all(int fd)
{
    char bytes[100];
    long n, sum = 0;
    int status;
    while ((n = read(fd, bytes, sizeof bytes)) > 0)
        sum += n;
    close(fd);
    if (wait(&status) < 0)
        return 4;
    fprintf(stderr, "%ld bytes, status %x\n", sum, status);
    return status;
}
int main(void)
{
    int master, slave;
    dup2(open("before", O_RDWR | O_CREAT, 0600), STDOUT_FILENO);
    if (write(STDOUT_FILENO, "12345", 5) != 5)
        return 1;
    int child = forkpty(&master, NULL, NULL, NULL);
    if (child == 0)
        write_both();
    if (child < 0)
        return 77;
    int status = take_all(master);
    if (openpty(&master, &slave, NULL, NULL, NULL) != 0)
        return 77;
    if (fork() == 0) {
        close(master);
        if (login_tty(slave) != 0)
            _exit(5);
        write_both();
    }
    close(slave);
    status |= take_all(master) | (login_tty(999) != -1);
    return write(STDOUT_FILENO, "678", 3) != 3 || status;
}
END
$CC -o terminals terminals.c -lutil || fail "cannot compile terminals.c"
status=0
./terminals 2>bare || status=$?
if [ $status = 0 ]; then
    same "output without us" "$(tr '\n' ' ' <bare)" "1000 bytes, status 0 1000 bytes, status 0 "
    rm -f before childs
    recorded ./terminals 2>got || fail "terminals: $?"
    diff bare got || fail "terminals: another output"
    same "the file before" "$(wc -c <before | tr -d ' ')" 8
    same "bytes written to before" "$(wrote before)" 8
    same "bytes written to childs" "$(wrote childs)" 12
else
    same "status without us" $status 77
fi
