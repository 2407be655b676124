#!/bin/sh
# libgptl_io compared with strace: each read and write of a regular file by independent programs, and by threads of
# ours, is in the log or explained.
# shellcheck disable=SC2016 # scripts for other shells
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/io_lib.sh"
need strace bash tar git sqlite3 gzip sort
strace -o trace true 2>/dev/null || skip "strace may not trace here"

GIT_CONFIG_GLOBAL=/dev/null
GIT_CONFIG_SYSTEM=/dev/null
export GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM
calls=read,write,pread64,pwrite64,readv,writev,preadv,pwritev,preadv2,pwritev2,copy_file_range,sendfile

# true_of SCRIPT: SCRIPT, run by sh in a separate directory.
true_of() {
    echo "== $1"
    rm -rf work ioc.log
    mkdir work
    (cd work && GPTL_IO="path=$builddir/ctests/io_truth.dir/ioc.log" strace -f -y -qq -o ../trace \
        -E LD_PRELOAD="$io_library" -e "trace=$calls" sh -c "$1" >../stdout 2>../stderr </dev/null) || {
        cat stderr
        fail "it fails"
    }
    python3 "$programs/io_truth.py" trace \
        "$builddir/ctests/io_truth.dir/ioc.log" || fail "the log is not what happened"
}

# checked STATUS COMMAND...: exit status and verdict of gptl ioc check.
checked() {
    rm -rf work
    mkdir work
    wanted=$1
    shift
    status=0
    (cd work && "$gptl" ioc check -- "$@" >../stdout 2>../stderr </dev/null) || status=$?
    cat stdout stderr
    [ "$status" = "$wanted" ] || fail "gptl ioc check: exit status $status"
}

if [ -e "$gptl" ]; then
    TMPDIR=$PWD
    export TMPDIR
    echo "== gptl ioc check"
    checked 0 cp /bin/sh b
    grep -q '^strace saw .* [1-9][0-9]* recorded.* 0 not recorded$' stdout || fail "cp"
    checked 0 sqlite3 db "create table t(a); insert into t values (1); vacuum"
    grep -q '^strace saw .* [1-9][0-9]* recorded.* 0 not recorded$' stdout || fail "sqlite3"
    checked 0 sh -c 'seq 3000 >n; sort n | wc -l >o & cat n >p; wait'
    grep -q '^strace saw .* 0 not recorded$' stdout || fail "streams"
    checked 0 sh -c 'for i in 1 2; do sh -c "echo \$i >f\$i; kill -9 \$\$"; done; true'
    grep -q '^strace saw .* 0 not recorded$' stdout || fail "killed processes"
    ! grep -v Killed stderr || fail "told of what check itself has done"
    echo 'int x;' >plugin.c
    $CC -shared -fPIC -o plugin.oct plugin.c || fail "cannot compile plugin.c"
    checked 0 python3 -c "import ctypes; ctypes.CDLL('$PWD/plugin.oct'); open('f', 'w').write('1')"
    grep -q '^strace saw .* [1-9][0-9]* recorded.* 0 not recorded$' stdout || fail "a plugin"
    cat >libc_threads.c <<'END'
#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>
int main(void)
{
    char bytes[50] = {0};
    struct iovec part = {bytes, 30};
    int fd = open("f", O_RDWR | O_CREAT, 0600);
    struct aiocb a = {.aio_fildes = fd, .aio_buf = bytes, .aio_nbytes = 50};
    const struct aiocb *all[] = {&a};
    if (aio_write(&a) || aio_suspend(all, 1, NULL) || aio_return(&a) != 50 || aio_read(&a) ||
        aio_suspend(all, 1, NULL) || aio_return(&a) != 50)
        return 1;
    return preadv2(fd, &part, 1, 0, 0) != 30 || pwritev2(fd, &part, 1, 0, 0) != 30;
}
END
    $CC -D_FILE_OFFSET_BITS=64 -o libc_threads libc_threads.c -lrt -pthread ||
        fail "cannot compile libc_threads.c"
    checked 0 ../libc_threads
    grep -q '^strace saw .* 4 recorded.* 0 not recorded$' stdout || fail "libc's threads"
    cat >direct.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
    int fd = open("f", O_RDWR | O_CREAT, 0600);
    for (int i = 0; i < 3; i++)
        if (write(fd, "12", 2) != 2 || syscall(SYS_write, fd, "1234567", 7) != 7)
            return 1;
    return 0;
}
END
    $CC -o direct direct.c || fail "cannot compile direct.c"
    checked 1 ../direct
    grep -q '^strace saw .* 3 recorded.* 3 not recorded$' stdout || fail "direct calls"
    grep -q '^  3 times, thread [0-9]*: write([0-9]*) 7 ".*/work/f"$' stdout || fail "not listed"
    [ -z "$(ls -d gptl-ioc.* 2>/dev/null)" ] || fail "files are left"
    ends 2 "$gptl" ioc check 2>stderr
    PATH=/nowhere "$gptl" ioc check true 2>stderr && fail "without strace"
    one_line stderr "gptl ioc check: strace, which it compares with, is not installed"
fi

compile_io turns_program io_turns.c
true_of 'dd if=/bin/sh of=x bs=1000; dd if=x of=y bs=4k'
true_of 'cp /bin/sh b; cp --reflink=never b c; cp --sparse=always b d'
true_of 'sqlite3 db "create table t(a); begin; insert into t select 1 from (select 1 union select 2); commit; select count(*) from t; vacuum; pragma integrity_check"'
true_of 'mkdir d e; seq 1000 >d/one; seq 20000 >d/two; tar -cf t.tar d; tar -xf t.tar -C e'
true_of 'git init -q . && seq 5000 >file && git add . && git -c user.name=n -c user.email=e commit -qm c && git log && git gc -q && git fsck'
true_of 'seq 20000 >n; sort -R n | sort -n -S 100k -T . | tail -n 1 >o; cat n n >p; wc -l <p; gzip -c n | gzip -d | cmp - n'
true_of 'bash -c "for i in 1 2 3; do echo \$i >>f; done; while read x; do echo \$x; done <f >g"'
true_of 'python3 -c "
import os
open(\"f\", \"w\").write(\"x\" * 100000)
print(len(open(\"f\").read()))
os.pwrite(os.open(\"g\", os.O_CREAT | os.O_RDWR), b\"abc\", 5)"'
true_of '../turns_program threads'
