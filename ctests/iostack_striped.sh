#!/bin/sh
# gptl iostack on a whole stack: the striped storage of ctests/striped gets probes from a configuration, is built and
# run with three clients and three servers, and every MPI-IO call has exactly its spans.
# shellcheck disable=SC2016 # variables of other shells
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/mpi_lib.sh"
need python3 flock gnuplot
need_tools
need_shared
[ -e "$builddir/.libs/libgptl_probe.so" ] || skip "built without libgptl_probe"
case " $mpis " in *" mpich "*) ;; *) skip "built without MPICH" ;; esac

CPATH=$srcdir/include LIBRARY_PATH=$builddir/.libs LD_LIBRARY_PATH=$builddir/.libs
STRIPED_SOURCE=$srcdir/ctests/striped STRIPED_RUN=$srcdir/ctests/striped/run
STRIPED_CALLS='blocks mixed groups later'
PYTHONPATH=$srcdir/ctests/programs
export CPATH LIBRARY_PATH LD_LIBRARY_PATH STRIPED_SOURCE STRIPED_RUN STRIPED_CALLS
export PYTHONPATH
unset MAKEFLAGS MFLAGS MAKELEVEL
conf=$srcdir/ctests/striped/striped.conf

# check MODE ARGUMENT...: check the logs of the last run.
check() {
    mode=$1
    shift
    # shellcheck disable=SC2046 # a list of words
    python3 "$srcdir/ctests/striped/check.py" "$mode" "$@" $(find gptl-iostack/log -name '*.log') ||
        fail "check.py $mode"
}

# none_runs: the servers of the last run, whose process numbers are in their logs, have ended.
none_runs() {
    for log in $(files gptl-iostack/log/node?/server.0.log); do
        pid=$(od -An -t d8 -j 40 -N 8 "$log" | tr -d ' ')
        ! kill -0 "$pid" 2>/dev/null || fail "the server of $log still runs"
    done
    for address in $(files gptl-iostack/data/address.*); do
        flock -n "$address" true || fail "the server of $address still runs"
    done
}

# trace CONFIGURATION: write its rows to out.csv.
trace() {
    "$gptl" iostack --by client --csv -o out.csv "$1" 2>err || {
        cat err
        fail "gptl iostack $1"
    }
    none_runs
}

echo "== every call has its spans, in all layers"
trace "$conf"
check all >counts
check rows out.csv
"$gptl" iostack --report --json "$conf" >out.json
cat counts
grep -qF "$(cat counts)" out.json || fail "other counts: $(grep counts out.json)"
for none in open duplicates without_parent circles lost damaged killed; do
    grep -q "\"$none\":0[,}]" out.json || fail "$none: $(grep counts out.json)"
done
grep -q "^gptl iostack: $(sed 's/.*begin":\([0-9]*\),/\1/' counts) ends without a begin are left out" err ||
    fail "priming callbacks are not told: $(tail -3 err)"

echo "== nothing is different for the program, and nothing was touched"
cp -r "$srcdir/ctests/striped/fs" "$srcdir/ctests/striped/app" .
chmod -R u+w fs app
make -C fs >plain.out 2>&1 && make -C app >>plain.out 2>&1 || { cat plain.out; fail "the originals"; }
mkdir plain
STRIPED=$PWD/fs "$STRIPED_RUN" "$PWD/plain" 3 3 "$PWD/app/clients" /striped/ blocks mixed groups later ||
    fail "the originals do not run"
for i in 0 1 2; do
    diff -r plain/node$i gptl-iostack/data/node$i || fail "server $i has other data"
done
for part in fs app; do
    for file in "$srcdir/ctests/striped/$part"/*; do
        ! grep -q GPTL "$file" || fail "$file has probes"
    done
done

echo "== a second run builds nothing"
touch stamp
trace "$conf"
[ -z "$(find gptl-iostack -name '*.o' -newer stamp)" ] || fail "something was built again"
grep -q ' 0 of them written' err || fail "something was written again: $(tail -2 err)"
check all >again
same "counts of the second run" "$(cat again)" "$(cat counts)"

echo "== pictures and the page"
for kind in client=0 server=0 throughput=0 power=0 client=2 server=2; do
    for suffix in svg png; do
        "$gptl" iostack --report --draw $kind -o $kind.$suffix "$conf" 2>err || { cat err; fail "--draw $kind"; }
        [ -s $kind.$suffix ] || fail "no $kind.$suffix"
    done
done
grep -q 'server 2' client=0.svg || fail "the picture of a client has no bar of a server"
grep -q 'rank 2' server=0.svg || fail "the picture of a server has no bar of a client"
"$gptl" iostack --report --html -o page.html "$conf" 2>err || { cat err; fail "--html"; }
check page page.html

echo "== logs are found in folders of nodes, and -S says which layers add up"
sed '/^-T/,/node2.disk/d; s/^-S.*/-S [5, <3 max>, <3 max>, <3 max>, <3 sum>, <3 max>]/' "$conf" >found.conf
"$gptl" iostack --report --by client --csv -o found.csv found.conf 2>err || { cat err; fail "without -T"; }
check rows found.csv
! cmp -s found.csv out.csv || fail "a sum is like a maximum"
"$gptl" iostack --report --by client --csv -o sum.csv --sum server "$conf" 2>err
cmp found.csv sum.csv || fail "-S without -T is not --sum"
sed 's/^-S.*/-S [3, <3 max>, <3 sum>, <3 max>]/' found.conf >few.conf
ends 2 "$gptl" iostack --report few.conf 2>err
one_line err 'few.conf:7:1: 3 layers are described, and 5 have logs: -T must say which are which'

echo "== writes only, and only those of some lines"
begin=$(grep -n '^static void groups' app/clients.c | cut -d: -f1)
end=$(grep -n '^static void later' app/clients.c | cut -d: -f1)
sed "s/^-O.*/-O [w]/; s/^-C.*/-C [$begin-$end]/" "$conf" >some.conf
trace some.conf
same "rows" "$(grep -c ',mpi,.*,write,' out.csv),$(grep -c ',mpi,' out.csv),$(grep -c ',read,' out.csv)" "9,9,0"
[ "$(grep -c 'GPTLprobe_begin(GPTL_LAYER_APP' gptl-iostack/APPLICATION/clients.c)" -eq 1 ] ||
    fail "calls of other lines have probes"

echo "== communication in collectives"
sed '/^-T/,/node2.disk/d; s/^-Q.*/-Q [communication, inclusive, all]/' "$conf" >comm.conf
trace comm.conf
check comm
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "communication_s") c = i; next }
    $2 == "mpi" && $c != "" { n++; sum += $c } END { exit !(n == 78 && sum > 0) }' out.csv ||
    fail "the time in communication"

echo "== a server is killed"
ends 2 env STRIPED_DIES=20 "$gptl" iostack "$conf" >out 2>err
grep -q '^clients: rank [0-2]: a call failed: ' err || fail "the error of the run is not told: $(cat err)"
grep -q '^gptl iostack: the run command ended with ' err || fail "$(cat err)"
none_runs
check count >counts
"$gptl" iostack --report --json "$conf" >out.json 2>err || { cat err; fail "the logs that are left"; }
grep -qF "$(cat counts)" out.json || fail "other counts than $(cat counts): $(grep counts out.json)"
grep -q 'node1/server.0.log: its process did not say that it ended' out.json || fail "a killed server is not told"
! grep -q '"open":0,' out.json || fail "nothing was open"
"$gptl" iostack --report "$conf" | grep -q 'spans began and never ended' || fail "unended spans are not told"

echo "== interrupted"
sed 's/^-R.*/-R [$STRIPED_RUN $Log\/..\/data 3 3 sh -c "$APPLICATION\/clients \/striped\/ blocks \&\& : >done.\\$PMI_RANK; sleep 600"]/' \
    "$conf" >long.conf
rm -f done.?
"$gptl" iostack long.conf >out 2>err &
tool=$!
until [ -e done.0 ] && [ -e done.1 ] && [ -e done.2 ]; do
    kill -0 $tool 2>/dev/null || { cat err; fail "the run ended"; }
    sleep 0.05
done
kill -TERM $tool
wait $tool && fail "it was not interrupted"
grep -q 'the run command was interrupted' err || fail "$(cat err)"
none_runs

echo "== a log that is cut off, one that is there twice"
STRIPED_CALLS=blocks trace "$conf"
check all >counts
find gptl-iostack/log -name '*.log' ! -name 'disk*' >logs
cp gptl-iostack/log/node0/disk.0.log whole.log
head -c 100000 whole.log >cut.log
# shellcheck disable=SC2046 # a list of words
ends 1 "$gptl" iostack --json $(cat logs) cut.log >out.json
grep -q 'cut.log is cut off; what is there is here' out.json || fail "not told: $(head -1 out.json)"
cut=$(sed -n 's/.*"spans":\([0-9]*\),.*/\1/p' out.json)
# shellcheck disable=SC2046 # a list of words
"$gptl" iostack --json $(cat logs) whole.log >out.json
whole=$(sed -n 's/.*"spans":\([0-9]*\),.*/\1/p' out.json)
[ "$cut" -lt "$whole" ] && [ "$cut" -gt $((whole / 2)) ] || fail "$cut spans of $whole"
# shellcheck disable=SC2046 # a list of words
ends 1 "$gptl" iostack --json $(cat logs) whole.log gptl-iostack/log/node0/disk.0.log >out.json
copies=$(sed -n 's/.*"duplicates":\([0-9]*\),.*/\1/p' out.json)
same "spans besides copies" $(($(sed -n 's/.*"spans":\([0-9]*\),.*/\1/p' out.json) - copies)) "$whole"
[ "$copies" -gt 20 ] || fail "$copies duplicates"
exit 0
