#!/bin/sh
# However a process ends, its salvage file contains its measurements; and after a clean end there is no file.
# Changes by the program to its directory, its descriptors and its disk do not matter, and none of its files is
# touched.
# shellcheck disable=SC2094 # where report is a subcommand
# shellcheck disable=SC3045 # ulimit -c, which every shell has
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"
need_plain_build # its handlers and its stack are not those of a program
need_shared
need_tools

cat >ends.c <<'EOF'
#include <gptl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void regions(const char *name, int n)
{
    for (int i = 0; i < n; i++)
        if (GPTLstart(name) || GPTLstop(name))
            exit(90);
}

static int overflow(volatile char *above)
{
    volatile char here[4096];
    memset((char *)here, *above, sizeof here);
    return overflow(here) + here[1];
}

/* Many different paths, so that the file grows. */
static void grow(int n)
{
    char name[300];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%0*d", 200, i);
        GPTLstart(name);
        GPTLstop(name);
    }
}

static void *hammer(void *unused)
{
    for (;;)
        regions("hammer", 1);
    return unused;
}

static void end(const char *how)
{
    pthread_t thread;
    char zero = 0;
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "segv") == 0)
        raise(SIGSEGV);
    if (strcmp(how, "overflow") == 0)
        exit(overflow(&zero));
    if (strcmp(how, "_exit") == 0)
        _exit(11);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(12);
    if (strcmp(how, "return") == 0)
        exit(0);
    if (strcmp(how, "pr") == 0)
        exit(GPTLpr_file("asked") != 0);
    if (strcmp(how, "finalize") == 0)
        exit(GPTLfinalize() != 0);
    if (strcmp(how, "finalize_exit") == 0)
        _exit(GPTLfinalize() != 0);
    if (strcmp(how, "exec") == 0)
        execl("/bin/true", "true", (char *)0);
    if (strcmp(how, "exec_again") == 0)
        execl("./ends", "ends", "3", "_exit", (char *)0);
    if (strcmp(how, "grow") == 0) {
        grow(30000);
        regions("last", 7);
        raise(SIGKILL);
    }
    if (strcmp(how, "long") == 0) {
        double then, now, usr, sys;
        GPTLstart("long");
        GPTLstamp(&then, &usr, &sys);
        do
            GPTLstamp(&now, &usr, &sys);
        while (now < then + 0.01);
        GPTLstop("long");
        GPTLstart("given");
        GPTLstop("given");
        GPTLstartstop_val("given", 1000);
        raise(SIGKILL);
    }
    if (strcmp(how, "hammer") == 0) {
        for (int i = 0; i < 3; i++)
            pthread_create(&thread, NULL, hammer, NULL);
        usleep(5000);
        exit(0);
    }
    exit(91);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 92;
    GPTLstart("total");
    regions("region", atoi(argv[1]));
    end(argv[2]);
}
EOF
compile ends ends.c -Wno-infinite-recursion -Wno-maybe-uninitialized

# run STATUS HOW [OPTIONS]: 5 regions, then the end.
run() {
    echo "== $2 $3"
    rm -rf timing.* asked gptl-salvage.* report
    # shellcheck disable=SC2016 # for the other shell
    ends "$1" env GPTL_OPTIONS="salvage=on;$3" sh -c 'ulimit -c 0; exec ./ends 5 "$0"' "$2" 2>stderr
}

# told: the one salvage file contains the measurements.
told() {
    same reports "$(files timing.*)" ""
    same "salvage files" "$(files gptl-salvage.* | wc -l)" 1
    ends 0 "$gptl" report . >report 2>stderr
    [ ! -s stderr ] || { cat stderr; fail "gptl report said something"; }
    same "calls in the report" "$(calls report region)" 5
    grep -q '^ >total  *0 ' report || { cat report; fail "total is not open"; }
}

for end in abort:134 segv:139 overflow:139 _exit:11 quick_exit:12; do
    run "${end#*:}" "${end%:*}" ''
    told
    # The file itself is as good as its directory.
    "$gptl" report gptl-salvage.* | grep -v '  *gptl-salvage\.' >again
    grep -v '  *./gptl-salvage\.' report | diff - again || fail "folder and file differ"
done
rm -f gptl-salvage.*

# Open regions have time up to the last stop, also if nothing was started after that.
run 137 long ''
told
seconds() { awk -v name="$1" '$1 == name && $2 ~ /^[0-9]/ { print $4; exit }' report; }
awk -v total="$(seconds '>total')" -v long="$(seconds long)" \
    'BEGIN { exit !(long >= 0.01 && total >= long && total < 500) }' || { cat report; fail "the time of total"; }
rm -f gptl-salvage.*

# A clean end removes the file.
for how in return finalize; do
    run 0 $how ''
    [ -f timing.0 ] || fail "no report"
    no_rest
done
# A process that ends immediately after its report leaves a file that says so.
run 0 finalize_exit ''
[ -f timing.0 ] || fail "no report"
for left in $(files gptl-salvage.*); do
    ends 0 "$gptl" report "$left" >report 2>stderr
    one_line stderr "its process has reported all that it measured"
    [ ! -s report ] || fail "reported twice"
done
rm -f gptl-salvage.* timing.*
ends 0 "$gptl" run ./ends 5 finalize_exit 2>stderr
[ ! -s stderr ] || { cat stderr; fail "gptl run said something"; }
no_rest
run 0 pr ''
[ -f asked ] || fail "no report"
no_rest
# Threads that continue while the file is removed are unaffected.
for _ in 1 2 3 4 5 6 7 8 9 10; do
    run 0 hammer ''
    [ ! -s stderr ] || { cat stderr; fail "threads at the end"; }
    no_rest
done

# The program started by exec has its own file; the data before exec is reported.
run 0 exec ''
told
rm -f gptl-salvage.*
run 11 exec_again ''
same "salvage files" "$(files gptl-salvage.* | wc -l)" 2
ends 0 "$gptl" report . >report
same "calls in both reports" "$(calls report region)" $((5 + 3))
rm -f gptl-salvage.*

# The place of the file: next to the report, or as set by the option.
mkdir beside there
run 139 segv 'output.path=beside/timing.{rank}'
same "files beside" "$(files beside/* | sed 's/\.[0-9]*$//')" "beside/gptl-salvage.$(uname -n)"
run 139 segv "salvage.dir=$PWD/there"
same "files there" "$(files there/* | sed 's/\.[0-9]*$//')" "there/gptl-salvage.$(uname -n)"
same "files here" "$(files gptl-salvage.*)" ""
same mode "$(stat -c %a there/*)" 600
# The directory belongs to the user: a clean end leaves nothing there that a later run would find.
rm there/*
for _ in 1 2; do
    run 0 return "salvage.dir=$PWD/there"
    same reports "$(files timing.*)" timing.0
    same "files there" "$(files there/*)" ""
done

# If it cannot be created the program measures without.
run 0 return 'salvage.dir=missing'
one_line stderr "missing/gptl-salvage."
same "calls in the report" "$(calls timing.0 region)" 5

# No space: earlier data is reported, and the program continues.
mkdir disk
if unshare -rm mount -t tmpfs -o size=600k tmpfs disk 2>/dev/null; then
    cat >full.sh <<'EOF'
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
mount -t tmpfs -o size=600k tmpfs disk
ends 137 env GPTL_OPTIONS="salvage=on;salvage.dir=disk" ./ends 5 grow 2>stderr
grep '^GPTL' stderr >said # the shell says that it was killed
one_line said "No space left on device; measuring goes on"
ends 0 "$gptl" report disk >report 2>stderr
same "calls in the report" "$(calls report region)" 5
[ "$(grep -c '^ *0[0-9]*$' report)" -gt 100 ] || fail "what was kept before is not told"
rm disk/*
ends 0 env GPTL_OPTIONS="salvage=on;salvage.dir=disk" ./ends 5 return 2>stderr
same "files left" "$(ls disk)" ""
mount -t tmpfs -o size=8k tmpfs disk
ends 0 env GPTL_OPTIONS="salvage=on;salvage.dir=disk" ./ends 5 return 2>stderr
one_line stderr "No space left on device"
same "files left" "$(ls disk)" ""
EOF
    unshare -rm sh full.sh || fail "on a full disk"
else
    echo "cannot mount: checked without a full disk"
fi

# A file size limit does not end the program.
rm -f timing.* gptl-salvage.*
for blocks in 8 1024; do
    ends 0 env GPTL_OPTIONS="salvage=on" \
        sh -c "ulimit -f $blocks; exec ./ends 5 return" 2>stderr
    same "calls in the report" "$(calls timing.0 region)" 5
    ends 137 env GPTL_OPTIONS="salvage=on;salvage.dir=there" \
        sh -c "ulimit -f $blocks; exec ./ends 5 grow" 2>stderr
    grep '^GPTL' stderr >said
    one_line said "File too large; measuring goes on"
done
