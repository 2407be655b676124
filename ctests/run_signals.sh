#!/bin/sh
# gptl run and signals: each that a process sends to gptl alone reaches the command, and gptl stays until the
# command has ended, with its status.
# shellcheck disable=SC2094 # where run is a subcommand
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3
need_plain_build # a sanitizer does not go into programs that are not built with it
need_shared
need_tools

cat >command.py <<'END'
"""Writes the signals that come, a name each, until "end" is the next line of stdin."""
import signal, sys, threading

OWN = {"SIGKILL", "SIGSTOP", "SIGCHLD", "SIGCLD", "SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS"}

def main():
    def note(number, frame):
        print(number, flush=True)
    for s in signal.Signals:
        if s.name not in OWN:
            signal.signal(s, note)
    print("ready", flush=True)
    threading.Thread(target=lambda: (sys.stdin.readline(), done.set())).start()
    while not done.wait(0.01):
        pass
    sys.exit(7)

done = threading.Event()
if __name__ == "__main__":
    main()
END
cat >send.py <<'END'
"""Starts the command of the arguments, and sends it each signal: it must be told, and stay."""
import os, signal, subprocess, sys
from command import OWN

def start(words, **options):
    p = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)
    assert p.stdout.readline() == "ready\n"
    return p

p = start(sys.argv[1:])
sent = [s for s in sorted(signal.Signals) if s.name not in OWN and s not in (signal.SIGPIPE,)]
for s in sent:
    p.send_signal(s)
    got = p.stdout.readline()
    assert got == f"{int(s)}\n", (s, got)
    assert p.poll() is None, (s, p.poll())
p.stdin.write("end\n")
p.stdin.close()
assert p.wait() == 7, p.returncode
print(len(sent), "signals")
END
timeout 60 python3 send.py python3 command.py >plain
ends 0 timeout 60 python3 send.py "$gptl" run --set output=none python3 command.py >run
diff plain run || fail "other signals"
[ "$(sed 's/ .*//' run)" -ge 20 ] || fail "few signals: $(cat run)"

echo "== one that stops the command stops gptl as well, and both go on"
cat >stop.py <<'END'
import os, signal, subprocess, sys
p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
assert p.stdout.readline() == "ready\n"
os.kill(p.pid, signal.SIGTSTP)
pid, status = os.waitpid(p.pid, os.WUNTRACED)
assert os.WIFSTOPPED(status), status
os.kill(p.pid, signal.SIGCONT)
p.stdin.write("go\n")
p.stdin.close()
assert p.stdout.read() == "went on\n"
assert p.wait() == 5
END
# shellcheck disable=SC2016 # for the other shell
set -- sh -c 'echo ready; read -r line; echo went on; exit 5'
ends 0 timeout 60 python3 stop.py "$@"
ends 0 timeout 60 python3 stop.py "$gptl" run --set output=none "$@"

echo "== one of the terminal, which sends it to both, does not end gptl, and reaches the command once"
cat >terminal.py <<'END'
"""Starts the command of the arguments on a terminal, presses control-C, and sends SIGUSR1 to the first process only."""
import os, pty, signal, sys, termios

pid, terminal = pty.fork()
if pid == 0:
    mode = termios.tcgetattr(0)
    mode[3] &= ~termios.ECHO
    termios.tcsetattr(0, termios.TCSANOW, mode)
    os.execvp(sys.argv[1], sys.argv[1:])
lines = os.fdopen(terminal, "r+b", buffering=0)

def expect(wanted):
    got = lines.readline().strip().decode()
    assert got == wanted, (got, wanted)

expect("ready")
lines.write(b"\x03")
expect(str(int(signal.SIGINT)))
# The first process handles it after SIGINT: if it had passed SIGINT on, the command would print SIGINT before this
# signal.
os.kill(pid, signal.SIGUSR1)
expect(str(int(signal.SIGUSR1)))
lines.write(b"end\n")
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
END
ends 0 timeout 60 python3 terminal.py python3 command.py
ends 0 timeout 60 python3 terminal.py "$gptl" run --set output=none python3 command.py

echo "== an alarm from before the exec; a child's end that the caller ignores; signals that are ignored"
cat >alarm.py <<'END'
import os, signal, sys
if sys.argv[1] == "alarm":
    signal.setitimer(signal.ITIMER_REAL, 1)
else:
    signal.signal(getattr(signal, sys.argv[1]), signal.SIG_IGN)
os.execvp(sys.argv[2], sys.argv[2:])
END
ends 142 python3 alarm.py alarm "$gptl" run --set output=none sleep 20 2>/dev/null
ends 3 python3 alarm.py SIGCHLD "$gptl" run --set output=none sh -c 'exit 3'
for s in SIGHUP SIGUSR1 SIGINT; do
    # shellcheck disable=SC2016 # for the other shell
    ends 4 python3 alarm.py $s "$gptl" run --set output=none sh -c 'kill -'"${s#SIG}"' $$; kill -'"${s#SIG}"' $PPID; exit 4'
done
