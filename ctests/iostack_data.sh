#!/bin/sh
# gptl iostack on logs with known times: the rules for each metric, to the nanosecond; views; clocks of two hosts;
# unmatched, duplicate, truncated and damaged records.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3 gnuplot
need_tools

make_logs() {
    rm -f ./*.log
    PYTHONPATH=$srcdir/ctests/programs python3 -c "
from iostack_log import *
$1" || fail "cannot make logs"
}

# value COLUMN ROW FILE: of a CSV, rows from 1; quotes around names are not part of these tests.
value() {
    awk -F, -v column="$1" -v row="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) c = i }
        NR == row + 1 { print $c }' "$3"
}

show() {
    "$gptl" iostack "$@" >out.csv 2>err || { cat err; fail "gptl iostack $*"; }
}

echo "== the rules: a call that goes to two servers, each with several disk operations"
make_logs '
m = Log(MPI, 1, rank=0); c = Log(CLIENT, 1, rank=0)
call = m.span(1, 1000, 101003, bytes=9000, file=m.name("/data/x"))
part = c.span(1, 2001, 99004, parent=call, bytes=9000)
for i, (b, e) in enumerate([(10000, 50007), (9000, 80008)]):
    s = Log(SERVER, 10 + i, rank=i, node="server %d" % i); d = Log(DISK, 10 + i, rank=i, node="server %d" % i)
    r = s.span(1, b, e, parent=part, bytes=4500)
    d.span(1, b + 100, b + 1100, parent=r, bytes=1500)
    d.span(2, b + 1600, b + 2603, parent=r, bytes=1500)
    d.span(3, b + 3000, b + 4001, parent=r, bytes=1500)
    s.write("server.%d.log" % i); d.write("disk.%d.log" % i)
m.write("mpi.0.log"); c.write("client.0.log")'
show --csv ./*.log
same "file" "$(value file 1 out.csv)" /data/x
same "mpi" "$(value mpi_s 1 out.csv)" 0.000100003
same "client" "$(value client_s 1 out.csv)" 0.000097003
same "server: the longest" "$(value server_s 1 out.csv)" 0.000071008
same "disk: from the first begin to the last end" "$(value disk_s 1 out.csv)" 0.000003901
same "I/O nodes" "$(value io_nodes 1 out.csv)" 2
same "accesses" "$(value disk_accesses 1 out.csv)" 6
same "bytes" "$(value bytes 1 out.csv)" 9000
# Two disks: 3004 ns at 13.5 W, the rest of 100003 ns at 10.2 W.
same "energy" "$(value disk_joules 1 out.csv)" "$(awk 'BEGIN { printf "%.12g", 2 * (3004 * 13.5 + (100003 - 3004) * 10.2) * 1e-9 }')"
show --csv --sum server ./*.log
same "server: the sum" "$(value server_s 1 out.csv)" 0.000111015
show --csv --exclusive ./*.log
same "mpi alone" "$(value mpi_exclusive_s 1 out.csv)" 0.000003000
same "client alone" "$(value client_exclusive_s 1 out.csv)" 0.000025995
same "server alone" "$(value server_exclusive_s 1 out.csv)" 0.000068004
show --csv --metric throughput ./*.log
same "throughput: the sum" "$(value server_bytes_per_s 1 out.csv)" "$(awk 'BEGIN { printf "%d", 4500e9 / 40007 + 4500e9 / 71008 }')"
show --csv --by server ./*.log
same "servers" "$(cut -d, -f1 out.csv | tr '\n' ' ')" "server server 0 server 1 "
same "at server 1" "$(value server_s 2 out.csv)" 0.000071008
same "of the call" "$(value call_s 2 out.csv)" 0.000100003
# Tables contain joules on request: others have another disk, or none.
# shellcheck disable=SC2086
for by in call client server; do
    "$gptl" iostack --by $by ./*.log >table 2>/dev/null
    ! grep ' joules' table || fail "joules by $by that nobody asked for"
    for asked in "--metric energy" "--disk IBM36Z15"; do
        "$gptl" iostack --by $by $asked ./*.log >table 2>/dev/null
        grep -q ' joules' table || fail "no joules by $by with $asked"
    done
done
printf 'NAME 2 1 # mine\n\nfast 20 5\n' >disks
show --csv --disk fast --disk-table disks ./*.log
same "energy of another disk" "$(value disk_joules 1 out.csv)" "$(awk 'BEGIN { printf "%.12g", 2 * (3004 * 20 + (100003 - 3004) * 5) * 1e-9 }')"
ends 2 "$gptl" iostack --disk none ./*.log 2>err
grep -q 'there is no disk none' err || fail "does not say that there is no such disk"
echo 'bad line' >disks
ends 2 "$gptl" iostack --disk-table disks ./*.log 2>err
one_line err 'disks:1: expected NAME ACTIVE IDLE'

echo "== a table begins with the layers and advice, and has the calls that took longest"
make_logs '
m = Log(MPI, 1, rank=0); k = Log(COMM, 1, rank=0)
for i in range(120):
    call = m.span(1 + i, 1000000 * i, 1000000 * i + 1000 + i, bytes=500)
    k.span(1 + i, 1000000 * i + 100, 1000000 * i + 900, parent=call, operation=10)
m.write("mpi.log"); k.write("comm.log")'
ends 0 "$gptl" iostack mpi.log comm.log >out
awk '$1 == "mpi" && $3 == "write" || $3 == "read" { print $2 }' out >calls
same "the longest calls" "$(tr '\n' ' ' <calls)" "$(seq 119 -1 100 | tr '\n' ' ')"
grep -qx '100 more calls, of less time: --top and --csv show them\.' out || fail "$(cat out)"
awk '/^  mpi/ { print NR; exit }' out >first
[ "$(cat first)" -lt 6 ] || fail "the layers do not come first"
grep -qx '\* 76 % of the time in calls of mpi is communication\.' out || fail "no word of communication: $(cat out)"
grep -qx '\* 120 calls of mpi move 500 B each in the mean\.' out || fail "no word of small calls: $(cat out)"
ends 0 "$gptl" iostack --top 3 --by client mpi.log comm.log >out
same "rows" "$(grep -c ' mpi  *[0-9]' out)" 3
grep -q '^117 more calls' out || fail "$(cat out)"
ends 0 "$gptl" iostack --top 0 --by call mpi.log comm.log >out
same "all, in their order" "$(awk '$1 == "mpi" { print $2 }' out | tr '\n' ' ')" "$(seq 0 119 | tr '\n' ' ')"
! grep more out || fail "more than all"
ends 0 "$gptl" iostack --html -o page.html mpi.log comm.log 2>err
one_line err "gptl iostack: a picture has 64 calls, a client's longest or else the first; --calls chooses others"
grep -q '<pre>All calls, by layer' page.html || fail "the page does not begin with the layers"
ends 0 "$gptl" iostack --csv mpi.log comm.log >out.csv
same "rows for programs" "$(wc -l <out.csv)" 121
ends 2 "$gptl" iostack --top none mpi.log 2>err
one_line err '--top none: expected how many rows'

echo "== the rules: two ranks, several requests, communication, accesses at the same time"
make_logs '
for r in range(2):
    m = Log(MPI, 1 + r, rank=r); k = Log(COMM, 1 + r, rank=r); c = Log(CLIENT, 1 + r, rank=r)
    call = m.span(1, 1000, 51001 + r, bytes=500, key=77, collective=1)
    k.span(1, 1100, 2103, parent=call, operation=10); k.span(2, 2200, 2300 + r, parent=call, operation=10)
    k.span(3, 50000, 50100, parent=call, operation=10)
    first = c.span(1, 3000, 10007, parent=call, bytes=300); second = c.span(2, 20000, 30011 + r, parent=call, bytes=200)
    s = Log(SERVER, 10 + r, node="s%d" % r); d = Log(DISK, 10 + r, node="s%d" % r)
    a = s.span(1, 4000, 9000, parent=first, bytes=300); b = s.span(2, 21000, 29000, parent=second, bytes=200)
    d.span(1, 5000, 6000, parent=a, bytes=150); d.span(2, 5500, 8501, parent=a, bytes=150)
    d.span(3, 22000, 23003, parent=b, bytes=100); d.span(4, 24000, 0, parent=b, bytes=100)
    for log in m, k, c, s, d: log.write("%d.%d.log" % (log.layer, r))'
show --csv ./*.log
same "clients" "$(value clients 1 out.csv)" 2
same "mpi" "$(value mpi_s 1 out.csv)" 0.000050002
same "communication: all of it, in one rank" "$(value communication_s 1 out.csv)" 0.000001204
same "comm: the longest" "$(value comm_s 1 out.csv)" 0.000001003
same "client: the longest request" "$(value client_s 1 out.csv)" 0.000010012
same "server" "$(value server_s 1 out.csv)" 0.000008000
same "disk: from the first begin to the last end" "$(value disk_s 1 out.csv)" 0.000003501
same "accesses, also those that never ended" "$(value disk_accesses 1 out.csv),$(value unended 1 out.csv)" 8,2
same "I/O nodes" "$(value io_nodes 1 out.csv)" 2
# A disk is busy for 3501 and 1003 ns: overlapping requests count once.
same "energy" "$(value disk_joules 1 out.csv)" "$(awk 'BEGIN { printf "%.10g", 2 * (4504 * 13.5 + (50002 - 4504) * 10.2) * 1e-9 }')"
show --csv --sum client --sum comm --sum disk ./*.log
same "client: the sum of requests and ranks" "$(value client_s 1 out.csv)" 0.000034037
same "communication: the sum" "$(value communication_s 1 out.csv)" 0.000002407
same "disk: the sum of parts" "$(value disk_s 1 out.csv)" 0.000009008
show --csv --exclusive ./*.log
same "mpi alone" "$(value mpi_exclusive_s 1 out.csv)" 0.000031780
same "client alone" "$(value client_exclusive_s 1 out.csv)" 0.000002012
same "server alone" "$(value server_exclusive_s 1 out.csv)" 0.000006997
same "comm alone" "$(value comm_exclusive_s 1 out.csv)" 0.000001003
show --csv --by client ./*.log
same "of rank 0" "$(value mpi_s 1 out.csv) $(value communication_s 1 out.csv) $(value bytes 1 out.csv)" \
    "0.000050001 0.000001203 500"
show --csv --metric throughput ./*.log
same "throughput of the client" "$(value client_bytes_per_s 1 out.csv)" "$(awk 'BEGIN { printf "%d", 500e9 / 17018 + 500e9 / 17019 }')"

echo "== calls by number, operation, line; clients"
make_logs '
for r in range(3):
    a = Log(APP, 1 + r, rank=r); m = Log(MPI, 1 + r, rank=r)
    for i in range(4):
        t = 1000 + i * 10000
        above = a.span(1 + i, t, t + 5000, offset=100 + 50 * i)
        m.span(1 + i, t + 10, t + 1010 + 100 * r + i, parent=above, operation=READ if i == 3 else WRITE, bytes=10,
               key=77, collective=1 + i)
    a.write("app.%d.log" % r); m.write("mpi.%d.log" % r)'
show --csv --operation w --calls 1-2 ./*.log
same "rows" "$(grep -c '^,mpi' out.csv)" 2
same "clients" "$(grep '^,mpi,2' out.csv | cut -d, -f6)" 3
same "longest of the clients" "$(grep '^,mpi,1' out.csv | cut -d, -f8)" 0.000001201
show --csv --by client --lines 100-199 ./*.log
same "rows of lines" "$(grep -c ',mpi,' out.csv)" 6
show --csv --by segment --lines 100-149,150-250 ./*.log
same "mean of the first segment" "$(value mean_s 1 out.csv)" 0.000001100
same "calls of the second" "$(value calls 2 out.csv)" 9
same "mean of the second" "$(value mean_s 2 out.csv)" 0.000001102
show --csv --by layer ./*.log
same "layers" "$(cut -d, -f1 out.csv | tr '\n' ' ')" "layer app mpi "

echo "== a collective: rank 1 moves the bytes of all three, who have made other calls before"
make_logs '
opening = 77
for r in range(3):
    m = Log(MPI, 1 + r, rank=r); f = m.name("/c")
    for i in range(r):
        m.span(1 + i, 100 + 20 * i, 110 + 20 * i, bytes=1)
    call = m.span(9, 1000, 5000 + r, bytes=10, file=f, key=opening, collective=4)
    if r == 1:
        p = Log(POSIX, 2, rank=1); p.name("/c")
        p.span(1, 2000, 2700, parent=call, bytes=20, file=f)
        p.span(2, 2700, 3000, parent=call, bytes=10, file=f, flags=16)
        p.span(3, 3100, 3200, parent=call, operation=5)
        p.span(4, 9000, 9100, flags=32, bytes=3)
        p.write("p.log")
    m.write("m%d.log" % r)'
show --csv ./*.log
same "one row for it, by the number of the first process" "$(grep '^,mpi,0,write,/c' out.csv | cut -d, -f6,8,9,11,13)" \
    "3,0.000001200,1,2,30"
show --csv --by client ./*.log
grep '/c,' out.csv | cut -d, -f1,3,7,10,12,13 >got
printf '%s\n' 'rank 0,0,0.000001200,2,2,10' 'rank 1,1,0.000001200,2,0,10' 'rank 2,2,0.000001200,2,2,10' | diff - got ||
    fail "what clients share: $(cat out.csv)"
show --json ./*.log
for count in tied:1 among_several:1 collective:3; do
    grep -q "\"${count%:*}\":${count#*:}[,}]" out.csv || fail "not $count: $(grep counts out.csv)"
done
"$gptl" iostack --html -o page.html ./*.log 2>err || fail "the page"
grep -q '"group":1,' page.html && grep -q 'shared by the collective' page.html || fail "the page knows no collective"

echo "== independent calls of three ranks are rows of their own, whatever numbers they have; collectives beside"
make_logs '
for r in range(3):
    m = Log(MPI, 1 + r, rank=r); p = Log(POSIX, 1 + r, rank=r); f = m.name("/own"); p.name("/own")
    for i in range(2 + r):
        call = m.span(1 + i, 1000 + 1000 * i, 1200 + 1000 * i + r, bytes=100 * (r + 1), file=f)
        p.span(1 + i, 1010 + 1000 * i, 1100 + 1000 * i + r, parent=call, bytes=100 * (r + 1), file=f)
    call = m.span(9, 9000, 9500 + r, bytes=7, file=f, key=77, collective=1)
    p.span(9, 9100, 9200 + r, parent=call, bytes=7, file=f)
    m.write("m%d.log" % r); p.write("p%d.log" % r)'
show --csv ./*.log
sed 1d out.csv | awk -F, '{ print $1 "," $3 "," $6 "," $7 "," $13 }' >got
cat >expected <<'END'
rank 0,0,1,0.000000200,100
rank 1,0,1,0.000000201,200
rank 2,0,1,0.000000202,300
rank 0,1,1,0.000000200,100
rank 1,1,1,0.000000201,200
rank 2,1,1,0.000000202,300
,2,3,0.000000502,21
rank 1,2,1,0.000000201,200
rank 2,2,1,0.000000202,300
rank 2,3,1,0.000000202,300
END
diff expected got || fail "rows: $(cat out.csv)"
show --json ./*.log
same "the same as JSON" "$(grep -o '"client":[^,]*,"of":"mpi","call":2,' out.csv | cut -d, -f1 | tr '\n' ' ')" \
    '"client":null "client":"rank 1" "client":"rank 2" '
show --csv --calls 2 ./*.log # which chooses a collective as a whole
same "rows of one number" "$(sed 1d out.csv | awk -F, '{ print $1 "," $6 "," $13 }' | tr '\n' ' ')" ",3,21 rank 1,1,200 rank 2,1,300 "

echo "== what calls of a library above MPI-IO led to"
make_logs '
for r in range(2):
    h = Log(HDF5, 1 + r, rank=r); m = Log(MPI, 1 + r, rank=r); p = Log(POSIX, 1 + r, rank=r)
    f = h.name("x.h5")
    call = h.span(1, 1000, 11000, bytes=100, file=f)
    h.span(2, 20000, 21000, operation=OPEN, file=f)
    first = m.span(1, 2000, 7000 + r, parent=call, bytes=60); m.span(2, 7500, 9500, parent=call, bytes=60)
    if r == 0:
        p.span(1, 3000, 4003, parent=first, bytes=150); p.span(2, 5000, 6000, parent=first, bytes=150)
    for log in h, m, p: log.write("%d.%d.log" % (log.layer, r))'
show --csv --by effect ./*.log
sed 1d out.csv >got
cat >expected <<'END'
hdf5,write,x.h5,2,hdf5,2,1,200,1,0.000020000,1,0
hdf5,write,x.h5,2,mpi,4,2,240,1.2,0.000014001,0.70005,0
hdf5,write,x.h5,2,posix,2,1,300,1.5,0.000002003,0.10015,0
hdf5,open,x.h5,2,hdf5,2,1,0,,0.000002000,1,0
END
diff expected got || fail "effects"
show --json --by effect ./*.log
grep -q '"by":"effect"' out.csv && python3 -m json.tool out.csv >/dev/null || fail "effects as JSON"
show --csv --by client ./*.log
same "calls of each layer" "$(cut -d, -f2 out.csv | sort | uniq -c | awk '{ print $2 ":" $1 }' | tr '\n' ' ')" "hdf5:4 mpi:4 of:1 "
show --csv --by client --whole ./*.log
same "whole calls" "$(cut -d, -f2 out.csv | sort | uniq -c | awk '{ print $2 ":" $1 }' | tr '\n' ' ')" "hdf5:4 of:1 "
same "what is in the first one" "$(value hdf5_s 1 out.csv) $(value mpi_s 1 out.csv) $(value posix_s 1 out.csv)" \
    "0.000010000 0.000005000 0.000003000"

"$gptl" iostack --whole --draw client -o whole.svg ./*.log 2>err || { cat err; fail "--whole --draw"; }
same "bars of whole calls, without rank 1, which has no file" \
    "$(sed -n 's/.*>\(hdf5\|mpi\|at rank [0-9]\)<.*/\1/p' whole.svg | tr '\n' ' ')" "hdf5 mpi at rank 0 "

echo "== what devices did: between the first and the last sample of a host"
make_logs '
for r in range(2):
    m = Log(MPI, 1 + r, rank=r)
    m.span(1, 1000, 2000, bytes=1)
    d = m.name("vda"); p = m.name("process")
    for t in (1, 2):
        m.device(1000 * t + r, d, reads=10 * t, writes=5 + r + t, bytes_read=512 * t, bytes_written=4096 * t, busy=(1000 * t - 1500) % 2**32) # wraps
        m.device(1000 * t + r, p, reads=t, writes=r * t, bytes_read=0, bytes_written=100 * t, process=True)
    m.write("m%d.log" % r)'
show --csv --by device ./*.log
sed 1d out.csv >got
cat >expected <<'END'
"/proc/diskstats, whole device",node,vda,0.000001001,10,512,2,4096,1
/proc/self/io,node,rank 0,0.000001000,1,0,0,100,
/proc/self/io,node,rank 1,0.000001000,1,0,1,100,
END
diff expected got || fail "devices"

echo "== begins and ends apart: by id, by pointer, a parent by pointer"
make_logs '
m = Log(MPI, 1, rank=0); s = Log(SERVER, 5); d = Log(DISK, 5)
call = m.span(1, 1000, 0, bytes=1); m.record(END, number=call[1], end=9000, bytes=7)
s.span(1, 2000, 0, parent=call, key=77, flags=KEYED, bytes=3)
d.record(END, flags=KEYED, key=88, end=2500)       # the priming callback
for i in range(2):                                 # one after another with the same pointer
    t = 3000 + 1000 * i
    d.record(SPAN, WRITE, KEYED | UNDER, d.id(1 + i)[1], (SERVER, 77), t, 0, 2, key=88)
    d.record(END, flags=KEYED, key=88, end=t + 1000)
s.record(END, flags=KEYED, key=77, end=8000)
m.write("m.log"); s.write("s.log"); d.write("d.log")'
show --json ./*.log
grep -q '"mpi_s":0.000008000,"server_s":0.000006000,"disk_s":0.000002000' out.csv || fail "$(cat out.csv)"
grep -q '"disk_accesses":2,' out.csv || fail "not two accesses: $(cat out.csv)"
grep -q '"ends_without_begin":1,' out.csv || fail "the priming callback is not counted"
grep -q '"open":0,' out.csv || fail "something is open"
grep -q '"bytes":7,' out.csv || fail "bytes are not those of the end"

echo "== unmatched, duplicated, without a parent, in circles: counted and shown"
make_logs '
m = Log(MPI, 1, rank=0); c = Log(CLIENT, 1, rank=0)
call = m.span(1, 1000, 2000); m.span(2, 3000, 0)
c.span(1, 1100, 1200, parent=call); c.span(1, 1100, 1200, parent=call)
c.span(2, 1300, 1400, parent=(99, 5))
c.span(3, 1500, 1600, parent=c.id(4)); c.span(4, 1500, 1600, parent=c.id(3))
m.record(END, flags=UNMATCHED, end=5000); m.lost = 12
m.write("m.log"); c.write("c.log")'
ends 1 "$gptl" iostack --json ./*.log >out.json
for count in spans:7 open:1 ends_without_begin:1 duplicates:1 without_parent:1 circles:2 lost:12; do
    grep -q "\"${count%:*}\":${count#*:}," out.json || fail "${count%:*}: $(grep counts out.json)"
done
ends 1 "$gptl" iostack ./*.log >out.txt
grep -q '^Note: 1 spans have the id of another one' out.txt || fail "does not say what is duplicated"
cp m.log again.log
ends 1 "$gptl" iostack --json m.log again.log c.log >out.json
grep -q '"duplicates":3,' out.json || fail "a copy of a log: $(grep counts out.json)"
"$gptl" iostack --csv m.log ./m.log >/dev/null 2>err
grep -q 'the same file as' err || fail "the same file twice is not told"

echo "== two hosts whose clocks differ by 5 ms"
make_logs '
m = Log(MPI, 1, rank=0, host="a"); s = Log(SERVER, 2, host="b", skew=5_000_000)
for i in range(20):
    t = 100_000 * (i + 1)
    call = m.span(1 + i, t, t + 2000 + i)
    s.span(1 + i, t + 400 - i, t + 1200 + i, parent=call)
m.write("m.log"); s.write("s.log")'
show --json ./*.log
offset=$(sed -n 's/.*"name":"b","offset_ns":\(-*[0-9]*\),"bound_ns":\([0-9]*\).*/\1 \2/p' out.csv)
echo "$offset" | awk '{ d = $1 + 5000000; if (d < 0) d = -d; exit !(d <= $2 && $2 > 0 && $2 < 1000) }' ||
    fail "offset and bound are $offset"
show --csv --exclusive ./*.log
same "exclusive over two hosts" "$(value mpi_exclusive_s 1 out.csv)" 0.000001200

echo "== cut off, damaged, empty, something else"
make_logs '
m = Log(MPI, 1, rank=0, flags=2)
for i in range(3000):
    m.span(1 + i, 1000 * (i + 1), 1000 * (i + 1) + 10)
b = m.bytes()
open("whole.log", "wb").write(b)
open("cut.log", "wb").write(b[:65536 * 3 + 100])
hurt = bytearray(b)
hurt[65536 * 2:65536 * 2 + 64] = b"x" * 64
open("hurt.log", "wb").write(hurt)
new = bytearray(b); new[16] = 9
open("new.log", "wb").write(new)
open("short.log", "wb").write(b[:500])
open("none.log", "wb").write(b[:65536])
open("empty.log", "wb").write(b"")'
show --csv --by layer whole.log
same "spans" "$(value spans 1 out.csv)" 3000
grep -q 'its process did not say that it ended: it was killed, or still runs' err || fail "a killed process is not told"
ends 1 "$gptl" iostack --csv --by layer cut.log >out.csv 2>err
same "spans of a log that was cut off" "$(value spans 1 out.csv)" 1364
ends 1 "$gptl" iostack --csv --by layer hurt.log >out.csv 2>err
same "spans of a damaged log" "$(value spans 1 out.csv)" 2318
ends 2 "$gptl" iostack new.log 2>err
one_line err 'new.log: the log has another version'
ends 2 "$gptl" iostack short.log 2>err
one_line err 'short.log: the log ends within its header'
ends 0 "$gptl" iostack --csv --by layer none.log >out.csv 2>err
ends 2 "$gptl" iostack whole.log empty.log 2>err
one_line err 'empty.log: this is no log of spans'

echo "== numbers that no span has: sums end at the largest there is"
make_logs '
end = 28 * 10 ** 17
m = Log(MPI, 1, rank=0); c = Log(CLIENT, 1, rank=0)
call = m.span(1, 0, end, bytes=1)
for i in range(4):
    c.span(1 + i, i, end, parent=call, bytes=2 ** 63 - 1)
m.write("m.log"); c.write("c.log")'
show --csv --sum client ./*.log
same "bytes" "$(value bytes 1 out.csv)" 1
same "seconds" "$(value client_s 1 out.csv)" 9223372036.854775807
show --csv --by layer ./*.log
same "bytes of a layer" "$(value bytes 2 out.csv)" 9223372036854775807

echo "== more than memory is sorted for: 400,000 spans in reverse order"
make_logs '
m = Log(MPI, 1, rank=0); c = Log(CLIENT, 1, rank=0)
n = 200_000
for i in range(n, 0, -1):
    call = m.span(i, 1000 * i, 1000 * i + 500)
    c.span(i, 1000 * i + 100, 1000 * i + 100 + i % 300, parent=call, bytes=1)
m.write("m.log"); c.write("c.log")'
show --csv --by layer ./*.log
same "client spans" "$(value spans 2 out.csv)" 200000
same "longest" "$(value longest_s 2 out.csv)" 0.000000299
TMPDIR=$PWD/nowhere ends 2 "$gptl" iostack ./*.log >/dev/null 2>err
grep -q 'set TMPDIR' err || fail "does not say that there is no room"

echo "== a picture of a client has its longest calls"
make_logs '
m = Log(MPI, 1, rank=0)
for i in range(70):
    m.span(i + 1, 10000 * i + 1, 10000 * i + 100 * i + 5, bytes=4)
m.write("longer.log")'
"$gptl" iostack --draw client -o longer.svg longer.log 2>err
grep -q 'the longest 64<' longer.svg || fail "the title does not say which calls are left out"
grep -q '>69<' longer.svg || fail "the longest call is not in the picture"

echo "== pictures and the page, with odd names"
make_logs '
m = Log(MPI, 1, rank=0, node="it\x27s <odd>"); c = Log(CLIENT, 1, rank=0)
f = m.name(b"/a<b>&\"q\";\n\xff" + b"x" * 500)
for i in range(70):
    call = m.span(i + 1, 10000 * i + 1, 10000 * i + 5000, bytes=4, file=f)
    part = c.span(i + 1, 10000 * i + 100, 10000 * i + 4000, parent=call, bytes=4)
    for k in range(2):
        s = Log(SERVER, 10 + k) if i == 0 else servers[k]
        if i == 0: servers = [s] if k == 0 else servers + [s]
        s.span(i + 1, 10000 * i + 200, 10000 * i + 3000 + k, parent=part, bytes=2)
for k in range(2):
    servers[k].write("s%d.log" % k)
m.write("m.log"); c.write("c.log")'
for kind in client server=1 throughput power; do
    "$gptl" iostack --draw $kind -o $kind.svg ./*.log 2>err || { cat err; fail "--draw $kind"; }
    grep -q '<svg' $kind.svg || fail "$kind.svg is no picture"
done
grep -q 'longest or else the first' err || fail "does not say that calls are left out"
ends 2 "$gptl" iostack --draw server=2 -o none.svg ./*.log 2>err
one_line err 'there is no server 2: the logs have 2'
"$gptl" iostack --html -o page.html ./*.log 2>err || { cat err; fail "--html"; }
! grep -q 'Disk energy' page.html || fail "the page has a picture of energy that nobody asked for"
"$gptl" iostack --html --metric energy -o energy.html ./*.log 2>/dev/null
grep -q 'Disk energy' energy.html || fail "the page has no picture of energy"
! grep -q '<odd>' page.html || fail "a name is HTML in the page"
! grep -E '(src|href)="?https?:' page.html || fail "the page needs a network"
python3 - <<'END' || fail "the data of the page"
import json, re
text = open("page.html", encoding="utf-8").read()
data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S).group(1))
assert len(data["calls"]) == 70, len(data["calls"])
assert [s[0] for s in data["calls"][3]["spans"]].count("server") == 2
assert data["calls"][0]["spans"][0][7].startswith("/a<b>")
END

echo "== where no server tells, the processes that access files stand for them"
mkdir files
make_logs '
m = Log(MPI, 1, rank=0)
p = Log(POSIX, 1, rank=0)
call = m.span(1, 1000, 9000, bytes=4)
p.span(1, 2000, 4000, parent=call, bytes=4)
m.write("files/m.log"); p.write("files/p.log")'
"$gptl" iostack --draw server -o posix.svg files/*.log 2>err || { cat err; fail "accesses to files as a server's"; }
same "accesses to files where there is no server" \
    "$("$gptl" iostack --by server --csv files/*.log | tail -n 1 | cut -d, -f1,2,6,9)" "rank 0,mpi,0.000008000,0.000002000"
no_rest
