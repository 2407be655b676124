#!/bin/sh
# gptl run: the command behaves as if run alone (its exit status, its streams, its signals), and each of its processes
# that measured has a report.
# shellcheck disable=SC2094 # where report is a subcommand
# shellcheck disable=SC3045 # ulimit -c, which every shell has
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC" python3
need_plain_build # a sanitizer does not go into programs that are not built with it
need_shared
need_tools

cat >prog.c <<'EOF'
#include <gptl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t got;

static void handler(int signal)
{
    got = signal;
}

int main(int argc, char **argv)
{
    const char *region = argc > 1 ? argv[1] : "region";
    GPTLstart(region);
    GPTLstop(region);
    if (argc > 2 && strcmp(argv[2], "wait") == 0) {
        for (int s = SIGHUP; s <= SIGTERM; s++)
            signal(s, handler);
        if (!freopen("ready", "w", stderr))
            return 3;
        fprintf(stderr, "%ld\n", (long)getpid());
        fflush(stderr);
        while (!got)
            usleep(1000);
        return got;
    }
    if (argc > 2 && strcmp(argv[2], "raise") == 0)
        raise(atoi(argv[3]));
    return argc > 2 ? atoi(argv[2]) : 0;
}
EOF
compile prog prog.c
ulimit -c 0
GPTL_RUN_DIR=$PWD/runs_here
SLURM_JOB_ID=$$.run_command # what other runs of this host left is not of this job
HOME=$PWD # where runs of jobs may lie as well
export GPTL_RUN_DIR SLURM_JOB_ID HOME
mkdir runs_here

# run STATUS [ARGUMENT...]: gptl run ARGUMENT...
run() {
    status=$1
    shift
    echo "== gptl run $*"
    rm -rf timing.*
    ends "$status" "$gptl" run "$@" >stdout 2>stderr
    no_rest
}

silent() {
    [ ! -s stdout ] || { cat stdout; fail "something on stdout"; }
    [ ! -s stderr ] || { cat stderr; fail "something on stderr"; }
}

# ---- Exit status ------------------------------------------------------------

for status in 0 1 2 77 126 127 255; do
    run $status ./prog region $status
    silent
    same reports "$(files timing.* | tr '\n' ' ')" "timing.0 timing.0.json "
    same calls "$(calls timing.0 region)" 1
done
for signal in 1 2 3 6 9 11 15; do
    run $((128 + signal)) ./prog region raise $signal
    grep -q "^gptl run: wrote .*timing.0 from what a process left that ended without a report$" stderr || fail "no word of the report"
    grep -q "^gptl run: the command was ended by signal $signal " stderr || fail "no word of the signal"
    same "lines of stderr" "$(wc -l <stderr)" 2
    same calls "$(calls timing.0 region)" 1
    grep -q '^NOTE: process ' timing.0 || fail "the report does not say whence it comes"
    [ -f timing.0.json ] || fail "no JSON of the killed process"
done
# Nobody reads the messages any more: the report exists nevertheless, and nothing else happens.
cat >unread.py <<'EOF'
import os, subprocess, sys

read_end, write_end = os.pipe()
os.close(read_end)
sys.exit(subprocess.run(sys.argv[1:], stderr=write_end).returncode)
EOF
rm -rf timing.*
ends 137 python3 unread.py "$gptl" run ./prog region raise 9
same calls "$(calls timing.0 region)" 1
no_rest
PATH=/usr/bin:/bin # a folder in it that may not be searched gives another error
run 127 no_such_command
one_line stderr "gptl run: no_such_command: No such file or directory"
run 127 ./missing/prog
one_line stderr "gptl run: ./missing/prog: No such file or directory"
run 0 sh -c 'for i in 1 2 3 4 5; do ./prog region raise 9; done; true' # a crowd takes one line
grep -v '^Killed' stderr >said || fail "no word of the reports"
one_line said "gptl run: wrote timing.0 and 4 more from what 5 processes left that ended without a report"
same "reports of a crowd" "$(files timing.* | grep -cv json)" 5
# A process that outlives the command is queried for its measurements so far, and reports itself at its end.
mkfifo ready
# shellcheck disable=SC2016 # for the other shell
outliving='./prog region wait & read -r pid <ready; echo "$pid" >pid'
rm -rf timing.*
ends 0 "$gptl" run sh -c "$outliving" 2>stderr
trap 'kill "$(cat pid)"' EXIT
left=$(ls "$GPTL_RUN_DIR"/gptl-run.*/gptl-salvage.*)
grep -q "^gptl run: $left: its process still runs, and will write its report itself$" stderr || fail "$(cat stderr)"
same "lines of stderr" "$(wc -l <stderr)" 2
same "reports" "$(files timing.*)" ""
ends 0 "$gptl" report "${left%/*}" >so_far
grep -q "^NOTE: process $(cat pid) had written no report" so_far || fail "$(cat so_far)"
same calls "$(calls so_far region)" 1
kill "$(cat pid)"
trap - EXIT
until [ ! -e "$left" ]; do sleep 0.01; done
same calls "$(calls timing.0 region)" 1
! grep '^NOTE: process' timing.0 || fail "its own report says that it wrote none"
for _ in $(seq 500); do # it was the last one in there
    [ -d "${left%/*}" ] || break
    sleep 0.01
done
[ ! -d "${left%/*}" ] || { ls "${left%/*}"; fail "nobody removed the folder"; }
run 0 sh -c "$outliving; kill -9 \$pid" # it has not ended yet where the command has
grep -v '^Killed' stderr >said || fail "no word of the report"
one_line said "gptl run: wrote timing.0 from what a process left that ended without a report"
rm ready

echo text >plain
run 126 ./plain
one_line stderr "gptl run: ./plain: Permission denied"
run 126 .
run 2
head -n 1 stderr >first
one_line first "usage: gptl run [--mpi] [--io] [--iostack[=FOLDER]] [--counters LIST]"
run 2 --
run 2 --set
run 2 --set percent=on
run 2 --unknown ./prog
run 2 --set percnet=on ./prog
head -n 1 stderr >first
one_line first 'there is no option "percnet"; did you mean "percent"?'
same "reports" "$(files timing.*)" ""
run 0 --help
grep -q '^usage: gptl run' stdout || fail "--help prints no usage"
[ ! -s stderr ] || fail "--help says something on stderr"
ends 2 "$gptl" rnu 2>stderr
one_line stderr 'there is no command "rnu"'
ends 2 "$gptl" 2>/dev/null
ends 0 "$gptl" --help >stdout
grep -q '^  run  ' stdout || fail "gptl --help does not list run"
# names HELP: the commands, or tools, that it lists.
names() {
    sed -n 's/^  \([a-z0-9]*\)  .*/\1/p' "$1"
}
"$gptl" ioc --help >tools
for words in $(names stdout) $(names tools | sed 's/^/ioc+/'); do
    # shellcheck disable=SC2046 # words
    "$gptl" $(echo "$words" | tr + ' ') --help >help 2>/dev/null || fail "gptl $words --help"
    grep -q '^usage: ' help || fail "gptl $words --help prints no usage"
    ! grep '.\{81\}' help || fail "gptl $words --help has lines of more than 80 columns"
done
! grep '.\{81\}' stdout tools || fail "lists of more than 80 columns"
ends 0 "$gptl" --version >stdout
same "--version" "$(cat stdout)" "gptl 9.0.0"
ends 2 "$gptl" report 2>/dev/null
ends 2 "$gptl" report --set percnet=on x 2>/dev/null
ends 2 "$gptl" report --unknown 2>/dev/null
ends 0 "$gptl" report --help >stdout
grep -q '^usage: gptl report' stdout || fail "gptl report --help prints no usage"

# ---- Options ----------------------------------------------------------------

run 0 --set percent=on --set overhead=off ./prog
silent
grep -q '^ *Called *Recurse *Wallclock *max *min *%_of_first$' timing.0 || fail "--set has no effect"
run 0 --set 'percent=on;overhead=off' -- ./prog
grep -q '%_of_first$' timing.0 || fail "two options in one --set have no effect"
GPTL_OPTIONS='percent=off;overhead=off;cpu=on' run 0 --set percent=on ./prog # --set wins, others stay
grep -q 'usr+sys *%_of_first$' timing.0 || fail "the environment's options are lost, or win"
run 0 --set output=text ./prog
same reports "$(files timing.*)" timing.0
run 0 --set output.path='other.{rank}' ./prog
[ -f other.0 ] && [ -f other.0.json ] || fail "output.path has no effect"

# Options after the start of the command belong to the command.
run 0 echo --set --help -- -h
same stdout "$(cat stdout)" "--set --help -- -h"
run 0 -- echo -- -x
same stdout "$(cat stdout)" "-- -x"
run 0 echo '' 'a  b' '*' "\"\$HOME\""
same stdout "$(cat stdout)" " a  b * \"\$HOME\""

# ---- Streams ----------------------------------------------------------------

printf 'a\0b\377\n' >binary
"$gptl" run cat <binary >copy
cmp binary copy || fail "stdin or stdout was changed"
no_rest
same "a pipeline" "$(seq 1000 | "$gptl" run sort -rn | "$gptl" run head -n 1)" 1000
same "stderr" "$("$gptl" run sh -c 'echo error >&2' 2>&1 >/dev/null)" error
seq 100000 | { "$gptl" run head -n 1 >/dev/null; cat >/dev/null; }
# inherited COMMAND...: the descriptors of its child processes.
inherited() {
    # shellcheck disable=SC2016 # for the other shell
    "$@" sh -c 'ls -l "/proc/$$/fd"; :' | sed 's/.* \([0-9]* ->\)/\1/; s/\[[0-9]*\]$//'
}
same "what the command inherits" "$(inherited "$gptl" run)" "$(inherited env)"

# If stderr is a terminal, a line names the reports; COMMAND's status is passed on.
on_terminal() {
    rm -rf timing.* ioc.log
    python3 -c 'import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$gptl" run "$@" </dev/null >terminal && status=0 || status=$?
    tr -d '\r' <terminal >said
}
on_terminal ./prog region 3
same "status" "$status" 3
one_line said "gptl run: the report is in timing.0; more of it: gptl report timing.0.json"
on_terminal --set output=text ./prog
one_line said "gptl run: the report is in timing.0"
on_terminal sh -c './prog & ./prog & wait'
one_line said "gptl run: 2 reports are in timing.0*; all together: gptl report --summary timing.0*.json"
on_terminal --set output=none ./prog
[ ! -s said ] || { cat said; fail "told of reports that are not there"; }

# ---- Several processes ------------------------------------------------------

rm -f timing.*
cat >script <<'EOF'
#!/bin/sh
./prog first
sleep 0
GPTL_OPTIONS="$GPTL_OPTIONS;output.path=second.{rank}" ./prog second
exit 5
EOF
chmod +x script
run 5 ./script
silent
same calls "$(calls timing.0 first)" 1
same calls "$(calls second.0 second)" 1
run 9 timeout 10 env nice sh -c './prog first; exit 9' # launchers write no report
silent
same reports "$(files timing.* | tr '\n' ' ')" "timing.0 timing.0.json "
# One run inside another.
run 3 "$gptl" run ./prog region 3
one_line stderr "this one steps aside" # the library, in the gptl that holds one itself
same calls "$(calls timing.0 region)" 1

# ---- Signals ----------------------------------------------------------------

# signalled SIGNAL: sent to gptl alone, it reaches the command.
signalled() {
    echo "== signal $1"
    rm -f ready timing.*
    "$gptl" run ./prog region wait 2>stderr &
    job=$!
    tries=0
    until [ -s ready ]; do
        tries=$((tries + 1))
        [ $tries -lt 1000 ] || fail "the command does not start"
        sleep 0.01
    done
    kill "-$1" $job
    got=0
    wait $job || got=$?
    same "exit status after signal $1" "$got" "$1"
    same calls "$(calls timing.0 region)" 1
    no_rest
}
signalled 15
signalled 1
# A background job of a shell without job control ignores SIGINT: so does the command then.
(
    trap '' INT
    exec "$gptl" run sh -c 'kill -INT $$; exit 4'
) 2>/dev/null && got=0 || got=$?
same "exit status with SIGINT ignored" "$got" 4

# ---- gptl itself is killed --------------------------------------------------

rm -f ready timing.*
"$gptl" run ./prog region wait 2>stderr &
job=$!
until [ -s ready ]; do sleep 0.01; done
kill -KILL $job
kill -KILL "$(cat ready)"
wait $job || true
tries=0
while kill -0 "$(cat ready)" 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 500 ] || break # a zombie that nobody waits for
    sleep 0.01
done
same reports "$(files timing.*)" ""
ends 0 "$gptl" report >report 2>stderr # finds it
one_line stderr "gptl report: the run of \"./prog\" in $PWD left its data in "
same calls "$(calls report region)" 1
ends 0 "$gptl" report "$GPTL_RUN_DIR"/gptl-run.* >again
diff report again || fail "another report when the directory is named"
rm -r "$GPTL_RUN_DIR"/gptl-run.*
ends 2 "$gptl" report >report 2>stderr
one_line stderr "gptl report: no file given, and no run left data behind on this job's hosts"

# ---- A place without room ---------------------------------------------------

mkdir sealed
if [ "$(id -u)" -eq 0 ]; then
    as_user="setpriv --reuid 65534 --clear-groups"
    $as_user ls . >/dev/null 2>&1 && $as_user "$gptl" --version >/dev/null 2>&1 || as_user=no
else
    as_user=
fi
if [ "$as_user" != no ]; then
    chmod 555 sealed
    mkdir -m 777 runs
    # shellcheck disable=SC2086 # a list of words
    (cd sealed && ends 9 env GPTL_RUN_DIR="$PWD/../runs" $as_user "$gptl" run ../prog region 9) 2>stderr
    one_line stderr "gptl run: cannot write timing.0: Permission denied; the results are in $PWD/sealed/../runs/gptl-run."
    same calls "$(calls runs/gptl-run.*/here/timing.0 region)" 1
    rm -rf runs/gptl-run.*
    mkdir -m 777 open
    # shellcheck disable=SC2086 # a list of words
    (cd sealed && ends 9 env GPTL_RUN_DIR="$PWD/../runs" $as_user "$gptl" run --set "output.path=$PWD/../open/there.{rank}" ../prog region 9) 2>stderr
    [ ! -s stderr ] || { cat stderr; fail "a word about another place"; }
    same "files there" "$(find open -type f | sort | tr '\n' ' ')" "open/there.0 open/there.0.json "
    no_rest
    chmod 755 sealed
fi
mkdir gone
(cd gone && rmdir ../gone && ends 5 "$gptl" run "$OLDPWD/prog" region 5) 2>stderr
one_line stderr "gptl run: cannot write timing.0: "
same calls "$(calls "$GPTL_RUN_DIR"/gptl-run.*/here/timing.0 region)" 1
