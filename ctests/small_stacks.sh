#!/bin/sh
# Threads of PTHREAD_STACK_MIN, signal stacks of 8 KiB and coroutines measure, make mistakes, request reports
# and call exit(): the library needs no more of their stacks than they have.
# shellcheck disable=SC3045 # ulimit -c, which every shell has
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"
need_plain_build # a sanitizer's own frames are larger
ulimit -c 0 2>/dev/null || :

cat >small.c <<'EOF'
#define _GNU_SOURCE
#include <gptl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static const char *does;

static void name_regions(void)
{
    char name[] = "r00";
    for (int i = 0; i < 60; i++) {
        name[1] = (char)('0' + i / 10);
        name[2] = (char)('0' + i % 10);
        GPTLstart(name);
        GPTLstop(name);
    }
}

static void act(void)
{
    int handle = 0;
    double wall, user, sys;
    if (strcmp(does, "exit") == 0)
        exit(7);
    if (strcmp(does, "mistakes") == 0) {
        GPTLstop("never started");
        GPTLsetoption(99999, 1);
        GPTLstart(NULL);
        GPTLprint_memusage("here");
        GPTLprint_rusage("here");
    }
    if (strcmp(does, "names") == 0)
        name_regions();
    if (strcmp(does, "report") == 0) {
        GPTLstart("small");
        GPTLstop("small");
        GPTLpr_file("asked");
        GPTLpr(0);
    }
    if (strcmp(does, "rest") == 0) {
        GPTLsetoption(GPTLcpu, 1);
        GPTLinitialize();
        GPTLstart_handle("h", &handle);
        GPTLstart("crossed");
        GPTLstop_handle("h", &handle);
        GPTLstop("crossed");
        GPTLstamp(&wall, &user, &sys);
        GPTLquery("h", 0, NULL, NULL, &wall, &user, &sys, NULL, 0);
        GPTLmark("m");
        GPTLprefix_set("p_");
        GPTLstart("x");
        GPTLstop("x");
        GPTLprefix_unset();
        GPTLfinalize();
    }
}

static void *thread(void *unused)
{
    act();
    return unused;
}

static void handler(int unused)
{
    (void)unused;
    act();
}

/* With a page below that nobody may touch. */
static char *stack_of(size_t size)
{
    char *p = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(p, 4096, PROT_NONE);
    return p + 4096;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 99;
    does = argv[2];
    if (argc > 3) {
        GPTLstart("before");
        GPTLstop("before");
    }
    if (strcmp(argv[1], "thread") == 0) {
        pthread_attr_t attributes;
        pthread_t one;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
        if (pthread_create(&one, &attributes, thread, NULL))
            return 98;
        pthread_join(one, NULL);
    } else if (strcmp(argv[1], "handler") == 0) {
        /* 8 KiB, and what the kernel saves of this processor's registers beyond 2 KiB. */
        size_t frame = getauxval(AT_MINSIGSTKSZ), size = 8192 + (frame > 2048 ? frame - 2048 : 0);
        size = (size + 4095) & ~(size_t)4095;
        stack_t s = {.ss_sp = stack_of(size), .ss_size = size};
        struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
        if (sigaltstack(&s, NULL) || sigaction(SIGUSR1, &action, NULL))
            return 98;
        raise(SIGUSR1);
    } else {
        static ucontext_t main_context, coroutine;
        getcontext(&coroutine);
        coroutine.uc_stack.ss_sp = stack_of(16384);
        coroutine.uc_stack.ss_size = 16384;
        coroutine.uc_link = &main_context;
        makecontext(&coroutine, act, 0);
        swapcontext(&main_context, &coroutine);
    }
    return 7;
}
EOF
compile small small.c
for options in 'output=text' 'output=text,json,xml;salvage=on' 'output=text;cpu=on;histogram=on;verbose=on' \
    'output=text;counters=perf::PAGE-FAULTS' \
    'output=text;counters=perf::PAGE-FAULTS;cpu=on'; do
    for where in thread handler coroutine; do
        for what in exit mistakes names report rest; do
            rm -f timing.* asked
            GPTL_OPTIONS="$options" ends 7 ./small $where $what after 2>messages
            [ $what != report ] || grep -q '"*small' asked || fail "$where: no report that was asked for"
            case $what in
                rest) ;;
                *) grep -q before timing.0 || fail "$where, $what, '$options': no report at the end" ;;
            esac
        done
    done
    # The very first event of the process.
    GPTL_OPTIONS="$options" ends 7 ./small thread names 2>messages
done
