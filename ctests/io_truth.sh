#!/bin/sh
# libgptl_io against strace: each read and write of a regular file by programs that nobody of us
# wrote, and by threads of ours, is in the log or explained.
# shellcheck disable=SC2016 # scripts for other shells
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/io_lib.sh"
need "$CC" strace python3 bash tar git sqlite3 gzip sort
need_plain_build # a sanitizer does not go into programs that are not built with it
need_shared
strace -o trace true 2>/dev/null || skip "strace may not trace here"

GIT_CONFIG_GLOBAL=/dev/null
GIT_CONFIG_SYSTEM=/dev/null
export GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM
calls=read,write,pread64,pwrite64,readv,writev,preadv,pwritev,preadv2,pwritev2,copy_file_range,sendfile

# true_of SCRIPT: SCRIPT, run by sh in a folder of its own.
true_of() {
    echo "== $1"
    rm -rf work ioc.log
    mkdir work
    (cd work && GPTL_IO="path=$builddir/ctests/io_truth.dir/ioc.log" strace -f -y -qq -o ../trace \
        -E LD_PRELOAD="$io_library" -e "trace=$calls" sh -c "$1" >../stdout 2>../stderr </dev/null) || {
        cat stderr
        fail "it fails"
    }
    PYTHONDONTWRITEBYTECODE=1 python3 "$programs/io_truth.py" trace \
        "$builddir/ctests/io_truth.dir/ioc.log" || fail "the log is not what happened"
}

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
