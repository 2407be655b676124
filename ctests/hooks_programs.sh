#!/bin/sh
# Instrumented programs of all kinds: thousands of threads, a recursive-descent
# parser, virtual calls, ten thousand functions, very deep recursion; under options
# that close the gate, with hardly any memory, killed, forked, disabled and
# enabled.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/hooks_lib.sh"
need "$CC"
need_plain_build # other programs than the sanitizer knows

# ---- A parser of sums, products and brackets --------------------------------------

cat >parser.c <<'EOF'
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *at;

static long expression(void);

static long number(void)
{
    long n = 0;
    while (isdigit((unsigned char)*at))
        n = 10 * n + *at++ - '0';
    return n;
}

static long factor(void)
{
    if (*at != '(')
        return number();
    at++;
    long value = expression();
    at++;
    return value;
}

static long term(void)
{
    long value = factor();
    while (*at == '*') {
        at++;
        value *= factor();
    }
    return value;
}

static long expression(void)
{
    long value = term();
    while (*at == '+') {
        at++;
        value += term();
    }
    return value;
}

int main(void)
{
    for (int i = 0; i < 100; i++) {
        at = "((1+2)*(3+4*(5+6)))+7*(8+(9))";
        if (expression() != 3 * 47 + 7 * 17)
            return 3;
    }
    return 0;
}
EOF
compile parser parser.c "$hooks"
for options in "" "histogram=on" "cpu=on" "utr=gettimeofday" "marks=3" "tablesize=16" "depthlimit=1000" \
    "histogram=on;cpu=on;utr=clockgettime" "memory=1M" "salvage=on"; do
    GPTL_OPTIONS="output=text,json;$options"
    silent ./parser
    has "parser with $options" timing.0.json parser <<EOF
0 /main 1
0 /main/expression 700
0 /main/expression/term 1200
0 /main/expression/term/factor 1500
0 /main/expression/term/factor/number 900
EOF
done
GPTL_OPTIONS="output=text,json;depthlimit=3"
silent ./parser
has "parser with a depth limit" timing.0.json parser <<EOF
0 /main 1
0 /main/expression 100
0 /main/expression/term 200
EOF
grep -q '^4000 calls lay deeper' timing.0 || fail "$(grep deeper timing.0): not 4000 calls"

# ---- Threads ---------------------------------------------------------------------

cat >threads.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>

static __attribute__((noinline)) void leaf(void)
{
    __asm__ volatile("");
}

static void *body(void *unused)
{
    leaf();
    leaf();
    return unused;
}

static __attribute__((noinline)) void batch(int n)
{
    pthread_t threads[16];
    for (int i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, body, NULL))
            abort();
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    for (int i = 0; i < 500; i++)
        batch(8);
    return 0;
}
EOF
GPTL_OPTIONS="output=text,json"
compile threads threads.c "$hooks"
for options in "" "histogram=on;cpu=on" "memory=1M"; do
    GPTL_OPTIONS="output=text,json;$options"
    silent ./threads
    tree timing.0.json threads | sed 's/^[1-9][0-9]* /N /' |
        awk '{ n[$1 " " $2] += $3 } END { for (p in n) print p, n[p] }' | LC_ALL=C sort >found
    printf '0 /main 1\n0 /main/batch 500\nN /body 4000\nN /body/leaf 8000\n' >wanted
    diff wanted found || fail "threads with $options"
done

# ---- Ten thousand functions, called by ten ----------------------------------------

awk 'BEGIN {
    print "int main(void);"
    for (i = 0; i < 10000; i++) print "static __attribute__((noinline)) void f" i "(void) { __asm__ volatile(\"\"); }"
    print "static void (*const all[])(void) = {"
    for (i = 0; i < 10000; i++) print "f" i ","
    print "};"
    print "static __attribute__((noinline)) void calls(int from, int by) { for (int i = from; i < 10000; i += by) all[i](); }"
    print "int main(void) { for (int i = 0; i < 3; i++) { calls(0, 1); calls(0, 10); } return 0; }"
}' >many.c
link="-O0 $link"
compile many many.c "$hooks"
link=${link#-O0 }
GPTL_OPTIONS="output=json"
silent ./many
tree timing.0.json many | awk '$2 ~ /^\/main\/calls\/f[0-9]+$/ { n++; if ($3 != (substr($2, 14) % 10 ? 3 : 6)) bad++ }
    END { if (n != 10000 || bad) { print n, bad; exit 1 } }' || fail "ten thousand functions"
# With memory for few of them, all calls are still counted.
GPTL_OPTIONS="output=text,json;memory=1M"
silent ./many
tree timing.0.json many | awk '$2 !~ /\/main\/calls$/ && $2 != "/main" { n += $3 } END { if (n != 33000) { print n; exit 1 } }' ||
    fail "ten thousand functions in 1 MB"

# ---- Deep recursion --------------------------------------------------------------

cat >deep.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>

static __attribute__((noinline)) void leaf(void)
{
    __asm__ volatile("");
}

static __attribute__((noinline)) int down(int n);
static __attribute__((noinline)) int further(int n)
{
    return n ? down(n - 1) + 1 : 0;
}

static __attribute__((noinline)) int down(int n)
{
    leaf();
    return n ? further(n - 1) + 1 : 0;
}

static void *body(void *unused)
{
    down(1000000);
    return unused;
}

int main(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, (size_t)512 << 20);
    if (pthread_create(&thread, &attr, body, NULL))
        return 3;
    pthread_join(thread, NULL);
    return 0;
}
EOF
compile deep deep.c "$hooks"
GPTL_OPTIONS="output=text,json"
silent ./deep
has "deep recursion" timing.0.json deep <<EOF
0 /main 1
1 /body 1
1 /body/down 500001
1 /body/down/further 500000
1 /body/down/leaf 500001
EOF

# ---- Switches --------------------------------------------------------------------

cat >switches.c <<'EOF'
#include "hooks.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((noinline)) void leaf(void)
{
    __asm__ volatile("");
}

static __attribute__((noinline)) void work(int n)
{
    for (int i = 0; i < n; i++)
        leaf();
}

static __attribute__((noinline)) void off(void)
{
    leaf();
    GPTLdisable();
    leaf();
}

static __attribute__((noinline)) void on(void)
{
    leaf();
    GPTLenable();
    leaf();
}

static __attribute__((noinline)) void child(void)
{
    work(3);
    exit(0);
}

int main(int argc, char **argv)
{
    (void)argc;
    switch (argv[1][0]) {
    case 'd': /* disabled in one function, enabled in another */
        for (int i = 0; i < 10; i++) {
            work(2);
            off();
            work(100);
            on();
        }
        break;
    case 'r':
        work(50);
        GPTLreset();
        work(5);
        break;
    case 'm':
        for (int i = 0; i < 200; i++) {
            work(5);
            GPTLmark("step");
        }
        break;
    case 'f':
        work(1);
        if (fork() == 0)
            child();
        wait(NULL);
        if (vfork() == 0)
            _exit(0);
        wait(NULL);
        work(1);
        break;
    case 'a': /* measurements one after another, the functions always there */
        for (int i = 0; i < 20; i++) {
            GPTLinitialize();
            work(2);
            GPTLfinalize();
            work(100);
        }
        GPTLinitialize();
        work(7);
        CHECK_INT(hooks_count(work), 1);
        CHECK_INT(hooks_count(leaf), 7);
        break;
    case 'k':
        work(1000);
        kill(getpid(), 9);
    }
    return 0;
}
EOF
sed -i 's/#include <stdlib.h>/#include <signal.h>\n&/' switches.c
compile switches switches.c "$hooks" -I"$srcdir/ctests"
for options in "" "histogram=on;cpu=on"; do
    GPTL_OPTIONS="output=text,json;$options"
    silent ./switches disable
    has "disabled and enabled $options" timing.0.json switches <<EOF
0 /main 1
0 /main/off 10
0 /main/off/leaf 10
0 /main/leaf 10
0 /main/work 10
0 /main/work/leaf 20
EOF
    silent ./switches reset
    has "reset $options" timing.0.json switches <<EOF
0 /main 1
0 /main/work 1
0 /main/work/leaf 5
EOF
    silent ./switches marks
    has "marks $options" timing.0.json switches <<EOF
0 /main 1
0 /main/work 200
0 /main/work/leaf 1000
EOF
    rm -f timing.*
    silent ./switches fork
    same "reports with a child" "$(files timing.*json | wc -l)" 2
    for report in timing.*json; do
        tree "$report" switches
    done | LC_ALL=C sort >found
    cat >wanted <<EOF
0 /child 0
0 /child/work 1
0 /child/work/leaf 3
0 /main 1
0 /main/work 2
0 /main/work/leaf 2
EOF
    grep -v '/child 0' wanted >wanted2
    grep -v '/child [01]$' found | diff wanted2 - || fail "fork $options"
    silent ./switches again
done

if [ -x "$gptl" ]; then
    GPTL_OPTIONS="salvage=on;output=text,json"
    export GPTL_OPTIONS
    rm -f timing.*
    ends 137 ./switches killed 2>/dev/null
    file=$(files gptl-salvage.* | head -n 1)
    [ -n "$file" ] || fail "nothing was left of what was killed"
    "$gptl" report "$file" >salvaged || fail "gptl report: exit status $?"
    awk '$1 == "work" || $2 == "work" || /switches\+0x/ { found = 1 } END { exit !found }' salvaged ||
        { cat salvaged; fail "no functions in what was left"; }
    grep -q ' 1000 ' salvaged || { cat salvaged; fail "not a thousand calls"; }
    rm -f gptl-salvage.*
fi
no_rest
