#!/bin/sh
# gptl run: reports of killed processes get the names that the processes would have used, and replace no
# other process's report.
# shellcheck disable=SC2094 # where report is a subcommand
# shellcheck disable=SC3045 # ulimit -c, which every shell has
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"
need_plain_build # a sanitizer does not go into programs that are not built with it
need_shared
need_tools
ulimit -c 0

cat >prog.c <<'EOF'
#include <gptl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void region(const char *name)
{
    GPTLstart(name);
    GPTLstop(name);
}

/* prog REGION [SIGNAL [CHILD]]: ends with the signal; with CHILD, its child does. */
int main(int argc, char **argv)
{
    region(argv[1]);
    if (argc > 3 && fork()) {
        wait(NULL);
        return 0;
    }
    if (argc > 3)
        region(argv[3]);
    if (argc > 2)
        raise(atoi(argv[2]));
    return 0;
}
EOF
compile prog prog.c

# run STATUS [ARGUMENT...]: gptl run ARGUMENT...
run() {
    status=$1
    shift
    echo "== gptl run $*"
    rm -rf timing.* killed.*
    ends "$status" "$gptl" run "$@" >stdout 2>stderr
    no_rest
}

# process REPORT: its process.
process() {
    sed -n 's/^Process   \([0-9]*\) on .*/\1/p' "$1"
}

# A killed child does not take its parent's name.
run 0 --set output=text ./prog parent 9 child
same reports "$(files timing.* | sed 's/[0-9][0-9]\{1,\}$/PID/' | tr '\n' ' ')" "timing.0 timing.0.PID "
same "parent's calls" "$(calls timing.0 parent)" 1
same "child's calls" "$(calls timing.0.* child)" 1
same "child's number" "$(process timing.0.*)" "$(files timing.0.* | sed 's/timing.0.//')"

# Nor does a killed process take the name of one that exited normally.
run 0 --set output=text sh -c './prog first; ./prog second 9; true'
same reports "$(files timing.* | wc -l)" 2
same "calls in both" "$(calls timing.0 first)$(calls timing.0.* second)" 11

# Two killed ones: a report of each.
run 0 sh -c './prog first 9; ./prog second 9; true'
same reports "$(files timing.* | grep -vc json)" 2
same "JSON reports" "$(files timing.* | grep -c json)" 2

# Each is identified by its number; {program} and {pid} are not those of gptl.
run 137 --set output=text --set output.path='killed.{program}.{pid}' ./prog region 9
report=$(files killed.*)
same "name of the report" "$report" "killed.prog.$(process "$report")"
same calls "$(calls "$report" region)" 1

# A program is identified by the name that it was started by.
ln -s prog model
run 0 --set output=text --set output.path='killed.{program}' ./model region
same "name by another name" "$(files killed.*)" killed.model
rm killed.model
PMI_RANK=3 run 137 --set output=text ./prog region 9
same "report of rank 3" "$(files timing.*)" timing.3

# A directory whose name needs quotes.
for name in 'a b' 'c;d=e' 'h{pid}' 'i:j' 'f"g'; do
    mkdir "$name"
    (
        cd "$name"
        ends 137 "$gptl" run ../prog region 9 2>../stderr
        same "calls in $name" "$(calls timing.0 region)" 1
    )
    no_rest
done
