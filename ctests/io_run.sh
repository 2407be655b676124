#!/bin/sh
# gptl run --io: one log for all processes of a command, in any directory; the region of each call; a
# message about programs that ignore the preload.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/io_lib.sh"
need_tools

cat >regions.c <<'END'
#include <fcntl.h>
#include <gptl.h>
#include <unistd.h>

int main(void)
{
    GPTLstart("main");
    int fd = open("data", O_RDWR | O_CREAT, 0600);
    for (int i = 0; i < 3; i++) {
        GPTLstart("solve");
        GPTLstart("dump \"all\"");
        if (write(fd, "hi", 2) != 2)
            return 1;
        GPTLstop("dump \"all\"");
        lseek(fd, 0, SEEK_SET);
        GPTLstop("solve");
    }
    GPTLstop("main");
    return fd < 0;
}
END
compile regions regions.c
cat >see.py <<'END'
import sys
import ioc_log
sections, damage = ioc_log.read_log("ioc.log")
for s in sections:
    files = {}
    for call in ioc_log.calls_of(s):
        if call.type == "open" and ioc_log.full_path(s, call.data & 0xFFFFFFFF).endswith("/data"):
            data = call.fd
        if call.type in ("write", "lseek") and call.fd == data:
            path, number = [], call.detail[1]
            while number:
                path.insert(0, s.paths[number][0])
                number = s.paths[number][1]
            print(call.type, call.detail[0] > 0, "/".join(path))
END

ends 0 env GPTL_IO="detail=on" "$gptl" run --io --set output=none ./regions 2>stderr
[ ! -s stderr ] || { cat stderr; fail "something on stderr"; }
PYTHONPATH=$programs python3 see.py | sort | uniq -c | sed 's/^ *//' >got
printf '3 lseek True main/solve\n3 write True main/solve/dump "all"\n' >wanted
diff -u wanted got || fail "other regions"

# A node of an ended measurement is not mistaken for the node at its address in the next one.
cat >twice.c <<'END'
#include <fcntl.h>
#include <gptl.h>
#include <unistd.h>

int main(void)
{
    static const char *const names[] = {"one", "two", "three"};
    int fd = open("data", O_RDWR | O_CREAT, 0600);
    for (int i = 0; i < 3; i++) {
        GPTLinitialize();
        GPTLstart(names[i]);
        if (write(fd, "hi", 2) != 2)
            return 1;
        GPTLstop(names[i]);
        GPTLfinalize();
    }
    return fd < 0;
}
END
compile twice twice.c
mkdir measured && cd measured
ends 0 env GPTL_IO="detail=on" "$gptl" run --io --set output=none ../twice
PYTHONPATH=$programs python3 ../see.py >got
printf 'write True %s\n' one two three >wanted
diff -u wanted got || fail "other regions in the second measurement"
cd ..

"$gptl" ioc regions --csv --file '*/data' ioc.log >regions.csv || fail "gptl ioc regions"
sed 's/^[0-9]*\.[0-9]*,//' regions.csv | sort >got
cat >wanted <<'END'
1,0,0,0,0,main,main
3,0,0,0,0,solve,main/solve
3,0,3,0,6,"dump ""all""","main/solve/dump ""all"""
time,calls,reads,writes,read,written,region,path
END
diff -u wanted got || fail "other regions in gptl ioc regions"
! grep -q '^0\.000000000,' regions.csv || fail "a region without time"
"$gptl" ioc summary ioc.log | grep -A5 '^By region' | grep -q ' main/solve/dump "all"$' || fail "no regions in the summary"

# Calls of the timing library itself are not attributed to the program.
rm -f ioc.log
ends 0 "$gptl" run --io -- ./regions
[ -s timing.0 ] && [ -s timing.0.json ] || fail "no report"
"$gptl" ioc dump --csv ioc.log >dump.csv || fail "gptl ioc dump"
python3 - <<'END' >got || fail "calls of the library's own"
import csv
for row in csv.DictReader(open("dump.csv")):
    print(row["call"], row["file"].split("/")[-1])
END
printf '%s data\n' open write lseek write lseek write lseek >wanted
diff -u wanted got || fail "calls of the library's own"

# The same for a static library or a copy under another name, with reports on request.
cat >asks.c <<'END'
#include <dlfcn.h>
#include <fcntl.h>
#include <gptl.h>
#include <unistd.h>
#ifdef COPY
static void *copy;
#define GPTLpr ((int (*)(int))dlsym(copy, "GPTLpr"))
#define NAMED(name) ((int (*)(const char *))dlsym(copy, name))
#define GPTLstart NAMED("GPTLstart")
#define GPTLstop NAMED("GPTLstop")
#define GPTLpr_file NAMED("GPTLpr_file")
#endif
int main(void)
{
    int fd = open("data", O_WRONLY | O_CREAT | O_TRUNC, 0666);
#ifdef COPY
    copy = dlopen("./libtimes.so", RTLD_NOW | RTLD_LOCAL);
#endif
    GPTLstart("a");
    if (write(fd, "12345", 5) != 5)
        return 1;
    GPTLstop("a");
    GPTLpr(0);
    GPTLpr_file("asked");
    return write(fd, "67890", 5) != 5 || close(fd) != 0;
}
END
for kind in shared static copy; do
    with=$link
    case $kind in
        static)
            [ "$enable_static" = yes ] || continue
            link="$builddir/.libs/libgptl.a -lm -ldl"
            ;;
        copy)
            cp "$library" libtimes.so
            link="-ldl -DCOPY"
            ;;
    esac
    compile asks asks.c
    link=$with
    rm -f ioc.log asked timing.*
    preloaded "$PWD/ioc.log" env GPTL_OPTIONS='output=text,json;salvage=on' ./asks || fail "$kind: status $?"
    [ -s asked ] && [ -s timing.0 ] || fail "$kind: no report"
    "$gptl" ioc dump --csv ioc.log >dump.csv || fail "$kind: gptl ioc dump"
    python3 - <<'END' >got || fail "$kind: calls of the library's own"
import csv
for row in csv.DictReader(open("dump.csv")):
    print(row["call"], row["result"] if row["call"] == "write" else "", row["file"].split("/")[-1])
END
    printf '%s data\n' 'open ' 'write 5' 'write 5' 'close ' >wanted
    diff -u wanted got || fail "$kind: calls of the library's own"
done

# Processes in other directories write to the same log, and GPTL_IO may name another one.
mkdir 'in;"side'
ends 0 "$gptl" run --io --set output=none -- sh -c 'echo a >"in;\"side/one"; cd "in;\"side" && ls >/dev/null && cp one two'
[ ! -e 'in;"side/ioc.log' ] || fail "a log in another folder"
sections | grep -q ' one=2$' || fail "no write of the shell's"
ends 0 env GPTL_IO="path=mine.log" "$gptl" run --io --set output=none -- sh -c 'echo a >f'
[ -s mine.log ] || fail "GPTL_IO does not win"
ends 5 "$gptl" run --io --set output=none -- sh -c 'exit 5'
ends 137 "$gptl" run --io --set output=none -- sh -c 'kill -9 $$' 2>stderr

if $CC -static -o all_static "$programs/io_turns.c" -pthread -lrt 2>/dev/null; then
    ends 3 "$gptl" run --io --set output=none ./all_static _exit 2>stderr
    one_line stderr "gptl run: ./all_static is linked statically: no library can see its calls for I/O; link it without -static"
fi

# A program with AddressSanitizer, which expects to be the first library, still starts and finds errors.
cat >sanitized.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char *two = malloc(2);
    int fd = open("sanitized", O_WRONLY | O_CREAT, 0600);
    two[argc] = argv[0][0];
    int n = (int)write(fd, two, 1);
    free(two);
    return n != 1 || close(fd) != 0;
}
END
$CC -fsanitize=address -o sanitized_program sanitized.c || fail "cannot compile sanitized.c"
rm -f ioc.log
ends 0 "$gptl" run --io --set output=none ./sanitized_program
sections | grep -q ' sanitized=1$' || fail "no write of a sanitized program's"
if "$gptl" run --io --set output=none ./sanitized_program more 2>stderr; then
    fail "the sanitizer finds nothing"
fi
grep -q heap-buffer-overflow stderr || { cat stderr; fail "the sanitizer does not tell"; }

# Sixty threads do not fit into 16 chunks, written out or not: the number of lost records and the reason are
# reported.
compile_io turns_program io_turns.c
io_options="memory=64K;full=write" recorded ./turns_program crowd || fail "the crowd does not end well"
# shellcheck disable=SC2094 # where summary is a subcommand
"$gptl" ioc summary ioc.log >summary || fail "gptl ioc summary"
grep -q '^Note: .* lost, .* and more threads .* than have room' summary || { cat summary; fail "not told why"; }

echo "== a program of several names goes by the one that it was started by; a script is its shell"
ln -s "$(command -v cat)" meow
printf '#!/bin/sh\ncat out\n' >script
chmod +x script
for name in ./meow "$PWD/meow"; do
    rm -f ioc.log
    ends 0 "$gptl" run --io --set output=none "$name" "$srcdir/COPYING" >out 2>&1
    "$gptl" ioc dump --csv --process meow ioc.log | grep -q ',open,' || fail "$name: another name"
done
rm -f ioc.log
ends 0 "$gptl" run --io --set output=none ./script >/dev/null 2>&1
"$gptl" ioc dump --csv --process 'script' ioc.log >out 2>&1 || :
! grep -q ',open,' out || fail "a script is no program"

echo "== what cannot be written is said once, by whom it may"
# The log of a shell has more than 1024 bytes, the limit here; the files of `gptl run` in its directory have
# less. The input is not a file and has none.
unwritten() {
    rm -f ioc.log
    (ulimit -f 2 && "$gptl" run --io --set output=none -- sh -c "$1") 2>&1 | cat >told
    same "lines that tell that $2" "$(grep -c "$2" told)" "$3"
}
unwritten 'for i in 1 2 3 4 5; do sh -c :; done' 'calls would not survive a kill' 1
unwritten 'for i in 1 2 3 4 5; do sh -c :; done' 'calls are not recorded' 1
unwritten 'sh -c : 2>/dev/null; sh -c :; sh -c :' 'calls are not recorded' 1
unwritten 'exec 2>&-; cat </dev/null' 'calls are not recorded' 0
unwritten 'exec 2>&-; cat </dev/null' 'no calls were written to ioc.log; there were none, or its disk is full, ' 1
rm -f ioc.log
"$gptl" run --io --set output=none cat /etc/passwd >out 2>told || fail "gptl run --io cat"
same "what is said of a log that is written" "$(cat told)" ""
"$gptl" run --io --set output=none cat /etc/passwd >out 2>told || fail "gptl run --io cat"
one_line told "gptl run: calls for I/O were added to ioc.log, which had those of another run: gptl ioc takes both for one"
