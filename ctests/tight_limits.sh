#!/bin/sh
# The library with few resources: address space, descriptors, thread stacks, no /proc, closed standard streams.
# If a resource is missing, the program continues.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"
need_plain_build # sanitizers need far more

cat >prog.c <<'EOF'
#include <gptl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static void *work(void *unused)
{
    char name[64];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "region_%d", i);
        GPTLstart(name);
        GPTLstart("inner");
        GPTLstop("inner");
        GPTLstop(name);
    }
    return unused;
}

/* prog THREADS STACK FILES: stacks in KiB, and how many descriptors may be open. */
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2;
    size_t stack = argc > 2 ? (size_t)atoi(argv[2]) * 1024 : 0;
    pthread_t *threads = calloc((size_t)n, sizeof *threads);
    pthread_attr_t attributes;
    if (argc > 3) {
        rlim_t files = (rlim_t)atoi(argv[3]);
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){files, files});
    }
    pthread_attr_init(&attributes);
    if (stack && pthread_attr_setstacksize(&attributes, stack < PTHREAD_STACK_MIN ? PTHREAD_STACK_MIN : stack))
        return 3;
    GPTLstart("total");
    work(NULL);
    for (int i = 0; i < n; i++)
        if (pthread_create(&threads[i], &attributes, work, NULL))
            return 4;
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    GPTLstop("total");
    int count = 0;
    GPTLget_count("inner", 0, &count);
    return count == 300 ? 7 : 5;
}
EOF
compile prog prog.c

# run LIMIT OPTIONS [ARGUMENT...]: with the limit the program works as before.
run() {
    limit=$1
    options=$2
    shift 2
    echo "== $limit; $options; $*"
    rm -f timing.*
    ends 7 env GPTL_OPTIONS="$options" sh -c "$limit"'; exec ./prog "$@"' - "$@" >stdout 2>stderr
    [ ! -s stdout ] || fail "something on stdout"
}

whole() {
    [ ! -s stderr ] || { cat stderr; fail "it said something"; }
    same calls "$(all_calls timing.0 inner)" "$1"
    no_rest
}

for options in 'output=text,json' 'output=text,json;salvage=on' 'cpu=on;histogram=on;subtract=on'; do
    run 'ulimit -v 200000' "$options" 4
    whole 1500
    run 'ulimit -n 8' "$options" 4
    whole 1500
    run 'ulimit -s 256' "$options" 4
    whole 1500
    run : "$options" 12 64 # so that they fit into the memory budget, all at a time
    whole 3900
    run 'ulimit -c 0; ulimit -l 0; ulimit -q 0 2>/dev/null; ulimit -i 0 2>/dev/null; :' "$options" 4
    whole 1500
done

# No descriptor left for the report: one sentence.
run : '' 2 0 3
one_line stderr "GPTL: automatic report: cannot write timing.0: Too many open files"

# Standard streams closed: none of our messages is written to a file of the program.
run 'exec 2>&-' 'percnet=on' 2
same calls "$(all_calls timing.0 inner)" 900
! grep -q percnet timing.0 || fail "a message is in the report"

# The smallest budget, and less address space than the budget: paths fold, time is kept.
run : 'memory=1m' 40
grep -q '^WARNING: the memory budget of 1M was spent.$' timing.0 || echo "the budget sufficed"
run 'ulimit -v 60000' '' 2 64

env_of() {
    unshare "$1" true 2>/dev/null
}
if env_of -rm; then
    cat >noproc.sh <<'EOF'
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
mount -t tmpfs tmpfs /proc
[ ! -e /proc/self ] || fail "/proc is there"
for options in '' 'salvage=on;output=text,json' 'utr=clockgettime;cpu=on;dopr_memusage=on'; do
    rm -f timing.*
    ends 7 env GPTL_OPTIONS="$options" ./prog 2 2>stderr
    same calls "$(all_calls timing.0 inner)" 900
    ! grep -v '^GPTL: .*memory' stderr || fail "without /proc it said something: $options"
done
mount -t tmpfs tmpfs /sys 2>/dev/null || true
ends 7 ./prog 2 2>stderr
same calls "$(all_calls timing.0 inner)" 900
EOF
    unshare -rm sh noproc.sh || fail "without /proc"
else
    echo "cannot unshare: checked with /proc only"
fi
