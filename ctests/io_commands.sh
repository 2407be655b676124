#!/bin/sh
# libgptl_io: for each file that 60 common commands read and write, the log has the same bytes as
# strace. Each command has its output in a file and reads a file.
# shellcheck disable=SC2016 # scripts for other shells
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/io_lib.sh"
need strace
need_tools
strace -o trace true 2>/dev/null || skip "strace may not trace here"

GIT_CONFIG_GLOBAL=/dev/null
GIT_CONFIG_SYSTEM=/dev/null
TMPDIR=$PWD
export GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM TMPDIR

count=0
differ=
# one SCRIPT: the first word names the command; a command that is not installed is skipped.
one() {
    command -v "${1%% *}" >/dev/null 2>&1 || return 0
    count=$((count + 1))
    rm -rf work
    mkdir work
    seq 1 500 >work/in
    seq 250 700 >work/in2
    (cd work && "$gptl" ioc check -- sh -c "$1" >../stdout 2>../stderr </dev/null) && return 0
    differ="$differ
$1"
    echo "== $1"
    cat stdout stderr
}

while read -r script; do
    one "$script"
done <<'END_OF_LIST'
md5sum in in2 >o
sha256sum in >o
cksum in in2 >o
b2sum in >o
wc in in2 >o
cat in in2 - <in >o
head -n 5 in >o
tail -n 5 in >o; tail -n +400 <in >>o
sort -rn in >o
uniq -c in >o
cut -c 1-2 in >o
paste in in2 >o
join in in2 >o 2>e; true
comm in in2 >o 2>e; true
tac in >o
rev in >o
nl in >o
od -c in >o
fold -w 3 in >o
fmt in >o
pr in >o
expand in >o
tr 1 x <in >o
tee o o2 <in >o3
split -l 100 in part
csplit -s in 100 200
shuf in >o
base64 in >o; base64 -d o >o2
factor <in >o
printf '%s\n' a b c >o
echo a >o; /bin/echo b >>o; /bin/echo c >>o
seq 1000 >o
ls -la >o
stat in >o
date -r in >o
dd if=in of=o bs=100 2>e
cp in o; cp --sparse=always in o2; cp --reflink=never in o3
mv in o; cat o >o2
install -m 600 in o
truncate -s 100 in; cat in >o
diff in in2 >o; true
cmp -l in in2 >o 2>e; true
diff3 in in2 in >o; true
sdiff in in2 >o; true
grep -n 1 in in2 >o
sed s/1/x/ in >o; sed -i s/2/y/ in
awk '{ s += $1; print s > "o2"; printf "%d ", s >> "o3" } END { print s }' in >o
gzip -c in >o; gzip -dc o >o2; gzip in
xz -c in >o; xz -dc o >o2
bzip2 -c in >o; bzip2 -dc o >o2
tar -cf o.tar in in2; mkdir d; tar -xf o.tar -C d; tar -czf o.tgz in; tar -tvf o.tar >o
cpio -o <in >o 2>e; ls | cpio -o >o2 2>e
find . -name 'in*' -fprintf o '%p %s\n' -print >o2
xargs -n 50 /bin/echo <in >o
m4 in >o
bc -q in >o
dc in >o
git hash-object in >o; git init -q .; git add in; git -c user.name=n -c user.email=e commit -qm c; git log >>o; git show >>o
sqlite3 db 'create table t(a); insert into t values (1);' '.output o' 'select * from t;' '.import in t' 'select count(*) from t;'
python3 -c 'import sys; print(len(sys.stdin.read())); f = open("o2", "w"); f.write("x" * 10000)' <in >o
perl -ne 'print; END { open F, ">o2"; print F "a" x 10000 }' in >o
bash -c 'while read -r x; do echo $x; done; printf b >>o2; cat <<<here' <in >o
dash -c 'while read -r x; do echo $x; done; echo b >>o2' <in >o
make -n -f /dev/null >o 2>&1; printf 'all: ; @cat in >o2; echo done\n' >m; make -f m >o
gcc -E -x c /dev/null -o o; echo 'int main(void) { return 0; }' >a.c; gcc -g a.c -o a; ./a >o
strings in >o; nm /bin/sh >o2 2>&1; readelf -h /bin/sh >o3
patch --version >o; diff -u in in2 >p; patch in p >>o
file in >o
env >o
id >o; getent passwd root >>o
expr 1 + 2 >o; test -e in; basename in >>o
ps -e >o
du -a >o; df >>o
locale -a >o; iconv -f ascii -t utf-16 in >o2
logger -s -t x --no-act y 2>o; hostname >>o; uname -a >>o
openssl dgst in >o
END_OF_LIST

echo "$count commands"
[ "$count" -ge 50 ] || skip "only $count of the commands are installed"
[ -z "$differ" ] || fail "the log has other bytes than strace sees:$differ"
