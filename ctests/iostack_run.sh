#!/bin/sh
# gptl run --iostack with programs without MPI: libc I/O calls as spans, with bytes, offsets and files; below the
# probes of an instrumented program; in children, threads and signal handlers; the location of the logs, and the
# messages about them.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3
need_plain_build
need_tools
need_shared
[ -e "$builddir/.libs/libgptl_probe.so.0" ] || skip "built without libgptl_probe"
PYTHONPATH=$srcdir/ctests/programs
export PYTHONPATH

# run STATUS ARGUMENT...: gptl run --iostack=logs; it writes no other files.
run() {
    status=$1
    shift
    rm -rf logs
    ends "$status" "$gptl" run --iostack=logs --set output=none "$@" 2>stderr
}

# shown: each span as "layer operation bytes offset file", with the layer of its parent, in order of time.
cat >shown.py <<'END'
import glob
from iostack_log import LAYERS, OPERATIONS, read
spans, _ = read(glob.glob("logs/*.log"))
for s in sorted(spans, key=lambda s: s.begin):
    print(LAYERS[s.layer], OPERATIONS[s.operation], s.bytes, s.offset, s.file.split("/")[-1] or "-",
          *([LAYERS[s.parent.layer]] if s.parent else []))
    assert s.end >= s.begin, vars(s)
END
shown() {
    python3 shown.py >got || fail "cannot read the logs"
    diff -u "$1" got || fail "other spans"
}

cat >calls.c <<'END'
#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef PROBES
#include <gptl_probe.h>
#else
#define GPTLprobe_begin(layer, operation)
#define GPTLprobe_end(layer)
#endif

static char b[4096];

static int plain(void)
{
    int fd = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600), copy, n = 0;
    struct iovec v[2] = {{b, 10}, {b, 20}};
    n += write(fd, b, 100) != 100;
    n += pwrite(fd, b, 50, 1000) != 50;
    n += writev(fd, v, 2) != 30;
    lseek(fd, 10, SEEK_SET);
    n += read(fd, b, 20) != 20;
    n += read(fd, b, 20) != 20;
    n += pread(fd, b, 4000, 1040) != 10;
    n += fsync(fd) != 0;
    n += ftruncate(fd, 5000) != 0;
    copy = dup(fd); /* its offset is another one's as well from now on */
    n += read(fd, b, 1) != 1;
    close(copy);
    close(fd);
    return n;
}

static int others(void)
{
    int n = 0, fd = open("appended", O_WRONLY | O_CREAT | O_APPEND, 0600);
    FILE *f = fopen("data", "r");
    n += write(fd, b, 7) != 7;
    close(fd);
    n += fread(b, 1, 10, f) != 10;
    fclose(f);
    n += open("none", O_RDONLY) >= 0;
    n += open("/etc/passwd", O_RDONLY) < 0;
    n += rename("appended", "renamed") != 0;
    return n + (unlink("renamed") != 0);
}

static int asynchronous(void)
{
    int fd = open("data", O_RDWR);
    struct aiocb a = {.aio_fildes = fd, .aio_buf = b, .aio_nbytes = 300, .aio_offset = 4900};
    const struct aiocb *list[] = {&a};
    if (fd < 0 || aio_read(&a) != 0 || aio_suspend(list, 1, NULL) != 0)
        return 1;
    return aio_return(&a) != 100 || close(fd) != 0;
}

static void *in_thread(void *unused)
{
    int fd = open("thread", O_WRONLY | O_CREAT, 0600);
    (void)unused;
    return (void *)(intptr_t)(write(fd, b, 3) != 3 || close(fd) != 0);
}

static int threads_and_children(void)
{
    pthread_t thread;
    void *failed = NULL;
    int status, fd = open("data", O_RDONLY);
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, &failed);
    pid_t child = fork();
    if (child == 0)
        _exit(read(fd, b, 11) != 11);
    waitpid(child, &status, 0);
    return failed != NULL || status != 0 || close(fd) != 0;
}

static int becomes_another(void)
{
    int status, fd = open("data", O_RDONLY);
    pid_t child = fork();
    if (child == 0) {
        close(fd);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    return status != 0 || close(fd) != 0;
}

int main(int argc, char **argv)
{
    int n = 0;
    GPTLprobe_begin(GPTL_LAYER_APP, GPTL_OP_OTHER);
    if (strcmp(argv[1], "plain") == 0)
        n = plain();
    else if (strcmp(argv[1], "others") == 0)
        n = others();
    else if (strcmp(argv[1], "asynchronous") == 0)
        n = asynchronous();
    else if (strcmp(argv[1], "execs") == 0)
        n = becomes_another();
    else
        n = threads_and_children();
    GPTLprobe_end(GPTL_LAYER_APP);
    return n + argc - 2;
}
END
# shellcheck disable=SC2086 # a compiler with flags
$CC -std=gnu11 -Wall -Wextra -Werror -pthread -o calls calls.c -lrt || fail "cannot compile calls.c"

echo "== plain calls: offsets are known as long as nobody else moves them"
cat >plain.expected <<'END'
posix open -1 -1 data
posix write 100 0 data
posix write 50 1000 data
posix write 30 100 data
posix read 20 10 data
posix read 20 30 data
posix read 10 1040 data
posix sync -1 -1 data
posix resize -1 5000 data
posix read 1 50 data
posix close -1 -1 data
posix close -1 -1 data
END
run 0 ./calls plain
shown plain.expected
one_line stderr "gptl run: 1 log of 1 process in logs; look at them with: gptl iostack logs"
[ ! -e ioc.log ] || fail "a log of calls, which nobody asked for"
"$gptl" iostack --csv logs >out.csv 2>err || { cat err; fail "the logs"; }
same "calls" "$(grep -c ',posix,' out.csv)" 12
grep -q ",posix,1,write,$PWD/data,1," out.csv || fail "the path of the file"
"$gptl" iostack --by device --csv logs >out.csv || fail "devices"
grep -q '^/proc/self/io,' out.csv || [ ! -r /proc/self/io ] || ! grep -q . /proc/diskstats ||
    ! grep -qE "^ *$(stat -c '%Hd +%Ld' .) " /proc/diskstats || fail "nothing of this process: $(cat out.csv)"

echo "== streams, files that are appended to, paths: what names a file only is no span of its own"
run 0 ./calls others
cat >others.expected <<'END'
posix open -1 -1 appended
posix open -1 -1 data
posix write 7 0 appended
posix close -1 -1 appended
posix read 10 -1 data
posix close -1 -1 data
END
shown others.expected

echo "== asynchronous: from the request to its result"
run 0 ./calls asynchronous
printf 'posix %s data\n' 'open -1 -1' 'read 100 4900' 'close -1 -1' >asynchronous.expected
shown asynchronous.expected

echo "== threads, and a child that ends by _exit"
run 0 ./calls threads
cat >threads.expected <<'END'
posix open -1 -1 data
posix open -1 -1 thread
posix write 3 -1 thread
posix close -1 -1 thread
posix read 11 0 data
posix close -1 -1 data
END
sed -i 's/^posix write 3 -1/posix write 3 0/' threads.expected
shown threads.expected
one_line stderr "gptl run: 2 logs of 2 processes in logs"
"$gptl" iostack --json logs >out.json
grep -q '"killed":0,' out.json || fail "a process that ended by _exit counts as killed"

echo "== a child that only closes what it has from its parent, and becomes another program, has no log"
run 0 ./calls execs
printf 'posix %s data\n' 'open -1 -1' 'close -1 -1' >closes.expected
shown closes.expected
one_line stderr "gptl run: 1 log of 1 process in logs"

echo "== under the probes of a program that has some, linked with the library or not"
link="$builddir/.libs/libgptl_probe.so -Wl,-rpath,$builddir/.libs"
compile probed calls.c -DPROBES -lrt
run 0 ./probed plain
sed 's/$/ app/; 1iapp other -1 -1 -' plain.expected >probed.expected
shown probed.expected

echo "== with --io both logs are there; a folder of its own for each run; a folder that is taken"
rm -rf logs
ends 0 "$gptl" run --io --iostack=logs --set output=none ./calls plain 2>stderr
[ -s ioc.log ] || fail "no log of calls"
shown plain.expected
rm -f ioc.log
ends 2 "$gptl" run --iostack=logs --set output=none ./calls plain 2>stderr
one_line stderr "gptl run: logs has logs of another run; name another folder"
ends 0 "$gptl" run --iostack --set output=none ./calls plain 2>stderr
ends 0 "$gptl" run --iostack --set output=none ./calls plain 2>stderr
one_line stderr "gptl iostack iostack.1"
[ -s iostack/posix.0.log ] && [ -s iostack.1/posix.0.log ] || fail "the folders: $(ls)"
ends 2 "$gptl" run --iostack= ./calls plain >/dev/null 2>&1
ends 2 "$gptl" run --iostack=none/x ./calls plain 2>stderr
one_line stderr "gptl run: cannot make none/x: No such file or directory"

echo "== a program that makes no calls, and one with an environment of its own"
run 0 true
one_line stderr "gptl run: no process made calls for I/O that could be seen"
[ ! -e logs ] || fail "an empty folder is left"
run 0 env -i PATH="$PATH" ./calls plain
shown plain.expected
run 5 sh -c 'echo a >f; exit 5'
one_line stderr "1 log of 1 process"
mkdir empty
ends 2 "$gptl" iostack empty 2>err
one_line err "gptl iostack: empty: there is no log of spans in this folder"

echo "== many processes: their logs are numbered without gaps, whoever of them is first"
# shellcheck disable=SC2016 # for the other shell
run 0 sh -c 'n=0; while [ $n -lt 20 ]; do (echo a >f) & (echo b >g); n=$((n + 1)); done; wait'
n=$(find logs -type f | wc -l)
[ "$n" -ge 40 ] || fail "of $n processes only"
while [ "$n" -gt 0 ]; do
    n=$((n - 1))
    [ -s "logs/posix.$n.log" ] || fail "there is no log $n: $(ls logs)"
done

echo "== calls are numbered for each process, and so are rows"
run 0 sh -c 'exec 3<stderr; ./calls plain'
"$gptl" iostack --csv logs >out.csv || fail "the logs"
same "rows of the first call" "$(grep ',posix,0,' out.csv | sed 's/^[^,]*,//; s/,.*,/ /' | sort | tr '\n' ' ')" "posix calls posix sh "
same "rows" "$(grep -c ',calls$' out.csv)" 12

echo "== a server that gives up its rights, or changes its root, and its children"
cat >server.py <<'END'
import os
import sys
how, user = sys.argv[1], int(sys.argv[2])
def write(name, n):
    f = os.open(name, os.O_CREAT | os.O_WRONLY, 0o666)
    for i in range(n):
        os.write(f, b"12345")
    os.close(f)
def work():
    if user:
        os.setuid(user)
    else:
        os.chroot("home")
        os.chdir("/")
    write("after" if user == 0 else "home/after", 20000)
os.mkdir("home")
os.chmod("home", 0o1777)
if how == "alone":
    write("before", 10)
    work()
elif os.fork() == 0:
    work()
    os._exit(0)
else:
    os.wait()
END
# gives_up HOW USER: one that can become USER, or 0: can change its root, alone or after fork.
gives_up() {
    rm -rf home logs before
    status=0
    $as_root "$gptl" run --iostack=logs --set output=none python3 server.py "$@" 2>stderr || status=$?
    same "exit status" $status 0
    grep -v '^gptl run: ' stderr >said || :
    same "what is said" "$(cat said)" ""
    "$gptl" iostack --csv --by effect logs >out.csv || fail "the logs"
    grep -q '^posix,write,.*/after,20000,posix,20000,1,100000,' out.csv || fail "spans are lost: $(cat out.csv)"
}
as_root=
[ "$(id -u)" = 0 ] || as_root="unshare -r"
if ! $as_root python3 -c 'import os, mmap; mmap.mmap(-1, 4096).madvise(23); os.chroot(".")' 2>/dev/null; then
    echo "(no root can be changed here, or Linux is older than 5.14)"
else
    gives_up alone 0
    gives_up child 0
    if [ -z "$as_root" ]; then
        chmod 755 .
        gives_up alone 65534
        gives_up child 65534
    fi
fi

echo "== no room for logs: the program goes on"
rm -rf logs
(ulimit -f 100; "$gptl" run --iostack=logs --set output=none ./calls plain) 2>stderr || fail "no room"

echo "== without libgptl_probe, libgptl_io records calls and nothing else"
rm -rf ./*.log logs
GPTL_IOSTACK=path=x.log GPTL_IO=path=own.log LD_PRELOAD=$builddir/.libs/libgptl_io.so.0 ./calls plain || fail "alone"
[ -s own.log ] && [ ! -e x.log ] || fail "alone: $(ls)"

echo "== what cannot be written is said once"
(ulimit -f 200 && "$gptl" run --iostack=unwritten --set output=none -- sh -c 'for i in 1 2 3; do ./calls plain; done') 2>&1 |
    cat >told
same "lines that tell of logs that cannot be written" "$(grep -c '^gptl_probe: cannot write ' told)" 1
same "logs" "$(grep -c '^gptl run: 3 logs of 3 processes' told)" 1
