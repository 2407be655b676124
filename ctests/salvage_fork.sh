#!/bin/sh
# Forked children with salvage on: each has a separate tree and file, from its first call on, regardless of its
# parent's concurrent actions.
# shellcheck disable=SC2094 # where report is a subcommand
# shellcheck disable=SC3045 # ulimit -c, which every shell has
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"
need_tools
case $sanitize in *thread*) skip "the thread sanitizer does not bear threads after a fork" ;; esac
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # a child has memory of threads that it has not
export ASAN_OPTIONS

cat >children.c <<'EOF'
#include <gptl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void region(const char *name)
{
    if (GPTLstart(name) || GPTLstop(name))
        exit(90);
}

static void *hammer(void *unused)
{
    char name[32];
    for (unsigned i = 0;; i++) {
        snprintf(name, sizeof name, "hammer_%u", i % 5000);
        region(name);
    }
    return unused;
}

/* children N THREADS: half of the children measure. Prints how many ended badly. */
int main(int argc, char **argv)
{
    int n = atoi(argv[1]), threads = argc > 2 ? atoi(argv[2]) : 0, bad = 0, status;
    pthread_t thread;
    GPTLstart("total");
    region("region");
    for (int t = 0; t < threads; t++)
        pthread_create(&thread, NULL, hammer, NULL);
    for (int i = 0; i < n; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            for (int k = 0; i % 2 && k < 3; k++)
                region("child");
            if (GPTLstop("total")) /* inherited: no error */
                exit(91);
            exit(0);
        }
        region("after_fork");
    }
    while (wait(&status) > 0)
        bad += status != 0;
    GPTLstop("total");
    printf("%d\n", bad);
    return 0;
}
EOF
compile children children.c

# children N THREADS OPTIONS
children() {
    echo "== $1 children, $2 threads, $3"
    rm -f timing.* stderr
    ends 0 env GPTL_OPTIONS="overhead=off;$3" timeout 15 ./children "$1" "$2" >bad 2>stderr
    same "children that ended badly" "$(cat bad)" 0
    [ ! -s stderr ] || { cat stderr; fail "something was said"; }
    same reports "$(files timing.* | wc -l)" $(($1 / 2 + 1))
    for report in timing.0.*; do
        same "calls in $report" "$(calls "$report" child)" 3
        same "parent's calls in $report" "$(all_calls "$report" region)" 0
    done
    same "parent's calls" "$(calls timing.0 after_fork)" "$1"
    no_rest
}

children 60 0 ''
children 60 2 ''
children 60 0 'salvage=on'
children 60 2 'salvage=on'
children 60 2 'salvage=on;cpu=on'

# UCX intercepts mremap and ignores the requested address.
cat >ucx.c <<'EOF'
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *mremap(void *old, size_t size, size_t new_size, int flags, ...)
{
    return (void *)syscall(SYS_mremap, old, size, new_size, flags, 1L << 40);
}
EOF
compile children children.c ucx.c
children 4 0 'salvage=on'

# Children by other calls than fork: clone, with the library linked, and the system call itself under gptl run;
# a child that shares its parent's memory and ends before the parent continues is part of its parent.
cat >clones.c <<'EOF'
#define _GNU_SOURCE
#include <gptl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void regions(const char *name)
{
    for (int i = 0; i < 1000; i++) {
        GPTLstart(name);
        GPTLstop(name);
    }
}

static int child(void *exits)
{
    regions("child");
    if (exits)
        exit(0);
    return 0;
}

int main(int argc, char **argv)
{
    enum { SIZE = 1 << 18 };
    const char *how = argc > 1 ? argv[1] : "";
    char *stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int status, shares = strcmp(how, "shares") == 0;
    pid_t pid;
    regions("before");
    if (strcmp(how, "raw") == 0) {
        pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (pid == 0)
            child(stack);
    } else {
        pid = clone(child, stack + SIZE, SIGCHLD | (shares ? CLONE_VM | CLONE_VFORK : 0),
                    shares ? NULL : stack);
    }
    regions("parent");
    return pid < 0 || waitpid(pid, &status, 0) != pid || status ? 1 : 7;
}
EOF
compile clones clones.c
# Also without a dynamic linker, if there is a static libc.
if [ "$enable_static" = yes ] && $CC -std=gnu11 -static -pthread -I"$srcdir/include" -o static clones.c \
    "$builddir/.libs/libgptl.a" -lm 2>/dev/null; then
    for how in clone shares; do
        rm -f timing.*
        GPTL_OPTIONS="overhead=off;output=text;salvage=on" ends 7 timeout 15 ./static $how
        same "calls in the parent, static" "$(calls timing.0 before) $(calls timing.0 parent)" "1000 1000"
    done
fi
for how in clone raw shares; do
    for options in 'salvage=off' 'salvage=on' 'salvage=on;cpu=on'; do
        echo "== $how, $options"
        rm -f timing.* stderr
        set -- ./clones $how
        if [ $how = raw ]; then
            [ -e "$builddir/.libs/libgptl_run.so.0" ] || continue
            set -- "$gptl" run "$@"
        fi
        GPTL_OPTIONS="overhead=off;output=text;$options" ends 7 timeout 15 "$@" 2>stderr
        same "calls in the parent" "$(calls timing.0 before) $(calls timing.0 parent)" "1000 1000"
        if [ $how = shares ]; then
            same "calls in the child" "$(calls timing.0 child)" 1000
        else
            same reports "$(files timing.* | wc -l)" 2
            same "calls in the child" "$(calls timing.0.* child)" 1000
            same "parent's calls in the child" "$(calls timing.0.* before)" 0
        fi
        no_rest
    done
done

# A killed child is reported; its parent exits normally.
compile victim "$srcdir/ctests/programs/victim.c"
for try in 1 2 3 4 5; do
    echo "== killed child $try"
    rm -rf counts left report timing.*
    mkdir left
    GPTL_OPTIONS="salvage=on;salvage.dir=$PWD/left" ./victim counts 2 child &
    job=$!
    pid=$(started 2)
    sleep 0.05
    kill -KILL "$pid"
    wait $job || fail "the parent ended with $?"
    same "salvage files" "$(files left/*)" "$(files "left/gptl-salvage.$(uname -n).$pid")"
    ends 0 "$gptl" report left >report
    agree report 2 child
    same "parent's calls in the child" "$(all_calls report parent)" 0
    same "parent's calls" "$(all_calls timing.0 parent)" 1
done
