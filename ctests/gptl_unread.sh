#!/bin/sh
# gptl with a closed pipe as output: it ends in silence, as other tools do; a failed write to another
# destination is not mistaken for that.
# shellcheck disable=SC2094 # where report is a subcommand
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3
need_tools

PYTHONPATH=$srcdir/ctests/programs python3 - <<'END'
from profiles import Profile

profile = Profile(0)
thread = profile.thread()
for i in range(20000):
    thread.add(0, f"region {i}", 1, 1000 + i)
profile.write("large.json")
END

# A reader that has exited.
cat >unread.py <<'END'
import os, signal, subprocess, sys

read_end, write_end = os.pipe()
os.close(read_end)
handler = signal.SIG_IGN if sys.argv[1] == "ignored" else signal.SIG_DFL
signal.signal(signal.SIGPIPE, handler)
done = subprocess.run(sys.argv[2:], stdout=write_end, stderr=subprocess.PIPE, restore_signals=False)
sys.stderr.buffer.write(done.stderr)
sys.exit(done.returncode if done.returncode >= 0 else 128 - done.returncode)
END

for command in "report --flat large.json" "report --csv large.json" "report --folded large.json" \
    "report --speedscope large.json" "diff --json large.json large.json" "avail" "ioc --help" "--help"; do
    echo "== $command"
    # shellcheck disable=SC2086 # a list of words
    ends 141 python3 unread.py default "$gptl" $command 2>err
    [ ! -s err ] || { cat err; fail "a word about a reader that has gone"; }
    # shellcheck disable=SC2086 # the same
    ends 2 python3 unread.py ignored "$gptl" $command 2>err
    grep -q 'cannot write.*Broken pipe' err || { cat err; fail "no word of the closed pipe"; }
    [ -c /dev/full ] || continue
    # shellcheck disable=SC2086 # the same
    ends 2 "$gptl" $command >/dev/full 2>err
    grep -q 'cannot write.*No space left on device' err || { cat err; fail "no word of the full disk"; }
done
