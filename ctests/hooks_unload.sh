#!/bin/sh
# Instrumented plugins loaded in turn at the same address remain two, each with its
# own functions; so does one that is rebuilt in the meantime. A plugin that is
# loaded again is the same. Plugins are loaded and unloaded while other threads
# run.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/hooks_lib.sh"
need "$CC"
need_plain_build
need_shared

cat >plugin.c <<'EOF'
int plugin_call(int n);

#if WHICH == 1
static __attribute__((noinline)) int one_inner(int n)
{
    return n + 1;
}
int plugin_call(int n)
{
    return one_inner(n) * 2;
}
#else
static __attribute__((noinline)) int two_innermost(int n)
{
    return n + 3;
}
static __attribute__((noinline)) int two_inner(int n)
{
    return two_innermost(n) * 2;
}
int plugin_call(int n)
{
    return two_inner(n) + two_innermost(n);
}
#endif
EOF
cat >host.c <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN __attribute__((no_instrument_function))

static void *places[2];
static int moved;

__attribute__((noinline)) static int call(int which)
{
    void *plugin = dlopen(which ? "./two.so" : "./one.so", RTLD_NOW | RTLD_LOCAL);
    int (*function)(int) = plugin ? (int (*)(int))dlsym(plugin, "plugin_call") : NULL;
    Dl_info info;
    if (!function || !dladdr((void *)function, &info))
        abort();
    moved += places[!which] && places[!which] != info.dli_fbase;
    places[which] = info.dli_fbase;
    int result = 0;
    for (int i = 0; i < 3; i++)
        result += function(i);
    dlclose(plugin);
    return result;
}

static atomic_int done;

__attribute__((noinline)) static void leaf(void)
{
    __asm__ volatile("");
}

static void *runs(void *unused)
{
    while (!done)
        for (int i = 0; i < 100; i++)
            leaf();
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    int n = (int)strtol(argv[1], NULL, 10);
    (void)argc;
    for (int i = 0; i < 2 && argv[2]; i++)
        pthread_create(&threads[i], NULL, runs, NULL);
    for (int i = 0; i < n; i++) {
        call(0);
        call(1);
    }
    done = 1;
    for (int i = 0; i < 2 && argv[2]; i++)
        pthread_join(threads[i], NULL);
    return moved ? 4 : 0;
}
EOF

with=$link
link=''
compile one.so plugin.c -fPIC -shared -DWHICH=1 "$hooks"
compile two.so plugin.c -fPIC -shared -DWHICH=2 "$hooks"
link=$with
compile host host.c "$hooks" -ldl
expected='0 /main 1
0 /main/call 100
0 /main/call/plugin_call 300
0 /main/call/plugin_call/one_inner 150
0 /main/call/plugin_call/two_inner 150
0 /main/call/plugin_call/two_inner/two_innermost 150
0 /main/call/plugin_call/two_innermost 150'

# merged OBJECT...: the call paths of thread 0, paths of equal names merged.
merged() {
    tree timing.0.json "$@" | awk '$1 == 0 { n[$1 " " $2] += $3 } END { for (p in n) print p, n[p] }' |
        LC_ALL=C sort
}
check() {
    merged host one.so two.so >found
    echo "$expected" | LC_ALL=C sort >wanted
    diff wanted found >difference || { cat difference; fail "$1: other calls, wanted are those with <"; }
    same "$1: rows of plugin_call" "$(tree timing.0.json host one.so two.so | grep -c '/plugin_call ')" 2
}

# Exit status 4: at different addresses, so this tests less.
runs() {
    rm -f timing.*
    got=0
    "$@" 2>stderr || got=$?
    [ ! -s stderr ] || { cat stderr; fail "it said something: $*"; }
    case $got in
        0) ;;
        4) [ $# -gt 2 ] || fail "the plugins were at two addresses" ;;
        *) fail "exit status $got: $*" ;;
    esac
}

runs ./host 50
check "in turn"
runs ./host 50 threads
check "while others run"
export GPTL_OPTIONS
GPTL_OPTIONS="output=text,json;depthlimit=1000000;histogram=on"
runs ./host 50
check "with the gate closed"
GPTL_OPTIONS="output=text,json"

# Not linked with the library: preloaded.
link=''
compile bare host.c "$hooks" -ldl
mv bare host
link=$with
LD_PRELOAD=$library ./host 50 || fail "preloaded: exit status $?"
check preloaded

# The path refers to another file the second time.
cat >anew.c <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void call(void)
{
    void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
    int (*function)(int) = plugin ? (int (*)(int))dlsym(plugin, "plugin_call") : NULL;
    if (!function)
        abort();
    function(1);
    dlclose(plugin);
}

int main(void)
{
    rename("first.so", "plugin.so");
    call();
    call();
    rename("second.so", "plugin.so");
    call();
    call();
    call();
    return 0;
}
EOF
compile anew anew.c "$hooks" -ldl
link=''
compile first.so plugin.c -fPIC -shared -DWHICH=1 "$hooks" -Wl,--build-id
compile second.so plugin.c -fPIC -shared -DWHICH=2 "$hooks" -Wl,--build-id
link=$with
cp first.so keep1.so
cp second.so keep2.so
silent ./anew
tree timing.0.json anew >found
same "calls of the first" "$(grep -c '^0 /main/call/plugin.so+[^/]* 2$' found)" 1
same "calls of the second" "$(grep -c '^0 /main/call/[^/]* 3$' found)" 1
python3 - <<'EOF' || fail "modules"
import json
report = json.load(open("timing.0.json"))
if "modules" in report:
    ids = {m["build_id"] for m in report["modules"] if m["path"] and m["path"].endswith("plugin.so")}
    assert len(ids) == 2, report["modules"]
EOF
no_rest
