#!/bin/sh
# gptl memsig of unusual programs: code loaded where other code was, generated code, jumps out of functions,
# signals, 64 threads, static linking, no symbols.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need_tools
. "$srcdir/ctests/memsig_lib.sh"

cat >doubles.c <<'EOF2'
static volatile double x[100];
long step(int n)
{
    for (int i = 0; i < n; i++)
        x[i % 100] = i;
    return n;
}
EOF2
sed 's/double/float/' doubles.c >floats.c
cat >load.c <<'EOF2'
#include <dlfcn.h>
int main(void)
{
    void *before = 0;
    for (int i = 0; i < 6; i++) {
        void *library = dlopen(i % 2 ? "./doubles.so" : "./floats.so", RTLD_NOW);
        void *function = library ? dlsym(library, "step") : 0;
        long (*step)(int);
        if (!function || (before && function != before))
            return library ? 3 : 2;
        before = function;
        *(void **)&step = function;
        step(1000 * (i + 1));
        dlclose(library);
    }
    return 0;
}
EOF2
# shellcheck disable=SC2086 # words
for library in doubles floats; do
    $CC -g -O1 -shared -fPIC -o $library.so $library.c || fail "cannot compile"
done
compile load load.c -ldl
for sample in "" --sample=200000; do
    # shellcheck disable=SC2086 # none, when it is empty
    signature load.json $sample -- ./load
    python "" <<'EOF2'
from memsig_sums import Signature
signature = Signature("load.json")
of = {"doubles.so": 0, "floats.so": 0}
for block in signature.of("step"):
    of[signature.all["functions"][block["function"]]["module"]] += block["stores"]
# No other store occurs in each call.
assert of == {"doubles.so": 12000, "floats.so": 9000}, of
EOF2
done

cat >make.c <<'EOF2'
#include <string.h>
#include <sys/mman.h>
/* Returns a number, and one from memory, in turn. */
int main(void)
{
    unsigned char number[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xc3};
    unsigned char load[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0x48, 0x8b, 0x00, 0xc3};
    unsigned char *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static long five = 5;
    long sum = 0, *from = &five, (*run)(void);
    if (code == MAP_FAILED)
        return 2;
    *(void **)&run = code;
    for (long i = 0; i < 200; i++) {
        memcpy(number + 2, &i, sizeof i);
        memcpy(load + 2, &from, sizeof from);
        if (i % 2)
            memcpy(code, number, sizeof number);
        else
            memcpy(code, load, sizeof load);
        sum += run();
    }
    return sum != 10500;
}
EOF2
compile make make.c
signature make.json -- ./make
python "" <<'EOF2'
from memsig_sums import Signature
signature = Signature("make.json")
made = [b for b in signature.of("") if not signature.all["functions"][b["function"]]["module"]]
print(made)
# The two kinds of code, which return by a load.
assert sorted((b["executions"], b["loads"]) for b in made) == [(100, 100), (100, 200)]
EOF2

cat >jump.c <<'EOF2'
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
static sigjmp_buf back;
static volatile int alarms;
static void fault(int number) { siglongjmp(back, number); }
static void tick(int number) { alarms += number > 0; }
int main(void)
{
    struct itimerval often = {{0, 1000}, {0, 1000}};
    struct sigaction action = {.sa_handler = fault, .sa_flags = SA_NODEFER};
    volatile int caught = 0;
    jmp_buf here;
    sigaction(SIGSEGV, &action, 0);
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &often, 0);
    while (caught < 100) {
        if (sigsetjmp(back, 1) == 0)
            *(volatile int *)8 = 1;
        caught++;
    }
    for (volatile int i = 0; i < 1000; i++)
        if (setjmp(here) == 0)
            longjmp(here, 1);
    while (alarms < 20)
        caught++;
    return 0;
}
EOF2
# The compiler recognizes the access to address 8.
compile jump jump.c -Wno-array-bounds
signature jump.json -- ./jump

cat >threads.c <<'EOF2'
#include <pthread.h>
static double values[64][512];
static void *work(void *of)
{
    for (int turn = 0; turn < 20; turn++)
        for (int i = 0; i < 512; i++)
            ((volatile double *)of)[i] += i;
    return 0;
}
int main(void)
{
    pthread_t threads[64];
    for (int i = 0; i < 64; i++)
        if (pthread_create(&threads[i], 0, work, values[i]))
            return 2;
    for (int i = 0; i < 64; i++)
        pthread_join(threads[i], 0);
    return 0;
}
EOF2
# shellcheck disable=SC2086 # words
$CC -g -O1 -pthread -o threads threads.c && $CC -O1 -static -pthread -o static threads.c &&
    $CC -O1 -s -pthread -o stripped threads.c || fail "cannot compile"
for program in threads static stripped; do
    signature $program.json -- ./$program
    "$gptl" memsig show $program.json >shown || fail "show"
    python $program <<'EOF2'
import sys
from memsig_sums import Signature
signature = Signature(sys.argv[1] + ".json")
assert signature.all["threads"] == 65
assert signature.sum("flops_scalar") == 64 * 20 * 512, signature.sum("flops_scalar")
EOF2
done
no_folder
