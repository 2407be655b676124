#!/bin/sh
# Clocks that stop, jump, omit the time of a suspension, or run at another speed, and a program that
# disables the time-stamp counter: measurement continues, each region of 0.1 s takes 0.1 s, and the
# report names the correction. A stop signal ends the program at any time.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"
need_shared
need_plain_build

# Interposes between the program and the C library; "turn" switches the fault on.
cat >shim.c <<'EOF'
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static int64_t began, off;
static int64_t read_real(clockid_t c)
{
    struct timespec t;
    syscall(SYS_clock_gettime, c, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}
void turn(void);
void turn(void)
{
    const char *fault = getenv("FAULT");
    if (*fault == '+')
        off += 3600000000000ll;
    else if (*fault == '-')
        off -= 3600000000000ll;
    else if (!began)
        began = read_real(CLOCK_MONOTONIC);
    else {
        off -= read_real(CLOCK_MONOTONIC) - began;
        began = 0;
    }
}
static int64_t read_faulty(clockid_t c)
{
    int64_t now = read_real(c);
    if (*getenv("FAULT") == 'f')
        return 1577836800000000000ll;
    return now + off - (began ? read_real(CLOCK_MONOTONIC) - began : 0);
}
int clock_gettime(clockid_t c, struct timespec *t)
{
    int64_t n = read_faulty(c);
    t->tv_sec = n / 1000000000;
    t->tv_nsec = n % 1000000000;
    return 0;
}
int gettimeofday(struct timeval *t, void *zone)
{
    int64_t n = read_faulty(CLOCK_REALTIME);
    (void)zone;
    t->tv_sec = n / 1000000000;
    t->tv_usec = n % 1000000000 / 1000;
    return 0;
}
EOF
cat >host.c <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gptl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
static void region(const char *name)
{
    GPTLstart(name);
    usleep(100000);
    GPTLstop(name);
}
static void *thread(void *arg)
{
    region("thread");
    return arg;
}
int main(int argc, char **argv)
{
    void (*turn)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "turn");
    int tsc = argc > 1 && strcmp(argv[1], "tsc") == 0;
    region("before");
    if (turn)
        turn();
    if (tsc && prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0))
        return 77;
    usleep(100000);
    if (turn && *getenv("FAULT") == 's')
        turn();
    region("after");
    if (tsc) {
        pthread_t t;
        pthread_create(&t, NULL, thread, NULL);
        pthread_join(t, NULL);
    }
    while (argc > 1 && !tsc)
        region("loop");
    return 7;
}
EOF
compile host host.c -ldl
with=$link
link=''
compile shim.so shim.c -fPIC -shared
link=$with

# tenth REGION...: each took 0.1 s; a busy machine may wake it late, never early.
tenth() {
    for region; do
        seconds=$(awk -v r="$region" '$1 == r && $2 == 1 { print $4; exit }' timing.0)
        awk -v s="${seconds:-0}" 'BEGIN { exit !(s > 0.0995 && s < 0.6) }' ||
            { cat timing.0; fail "$what: $region took $seconds s, not 0.1"; }
    done
}

# says TEXT: the report corrects its clock, with a number of seconds.
says() {
    grep -qE "^ +(corrected|passed over): .*$1" timing.0 || { cat timing.0; fail "$what: the report does not say $1"; }
}

for clock in '' ';utr=clockgettime' ';utr=gettimeofday'; do
    for fault in frozen suspended +forward -back; do
        what="$fault$clock"
        rm -f timing.0
        ends 7 env FAULT="$fault" LD_PRELOAD="./shim.so" GPTL_OPTIONS="output=text$clock" ./host
        tenth before after
        [ "$clock" = ';utr=gettimeofday' ] || says 'differed by [1-9.]*[0-9.]* s from the kernel'
    done
done
what="no fault"
rm -f timing.0
ends 7 env GPTL_OPTIONS=output=text ./host
tenth before after
! grep -q 'corrected:' timing.0 || { cat timing.0; fail "it corrects what is right"; }

# The signal may arrive while the report is written or the clock rate is determined.
FAULT=frozen LD_PRELOAD="./shim.so" GPTL_OPTIONS=output=text ./host loop &
child=$!
sleep 0.3
kill -TERM $child
status=0
wait $child || status=$?
same "status after SIGTERM" "$status" 143

what="no time-stamp counter"
for clock in '' ';utr=clockgettime'; do
    rm -f timing.0
    status=0
    GPTL_OPTIONS="output=text$clock" ./host tsc || status=$?
    [ $status -ne 77 ] || break # not on this machine
    same "status without the counter" $status 7
    tenth before after thread
    [ -n "$clock" ] || ! grep -q tsc /sys/devices/system/clocksource/clocksource0/available_clocksource ||
        says 'nanotime: the program has disabled it'
done

what="no time-stamp counter after a filter that forbids opening files"
cat >filtered.c <<'END'
#include <gptl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof code / sizeof *code, code};
    GPTLstart("before");
    GPTLstop("before");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) ||
        prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0))
        _exit(77);
    for (int i = 0; i < 10; i++)
        if (GPTLstart("after") || GPTLstop("after"))
            _exit(1);
    _exit(7);
}
END
compile filtered filtered.c
status=0
./filtered || status=$?
[ $status -eq 77 ] || same "status with a filter" $status 7 # 77: not on this machine
