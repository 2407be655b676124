#!/bin/sh
# Valgrind's helgrind and drd report nothing about the library in a program without races, and still find a
# race of the program itself. With the installed suppressions too.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC" valgrind
need_shared
need_plain_build
grep -q '^#define HAVE_VALGRIND_HELGRIND_H 1' "$builddir/config.h" ||
    skip "built without Valgrind's headers"

cat >races.c <<'EOF'
#include <gptl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared, raced;

static void *work(void *races)
{
    char name[32];
    static __thread int handle;
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "name %d", i % 70);
        GPTLstart(name);
        GPTLstart("in");
        pthread_mutex_lock(&lock);
        shared++;
        pthread_mutex_unlock(&lock);
        GPTLstop("in");
        GPTLstop(name);
        GPTLstart_handle("handle", &handle);
        GPTLstop_handle("handle", &handle);
        if (races)
            raced++;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[3];
    double wall;
    int count;
    (void)argv;
    GPTLinitialize();
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, argc > 1 ? &raced : NULL);
    for (int i = 0; i < 5; i++) {
        GPTLget_wallclock("in", -1, &wall);
        GPTLget_count("in", 1, &count);
    }
    GPTLmark("m");
    GPTLpr_file("while");
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    GPTLpr(0);
    GPTLfinalize();
    return shared == 600 ? 7 : 3;
}
EOF
compile races races.c
valgrind -q --tool=none true 2>/dev/null || skip "valgrind does not run here"
for options in '' 'salvage=on;histogram=on;cpu=on'; do
    for tool in helgrind drd; do
        for with in '' "--suppressions=$srcdir/gptl.supp"; do
            got=0
            # shellcheck disable=SC2086 # none is no word
            GPTL_OPTIONS=$options valgrind -q --tool=$tool --error-exitcode=9 $with ./races 2>said ||
                got=$?
            [ $got -eq 7 ] || {
                head -40 said
                fail "$tool with '$options': $got, $(grep -cE 'data race|Conflicting' said) reports"
            }
        done
    done
done
for tool in helgrind drd; do
    ends 9 valgrind -q --tool=$tool --error-exitcode=9 "--suppressions=$srcdir/gptl.supp" ./races 1 2>said
    grep -q 'races.c' said || fail "$tool does not see the program's race"
done
