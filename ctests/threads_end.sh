#!/bin/sh
# Threads that are ended at any moment while they run instrumented functions, by pthread_exit in a signal
# handler or by asynchronous cancellation: no crash, no lock remains held, and later threads count
# exactly.
# shellcheck disable=SC3045 # ulimit -c, which every shell has
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need_plain_build
need "$CC"
ulimit -c 0 2>/dev/null || :

cat >ended.c <<'EOF'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define QUIET __attribute__((no_instrument_function))
#define LEAF(n)                                                                                    \
    __attribute__((noinline)) static long leaf##n(long x)                                          \
    {                                                                                              \
        __asm__ volatile("");                                                                      \
        return x + n;                                                                              \
    }
LEAF(0) LEAF(1) LEAF(2) LEAF(3) LEAF(4) LEAF(5) LEAF(6) LEAF(7) LEAF(8) LEAF(9)
static long (*const leaves[])(long) = {leaf0, leaf1, leaf2, leaf3, leaf4,
                                       leaf5, leaf6, leaf7, leaf8, leaf9};

__attribute__((noinline)) static long level(long x, int depth)
{
    x += leaves[(unsigned long)x / 8 % 10](x);
    return depth ? level(x * 25173 + 13849, depth - 1) : x;
}

QUIET static void end(int unused)
{
    (void)unused;
    pthread_exit(PTHREAD_CANCELED);
}

static int asynchronous;

QUIET static void *search(void *seed)
{
    int old;
    if (asynchronous)
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    for (volatile long sink = (long)seed;;)
        sink += level(sink, 6);
    return NULL;
}

__attribute__((noinline)) static void counted(void)
{
    __asm__ volatile("");
}

QUIET static void *count(void *unused)
{
    for (int i = 0; i < 1000; i++)
        counted();
    return unused;
}

QUIET int main(int argc, char **argv)
{
    pthread_t t;
    void *result;
    asynchronous = argc > 2;
    signal(SIGUSR1, end);
    for (int i = 0; i < atoi(argv[1]); i++) {
        if (pthread_create(&t, NULL, search, (void *)(long)(i * 7919 + 1)))
            return 4;
        nanosleep(&(struct timespec){0, 20000 + i * 7919 % 200000}, NULL);
        if (asynchronous)
            pthread_cancel(t);
        else
            pthread_kill(t, SIGUSR1);
        pthread_join(t, &result);
        if (result != PTHREAD_CANCELED)
            return 3;
    }
    if (pthread_create(&t, NULL, count, NULL))
        return 4;
    pthread_join(t, &result);
    return 7;
}
EOF
for unwinding in '' -fexceptions; do
    # shellcheck disable=SC2086 # a list of words
    compile ended ended.c -finstrument-functions $unwinding -Wl,--no-as-needed
    for options in '' 'salvage=on' 'histogram=on;cpu=on' 'throttle=on'; do
        for way in '' asynchronous; do
            rm -f timing.0
            # shellcheck disable=SC2086 # none is no word
            GPTL_OPTIONS="output=text;$options" ends 7 timeout 60 ./ended 400 $way 2>messages
            same "calls with '$options' $way" \
                "$(awk '$1 == "counted" { print $2; exit }' timing.0)" 1000
        done
    done
done
