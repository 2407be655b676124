#!/bin/sh
# gptl ioc: the output of each tool for constructed logs with known numbers: offsets of all kinds of
# calls, times, sizes, selections, two hosts with one process number, odd names.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3
need_tools

# made CODE: write logs with ioc_log.py.
made() {
    PYTHONPATH=$srcdir/ctests/programs python3 -c "
from ioc_log import *

def write(path, *sections):
    open(path, 'wb').write(b''.join(s.bytes() for s in sections))

MS = 1_000_000
$1" || fail "cannot make logs"
}

# ioc_ends STATUS ARGUMENT...: the output is in out, messages are in err.
ioc_ends() {
    wanted=$1
    shift
    status=0
    "$gptl" ioc "$@" >out 2>err || status=$?
    [ $status = "$wanted" ] || {
        cat out err
        fail "gptl ioc $*: exit status $status, expected $wanted"
    }
}

says() {
    grep -qE -e "$1" out || {
        cat out
        fail "does not say: $1"
    }
}

complains() {
    grep -qF -e "$1" err || {
        cat err
        fail "does not complain: $1"
    }
}

# is LINES: the output is exactly this.
is() {
    printf '%s\n' "$1" | diff -u - out || fail "not what was expected"
}

# offsets LOG ARGUMENT...: call, result and offset of each line of dump.
offsets() {
    ioc_ends 0 dump --csv "$@"
    sed 1d out | cut -d, -f4,6,8 >shown
    mv shown out
}

echo "== offsets: plain, given, sought, shared by duplicates, at the end, cut"
made '
s = Section(pid=7)
f = s.file("/f", size=1000)
c = s.chunk(7)
t = s.start_ticks
def at():
    global t
    t += MS
    return t
c.open(at(), 3, f, flags=2)
c.call("read", at(), 3, 100)
c.call("read", at(), 3, 50, asked=80)
c.call("read", at(), 3, 10, name="pread64", offset=500)
c.call("read", at(), 3, -5, asked=10)
c.call("read", at(), 3, 10)
c.call("lseek", at(), 3, 600)
c.call("write", at(), 3, 5)
c.call("other", at(), 3, 9, name="dup", made=(9, f, 1))
c.call("write", at(), 9, 5)
c.call("read", at(), 3, 1)
c.call("close", at(), 3, 0)
c.call("read", at(), 9, 1)
c.open(at(), 3, f, flags=0o2001)
c.call("write", at(), 3, 20)
c.extension("position", fd=3, data=1000)
c.call("write", at(), 3, 20, name="pwrite64", offset=0)
c.call("ftruncate", at(), 3, 10)
c.call("write", at(), 3, 1)
c.call("other", at(), 9, 3, name="dup2", gone=(3, 3), made=(3, f, 1))
c.call("read", at(), 3, 2)
c.call("other", at(), -1, 0, name="close_range", gone=(3, 100))
c.call("read", at(), 9, 3)
c.open(at(), 4, f, flags=0o1001)
c.call("write", at(), 4, 7)
c.call("close", at(), 4, 0)
c.open(at(), 4, f, flags=0o2001)
c.call("write", at(), 4, 7)
write("offsets.log", s)'
offsets offsets.log
is 'open,3,
read,100,0
read,50,100
pread64,10,500
read,-5,150
read,10,150
lseek,600,600
write,5,600
dup,9,
write,5,605
read,1,610
close,0,
read,1,611
open,3,
write,20,1000
pwrite64,20,
ftruncate,10,
write,1,
dup2,3,
read,2,612
close_range,0,
read,3,
open,4,
write,7,0
close,0,
open,4,
write,7,'

echo "== found descriptors, streams, calls between files"
made '
s = Section(pid=7)
f, g = s.file("/f"), s.file("/g", size=0)
s.descriptor(5, f, offset=40)
s.descriptor(6, g, offset=-1)
c = s.chunk(7)
t = s.start_ticks
def at():
    global t
    t += MS
    return t
c.call("read", at(), 5, 10)
c.call("read", at(), 6, 10)
c.call("read", at(), 8, 10, found=f)
c.extension("position", fd=8, data=77)
c.call("read", at(), 8, 1)
c.call("read", at(), 99, 4)
c.call("stdio", at(), 10, 0, name="fopen", made=(10, g, 0))
c.call("stdio_write", at(), 10, 30, name="fwrite")
c.call("stdio_write", at(), 10, 12, name="fputc", value=12)
c.call("write", at(), 10, 42, name="_IO_file_write")
c.call("lseek", at(), 10, 40, name="_IO_file_seek")
c.call("stdio", at(), 10, 0, name="fseek", arg=1, value=-2)
c.call("stdio_read", at(), 10, 2, name="fread")
c.call("stdio", at(), 10, 0, name="fseek", arg=2, value=-1)
c.call("read", at(), 10, 2, name="_IO_file_read")
c.call("stdio_read", at(), 10, 1, name="fread")
c.call("read", at(), 5, 100, name="sendfile", second=(10, -1))
c.call("read", at(), 5, 100, name="copy_file_range", offset=1, second=(10, 9))
c.call("stdio", at(), 10, 0, name="fclose", gone=(10, 10))
c.call("other", at(), -1, 0, name="rename", files=(1, 2))
write("streams.log", s)'
offsets streams.log
is 'read,10,40
read,10,
read,10,77
read,1,87
read,4,
fopen,0,
fwrite,30,
fputc,12,
_IO_file_write,42,0
_IO_file_seek,40,40
fseek,0,
fread,2,
fseek,0,
_IO_file_read,2,40
fread,1,
sendfile,100,50
copy_file_range,100,1
fclose,0,
rename,0,'
ioc_ends 0 dump streams.log
says '^   0\.016000000 node1:7       7 sendfile\(5\) 100 @50 "/f" to \(10\) @42 "/g"$'
says 'copy_file_range\(5\) 100 @1 "/f" to \(10\) @9 "/g"$'
says 'fputc\(10\) 12 in 12 calls "/g"$'
says 'rename\(-1\) 0 "/f" "/g"$'
says 'read\(99\) 4 @\? -$'
ioc_ends 0 sizes --csv streams.log
is 'size,read,write,stdio_read,stdio_write,percent
1,1,0,1,12,53.8
2,1,0,1,0,7.7
4,1,0,0,0,3.8
10,3,0,0,0,11.5
30,0,0,0,1,3.8
42,0,1,0,0,3.8
100,2,2,0,0,15.4'
# If one end of a call is selected, the other does not count.
ioc_ends 0 rate --csv --step 10 --file g streams.log
is 'seconds,process,read,written,stdio_read,stdio_written
0.000000000,all,12,242,3,42'

echo "== time: steps, long gaps, threads that open and read, wall clocks of two hosts, ranks"
made '
def program(host, late, rank):
    s = Section(host=host, pid=42, rank=rank, program="/bin/model")
    s.start_wall += late
    s.end_wall += late
    f = s.file("/shared")
    a = s.chunk(42)
    a.open(s.start_ticks + 10 * MS, 3, f)
    a.call("read", s.start_ticks + 20 * MS, 3, 100)
    b = s.chunk(43, at=s.start_ticks + 15 * MS)
    b.call("read", s.start_ticks + 17 * MS, 3, 1000)
    b.call("read", s.start_ticks + 10_000 * MS, 3, 7)
    a.call("write", s.start_ticks + 30 * MS, 3, 5)
    return s
write("hosts.log", program("node2", 500 * MS, -1), program("node1", 0, -1))
write("ranks.log", program("node2", 500 * MS, 1), program("node1", 0, 0))'
ioc_ends 0 dump --csv hosts.log
cut -d, -f1-4,6,8 out >shown
mv shown out
is 'seconds,process,thread,call,result,offset
0.010000000,node1:42,42,open,3,
0.017000000,node1:42,43,read,1000,0
0.020000000,node1:42,42,read,100,1000
0.030000000,node1:42,42,write,5,1100
0.510000000,node2:42,42,open,3,
0.517000000,node2:42,43,read,1000,0
0.520000000,node2:42,42,read,100,1000
0.530000000,node2:42,42,write,5,1100
10.000000000,node1:42,43,read,7,1105
10.500000000,node2:42,43,read,7,1105'
ioc_ends 0 rate --csv --step 0.5 --to 1 hosts.log
is 'seconds,process,read,written,stdio_read,stdio_written
0.000000000,all,1100,5,0,0
0.500000000,all,1100,5,0,0'
ioc_ends 0 ops --csv --step 20 --each ranks.log
is 'seconds,process,read,write,open,close,lseek,fsync,stdio_read,stdio_write,other
0.000000000,all,6,2,2,0,0,0,0,0,0
0.000000000,rank 0,3,1,1,0,0,0,0,0,0
0.000000000,rank 1,3,1,1,0,0,0,0,0,0'

echo "== selections"
ioc_ends 0 ops --csv --step 20 --process node2:42 hosts.log
says '^0\.000000000,all,3,1,1,'
ioc_ends 0 ops --csv --step 20 --rank 1 --from 0.52 --to 0.53 ranks.log
says '^0\.000000000,all,1,1,0,'
ioc_ends 0 ops --csv --step 20 --type write,open ranks.log
says '^0\.000000000,all,0,2,2,'
ioc_ends 0 ops --csv --step 20 --process model --file '/sh*' ranks.log
says '^0\.000000000,all,6,2,2,'
ioc_ends 0 ops --csv --step 20 --file nothing ranks.log
is 'seconds,process,read,write,open,close,lseek,fsync,stdio_read,stdio_write,other'
ioc_ends 2 ops --rank 5 ranks.log
complains 'gptl ioc ops: --rank 5: no such process is in the log'
ioc_ends 2 ops --process node3:42 hosts.log
complains '--process node3:42: no such process'
ioc_ends 2 ops --step 0 ranks.log
complains '--step 0: a number of seconds'
ioc_ends 2 ops --step 1e-9 ranks.log
complains 'choose longer ones'
ioc_ends 2 ops
complains 'no log given'
ioc_ends 2 oops ranks.log
complains 'there is no tool "oops"'
ioc_ends 2 dump --step 1 ranks.log
complains 'there is no --step here'

echo "== file: reuse and sharing"
made '
def worker(pid, late):
    s = Section(pid=pid)
    s.start_wall += late
    return s, s.chunk(pid), s.file("/tmp/t", size=0 if not late else 300)
a, c, f = worker(1, 0)
c.open(a.start_ticks + MS, 3, f, flags=0o1102)
for i in range(3):
    c.call("write", a.start_ticks + (2 + i) * MS, 3, 100)
c.call("write", a.start_ticks + 6 * MS, 3, 50, name="pwrite", offset=0)
b, c, f = worker(2, 100 * MS)
c.open(b.start_ticks + MS, 3, f)
for i in range(4):
    c.call("read", b.start_ticks + (2 + i) * MS, 3, 100, name="pread", offset=100 * (i % 2))
write("file.log", a, b)'
ioc_ends 0 file t file.log
says '^/tmp/t: 8 accesses; 200 B of it read, 300 B written$'
says '^  node1:1 +0 +0 B +0 B +0 B +4 +350 B +50 B +0\.002000000 +0\.006000000$'
says '^  node1:2 +4 +400 B +200 B +400 B +0 +0 B +0 B +0\.102000000 +0\.105000000$'
ioc_ends 0 file --csv /tmp/t file.log
says '^5,0\.102000000,node1:2,2,read,0,100,pread,/tmp/t$'
[ "$(wc -l <out)" -eq 9 ] || fail "not a row for each access"
ioc_ends 2 file nothing file.log
complains 'no call read or wrote a file nothing'

echo "== advice is on files that are on a disk, not on those that the kernel makes up"
made '
def opened(path, name):
    s = Section(pid=7)
    c, f = s.chunk(7), s.file(path, size=4096)
    for i in range(300):
        c.open(s.start_ticks + (3 * i + 1) * MS, 3, f)
        for k in range(5):
            c.call("read", s.start_ticks + (3 * i + 2) * MS, 3, 10)
        c.call("close", s.start_ticks + (3 * i + 3) * MS, 3, 0)
    write(name, s)
opened("/proc/net/route", "kernel.log")
opened("/dev/shm/table", "shared.log")
opened("/data/table", "disk.log")'
ioc_ends 0 summary kernel.log
says '^Nothing to advise\.$'
for log in shared disk; do
    ioc_ends 0 summary $log.log
    says '/table was opened 300 times by 1 process'
    says '^\* 100 % of 1500 reads are smaller than 4 KiB; 1500 of them from /'
done

echo "== JSON is JSON, with any names"
made '
s = Section(pid=7, host="no\"de\n", program="/bin/\x27a, b\x27;\n")
f = s.file(b"/odd \"name\"\n;,\xff\xc3\xa4\x27<svg>", size=0)
d = s.file("/dir", kind="directory")
g = s.file("./sub//x", base=d)
c = s.chunk(7)
c.open(s.start_ticks + MS, 3, f)
c.call("write", s.start_ticks + 2 * MS, 3, 9)
c.open(s.start_ticks + 3 * MS, 4, g)
c.call("write", s.start_ticks + 4 * MS, 4, 9)
write("odd.log", s)'
for tool in summary rate ops sizes dump "file *"; do
    set -f
    # shellcheck disable=SC2086 # a tool and its path
    ioc_ends 0 $tool --json odd.log
    # shellcheck disable=SC2086
    set +f
    python3 -c '
import json, sys
d = json.load(open("out", encoding="utf-8"))
assert d["format"] == "gptl-ioc-" + sys.argv[1] and d["version"] == 1, d
assert d.get("rows", d.get("files")), d' "${tool%% *}" || fail "$tool --json"
done
ioc_ends 0 dump --csv odd.log
python3 -c '
import csv
rows = list(csv.DictReader(open("out", encoding="utf-8", newline="")))
assert [r["file"] for r in rows][1::2] == ["/odd \"name\"\\x0a;,\\xff\u00e4\x27<svg>", "/dir/sub/x"], rows
' || fail "dump --csv"
ioc_ends 0 dump odd.log
[ "$(wc -l <out)" -eq 4 ] || fail "a name breaks a line"

echo "== detail: durations and call paths"
made '
s = Section(pid=7, flags=FLAGS["detailed"])
s.paths = [(1, 0, "main"), (2, 1, "write/out")]
f = s.file("/f")
c = s.chunk(7)
c.open(s.start_ticks + MS, 3, f, detail=(5000, 1))
c.call("write", s.start_ticks + 2 * MS, 3, 9, detail=(2500, 2))
write("detail.log", s)'
ioc_ends 0 dump detail.log
says 'open\(3\) 3 "/f" took 0\.000005 in "main"$'
says 'write\(3\) 9 @0 "/f" took 0\.0000025 in "main/write/out"$'

echo "== which regions"
# Paths of two processes with different numbers are equal; one list is a ring.
made '
def one(pid, paths, a, b):
    s = Section(pid=pid, flags=FLAGS["detailed"])
    s.paths = paths
    f = s.file("/f")
    c = s.chunk(pid)
    t = s.start_ticks
    c.open(t, 3, f, flags=2, detail=(1000, 0))
    for i in range(3):
        c.call("write", t + i * MS, 3, 10, detail=(2000, a))
        c.call("read", t + i * MS + 1, 3, 7, name="pread", offset=0, detail=(4000, b))
    return s
write("regions.log", one(7, [(1, 0, "main"), (2, 1, "out"), (3, 1, "in;\"x\"")], 2, 3),
      one(8, [(1, 0, "main"), (2, 1, "in;\"x\""), (5, 1, "out"), (6, 5, "out")], 5, 2))
write("ring.log", one(7, [(1, 2, "a"), (2, 1, "b"), (3, 3, "c")], 2, 3))'
ioc_ends 0 regions --csv regions.log
same "rows by region" "$(cat out)" 'time,calls,reads,writes,read,written,region,path
0.000024000,6,6,0,42,0,"in;""x""","main/in;""x"""
0.000012000,6,0,6,0,60,out,main/out
0.000002000,2,0,0,0,0,"",(outside all regions)'
ioc_ends 0 regions --top 1 regions.log
says '^ +0\.000024000 +6 +6 +0 +42 B +0 B +main/in;"x"$'
says '^2 more call paths'
ioc_ends 0 summary regions.log
says '^By region of the program'
says '^ +0\.000012000 +6 +0 +6 +0 B +60 B +main/out$'
ioc_ends 0 summary --json regions.log
python3 -c 'import json; assert len(json.load(open("out"))["regions"]) == 3'
ioc_ends 0 regions --json --file /none regions.log
ioc_ends 0 regions ring.log
ioc_ends 0 regions offsets.log
says '^Note: no call is known to be of a region: record with GPTL_IO=detail=on'
ioc_ends 0 summary offsets.log
! grep -q '^By region' out || fail "regions of no region"

echo "== summary"
made '
s = Section(pid=7)
f, g = s.file("/small", size=0), s.file("/again", size=4 << 20)
c = s.chunk(7)
t = s.start_ticks
c.open(t, 3, f, flags=0o1101)
c.open(t, 4, g)
for i in range(2000):
    t += MS // 10
    c.call("write", t, 3, 128)
for i in range(8):
    t += MS
    c.call("read", t, 4, 1 << 20, name="pread", offset=(i % 4) << 20)
write("summary.log", s)'
ioc_ends 0 summary summary.log
says '^I/O of prog: 1 process on 1 host, 2010 calls of which 0 failed, 2 files, 0\.208 s$'
says '^  read +8 +8 MiB +0 +0 B +85\.7 +0\.0 +14\.3$'
says '^  write +2000 +250 KiB +0 +0 B +100\.0 +0\.0 +0\.0$'
says '^\* 100 % of 2000 writes are smaller than 4 KiB; 2000 of them to /small, mostly of 128 bytes\.$'
says '^\* 4 MiB of what was read had been read before; most in /again: 4 MiB, by 1 process\.$'
says '^Most frequent writes: 128 bytes \(100 %\)$'

echo "== what took most is advised first, where that is known"
costs='
SHORT = (MS // 100, 0)
s = Section(pid=7)
c, f, t = s.chunk(7), s.file("/f", size=0), s.start_ticks
c.open(t, 3, f, detail=SHORT)
for i in range(1000):
    t += 10 * MS
    c.call("write", t, 3, 128, detail=SHORT)
    if i % 10 == 0:
        t += 10 * MS
        c.call("fsync", t, 3, 0, detail=LONG)
write("costs.log", s)'
made "LONG = (2 * MS, 0)$costs"
ioc_ends 0 summary costs.log
same "advice" "$(sed -n 's/^\* [^;]*; \(.*\)\.$/\1/p' out)" "most of /f; that took 0.200 s
1000 of them to /f, mostly of 128 bytes; that took 0.010 s"
made "LONG = None$costs"
ioc_ends 0 summary costs.log
same "advice" "$(sed -n 's/^\* [^;]*; \(.*\)\.$/\1/p' out)" "1000 of them to /f, mostly of 128 bytes; that took at least 0.010 s
most of /f"
ioc_ends 0 summary --json costs.log
says '"seconds":0\.01\},?$'
says '"seconds":null\}'

echo "== what was written since it was read is not read again, whoever wrote it"
made '
a, b = Section(pid=7), Section(pid=8)
t, c, d = a.start_ticks, a.chunk(7), b.chunk(8)
f, g, h = a.file("/turns", size=0), b.file("/turns", size=0), a.file("/unknown", size=4 << 20)
c.open(t, 3, f)
d.open(t, 3, g)
c.open(t, 4, h)
for i in range(8):
    d.call("write", t + (4 * i + 1) * MS, 3, 1 << 20, name="pwrite", offset=0)
    d.call("write", t + (4 * i + 2) * MS, 3, 4 << 20, name="pwrite", offset=2 << 20)
    c.call("read", t + (4 * i + 3) * MS, 3, 3 << 20, name="pread", offset=0)
    c.call("read", t + (4 * i + 3) * MS, 4, 1 << 20, name="pread", offset=0)
    if i == 3:
        c.call("write", t + (4 * i + 3) * MS, 4, 10)
        c.extension("position", fd=4, data=-1)
write("turns.log", a, b)'
ioc_ends 0 summary turns.log
# Of /turns, the mebibyte that is never written is read seven more times; of /unknown, the first read,
# and the read after a write at an unknown offset, are new.
says '^ +24 MiB +40 MiB +8 +16 +2 +0 +7 MiB +1 +1 +/turns$'
says '^ +8 MiB +10 B +8 +1 +1 +0 +6 MiB +1 +1 +/unknown$'
says '^\* 13 MiB of what was read had been read before'
ioc_ends 0 file turns turns.log
says '^/turns: 24 accesses; 3 MiB of it read, 5 MiB written$'
says '^  node1:7 +8 +24 MiB +7 MiB '
ioc_ends 0 file unknown turns.log
says '^  node1:7 +8 +8 MiB +6 MiB '

echo "== a name that stands for another file since it was read is not read again"
made '
s = Section(pid=7)
new, old, kept = s.file("/new", size=0), s.file("/old", size=4 << 20), s.file("/kept", size=0)
c, t = s.chunk(7), s.start_ticks
for i in range(4):
    t += MS
    c.open(t, 3, old)
    c.call("read", t, 3, 2 << 20, name="pread", offset=0)
    c.call("read", t, 3, 2 << 20, name="pread", offset=0)
    c.call("other", t, -1, 0, name="rename", files=(new, old))
    c.call("other", t, -1, -2, name="rename", files=(kept, old))
write("renamed.log", s)'
ioc_ends 0 summary renamed.log
says '^ +16 MiB +0 B +8 +0 +4 +0 +8 MiB +1 +0 +/old$'
ioc_ends 0 file old renamed.log
says '^  node1:7 +8 +16 MiB +8 MiB '

echo "== summary: files of the program come first, whatever the system and MPI have moved"
made '
s = Section(pid=7)
c = s.chunk(7)
t = s.start_ticks
names = [("/dev/shm/mpi", "regular", None), ("/ucx_shm_1", "regular", "shm_open"), ("in_memory", "regular", "memfd_create"),
         ("pipe:[1]", "pipe", None), ("/usr/share/table", "regular", None), ("/data/small", "regular", None),
         ("/data/large", "regular", None), ("/data/lib/x", "regular", None), ("/data", "directory", None)]
for i, (path, kind, name) in enumerate(names):
    f = s.file(path, kind=kind, size=0)
    t += MS
    c.open(t, 3, f, flags=0o1101, name=name)
    if i < 8:
        c.call("write", t, 3, 8192 if i < 5 else 256 * (i - 4) if i < 7 else 1)
    c.call("close", t, 3, 0)
c.open(t, -2, s.file("/data/sought", kind="unknown"))
write("order.log", s)'
ioc_ends 0 summary --csv order.log
same "files" "$(sed 1d out | sed 's/.*,//; s/"//g' | tr '\n' ' ')" \
    "/data/large /data/small /data/lib/x /dev/shm/mpi /ucx_shm_1 in_memory pipe:[1] /usr/share/table /data /data/sought "
