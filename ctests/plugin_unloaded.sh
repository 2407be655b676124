#!/bin/sh
# A plugin that uses the library is loaded, called and unloaded many times, by a program that is not
# linked with the library, and by one that is; also at one address with other names in it.
. "$srcdir/ctests/lib.sh"
need "$CC"
need_plain_build
[ "$enable_shared" = yes ] || skip "no shared library"

cat >plugin.c <<'END'
#include <gptl.h>
int plugin_call(void);
int plugin_call(void)
{
    static int handle;
    int count = 0;
    if (GPTLstart(NAME) || GPTLstart_handle("by handle", &handle))
        return -1;
    if (GPTLstop_handle("by handle", &handle) || GPTLstop(NAME))
        return -2;
    return GPTLget_count(NAME, -1, &count) ? -3 : count;
}
END

cat >host.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef WITH_LIBRARY
#include <gptl.h>
#endif

static int call(const char *file)
{
    void *plugin = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    int (*function)(void) = (int (*)(void))dlsym(plugin, "plugin_call");
    int count = function ? function() : -4;
    dlclose(plugin);
    return count;
}

static void *in_thread(void *unused)
{
    if (call("./plugin_a.so") < 1)
        exit(2);
    return unused;
}

int main(void)
{
#ifdef WITH_LIBRARY
    if (GPTLstart("host"))
        return 3;
#endif
    for (int i = 1; i <= 50; i++) {
        pthread_t thread;
        int a = call("./plugin_a.so"), b = call("./plugin_b.so");
        if (a != i || b != i) {
            fprintf(stderr, "round %d: %d and %d calls\n", i, a, b);
            return 4;
        }
        pthread_create(&thread, NULL, in_thread, NULL); /* exits after the plugin is gone */
        pthread_join(thread, NULL);
    }
#ifdef WITH_LIBRARY
    if (GPTLstop("host"))
        return 5;
#endif
    return 0;
}
END

libs=$builddir/.libs
link="-L$libs -Wl,-rpath,$libs -lgptl"
# shellcheck disable=SC2086 # lists of words
{
    $CC -I"$srcdir/include" -fPIC -shared -DNAME='"name of a"' -o plugin_a.so plugin.c $link &&
        $CC -I"$srcdir/include" -fPIC -shared -DNAME='"name of B"' -o plugin_b.so plugin.c $link &&
        $CC -I"$srcdir/include" -pthread -o host host.c -ldl &&
        $CC -I"$srcdir/include" -pthread -DWITH_LIBRARY -o host_with_library host.c -ldl $link
} || fail "cannot build"

for host in ./host ./host_with_library; do
    $host || fail "$host ended with $?"
    ls timing.* >/dev/null 2>&1 || fail "$host has left no report"
    grep -q 'name of a' timing.* && grep -q 'name of B' timing.* || fail "no region of the plugins"
    rm -f timing.*
done

# The plugins bring a separate library, whose names the program's library precedes: when they are
# unloaded, the program's library continues, and its report is complete.
[ "$enable_static" = yes ] || exit 0
for name in a:"name of a" b:"name of B"; do
    $CC -I"$srcdir/include" -fPIC -shared -DNAME="\"${name#*:}\"" -o "plugin_${name%%:*}.so" plugin.c \
        "$libs/libgptl.a" -pthread || fail "cannot build a plugin with libgptl.a"
done
./host_with_library || fail "with libgptl.a in the plugins, the program ended with $?"
grep -q '^    name of B  *50 ' timing.0 || { cat timing.0; fail "what came after an unloading is lost"; }
grep -q '^  host  *1 ' timing.0 || { cat timing.0; fail "the end of the program is lost"; }
