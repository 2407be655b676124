#!/bin/sh
# Function hooks before and after main: constructors, static objects of C++,
# shared libraries' constructors, functions run at exit; with the library linked
# before or after the others, or preloaded.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/hooks_lib.sh"
need "$CC"
need_plain_build # other programs than the sanitizer knows

cat >part.c <<'EOF'
int part(int n);

static int part_inner(int n)
{
    return n + 1;
}

int part(int n)
{
    return part_inner(n) * 2;
}

__attribute__((constructor)) static void part_begins(void)
{
    part(1);
}

__attribute__((destructor)) static void part_ends(void)
{
    part(2);
}
EOF
cat >around.c <<'EOF'
#include <stdlib.h>

int part(int n);

__attribute__((noinline)) static void leaf(void)
{
    __asm__ volatile("");
}

static void at_exit(void)
{
    leaf();
}

__attribute__((constructor)) static void begins(void)
{
    leaf();
}

__attribute__((destructor)) static void ends(void)
{
    leaf();
}

int main(void)
{
    leaf();
    part(3);
    atexit(at_exit);
    return 0;
}
EOF
inside='0 /at_exit 1
0 /at_exit/leaf 1
0 /begins 1
0 /begins/leaf 1
0 /main 1
0 /main/leaf 1
0 /main/part 1
0 /main/part/part_inner 1'
# Functions that a library calls before the program, the program's destructors,
# and the destructors of a library that is unloaded before the report.
first='0 /part_begins 1
0 /part_begins/part 1
0 /part_begins/part/part_inner 1'
destructors='0 /ends 1
0 /ends/leaf 1'
part_destructors='0 /part_ends 1
0 /part_ends/part 1
0 /part_ends/part/part_inner 1'

if [ "$enable_shared" = yes ]; then
    with=$link
    link=''
    compile libpart.so part.c -fPIC -shared "$hooks"
    own='./libpart.so -Wl,-rpath,.'
    for order in "$with $own" "$own $with"; do
        link=$order
        compile around around.c "$hooks"
        silent ./around
        # Destructors run in the reverse order: those of libraries initialized before
        # ours run after the report.
        tree timing.0.json around libpart.so >found
        if grep -q part_ends found; then
            last=$part_destructors
        else
            last=''
        fi
        has "linked: $order" timing.0.json around libpart.so <<EOF
$inside
$first
$destructors
$last
EOF
    done
    # Linked without our library: the empty hooks of libc, until the library is preloaded.
    link=$own
    compile bare around.c "$hooks"
    rm timing.*
    ends 0 ./bare
    same "reports of a program without the library" "$(files timing.*)" ""
    silent env LD_PRELOAD="$library" ./bare
    has preloaded timing.0.json bare libpart.so <<EOF
$inside
$first
$destructors
$(grep -q part_ends timing.0.json && echo "$part_destructors")
EOF
    if [ -x "$gptl" ]; then
        unset GPTL_OPTIONS
        silent "$gptl" run --set output=json ./bare
        tree timing.0.json bare libpart.so >found
        echo "$inside" >wanted
        LC_ALL=C comm -23 wanted found >missing
        [ ! -s missing ] || { cat missing; fail "gptl run: these are missing"; }
        GPTL_OPTIONS="output=text,json"
        export GPTL_OPTIONS
    fi
    # Without a request it does not measure: hooks turn nothing on.
    rm -f timing.*
    ends 0 env -u GPTL_OPTIONS LD_PRELOAD="$library" ./bare
    same "reports that nobody asked for" "$(files timing.*)" ""
    link=$with
fi

if [ "$enable_static" = yes ]; then
    kept=$link
    link=$builddir/.libs/libgptl.a
    compile inside around.c part.c "$hooks"
    silent ./inside
    tree timing.0.json inside >found
    (echo "$inside" && echo "$first") | LC_ALL=C sort >wanted
    LC_ALL=C comm -23 wanted found >missing
    [ ! -s missing ] || { cat missing; fail "static library: these are missing"; }
    link=$kept
fi

[ -n "$CXX" ] || { echo "no C++ compiler: checked as C only"; exit 0; }
cat >objects.cpp <<'EOF'
#include <cstdlib>
#include <thread>

struct object {
    object();
    ~object();
    static void touch();
};
void object::touch()
{
}
object::object()
{
    touch();
}
object::~object()
{
    touch();
}

static object first;
static thread_local object mine;
static object second;

__attribute__((noinline)) static object *look(object *at)
{
    return at;
}

static void *in_thread(void *unused)
{
    look(&mine);
    return unused;
}

int main()
{
    static object inner;
    pthread_t thread;
    pthread_create(&thread, nullptr, in_thread, nullptr);
    pthread_join(thread, nullptr);
    std::exit(0);
}
EOF
compile objects objects.cpp "$hooks"
silent ./objects
tree timing.0.json objects >found
count() {
    awk -v thread="$1" -v path="$2" '
        $1 == thread && substr($2, length($2) - length(path) + 1) == path { n += $NF }
        END { print n + 0 }' found
}
same "constructors" "$(count 0 /object::object)" 3
same "destructors" "$(count 0 /object::~object)" 3
same "what they called" "$(count 0 /object::object/object::touch)+$(count 0 /object::~object/object::touch)" 3+3
same "the thread's constructor" "$(count 1 /object::object)" 1
same "the thread's destructor" "$(count 1 /object::~object)" 1
same "the thread's function" "$(count 1 /in_thread)" 1
no_rest
