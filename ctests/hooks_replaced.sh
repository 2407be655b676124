#!/bin/sh
# A program or its shared library is replaced while it runs, with or without a build id: no report has
# names of the new file for the old code, neither its own nor the one that is created after a kill. The
# program's own file stays readable, so it has the right names.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/hooks_lib.sh"
need "$CC"
need_plain_build
need_shared
need_tools

cat >work.c <<'EOF'
#include <unistd.h>
void work(void);
__attribute__((noinline)) static void alpha(void) { __asm__ volatile("nop"); }
__attribute__((noinline)) static void beta(void) { __asm__ volatile("nop; nop"); }
void work(void)
{
    for (int i = 0; i < 3; i++)
        alpha();
    beta();
}
EOF
cat >main.c <<'EOF'
#include <unistd.h>
void work(void);
int main(void)
{
    work();
    while (access("go", F_OK))
        usleep(1000);
    return 7;
}
EOF
sed 's/alpha/wrong_one/; s/beta/wrong_two/' work.c >wrong.c
sed -i 's/alpha()/wrong_one()/; s/beta()/wrong_two()/' wrong.c

# build ID SOURCE PROGRAM LIBRARY: the functions are in LIBRARY if it is given, else in the program.
build() {
    if [ -n "$4" ]; then
        with=$link
        link=''
        compile "$4" "$2" "$hooks" -fPIC -shared -Wl,--build-id="$1"
        link=$with
        compile "$3" main.c "$hooks" "./$4" -Wl,-rpath,"$PWD" -Wl,--build-id="$1"
    else
        compile "$3" main.c "$2" "$hooks" -Wl,--build-id="$1"
    fi
}

# run ID LIBRARY END: the file changes after the functions were called.
run() {
    what="build id $1, library ${2:-none}, $3"
    rm -rf go timing.0 timing.0.json program libwork.so
    build "$1" wrong.c program "$2"
    mkdir -p new
    mv program ${2:+"$2"} new/
    build "$1" work.c program "$2"
    if [ "$3" = killed ]; then
        (exec env GPTL_OPTIONS='output=text;salvage=on' ./program) &
    else
        GPTL_OPTIONS=output=text ./program &
    fi
    child=$!
    sleep 0.3
    mv new/* .
    status=0
    if [ "$3" = killed ]; then
        kill -KILL $child
        wait $child || status=$?
        "$gptl" report . >timing.0 2>said || true
        rm -rf gptl-salvage.*
    else
        touch go
        wait $child || status=$?
        same "$what: status" $status 7
    fi
    ! grep -q 'wrong_' timing.0 || { cat timing.0; fail "$what: names of the new file"; }
}

for id in none sha1; do
    run $id '' ended
    same "$what: calls of alpha" "$(calls timing.0 alpha)" 3
    same "$what: calls of beta" "$(calls timing.0 beta)" 1
    run $id libwork.so ended
    run $id '' killed
done

# An unchanged file keeps its names, also without a build id.
rm -f go timing.0
build none work.c program libwork.so
touch go
GPTL_OPTIONS=output=text ends 7 ./program
same "calls of alpha in a library" "$(calls timing.0 alpha)" 3
