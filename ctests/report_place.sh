#!/bin/sh
# The destination of a report, and failures to write it: one clear error, -1, no file under the final name, no
# temporary file, and an undisturbed program.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"

cat >place.c <<'EOF'
#include <gptl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* place REGIONS [FILE [REGION]]: prints what GPTLpr_file returns. TAKE_ALL: with no descriptor left. */
int main(int argc, char **argv)
{
    char name[256];
    int n = atoi(argv[1]), rc = 0;
    while (getenv("TAKE_ALL") && dup(2) >= 0)
        ;
    GPTLstart(argc > 3 ? argv[3] : "total");
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "a_region_with_a_longer_name_number_%d", i);
        GPTLstart(name);
        GPTLstop(name);
    }
    GPTLstop(argc > 3 ? argv[3] : "total");
    if (argc > 2 && *argv[2]) {
        rc = GPTLpr_file(argv[2]);
        printf("rc %d, errors %d\n", rc, GPTLnum_errors());
    }
    return 9;
}
EOF
compile place place.c

# refused PATH MESSAGE [COMMAND...]: a report to PATH fails, requested or automatic.
refused() {
    path=$1
    message=$2
    shift 2
    echo "== refused: $path"
    ends 9 env GPTL_OPTIONS=output=none "$@" ./place 2000 "" >stdout 2>stderr # it can run at all
    ends 9 env GPTL_OPTIONS="output.path=$path" "$@" ./place 2000 >stdout 2>stderr
    [ ! -s stdout ] || fail "something on stdout"
    one_line stderr "GPTL: automatic report: cannot write $path: $message"
    no_rest
    # The automatic report does not replace it: its name is invalid too. A name that the program passes is independent
    # of the option.
    given=$(echo "$message" | sed 's/set output.path to/choose/')
    ends 9 env GPTL_OPTIONS="output.path=$path" "$@" ./place 2000 "$path" >stdout 2>stderr
    same result "$(cat stdout)" "rc -1, errors 1"
    head -n 1 stderr >first
    one_line first "GPTL: GPTLpr_file: cannot write $path: $given"
    [ "$(wc -l <stderr)" -eq 2 ] || { cat stderr; fail "not one line for each attempt"; }
    no_rest
}

# The directories of the option are created, because the results of a run would be lost otherwise. A name passed by
# the program is taken literally.
GPTL_OPTIONS="output=text,json;output.path=$PWD/made/{job}/before/../{program}.{rank}" ends 9 ./place 2 2>stderr
[ ! -s stderr ] || { cat stderr; fail "it could not be made"; }
same "files in the folder" "$(files made/nojob/* | tr '\n' ' ')" "made/nojob/before made/nojob/place.0 made/nojob/place.0.json "
rm -r made
ends 9 env GPTL_OPTIONS=output.path=unused ./place 2 missing/report >stdout 2>stderr
same result "$(cat stdout)" "rc -1, errors 1"
head -n 1 stderr >first
one_line first "GPTL: GPTLpr_file: cannot write missing/report: No such file or directory; make its directory, or choose one that exists"
no_rest
rm unused
# A program without free descriptors; the leak sanitizer would need one.
refused report "Too many open files; close files, or raise their limit (ulimit -n)" \
    env TAKE_ALL=1 "ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0" sh -c 'ulimit -n 64; exec "$@"' -
mkdir folder
refused folder "Is a directory; set output.path to the name of a file"
same "files in the folder" "$(ls -A folder)" ""
echo >plain
refused plain/report "Not a directory"
ln -s loop loop
refused loop "Too many levels of symbolic links"
[ -L loop ] || fail "the link is gone"
rm loop

# A file size limit of 4 KiB simulates a full disk.
refused too_large "File too large; make room" sh -c 'ulimit -f 8; exec "$@"' -
[ ! -e too_large ] || fail "a half report"
echo "from before" >too_large
refused too_large "File too large; make room" sh -c 'ulimit -f 8; exec "$@"' -
same "the old report" "$(cat too_large)" "from before"
ends 9 env GPTL_OPTIONS='append=on;output.path=too_large' \
    sh -c 'ulimit -f 8; exec "$@"' - ./place 2000 2>stderr
one_line stderr "cannot write too_large: File too large"
same "the old report" "$(cat too_large)" "from before"
[ ! -c /dev/full ] || refused /dev/full "No space left on device; make room"

# A real one, if mounting is allowed.
mkdir disk
if unshare -rm mount -t tmpfs -o size=32k tmpfs disk 2>/dev/null; then
    cat >full.sh <<'EOF'
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
mount -t tmpfs -o size=32k tmpfs disk
echo before >disk/old
for path in disk/new disk/old; do
    for append in off on; do
        for format in text json; do
            echo "== full disk: $path append=$append $format"
            name=$path
            [ $format = text ] || name=$path.json
            ends 9 env GPTL_OPTIONS="output.path=$path;append=$append;output=$format" \
                ./place 2000 >stdout 2>stderr
            one_line stderr "cannot write $name: No space left on device; make room"
            same "files on the disk" "$(ls -A disk)" old
            same "the old report" "$(cat disk/old)" before
        done
    done
done
ends 9 env GPTL_OPTIONS=output.path=disk/new ./place 20 2>stderr
[ ! -s stderr ] || fail "a small report does not fit"
mount -t tmpfs -o ro tmpfs disk
ends 9 env GPTL_OPTIONS=output.path=disk/other ./place 20 2>stderr
one_line stderr "Read-only file system; set output.path to a directory that you may write to"
EOF
    unshare -rm sh full.sh || fail "on a full disk"
else
    echo "cannot mount: checked without a full disk"
fi

# Permissions, which do not apply to root.
mkdir sealed
echo "from before" >sealed/old
chmod 444 sealed/old
chmod 555 sealed
if [ "$(id -u)" -ne 0 ]; then
    refused sealed/report "Permission denied; set output.path to a directory that you may write to"
    refused sealed/old "Permission denied"
elif setpriv --reuid 65534 --clear-groups ./place 1 "" >/dev/null 2>&1; [ $? -eq 9 ]; then
    echo "== as nobody"
    for path in sealed/report sealed/old; do
        ends 9 env GPTL_OPTIONS=output.path=$path \
            setpriv --reuid 65534 --clear-groups ./place 20 2>stderr
        one_line stderr "cannot write $path: Permission denied; set output.path to a directory"
    done
else
    echo "root, and no way to be somebody else: checked without permissions"
fi
same "files in the sealed folder" "$(ls -A sealed)" old
same "the old report" "$(cat sealed/old)" "from before"
chmod 755 sealed

# ---- Where it can ------------------------------------------------------------

# written PATH [OPTION...]
written() {
    path=$1
    shift
    echo "== written: $path $*"
    ends 9 env GPTL_OPTIONS="output.path=$path;$*" ./place 2 >stdout 2>stderr
    [ ! -s stderr ] || { cat stderr; fail "it said something"; }
    no_rest
}

echo old >existing
chmod 640 existing
written existing
same calls "$(calls existing total)" 1
same mode "$(stat -c %a existing)" 640
! grep -q '^old' existing || fail "not overwritten"
written existing append=on
written existing append=on
same "reports in the file" "$(grep -c '^Stats for thread 0:' existing)" 3
written appended append=on
same "reports in the file" "$(grep -c '^Stats for thread 0:' appended)" 1
written both 'append=on;output=text,json'
written both 'append=on;output=text,json'
same "documents" "$(files both* | tr '\n' ' ')" "both both.2.json both.json "

# A link remains one, and its target is replaced.
echo old >target
ln -s target link
written link
[ -L link ] || fail "the link was replaced"
same calls "$(calls target total)" 1
rm target link
ln -s target link # dangling
written link
[ -L link ] || fail "the dangling link was replaced"
same calls "$(calls target total)" 1

umask 077
written private
same mode "$(stat -c %a private)" 600
umask 022
written public
same mode "$(stat -c %a public)" 644

# To special files. The program's own output remains.
written /dev/null
same "kind of /dev/null" "$(stat -c %F /dev/null)" "character special file"
{
    echo before
    GPTL_OPTIONS='output.path=/dev/stdout' ./place 2 || true
    echo after
} >mixed
same "first line" "$(head -n 1 mixed)" before
same "last line" "$(tail -n 1 mixed)" after
same calls "$(calls mixed total)" 1
GPTL_OPTIONS='output.path=/dev/stdout' ./place 2 | cat >piped
same calls "$(calls piped total)" 1
ends 9 env GPTL_OPTIONS='output.path=/dev/stderr' ./place 2 2>err
same calls "$(calls err total)" 1
ends 9 env GPTL_OPTIONS='output.path=/dev/fd/5' ./place 2 5>five
same calls "$(calls five total)" 1
ends 9 env GPTL_OPTIONS='output.path=/dev/fd/7' ./place 2 2>stderr
one_line stderr "cannot write /dev/fd/7: Bad file descriptor"
# The reader does not read to the end: no SIGPIPE.
{
    (ends 9 env GPTL_OPTIONS=output.path=/dev/stdout ./place 20000 2>stderr) && : >survived
} | head -n 1 >/dev/null
[ -e survived ] || fail "the end of a pipe killed the program"
one_line stderr "GPTL: automatic report: cannot write /dev/stdout: Broken pipe"

mkfifo pipe
cat pipe >"read" &
exec 8>pipe # waits until there is somebody who reads
ends 9 env GPTL_OPTIONS='output.path=pipe' ./place 2
exec 8>&-
wait
same calls "$(calls read total)" 1
[ -p pipe ] || fail "the pipe was replaced"
ends 9 env GPTL_OPTIONS='output.path=pipe' ./place 2 2>stderr
one_line stderr "nobody reads from this pipe"

# Two at the same time: one of them, complete.
for i in 1 2 3 4 5 6; do
    ./place 300 same "by_$i" >/dev/null &
done
wait || true
same "whole reports" "$(grep -c '^Hash tables' same)" 1
same "reports" "$(grep -c '^  by_' same)" 1
no_rest

# stderr and stdout closed: nothing is written to a file that got their number.
GPTL_OPTIONS='percnet=on;output.path=closed' ./place 2 >&- 2>&- || true
same calls "$(calls closed total)" 1
! grep -q percnet closed || fail "a message is in the report"
