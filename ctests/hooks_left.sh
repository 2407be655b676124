#!/bin/sh
# Calls that end without their exit: longjmp out of several levels, also in a loop
# in a function that never returns, exceptions, threads that exit or are canceled
# inside functions. Later calls have the right place in the tree, and each
# abandoned call is counted once. Coroutines do not abandon calls.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/hooks_lib.sh"
need "$CC"
need_plain_build # other programs than the sanitizer knows

# sums FOUND: the calls of each function over all paths.
sums() {
    awk '{ n = split($2, w, "/"); calls[w[n]] += $3 } END { for (f in calls) print f, calls[f] }' "$1" |
        LC_ALL=C sort | paste -s -d, | sed 's/,/, /g'
}

cat >jumps.c <<'EOF'
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf away;

__attribute__((noinline)) static void leaf(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) static void parse(int depth)
{
    leaf();
    if (depth > 0)
        parse(depth - 1);
    if (depth == 0)
        longjmp(away, 1);
    __asm__ volatile("");
}

__attribute__((noinline)) static void large(void)
{
    volatile char room[5000];
    room[0] = room[4999] = 0;
    leaf();
}

__attribute__((noinline)) static void item(void)
{
    if (setjmp(away) == 0)
        parse(2);
    leaf();
    large();
}

__attribute__((noinline)) static void loop(int n)
{
    for (volatile int i = 0; i < n; i++) {
        if (setjmp(away) == 0)
            parse(2);
        leaf();
    }
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[2]) : 0;
    if (argv[1][0] == 'i')
        for (int i = 0; i < n; i++)
            item();
    else
        loop(n);
    leaf();
    exit(0);
}
EOF
compile jumps jumps.c "$hooks" -fno-inline
silent ./jumps items 100
# Calls of item after the jump may appear below parse, which is detected when item returns.
tree timing.0.json jumps >found
for wanted in "/main/item 100" "/main/leaf 1"; do
    grep -qxF "0 $wanted" found || { cat found; fail "longjmp: no $wanted"; }
done
same "calls of each" "$(sums found)" "item 100, large 100, leaf 501, main 0, parse 300"
same "calls left" "$(left timing.0)" 300

# A function that never returns: abandoned calls do not accumulate.
silent ./jumps loop 200000
tree timing.0.json jumps >found
grep -q '^0 /main/leaf 1$' found || { cat found; fail "loop: what comes after it"; }
grep -q '^0 /main/loop 1$' found || { cat found; fail "loop: it returned once"; }
awk '$2 ~ /\/leaf$/ { n += $3 } END { exit n != 800001 }' found || { cat found; fail "loop: leaves"; }
same "calls left" "$(left timing.0)" 600000

# A call at the same stack address as an abandoned one has its own time: no path takes longer than
# its parent.
cat >again.c <<'EOF'
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf away;

__attribute__((noinline)) static void attempt(int succeeds)
{
    volatile char room[100];
    room[0] = room[99] = 0;
    if (!succeeds)
        longjmp(away, 1);
}

int main(void)
{
    for (volatile int i = 0; i < 1000; i++) {
        if (setjmp(away) == 0)
            attempt(0);
        attempt(1);
    }
    exit(0);
}
EOF
compile again again.c "$hooks" -fno-inline
silent ./again
tree timing.0.json again >found
grep -qxF '0 /main/attempt 2000' found || { cat found; fail "again: its calls"; }
same "calls left" "$(left timing.0)" 1000
python3 - <<'EOF' || fail "again: a path took longer than the one that leads to it"
import json, sys
nodes = json.load(open("timing.0.json"))["threads"][0]["nodes"]
seconds = {node["id"]: node["seconds"] + node.get("open_seconds", 0) for node in nodes}
sys.exit(any(n["parent"] and seconds[n["id"]] > seconds[n["parent"]] for n in nodes))
EOF

# With an open manual region inside: it is not recursion, and nothing accumulates.
cat >timed.c <<'EOF'
#include <gptl.h>
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf away;

__attribute__((noinline)) static void step(void)
{
    GPTLstart("by hand");
    longjmp(away, 1);
}

int main(int argc, char **argv)
{
    for (volatile int i = 0; i < atoi(argv[argc - 1]); i++)
        if (setjmp(away) == 0)
            step();
    exit(0);
}
EOF
compile timed timed.c "$hooks" -fno-inline
silent ./timed 1000
tree timing.0.json timed >found
# The last one is open at the end.
grep -qxF '0 /main/step 999' found && grep -qxF '0 /main/step/by_hand 999' found ||
    { cat found; fail "regions by hand: their calls"; }
! grep -q '"recurse":[1-9]' timing.0.json || fail "regions by hand: recursion"
same "functions left" "$(left timing.0)" 999

# The program's main is not instrumented, and repeatedly calls functions that are abandoned.
cat >bare.c <<'EOF'
#include <setjmp.h>
#include <stdlib.h>
extern jmp_buf away;
jmp_buf away;
void parse(int depth);
void other(void);
int main(int argc, char **argv)
{
    for (volatile int i = 0; i < atoi(argv[argc - 1]); i++) {
        if (setjmp(away) == 0)
            parse(2);
        other();
    }
    return 0;
}
EOF
cat >parse.c <<'EOF'
#include <setjmp.h>
extern jmp_buf away;
void parse(int depth);
void other(void);
void parse(int depth)
{
    if (depth > 0)
        parse(depth - 1);
    if (depth == 0)
        longjmp(away, 1);
    __asm__ volatile("");
}
void other(void)
{
    __asm__ volatile("");
}
EOF
with=$link
link=''
compile bare.o bare.c -c
link=$with
compile bare bare.o parse.c "$hooks"
silent ./bare 200000
tree timing.0.json bare >found
awk '$2 ~ /\/other$/ { n += $3 } END { exit n != 200000 }' found || { cat found; fail "other"; }

cat >threads.c <<'EOF'
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t inside;

__attribute__((noinline)) static void deepest(int how)
{
    if (how)
        pthread_exit(NULL);
    sem_post(&inside);
    for (;;)
        pause();
}

__attribute__((noinline)) static void deeper(int how)
{
    deepest(how);
    __asm__ volatile("");
}

static void *body(void *how)
{
    deeper(how != NULL);
    return how;
}

__attribute__((noinline)) static void *ordinary(void *unused)
{
    return unused;
}

int main(void)
{
    sem_init(&inside, 0, 0);
    for (int i = 0; i < 50; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, body, i % 2 ? &inside : NULL);
        if (i % 2 == 0) {
            sem_wait(&inside);
            pthread_cancel(thread);
        }
        pthread_join(thread, NULL);
        pthread_create(&thread, NULL, ordinary, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}
EOF
compile threads threads.c "$hooks" -fexceptions
silent ./threads
has "threads that exit inside functions" timing.0.json threads <<EOF
0 /main 1
1 /body 50
1 /body/deeper 50
1 /body/deeper/deepest 50
1 /ordinary 50
EOF

# Coroutines on separate stacks, in turn: every call ends with its exit.
cat >coroutines.c <<'EOF'
#include <stdlib.h>
#include <ucontext.h>

enum { N = 4, ROUNDS = 100 };
static ucontext_t hub, contexts[N];
static int turns[N];

__attribute__((noinline)) static void leaf(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) static void work(int i)
{
    leaf();
    swapcontext(&contexts[i], &hub);
    leaf();
    turns[i]++;
}

static void body(int i)
{
    for (int round = 0; round < ROUNDS; round++)
        work(i);
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = malloc(65536);
        contexts[i].uc_stack.ss_size = 65536;
        contexts[i].uc_link = &hub;
        makecontext(&contexts[i], (void (*)(void))body, 1, i);
    }
    for (int round = 0; round <= ROUNDS; round++)
        for (int i = 0; i < N; i++)
            swapcontext(&hub, &contexts[i]);
    for (int i = 0; i < N; i++)
        if (turns[i] != ROUNDS)
            return 3;
    leaf();
    return 0;
}
EOF
compile coroutines coroutines.c "$hooks"
silent ./coroutines
tree timing.0.json coroutines >found
awk '$2 ~ /\/leaf$/ { n += $3 } END { exit n != 801 }' found ||
    { cat found; fail "coroutines: calls of leaf"; }

[ -n "$CXX" ] || { echo "no C++ compiler: checked as C only"; exit 0; }
cat >throws.cpp <<'EOF'
#include <stdexcept>

__attribute__((noinline)) static void leaf()
{
    __asm__ volatile("");
}

struct guard {
    ~guard()
    {
        leaf();
    }
};

__attribute__((noinline)) static void thrower(int n)
{
    guard held;
    if (n > 0)
        thrower(n - 1);
    if (n == 0)
        throw std::runtime_error("thrown");
}

__attribute__((noinline)) static void again()
{
    try {
        thrower(3);
    } catch (const std::exception &) {
        leaf();
        throw;
    }
}

__attribute__((noinline)) static void item()
{
    try {
        again();
    } catch (...) {
        leaf();
    }
    leaf();
}

int main()
{
    for (int i = 0; i < 100; i++)
        item();
    leaf();
    return 0;
}
EOF
for compiler in $CXX $(command -v clang++ >/dev/null && [ "${CXX%% *}" != clang++ ] && echo clang++); do
    for flags in -O0 "-O2 -fno-inline"; do
        # shellcheck disable=SC2086
        $compiler -g $flags "$hooks" -o throws throws.cpp $link -pthread || fail "cannot compile with $compiler"
        silent ./throws
        # If an exit is skipped, destructors and calls in a catch clause appear too deep.
        tree timing.0.json throws >found
        for wanted in "/main 1" "/main/item 100" "/main/item/again 100" "/main/item/again/thrower 400" "/main/leaf 1"; do
            grep -qxF "0 $wanted" found || { cat found; fail "$compiler $flags: no $wanted"; }
        done
        awk '$2 ~ /\/leaf$/ { n += $3 } END { exit n != 100 * (4 + 1 + 1 + 1) + 1 }' found ||
            { cat found; fail "$compiler $flags: leaves"; }
        case $compiler in
            clang*) ;; # skips exits
            *)
                same "calls left with $compiler $flags" "$(left timing.0)" 0
                grep -qxF "0 /main/item/leaf 200" found || { cat found; fail "leaves in item"; }
                ;;
        esac
    done
done
no_rest
