#!/bin/sh
# libgptl_io with independent programs: their behavior and output are the same as without, and
# the bytes that they read and write are in the log.
# shellcheck disable=SC2016 # scripts for other shells
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/io_lib.sh"
need bash dash tar dd cp ls git sqlite3 gzip find sort

GIT_CONFIG_GLOBAL=/dev/null
GIT_CONFIG_SYSTEM=/dev/null
GIT_AUTHOR_DATE='2024-01-01 00:00:00 +0000'
GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
export GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_AUTHOR_DATE GIT_COMMITTER_DATE

# same_outcome NAME SCRIPT: SCRIPT, run by sh in a separate directory, with and without; its output
# and files are the same.
same_outcome() {
    echo "== $1"
    for how in bare recorded; do
        rm -rf "$how"
        mkdir "$how"
        rm -f ioc.log
        [ $how = recorded ] && run="preloaded $PWD/ioc.log" || run=
        # shellcheck disable=SC2086 # nothing or a word
        (cd $how && $run sh -c "$2" >../$how.out 2>../$how.err </dev/null) || {
            cat $how.out $how.err
            fail "$1, $how"
        }
    done
    cmp bare.out recorded.out || fail "$1: another output"
    cmp bare.err recorded.err || { cat recorded.err; fail "$1: another message"; }
    diff -r bare recorded || fail "$1: other files"
    sections >got || fail "$1: the log cannot be read"
    ! grep DAMAGE got || fail "$1: the log is damaged"
}

# wrote FILE BYTES: the log has BYTES written to FILE.
wrote() {
    same "bytes written to $1" \
        "$(tr ' ' '\n' <got | sed -n "s|^$1=||p" | awk '{ n += $1 } END { print n + 0 }')" "$2"
}

same_outcome dd 'dd if=/dev/zero of=zeros bs=4096 count=25 2>/dev/null; dd if=zeros of=copy bs=1000 2>/dev/null'
wrote zeros 102400
wrote copy 102400
same_outcome cp 'head -c 200000 /dev/zero >a; cp a b; cp --sparse=never --reflink=never a c; mkdir d; cp a b d; ls -l d | wc -l'
same_outcome tar 'mkdir d; seq 1000 >d/one; seq 2000 >d/two; tar --mtime=@0 -cf t.tar d; mkdir e; tar -xf t.tar -C e; tar -tf t.tar; gzip -nc t.tar >t.gz; gzip -dc t.gz | cmp - t.tar'
wrote t.tar "$(wc -c <bare/t.tar | tr -d ' ')"
same_outcome sqlite3 'sqlite3 db "create table t(a); begin; insert into t select 1 from (select 1 union select 2); commit; select count(*) from t; vacuum; pragma integrity_check"'
same_outcome git 'git init -q . && echo text >file && git add file && git -c user.name=n -c user.email=e commit -qm c && git log --oneline && git status -s && git fsck 2>&1; rm -rf .git/index'
same_outcome python3 'python3 -c "
import os, subprocess, tempfile, mmap
open(\"f\", \"w\").write(\"x\" * 100000)
print(len(open(\"f\", \"rb\").read()))
print(subprocess.run([\"cat\", \"f\"], capture_output=True).stdout[:3], subprocess.check_output(\"echo sub; pwd | wc -l\", shell=True))
with open(\"f\", \"r+b\") as f:
    m = mmap.mmap(f.fileno(), 0); m[:3] = b\"abc\"; m.flush(); m.close()
print(sorted(os.listdir(\".\"))[0:1])
pid = os.fork()
if pid == 0:
    open(\"child\", \"w\").write(\"child\"); os._exit(7)
print(os.waitpid(pid, 0)[1] >> 8)
import multiprocessing
def work(n): return n * n
with multiprocessing.Pool(2) as p: print(p.map(work, range(5)))
"'
wrote f 100000
wrote child 5
same_outcome bash 'bash -c "echo one >f; echo two >>f; cat <f | tr a-z A-Z | while read x; do echo got \$x; done; x=\$(cat f); echo \$x; exec 5<f; read -u 5 y; echo \$y; (exit 3); echo \$?; diff <(echo a) <(echo a) && echo same"'
same_outcome dash 'dash -c "echo one >f; (echo two; false) >>f; cat f | wc -l; ls f >/dev/null && echo there; x=\`cat f\`; echo \$x; trap \"echo bye\" EXIT; sh -c \"exit 4\"; echo \$?"'
wrote f 8
same_outcome pipeline 'seq 20000 | sort -rn | head -n 3; find . -name "no*"; seq 30000 >n; sort -S 64k -T . n | tail -n 1; xargs -n 500 -P 2 echo <n | wc -l'

# shellcheck disable=SC2086 # compilers and flags are lists of words
$CC -std=gnu11 -O1 -shared -fPIC -fno-builtin -o allocator.so "$programs/io_allocator.c" ||
    fail "cannot compile io_allocator.c"
same_outcome 'an allocator that reads' "ln -s none settings
for all in \"\$LD_PRELOAD:$PWD/allocator.so\" \"$PWD/allocator.so:\$LD_PRELOAD\"; do
    LD_PRELOAD=\$all dd if=/dev/zero of=f bs=100 count=3 2>/dev/null || echo \$?
done; rm settings"
wrote f 600
