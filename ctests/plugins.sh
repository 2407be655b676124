#!/bin/sh
# The library is loaded with a plugin: late, with local visibility, many times, by several
# threads; the program is not linked with it.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"
need_shared
case $sanitize in no) ;; *) skip "a sanitizer must be there from the start" ;; esac

cat >plugin.c <<'EOF'
#include <gptl.h>

int plugin(void);
int plugin(void)
{
    static int handle;
    char name[] = "buffer";
    return GPTLstart("plugin") || GPTLstart(name) || GPTLstart_handle("handle", &handle) ||
           GPTLstop_handle("handle", &handle) || GPTLstop(name) || GPTLstop("plugin");
}

__attribute__((destructor)) static void leaves(void)
{
    GPTLstart("leaves");
    GPTLstop("leaves");
}
EOF
for i in 1 2 3; do
    compile plugin$i.so plugin.c -fPIC -shared
done

cat >host.c <<'EOF'
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Loads a plugin, calls it, unloads it: N times. Its code and strings come to other addresses. */
static void *use(void *name)
{
    for (int i = 0; i < 100; i++) {
        void *plugin = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        int (*function)(void) = plugin ? (int (*)(void))dlsym(plugin, "plugin") : NULL;
        errno = 1234;
        if (!function || function() || errno != 1234) {
            fprintf(stderr, "%s: %s\n", (char *)name, dlerror());
            exit(3);
        }
        if (dlclose(plugin))
            exit(4);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static char names[3][20] = {"./plugin1.so", "./plugin2.so", "./plugin3.so"};
    pthread_t threads[3];
    if (argc == 1) {
        use(names[0]);
    } else {
        for (int i = 0; i < 3; i++)
            pthread_create(&threads[i], NULL, use, names[i]);
        for (int i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
    }
    return argv[0] ? 6 : 5;
}
EOF
shared_link=$link
link=
compile host host.c -ldl
link=$shared_link

ends 6 ./host >stdout 2>stderr
cat stdout stderr >said
[ ! -s said ] || { cat said; fail "it said something"; }
for region in plugin buffer handle leaves; do
    same "calls of $region" "$(calls timing.0 $region)" 100
done

for options in '' 'salvage=on' 'cpu=on;histogram=on'; do
    rm timing.0
    ends 6 env GPTL_OPTIONS="$options" ./host threads >stdout 2>stderr
    cat stdout stderr >said
    [ ! -s said ] || { cat said; fail "it said something"; }
    for region in plugin buffer handle leaves; do
        same "calls of $region" "$(all_calls timing.0 $region)" 300
    done
    no_rest
done
