#!/bin/sh
# gptl run leaves nothing in the command's working directory: archives and listings of it are the same as without,
# results appear afterwards, and results of a killed run are found, of this run only.
# shellcheck disable=SC2094 # where run is a subcommand
# shellcheck disable=SC2016 # for other shells
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC" python3 tar
need_plain_build # a sanitizer does not go into programs that are not built with it
need_shared
need_tools

cat >prog.c <<'END'
#include <gptl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* REGION CALLS [kill]: CALLS calls of each of REGION_0 to REGION_9. */
int main(int argc, char **argv)
{
    char name[64];
    GPTLstart("total");
    for (int i = 0; i < 10 * atoi(argv[2]); i++) {
        snprintf(name, sizeof name, "%s_%d", argv[1], i % 10);
        GPTLstart(name);
        GPTLstop(name);
    }
    if (argc > 3)
        kill(getpid(), SIGKILL);
    GPTLstop("total");
    return 7;
}
END
compile prog prog.c
top=$PWD
mkdir runs
GPTL_RUN_DIR=$top/runs
SLURM_JOB_ID=$$.run_directory # what other runs of this host left is not of this job
HOME=$PWD # where runs of jobs may lie as well
export GPTL_RUN_DIR SLURM_JOB_ID HOME
clean() {
    same "directories of runs" "$(ls "$GPTL_RUN_DIR")" ""
}

echo "== what the command sees of its working directory"
for options in "" "--io" "--io --iostack" "--set output=none"; do
    rm -rf a b bare.tar run.tar seen
    mkdir a b
    seq 1000 >a/f
    cp -p a/f b/f
    list='tar --sort=name --mtime=@0 -cf ../OUT .; '"$top"'/prog x 1; ls -A >../seen; cp -r . ../copied; exit 5'
    (cd a && ends 5 sh -c "$(echo "$list" | sed 's/OUT/bare.tar/')") || fail "plain"
    rm -rf copied seen
    # shellcheck disable=SC2086 # words
    (cd b && ends 5 "$gptl" run $options sh -c "$(echo "$list" | sed 's/OUT/run.tar/')") || fail "run $options"
    same "what is there with $options" "$(cat seen)" f
    same "what was copied with $options" "$(ls -A copied)" f
    rm -r copied
    cmp bare.tar run.tar || fail "another archive with $options"
    clean
done
rm -rf b
mkdir b
cd b
ends 7 "$gptl" run --io sh -c 'echo a >f; exec ../prog mine 3'
same "results" "$(files ./* | tr '\n' ' ')" "./f ./ioc.log ./timing.0 ./timing.0.json "
same "mode of the report" "$(stat -c %a timing.0)" "$(printf '%o' $((0666 & ~$(umask))))"
same calls "$(calls timing.0 mine_9)" 3
cd ..
clean

echo "== names of the user's, relative and absolute, and a program that changes its directory"
rm -rf w
mkdir -p w/sub
cd w
ends 7 "$gptl" run --set 'output.path=sub/deep/mine.{rank}' ../prog x 1
[ -s sub/deep/mine.0 ] || fail "a path of the user's"
ends 7 "$gptl" run --set "output.path=$PWD/other.{rank}" sh -c 'cd /; exec "$0" x 1' "$top/prog"
[ -s other.0 ] || fail "an absolute path"
ends 7 "$gptl" run sh -c 'cd sub; exec "$0" x 1' "$top/prog"
[ -s timing.0 ] && [ ! -e sub/timing.0 ] || fail "results are not where gptl run was started"
ends 0 "$gptl" run --set append=on sh -c '"$0" x 1; true' "$top/prog"
same "appended reports" "$(grep -c '^ *x_3 ' timing.0)" 2
[ -s timing.0.2.json ] || { ls; fail "no second document"; }
ends 0 "$gptl" run sh -c 'mkdir gone; cd gone; rmdir ../gone; "$0" x 1; true' "$top/prog"
cd ..
clean

echo "== a directory that was made readable for others, or is a link, is not used"
mkdir -m 755 "$GPTL_RUN_DIR/gptl-run.open"
GPTL_OPTIONS="salvage=on;run.dir=$GPTL_RUN_DIR/gptl-run.open" ends 7 ./prog x 1
same "files in it" "$(ls -A "$GPTL_RUN_DIR/gptl-run.open")" ""
mkdir -m 700 target
ln -s "$PWD/target" "$GPTL_RUN_DIR/gptl-run.link"
GPTL_OPTIONS="salvage=on;run.dir=$GPTL_RUN_DIR/gptl-run.link" ends 7 ./prog x 1
same "files behind the link" "$(ls -A target)" ""
rm -r "$GPTL_RUN_DIR"/gptl-run.*
"$gptl" run sh -c 'stat -c "%a %n" "$GPTL_RUN_DIR"/gptl-run.* "$GPTL_RUN_DIR"/gptl-run.*/claim.*' >modes
! grep -v '^[67]00 ' modes || fail "others may read"
clean

echo "== no report is claimed that was not written"
ends 137 "$gptl" run --set output=none ./prog x 1 kill 2>stderr
one_line stderr "gptl run: the command was ended by signal 9 (Killed)"

echo "== places: one that cannot be used is passed over"
rm -rf w
mkdir w
cd w
GPTL_RUN_DIR=$top/missing ends 7 "$gptl" run ../prog x 1 2>stderr
one_line stderr "gptl run: cannot use GPTL_RUN_DIR \"$top/missing\": No such file or directory"
[ -s timing.0 ] || fail "no report"
rm timing*
TMPDIR=/nowhere ends 7 "$gptl" run ../prog x 1
[ -s timing.0 ] || fail "no report"
cd ..
clean

echo "== standard streams that are closed stay closed"
for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
    rm -f timing*
    eval "ends 7 \"\$gptl\" run sh -c 'for i in 0 1 2; do [ -e /proc/\$\$/fd/\$i ] && echo \$i; done >seen; exec ./prog x 1' $closed"
    want=$(printf '0\n1\n2\n')
    # the shell itself opens 1 for seen
    case $closed in
    '<&-') want=$(printf '1\n2\n') ;;
    '2>&-') want=$(printf '0\n1\n') ;;
    '<&- >&- 2>&-') want=1 ;;
    esac
    same "open with $closed" "$(cat seen)" "$want"
    same calls "$(calls timing.0 x_1)" 1
done

echo "== runs that are killed as a whole; a later one neither reports nor removes what they left"
for name in FIRST SECOND; do
    "$gptl" run sh -c 'echo $$ >pid; "$0" "$1" 5; echo done >ready; exec sleep 100' ./prog $name 2>/dev/null &
    job=$!
    tries=0
    until [ -s ready ]; do
        tries=$((tries + 1))
        [ $tries -lt 1000 ] || fail "the command does not start"
        sleep 0.01
    done
    rm ready
    kill -KILL $job "$(cat pid)"
    wait $job || true
done
rm -f timing*
ends 7 "$gptl" run ./prog NEW 2
same "reports" "$(files timing* | tr '\n' ' ')" "timing.0 timing.0.json "
! grep -q FIRST timing.0 || fail "data of a dead run in a report"
same "directories that are left" "$(files "$GPTL_RUN_DIR"/* | wc -l)" 2
ends 0 "$gptl" report >report 2>stderr
one_line stderr "; 1 earlier run left data beside it"
grep -q SECOND_3 report || { cat report; fail "not the last one"; }
! grep -q 'FIRST\|NEW' report || fail "data of another run"
rm -r "$GPTL_RUN_DIR"/gptl-run.*
