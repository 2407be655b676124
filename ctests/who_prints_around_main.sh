#!/bin/sh
# The library measures before main and after it: in constructors and destructors of the
# program and its libraries, and in static objects of C++. Events after the report are
# harmless.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"

# once REPORT REGION...: each was called once.
once() {
    report=$1
    shift
    for region; do
        same "calls of $region in $report" "$(calls "$report" "$region")" 1
    done
}

cat >around.c <<'EOF'
#include <gptl.h>
#include <stdlib.h>

static void region(const char *name)
{
    if (GPTLstart(name) || GPTLstop(name))
        abort();
}

static void at_exit(void)
{
    region("atexit");
}

__attribute__((constructor)) static void before(void)
{
    region("constructor");
    GPTLstart("whole");
}

__attribute__((destructor)) static void after(void)
{
    GPTLstop("whole");
    GPTLstart("destructor");
    GPTLstop("destructor");
}

int main(void)
{
    atexit(at_exit);
    region("main");
    return 5;
}
EOF
compile around around.c
ends 5 ./around 2>stderr
[ ! -s stderr ] || fail "it said: $(cat stderr)"
once timing.0 constructor main atexit
if [ "$enable_shared" = yes ]; then # else the order of destructors is the linker's
    once timing.0 destructor whole
fi

if [ "$enable_static" = yes ] && [ "$enable_shared" = yes ]; then
    shared_link=$link
    link=$(echo "$link" | sed "s|[^ ]*/libgptl.so.*|$builddir/.libs/libgptl.a|")
    compile static around.c
    link=$shared_link
    rm timing.0
    ends 5 ./static
    once timing.0 constructor main atexit
fi

# A library whose destructor runs after the report: it finds the functions at run time, so
# no dependency is visible.
if [ "$enable_shared" = yes ]; then
    cat >late.c <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>

typedef int (*function)(const char *);

__attribute__((destructor)) static void late(void)
{
    function start = (function)dlsym(RTLD_DEFAULT, "GPTLstart");
    function stop = (function)dlsym(RTLD_DEFAULT, "GPTLstop");
    function pr = (function)dlsym(RTLD_DEFAULT, "GPTLpr_file");
    for (int i = 0; start && stop && i < 1000; i++) {
        start("late");
        stop("late");
    }
    if (pr)
        pr("late_report");
}
EOF
    shared_link=$link
    link=${link%%"$builddir"*} # of a sanitizer only
    compile late.so late.c -fPIC -shared
    rm -f timing.0
    link="$shared_link -Wl,--no-as-needed ./late.so -Wl,-rpath,."
    compile around_late around.c
    link=$shared_link
    ends 5 ./around_late
    once timing.0 constructor main atexit
    once late_report main
    same "late calls in the report at exit" "$(calls timing.0 late)" 0
    same "late calls" "$(calls late_report late)" 1000
fi

[ -n "$CXX" ] || { echo "no C++ compiler: checked as C only"; exit 0; }
cat >objects.cpp <<'EOF'
#include <gptl.hpp>

#include <cstdlib>
#include <iostream>
#include <thread>

namespace
{
struct object {
    object()
    {
        GPTLstart("static_constructor");
        GPTLstop("static_constructor");
    }
    ~object()
    {
        GPTLstart("static_destructor");
        GPTLstop("static_destructor");
    }
} first;

struct per_thread {
    ~per_thread()
    {
        GPTLstart("thread_local_destructor");
        GPTLstop("thread_local_destructor");
    }
};
thread_local per_thread mine;

void touch(const per_thread *) {}
} // namespace

int main()
{
    static object second;
    touch(&mine);
    GPTLstart("main");
    std::thread([] {
        touch(&mine);
        GPTLstart("thread");
        GPTLstop("thread");
    }).join();
    GPTLstop("main");
    std::cout << "done\n";
    std::exit(6);
}
EOF
rm -f timing.0
compile objects objects.cpp
ends 6 ./objects >out 2>stderr
same stdout "$(cat out)" "done"
[ ! -s stderr ] || fail "it said: $(cat stderr)"
once timing.0 main
same "calls of thread" "$(calls timing.0 thread 1)" 1
same "calls of a static constructor" "$(calls timing.0 static_constructor)" 2
same "calls of a static destructor" "$(calls timing.0 static_destructor)" 2
same "calls of the thread's destructor" "$(calls timing.0 thread_local_destructor 1)" 1
same "calls of the main thread's destructor" "$(calls timing.0 thread_local_destructor)" 1
no_rest
