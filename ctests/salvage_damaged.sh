#!/bin/sh
# A truncated or damaged salvage file: `gptl report` names the damage and exits with 2, or
# reports the readable part. It never crashes, loops, or allocates without bound.
# shellcheck disable=SC2094 # where report is a subcommand
# shellcheck disable=SC3045 # ulimit -c, which every shell has
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"
need_tools

# A small file with all features: two threads, recursion, crossed stops, open regions, CPU
# times, a histogram, marks.
cat >small.c <<'EOF'
#include <gptl.h>
#include <pthread.h>
#include <unistd.h>

static void *work(void *unused)
{
    char name[] = "region_x";
    for (char c = 'a'; c <= 'z'; c++) {
        name[7] = c;
        GPTLstart(name);
        GPTLstart("inner");
        GPTLstart("region_a");
        GPTLstop("region_a");
        if (c == 'm')
            GPTLmark("mark");
        GPTLstop(c == 'q' ? name : "inner");
        GPTLstop(c == 'q' ? "inner" : name);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    GPTLstart("total");
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    work(NULL);
    _exit(0);
}
EOF
compile small small.c
# The same addresses and times in every run, where possible.
fixed="setarch -R"
$fixed true 2>/dev/null || fixed=
GPTL_OPTIONS='salvage=on;cpu=on;histogram=on;utr=placebo' $fixed ./small
mv gptl-salvage.* whole
ends 0 "$gptl" report whole >report
same "calls" "$(calls report inner)$(calls report inner 1)" 2626

# damage SEED FILE: write variants of FILE and print the damage of each; run the command on
# each and stop at the first that ends with a signal or an unexpected status, or takes long.
cat >damage.c <<'EOF'
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t state;

static uint64_t next(void) /* xorshift64 */
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void save(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *f = fopen(path, "w");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
        exit(3);
}

static int run(const char *gptl, const char *path)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        int said = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0644);
        dup2(null, 1);
        dup2(said, 2);
        alarm(10);
        struct rlimit memory = {2L << 30, 2L << 30};
        if (!getenv("SANITIZED"))
            setrlimit(RLIMIT_AS, &memory);
        execl(gptl, gptl, "report", path, (char *)0);
        _exit(99);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int said_something(void)
{
    FILE *f = fopen("said", "r");
    int c = f ? getc(f) : EOF;
    if (f)
        fclose(f);
    return c != EOF;
}

/* What is dense in pointers and counts is hit most: bytes that are not 0, and their words. */
static size_t place(const unsigned char *bytes, size_t size)
{
    size_t at = next() % size;
    for (size_t i = 0; i < size && next() % 64; i++, at = (at + 1) % size)
        if (bytes[at])
            break;
    return at;
}

int main(int argc, char **argv)
{
    static unsigned char whole[1 << 22], bytes[1 << 22];
    int n = atoi(argv[3]), readable = 0, refused = 0;
    FILE *f = fopen(argv[2], "r");
    size_t size = f ? fread(whole, 1, sizeof whole, f) : 0;
    state = strtoull(argv[4], NULL, 10) * 2654435761u + 88172645463325252u;
    for (int i = 0; i < n && argc == 5 && size; i++) {
        memcpy(bytes, whole, size);
        size_t length = size;
        if (i % 5 == 0) {
            length = next() % (i % 10 ? size : 200000);
        } else {
            for (int k = 1 << next() % 6; k > 0; k--) {
                size_t at = place(whole, size);
                uint64_t word = next(), known;
                memcpy(&known, whole + place(whole, size) / 8 * 8 % (size - 8), 8);
                switch (next() % 5) {
                case 0: /* a bit */
                    bytes[at] ^= (unsigned char)(1 << word % 8);
                    break;
                case 1: /* a byte */
                    bytes[at] = (unsigned char)word;
                    break;
                case 2: /* a word that stands elsewhere: an address, likely */
                    memcpy(bytes + at / 8 * 8 % (size - 8), &known, 8);
                    break;
                case 3: /* near what stood there */
                    memcpy(&known, bytes + at / 8 * 8 % (size - 8), 8);
                    known += word % 4097 - 2048;
                    memcpy(bytes + at / 8 * 8 % (size - 8), &known, 8);
                    break;
                default: /* all ones, or the largest number of each kind */
                    word = word % 2 ? UINT64_MAX : word % 3 ? INT64_MAX : UINT32_MAX;
                    memcpy(bytes + at / 8 * 8 % (size - 8), &word, 8);
                }
            }
        }
        save("damaged", bytes, length);
        int status = run(argv[1], "damaged");
        if ((status != 0 && status != 2) || (status == 2 && !said_something())) {
            printf("variant %d ends with %d\n", i, status);
            return 1;
        }
        readable += status == 0;
        refused += status == 2;
    }
    printf("%d readable, %d refused\n", readable, refused);
    return readable == 0 || refused == 0;
}
EOF
# shellcheck disable=SC2086
$CC -g -O1 -o damage damage.c || fail "cannot compile damage.c"
variants=1000 # about 5 s
if [ "$sanitize" != no ]; then
    variants=200
    SANITIZED=1 # which takes address space without end
    export SANITIZED
fi
ulimit -c 0
./damage "$gptl" whole $variants 1 || {
    cat said
    "$gptl" report damaged >/dev/null || true
    fail "a damaged file"
}

# refused FILE MESSAGE
refused() {
    ends 2 "$gptl" report "$1" >stdout 2>stderr
    [ ! -s stdout ] || fail "something on stdout"
    one_line stderr "gptl report: $1: $2"
}
: >empty
refused empty "the file is empty"
echo text >text
refused text "this is not a JSON report"
head -c 300000 /dev/zero >zeros
refused zeros "this is a binary file, not a JSON report"
head -c 300000 /dev/urandom >noise
refused noise ""
head -c 4000 whole >short
refused short "it is too short"
{ printf 'GPTLsalv\377\377\377\177'; tail -c +13 whole; } >version
refused version "another version of the library wrote it"
refused missing "No such file or directory"
mkdir folder
ends 2 "$gptl" report folder 2>stderr
one_line stderr "folder: there is no salvage file"
# An unreadable file does not prevent the report of others.
cp whole folder/gptl-salvage.a.1
cp text folder/gptl-salvage.a.0
ends 2 "$gptl" report folder >report 2>stderr
same "calls" "$(calls report inner)" 26
