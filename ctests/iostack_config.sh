#!/bin/sh
# gptl iostack: configurations. Fig. 2 of the paper as printed, the extensions of its language, the selected probes;
# each mistake is reported with file, line and column, and the expectation.
# shellcheck disable=SC2016 # names of configurations
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need_tools

fig2=$srcdir/ctests/programs/iostack/fig2.conf

echo "== the paper's Fig. 2"
"$gptl" iostack --check "$fig2" >out 2>err || { cat err; fail "Fig. 2 does not parse"; }
same "what was read" "$(sed 's/.*: 1 file/1 file/' out)" "1 file, 4 layers, 4 groups of logs, 22 probes, 0 warnings"
[ ! -s err ] || fail "Fig. 2: $(cat err)"
# Text extracted from the PDF of the paper: digits instead of letters, lost brackets.
sed 's/^-O/-0/; s/-l M/-1 M/; s/^\(-S.*\)]$/\1, <3 max>,/; s/multiqueue\.c\]/multiqueue.cl/' "$fig2" >scanned.conf
"$gptl" iostack --check scanned.conf >out 2>err || { cat err; fail "Fig. 2 with misprints"; }
grep -q ', 22 probes' out || fail "not all probes: $(cat out)"
grep -q 'scanned.conf:3:1: warning: -0 is read as -O' err || fail "no warning: $(cat err)"

"$gptl" iostack --select "$fig2" >out
grep -q '^12 of 22 probes for latency:' out || fail "$(cat out)"
grep -q '^  + disk .*Disk-start-probe .*of the metric of -Q' out || fail "the disk's probe is not chosen"
grep -q '^  - mpi .*MPI-Start-probe .*: left out: it is of reads, -O has writes only' out ||
    fail "a probe of reads is chosen"
sed 's/^-Q.*/-Q [nodes, inclusive, all]/' "$fig2" >nodes.conf
"$gptl" iostack --select nodes.conf >out
grep -q '^  - disk .*looks at layers above' out || fail "nodes need no disk"
sed 's/^-O.*/-O [r, w]/' "$fig2" >both.conf
"$gptl" iostack --select both.conf | grep -q '^17 of 22 probes' || fail "reads and writes"

echo "== what is added"
mkdir sets
cat >sets/mine.probes <<'END'
-P [MPI;common;Go-Start;-f go -l call [2];after;$HERE/a.c]
END
cat >more.conf <<'END'
# a comment
-D [HERE = /some where]
-P [MPI;latency;A-Start;-f go;before;$HERE/a.c;{ if (x[1] == '}') { f("]"); }
   g(); }]   # and here
END
cat >all.conf <<'END'
  -L [$HERE, $MORE=/x]
-I [more.conf]
-P @mine
-P [@mine2]
-P [Disk;accesses;D-End; -n 12 "a; \"text\" ]" ; $MORE/b.c]
-B [make -j2 CC='gcc' && test "[" = "["]
-R [run; stop]
END
cp sets/mine.probes sets/mine2.probes
GPTL_PROBE_SETS=sets "$gptl" iostack --check all.conf >out 2>err || { cat err; fail "what is added"; }
same "what was read" "$(cat out)" \
    "all.conf: 4 files, 0 layers, 0 groups of logs, 4 probes, 0 warnings"

echo "== names that stand for names: those that are known by then"
cat >names.conf <<'EOF'
-D [FIRST = /nowhere]
-L [$SECOND = $FIRST/second, $Log]
-D [FIRST = $FIRST/first]
-I [$FIRST/of/$SECOND]
EOF
ends 2 "$gptl" iostack --check names.conf 2>err
one_line err 'names.conf:4:5: cannot read /nowhere/first/of//nowhere/second: No such file'
printf -- '-D [ITSELF = $ITSELF/x]\n-I [$ITSELF]\n' >names.conf
ends 2 "$gptl" iostack --check names.conf 2>err
one_line err '$ITSELF is not known'
ITSELF=/out "$gptl" iostack --check names.conf 2>err && fail "a name of the environment"
one_line err 'cannot read /out/x:'

echo "== mistakes"
# wrong TEXT MESSAGE
wrong() {
    printf '%s\n' "$1" >wrong.conf
    ends 2 "$gptl" iostack --check wrong.conf >out 2>err
    ! grep -v "^gptl iostack: wrong.conf:" err && grep -qF -- "$2" err || { cat err; fail "\"$1\" does not say: $2"; }
}
wrong 'hello' 'wrong.conf:1:1: expected a flag (-A -L -O -C -S -T -Q -P -B -R -D -I), found "hello"'
wrong '-Z [x]' 'wrong.conf:1:1: expected a flag'
wrong '-A app.c' 'wrong.conf:1:4: expected [ behind -A, found "app.c"'
wrong '-A []' 'wrong.conf:1:5: expected files of the application, found nothing'
wrong '-A [a,,b]' 'wrong.conf:1:7: expected files'
wrong '-O [q]' 'wrong.conf:1:5: expected r, w, or both, found "q"'
wrong '-C [100-]' 'wrong.conf:1:9: expected a line'
wrong '-C [300-100]' 'wrong.conf:1:12: expected a line'
wrong '-C [x]' 'wrong.conf:1:5: expected lines as 100-300, found "x"'
wrong '-S [2, <3 max>]' 'wrong.conf:1:15: expected 2 layers as -S says, found 1'
wrong '-S [1, <3 mox>]' 'wrong.conf:1:11: expected max or sum, found "mox"'
wrong '-S [1, 3 max]' 'wrong.conf:1:8: expected <NUMBER max> or <NUMBER sum>'
wrong '-S [99]' 'wrong.conf:1:5: expected the number of layers, from 1 to 15'
wrong '-T [1, <2, a>]' 'wrong.conf:1:9: expected 2 files as the group says, found 1'
wrong '-T [2, <1, a>]' 'expected 2 groups of files as -T says, found 1'
wrong '-S [1, <3 max>]
-T [1, <2, a, b>]' 'wrong.conf:2:8: expected 3 files as -S says of this layer, found 2'
wrong '-T [2, <1, a>, <2, a, b>]
-S [3, <9 max>, <1 max>, <1 max>]' 'wrong.conf:1:16: expected 1 files as -S says of this layer, found 2'
wrong '-Q [speed]' 'wrong.conf:1:5: expected a metric: latency'
wrong '-Q [latency, total]' 'wrong.conf:1:14: expected inclusive or exclusive, found "total"'
wrong '-Q [latency, inclusive, 3-x]' 'wrong.conf:1:26: expected all, or calls as 6-17'
wrong '-Q [latency, inclusive, all, lst:]' 'wrong.conf:1:30: expected list:'
wrong '-P [Foo;latency;x;-n 3;f]' 'wrong.conf:1:5: expected a layer: App'
wrong '-P [MPI;speed;x;-n 3;f]' 'wrong.conf:1:9: expected a metric'
wrong '-P [MPI;latency;;-n 3;f]' "wrong.conf:1:17: expected the probe's name, found nothing"
wrong '-P [MPI;latency;x;-n no;f]' 'wrong.conf:1:22: expected the number of a line, found "no"'
wrong '-P [MPI;latency;x;-n 3]' 'expected the file of the line, found nothing'
wrong '-P [MPI;latency;x;-l 3f;before]' 'wrong.conf:1:22: expected the name of a function'
wrong '-P [MPI;latency;x;-l f [0];before]' 'expected a number from 1, or *'
wrong '-P [MPI;latency;x;-l f;beside]' 'wrong.conf:1:24: expected before or after, found "beside"'
wrong '-P [MPI;latency;x;-l f;before;a.c;b.c]' 'expected { code } or ]'
wrong '-P [MPI;latency;x;-l f;before;a.c;{ g(' 'expected } and ] for what -P has opened here'
wrong '-P @none' 'wrong.conf:1:4: expected a probe set, found none in'
wrong '-D [x]' 'wrong.conf:1:5: expected NAME = PATH, found "x"'
wrong '-D [a b = c]' 'expected a name of letters, digits and _'
wrong '-I [/nowhere]' 'wrong.conf:1:5: cannot read /nowhere: No such file'
wrong '-I [wrong.conf]' 'wrong.conf:1:5: wrong.conf is included already'
wrong '-R [a]
-R [b]' 'wrong.conf:2:1: expected one such command'
wrong '-T [1, <1, a>]

-T [1, <1, a>]' 'wrong.conf:3:1: expected one -T, there is one in wrong.conf:1'
wrong '-S [1, <1 max>]
-S [1, <1 max>]' 'wrong.conf:2:1: expected one -S, there is one in wrong.conf:1'
wrong '-Q [nodes, inclusive, all]
-Q [nodes, inclusive, all]' 'wrong.conf:2:1: expected one -Q, there is one in wrong.conf:1'
wrong '-A [a]
  -O [w]

-C [1-x]' 'wrong.conf:4:7: expected a line'
ends 2 "$gptl" iostack --check nowhere.conf 2>err
one_line err 'nowhere.conf: No such file'
ends 2 "$gptl" iostack --check . 2>err
ends 0 "$gptl" iostack --check /dev/null >out
ends 2 "$gptl" iostack 2>err
ends 0 "$gptl" iostack --help >out
ends 2 "$gptl" iostack --by nothing x 2>err
one_line err 'gptl iostack: --by nothing: expected call, client, server, layer, segment, device, effect, application or collective'
