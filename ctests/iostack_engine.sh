#!/bin/sh
# gptl iostack from a configuration to the numbers: probes are inserted, the program is built and run, logs are found;
# a second run builds nothing; after a failed command the end of its output is shown; no process survives.
# shellcheck disable=SC2016 # names of trees, and variables of other shells
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3
need_tools
need_shared
[ -e "$builddir/.libs/libgptl_probe.so" ] || skip "built without libgptl_probe"
[ "$sanitize" = no ] || CC="$CC -fsanitize=$sanitize"

CPATH=$srcdir/include LIBRARY_PATH=$builddir/.libs LD_LIBRARY_PATH=$builddir/.libs
export CPATH LIBRARY_PATH LD_LIBRARY_PATH CC

mkdir lib app
cat >lib/store.c <<'END'
#include <stdio.h>
#include "store.h"
static int put(const char *bytes, int n)
{
    return (int)fwrite(bytes, 1, (size_t)n, stdout);
}
int store_write(const char *bytes, int n)
{
    int done = 0;
    while (done < n) {
        int part = n - done > 4 ? 4 : n - done;
        if (put(bytes + done, part) != part)
            return -1;
        done += part;
    }
    return done;
}
END
echo 'int store_write(const char *bytes, int n);' >lib/store.h
cat >app/main.c <<'END'
#include "store.h"
int main(void)
{
    for (int i = 0; i < 3; i++)
        store_write("0123456789", 10);
    store_write("x", 1);
    return 0;
}
END
cat >app/Makefile <<'END'
main: main.o store.o
	$(CC) -o $@ main.o store.o -lgptl_probe
main.o: main.c
	$(CC) -I$(STORE) -c main.c
store.o: $(STORE)/store.c
	$(CC) -c $(STORE)/store.c
END
cat >stack.conf <<END
-D [STORE = $PWD/lib]
-A [$PWD/app/main.c, main]
-L [\$STORE]
-O [w]
-C [4-5]
-S [3, <1 max>, <1 max>, <1 sum>]
-T [2, <1, client.0.log>, <1, disk.0.log>]
-Q [latency, inclusive, all, list:*, list:*]
-P [App;latency;App-Start;-l store_write;before]
-P [PVFSClient;latency;Client-Start;-f store_write;before;\$STORE/store.c]
-P [PVFSClient;latency;Client-End;-f store_write;after;\$STORE/store.c]
-P [PVFSServer;latency;Disk-Start;-f store_write -l put;before;\$STORE/store.c;
    {GPTLprobe_begin(GPTL_LAYER_DISK, GPTL_OP_WRITE); GPTLprobe_bytes(GPTL_LAYER_DISK, part);}]
-P [PVFSServer;latency;Disk-End;-f store_write -l put;after;\$STORE/store.c]
-B [make -C \$APPLICATION]
-R [echo running; \$APPLICATION/main]
END

"$gptl" iostack --csv stack.conf >out.csv 2>err || { cat err; fail "the run"; }
cat out.csv
# Three calls in the lines of -C, with three parts each; the call in another line is not selected.
same "accesses" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["of"] == "client" { n += $at["disk_accesses"] } END { print n }' out.csv)" 9
"$gptl" iostack --report --csv --by application stack.conf >totals.csv 2>err2 || { cat err2; fail "totals of the application"; }
same "calls of the application and what each led to" "$(awk -F, 'NR > 1 { print $2, $3, $7, $8, $9 }' totals.csv | tr '\n' ',')" \
    "0 5 client 1 0,0 5 disk 3 10,1 5 client 1 0,1 5 disk 3 10,2 5 client 1 0,2 5 disk 3 10,"
grep -q '^5 of 5 probes' err || fail "what was chosen: $(cat err)"
same "the run's output" "$(cat gptl-iostack/run.out)" "running
012345678901234567890123456789x"
grep -c GPTL gptl-iostack/APPLICATION/main.c >/dev/null || fail "the application has no probe"
same "calls in the lines of -C" "$(grep -c 'GPTLprobe_begin' gptl-iostack/APPLICATION/main.c)" 1
[ ! -e app/main ] && ! grep -q GPTL lib/store.c app/main.c || fail "the originals were touched"

echo "== logs of a layer between two of -T are read; of a layer outside they are an error"
sed 's/^-S.*//; s/, <1, client.0.log>/, <1, mpi.0.log>/
    s/^\(-P .PVFSClient;latency;Client-\)/-P [MPI;latency;MPI-Start;-f store_write;before;$STORE\/store.c]\n&/' stack.conf |
    sed '0,/Client-End/s/.*Client-End.*/&\n-P [MPI;latency;MPI-End;-f store_write;after;$STORE\/store.c]/' |
    awk '!seen[$0]++' >between.conf
"$gptl" iostack --check between.conf >out 2>err || { cat err; fail "--check refuses a layer between two of -T"; }
"$gptl" iostack -d between --by layer --csv between.conf >layers.csv 2>err || { cat err; fail "a layer between"; }
same "layers" "$(cut -d, -f1 layers.csv | tr '\n' ' ')" "layer app mpi client disk "
sed 's/, <1, disk.0.log>/, <1, client.0.log>/; s/^-T .2/-T [2/; s/, <1 sum>//; s/-S .3/-S [3/' between.conf |
    sed 's/^-P .PVFSServer;latency;/&outside-/' >outside.conf
ends 2 "$gptl" iostack --check outside.conf >out 2>err
grep -q 'the layer disk of the probe outside-Disk-Start belongs to no group of -T' err || { cat err; fail "a layer that nothing reads"; }

echo "== an earlier run's log of a layer between is gone, also where the folder has been named"
mkdir mixed
cp gptl-iostack/log/client.0.log mixed/client.7.log
Log=$PWD/mixed "$gptl" iostack -d between --by layer --csv between.conf >out 2>err || { cat err; fail "a named folder"; }
[ ! -e mixed/client.7.log ] || fail "a log of an earlier run is read as one of this run"

echo "== notes: probes after a return, placeholders, -O"
{
    cat stack.conf
    echo '-P [PVFSClient;latency;Late-End;-n 17;$STORE/store.c]'
} >late.conf
GPTL_IOSTACK='path="'"$PWD"'/late/{layer}.{rank}.{hots}.log"' "$gptl" iostack --build -d late late.conf >out 2>err || { cat err; fail "late"; }
grep -q 'note: 1 probe can never execute, directly after a return (the first is .*late.conf:[0-9]*)' err || { cat err; fail "no note of a probe after a return"; }
grep -q "note: 1 unknown placeholder in path= of GPTL_IOSTACK, from '{hots}.log" err || { cat err; fail "no note of a placeholder"; }

echo "== a second run builds nothing, and reads the new logs"
touch stamp
"$gptl" iostack --csv stack.conf >again.csv 2>err || { cat err; fail "the second run"; }
same "rows" "$(wc -l <again.csv)" "$(wc -l <out.csv)"
[ -z "$(find gptl-iostack -name '*.o' -newer stamp)" ] || fail "something was built again"
"$gptl" iostack --report --by layer --csv stack.conf >layers.csv 2>err || { cat err; fail "--report"; }
same "layers" "$(cut -d, -f1 layers.csv | tr '\n' ' ')" "layer app client disk "

echo "== what has no probe any more is built again, and logs of the run before are gone"
grep -v 'PVFSClient;\|Disk-\|GPTL_LAYER_DISK\|^-[ST]' stack.conf >fewer.conf
"$gptl" iostack --by layer --csv fewer.conf >layers.csv 2>err || { cat err; fail "fewer probes"; }
same "layers" "$(cut -d, -f1 layers.csv | tr '\n' ' ')" "layer app "
touch stamp
"$gptl" iostack --by layer --csv fewer.conf >layers.csv 2>err || { cat err; fail "fewer probes again"; }
[ -z "$(find gptl-iostack -name '*.o' -newer stamp)" ] || fail "something was built again"
grep -q ' 0 of them written' err || fail "something was written again: $(tail -1 err)"

echo "== an application of two files; -C says which calls get probes, also those of common ones"
mkdir two
cp app/main.c lib/store.h two
cat >two/more.c <<'END'
#include "store.h"
void more(void);
void more(void)
{
    store_write("abc", 3);
    store_write("def", 3);
    store_write("ghi", 3);
}
END
# both FLAG...: the lines of main.c and more.c that got probes.
both() {
    printf '%s\n' "-A [$PWD/two/main.c, $PWD/two/more.c, main]" "$@" >two.conf
    "$gptl" iostack --insert -d inserted two.conf 2>err || return 1
    (cd inserted/APPLICATION && grep -n GPTLprobe_ main.c more.c | cut -d: -f1,2 | tr '\n' ' ')
}
same "each call" "$(both '-P [App;common;Start;-l store_write [*];before]')" \
    "main.c:7 main.c:8 more.c:7 more.c:8 more.c:9 "
same "those of -C" "$(both '-C [5-6]' '-P [App;common;Start;-l store_write;before]')" \
    "main.c:7 main.c:8 more.c:7 more.c:8 "
same "of no line" "$(both '-C [1-2]' '-P [App;common;Start;-l store_write;before]')" ""
same "code, in any line" \
    "$(both '-C [1-2]' '-P [App;common;X;-f main -l store_write [2];before;{GPTLprobe_end(1);}]')" "main.c:8 "
same "a function" \
    "$(both '-C [1-2]' '-P [App;common;Start;-f more;before]' '-P [App;common;End;-l more;after]')" "more.c:6 "
both '-P [App;common;Start;-l store_write [2];before]' && fail "a second call in two files"
grep -q 'two.conf:2:1: expected store_write in one file of -A, found it in 2 of 2; the file may stand' err ||
    fail "$(cat err)"
both '-P [App;common;Start;-l none [*];before]' && fail "a call that is not there"
grep -q 'expected none in one file of -A, found it in 0 of 2$' err || fail "$(cat err)"

echo "== logs in a folder that somebody named are nobody's to remove"
mkdir -p named/node7
Log=$PWD/named "$gptl" iostack --csv fewer.conf >out 2>err || { cat err; fail "a named folder"; }
cp named/app.0.log named/node7/other.log
ends 2 env Log="$PWD/named" "$gptl" iostack --csv fewer.conf >out 2>err
grep -q 'named has logs of spans; remove them, or say by -T which' err || fail "$(cat err)"
same "logs" "$(find named -name '*.log' | sort | tr '\n' ' ')" "named/app.0.log named/node7/other.log "
rm named/app.0.log
Log=$PWD/named "$gptl" iostack --report --by layer --csv fewer.conf >layers.csv 2>err || { cat err; fail "a node's log"; }
same "layers" "$(cut -d, -f1 layers.csv | tr '\n' ' ')" "layer app "

echo "== a tree that was built where it lies"
mkdir built
cat >built/prog.sm <<'END'
%%
state one { run step; }
%%
static int step(int n)
{
    return n + 1;
}
int main(void)
{
    return step(-1);
}
END
cat >built/Makefile <<'END'
prog: prog.o
	$(CC) -o $@ prog.o -lgptl_probe
prog.o: prog.c
	$(CC) -c prog.c
prog.c: prog.sm
	sed '/^%%/,/^%%/d' prog.sm >$@
END
make_it() { # whatever outer make there is
    (unset MAKEFLAGS MFLAGS MAKELEVEL && make -s -C "$1")
}
measures() {
    "$gptl" iostack -d copies --build built.conf >out 2>&1 || { cat out; fail "the build"; }
    rm -f built.log
    GPTL_IOSTACK="path=built.log" copies/BUILT/prog || fail "the program"
}
make_it built
cat >built.conf <<END
-D [BUILT = $PWD/built]
-L [\$BUILT]
-Q [latency, inclusive, all]
-P [Disk;latency;Start;-f step;before;\$BUILT/prog.sm]
-P [Disk;latency;End;-f step;after;\$BUILT/prog.sm]
-B [unset MAKEFLAGS MFLAGS MAKELEVEL; make -C \$BUILT]
END
measures
[ -e built.log ] || fail "objects of the original were taken"
touch stamp
measures
[ -e built.log ] || fail "the second time objects of the original were taken"
[ -z "$(find copies -name '*.[co]' -newer stamp)" ] || fail "something was built again"
touch built/prog.sm
make_it built
measures
[ -e built.log ] || fail "new objects of the original were taken"
printf 'int other(void);\nint other(void)\n{\n    return 1;\n}\n' >built/other.c
sed -i 's/-f step;\(.*\)prog.sm/-f other;\1other.c/' built.conf
measures
[ ! -e built.log ] || fail "what was built with probes is still there"
sed -i 's/-f other;\(.*\)other.c/-f step;\1prog.sm/' built.conf
measures
[ -e built.log ] || fail "the probes did not come back"

echo "== failures"
sed 's/^-B.*/-B [echo begin; for i in 1 2 3; do echo "broken $i" >\&2; done; exit 3]/' stack.conf >broken.conf
ends 2 "$gptl" iostack broken.conf >out 2>err
grep -q '^broken 3' err || fail "no tail of what it printed: $(cat err)"
grep -q 'the build command ended with 3; all that it printed is in gptl-iostack/build.out' err || fail "$(cat err)"
sed 's/^-R.*/-R [kill -9 $$]/' stack.conf >broken.conf
ends 2 "$gptl" iostack broken.conf >out 2>err
grep -q 'the run command was killed by signal 9' err || fail "$(cat err)"
sed 's/^-R.*/-R [true]/' stack.conf >broken.conf
ends 2 "$gptl" iostack broken.conf >out 2>err
grep -q 'broken.conf:7:12: expected a log of spans .*client.0.log, found none' err || fail "$(cat err)"

echo "== nothing is left running, a server that left its group neither"
cat >server.sh <<'END'
echo $$ >server.pid
trap '' TERM HUP
while :; do sleep 1; done
END
sed 's/^-R.*/-R [setsid sh server.sh \& (sleep 100 \&) ; until test -s server.pid; do sleep 0.1; done; \$APPLICATION\/main]/' \
    stack.conf >server.conf
"$gptl" iostack --csv server.conf >out 2>err || { cat err; fail "the run with a server"; }
kill -0 "$(cat server.pid)" 2>/dev/null && fail "the server still runs"

echo "== interrupted"
rm -f server.pid
sed 's/^-R.*/-R [sh server.sh]/' stack.conf >server.conf
"$gptl" iostack server.conf >out 2>err &
tool=$!
until [ -s server.pid ]; do sleep 0.05; done
kill -TERM $tool
wait $tool && fail "it was not interrupted"
grep -q 'the run command was interrupted' err || fail "$(cat err)"
kill -0 "$(cat server.pid)" 2>/dev/null && fail "what it ran still runs"
exit 0
