#!/bin/sh
# gptl iostack: collective calls aligned by opening and number: the spread of their clients, missing clients, the
# offset between the clocks of hosts; and the totals of application spans.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3
need_tools

make_logs() {
    rm -f ./*.log
    PYTHONPATH=$srcdir/ctests/programs python3 -c "
from iostack_log import *
$1" || fail "cannot make logs"
}

# rows COLUMN...: columns of out.csv, one row per line.
rows() {
    awk -F, -v columns="$*" 'NR == 1 { n = split(columns, column, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
        { line = ""; for (i = 1; i <= n; i++) line = line (i > 1 ? " " : "") $at[column[i]]; print line }' out.csv
}

show() {
    "$gptl" iostack "$@" >out.csv 2>err || { cat err; fail "gptl iostack $*"; }
}

# expect COLUMN...: the first rows equal stdin.
expect() {
    cat >expected
    rows "$@" | head -n "$(wc -l <expected)" | diff expected - || { cat out.csv; fail "rows"; }
}

# clock_of_b: the offset of host b and its bound.
clock_of_b() {
    grep -o '"name":"b","offset_ns":[-0-9]*,"bound_ns":[0-9]*' out.json | tr ':,' '  ' | awk '{ print $4, $6 }'
}

echo "== four clients on two hosts whose clocks differ by 5 s; a file opened twice; one of two clients; one lacks a call"
# Each call ends at about the same time everywhere, when the last client has arrived.
make_logs '
come = [1000, 1500, 1200, 3000]
def client(r, layer):
    return Log(layer, 1 + r, rank=r, host="ab"[r // 2], skew=5_000_000_000 if r > 1 else 0)
for r in range(4):
    a, m, p = client(r, APP), client(r, MPI), client(r, POSIX)
    f = m.name("/d")
    outer = a.span(1, 100, 90000 + r, offset=10)
    inner = a.span(2, 200, 40000, offset=20, parent=outer)
    n = 0
    for opening, t, above in (77, 0, inner), (78, 40000, outer):
        for k in range(3):
            if opening == 78 and k == 2 and r == 2:
                continue
            n, t = n + 1, t + 5000
            call = m.span(n, t + come[r], t + 3600 + 10 * r, parent=above, operation=WRITE if k else OPEN,
                          bytes=100 if k else -1, file=f, key=opening, collective=1 + k)
            if k:
                for i in range(2):
                    p.span(2 * n + i, t + 3100 + 200 * i, t + 3200 + 200 * i, parent=call, bytes=50)
    if r in (1, 3):
        m.span(60, 80000 + come[r], 84000, bytes=7, file=f, key=79, collective=2, parent=outer)
    for log in a, m, p: log.write("%d.%d.log" % (log.layer, r))'
show --csv --by collective ./*.log
expect of call operation clients lacking last_client longest_s <<'END'
mpi 0 open 4 0 rank 3 0.000002600
mpi 1 write 4 0 rank 3 0.000002600
mpi 2 write 4 0 rank 3 0.000002600
mpi 3 open 4 0 rank 3 0.000002600
mpi 4 write 4 0 rank 3 0.000002600
mpi 5 write 3 1 rank 3 0.000002600
mpi 6 write 2 0 rank 3 0.000002500
END
same "rows" "$(rows call | wc -l)" 7
# close_to TRUE COLUMN: in the first row, within the bound of the clocks.
close_to() {
    rows "$2" clock_bound_s | head -n 1 | awk -v true="$1" '{ d = $1 - true; if (d < 0) d = -d; exit !($2 > 0 && d <= $2) }' ||
        fail "$2 is not $1: $(rows "$2" clock_bound_s | head -n 1)"
}
close_to 0.000002000 arrival_spread_s
close_to 0.000000030 finish_spread_s
"$gptl" iostack --json --by collective ./*.log >out.json || fail "as JSON"
grep -q '"lacking":1}' out.json || fail "the count: $(grep counts out.json)"
clock_of_b | awk '{ d = $1 + 5000000000; if (d < 0) d = -d; exit !($2 > 0 && $2 < 3000 && d <= $2) }' ||
    fail "the clock of b: $(clock_of_b)"
grep -q '^gptl iostack: the clock of b is 500000[0-9.]* us ahead of that of a, give or take' err ||
    fail "no word of the clocks: $(cat err)"
grep -q '^gptl iostack: 1 collective calls lack clients' err || fail "no word of who is lacking: $(cat err)"
# On one host spans are compared to the nanosecond.
"$gptl" iostack --csv --by collective [0-9]*.[01].log >out.csv 2>/dev/null || fail "one host"
expect arrival_spread_s last_client finish_spread_s clock_bound_s <<'END'
0.000000500 rank 1 0.000000010 0.000000000
END

echo "== spans of the application have the totals of what they led to, also of spans within them"
show --csv --by application ./*.log
expect client call line call_s layer spans bytes busy_s <<'END'
rank 0 0 10 0.000089900 mpi 6 400 0.000015600
rank 0 0 10 0.000089900 posix 8 400 0.000000800
rank 0 1 20 0.000039800 mpi 3 200 0.000007800
rank 0 1 20 0.000039800 posix 4 200 0.000000400
rank 1 0 10 0.000089901 mpi 7 407 0.000015160
rank 1 0 10 0.000089901 posix 8 400 0.000000800
END
show --csv ./*.log
expect client of call app_s mpi_s posix_s disk_accesses bytes <<'END'
rank 0 app 0 0.000089900 0.000002600 0.000000300 8 400
rank 1 app 0 0.000089901 0.000002500 0.000000300 8 407
END
# The enclosing span is not selected, nor are other calls below.
show --csv --by application --calls 1 ./*.log
expect client call layer spans bytes <<'END'
rank 0 1 mpi 1 100
rank 0 1 posix 2 100
rank 1 1 mpi 1 100
END

echo "== where clients do not wait for one another, nothing is said of clocks by that, and openings count more"
make_logs '
for r in range(2):
    m = Log(MPI, 1 + r, rank=r, host="ab"[r], skew=-5_000_000_000 * r)
    m.span(1, 1000 + 100 * r, 2000, operation=OPEN, key=7, collective=1)
    m.span(2, 3000 + 5000 * r, 4000 + 5000 * r, key=7, collective=2)
    m.span(3, 20000 - 5000 * r, 21000 - 5000 * r, key=7, collective=3)
    m.span(4, 30000 + 9000 * r, 31000 + 9000 * r, operation=CLOSE, key=7, collective=4)
    m.write("%d.log" % r)'
"$gptl" iostack --json ./*.log >out.json || fail "no order"
clock_of_b | awk '{ d = $1 - 5000000000; if (d < 0) d = -d; exit !($2 > 0 && $2 <= 1000 && d <= $2) }' ||
    fail "clocks: $(clock_of_b)"
grep -q 'did not wait for all their clients' out.json || fail "no word of calls that did not wait: $(cat out.json)"

echo "== what probes write: openings by group and time, calls by number; handles that come again"
[ -e "$builddir/.libs/libgptl_probe.so" ] || skip "built without a shared libgptl_probe"
cat >files.c <<'END'
#include <gptl_probe.h>
int main(int argc, char **argv)
{
    char handle[2];
    uint64_t all = GPTLprobe_add_member(GPTLprobe_add_member(0, 0), 1), one = GPTLprobe_add_member(0, 1);
    (void)argv;
    for (int i = 0; i < 5; i++) { /* x, x again, and y; x by another group; and x behind that */
        const void *at = &handle[i == 1];
        GPTLprobe_begin(GPTL_LAYER_MPI, GPTL_OP_OPEN);
        GPTLprobe_open_file(GPTL_LAYER_MPI, at, i == 2 ? "y" : "x", i == 3 ? one : all);
        GPTLprobe_end(GPTL_LAYER_MPI);
        for (int k = 0; k < argc; k++) {
            GPTLprobe_begin(GPTL_LAYER_MPI, GPTL_OP_WRITE);
            GPTLprobe_count_collective(GPTL_LAYER_MPI, at);
            GPTLprobe_end(GPTL_LAYER_MPI);
        }
    }
    GPTLprobe_begin(GPTL_LAYER_MPI, GPTL_OP_WRITE);
    GPTLprobe_count_collective(GPTL_LAYER_MPI, &argc); /* nobody has opened it */
    GPTLprobe_end(GPTL_LAYER_MPI);
    return 0;
}
END
[ "$sanitize" = no ] || CC="$CC -fsanitize=$sanitize"
# shellcheck disable=SC2086 # a command and its flags
$CC -I"$srcdir/include" -o files files.c -L"$builddir/.libs" -lgptl_probe || fail "cannot compile files.c"
LD_LIBRARY_PATH=$builddir/.libs
export LD_LIBRARY_PATH
rm -f ./*.log
GPTL_IOSTACK='path={layer}.0.log;rank=0' ./files || fail "the first process"
GPTL_IOSTACK='path={layer}.1.log;rank=1' ./files more || fail "the second process"
show --csv --by collective ./*.log
# Both processes make each opening and its first write; the second process makes another write, which the first lacks.
same "clients and who lacks" "$(rows operation clients lacking | sort | uniq -c | awk '{ print $1, $2, $3, $4 }' | tr '\n' ',')" \
    "5 open 2 0,5 write 1 1,5 write 2 0,"
exit 0
