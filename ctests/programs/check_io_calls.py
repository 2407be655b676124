"""check_io_calls.py LOG EXPECTED CALLS.DEF...: the log of io_calls agrees with its output, call by call.

Every call of the tables must be there, except those of processes, sockets and functions that libc lacks.
"""
import re
import sys
import urllib.parse

import ioc_log

NOT_HERE = set("""send recv __recv_chk sendto recvfrom __recvfrom_chk sendmsg recvmsg
    vfork __vfork _Fork execve execv execvp execvpe fexecve execveat _exit _Exit
    setuid seteuid setreuid setresuid mlockall
    open_by_handle_at fcloseall popen pclose vprintf __vprintf_chk
    psiginfo vsyslog __vsyslog_chk syslog __syslog_chk
    _IO_file_read _IO_file_write _IO_file_seek _IO_file_close
    localtime_r daemon login_tty forkpty posix_spawn posix_spawnp system
    vwprintf __vwprintf_chk vscanf __isoc99_vscanf __isoc23_vscanf wprintf __wprintf_chk wscanf
    __isoc99_wscanf __isoc23_wscanf putwchar putwchar_unlocked getwchar getwchar_unlocked""".split())


def path_of(section, number, work):
    if not number:
        return "-"
    file = section.files[number]
    if not file["base"] and not file["path"].startswith("/"):
        return "=" + file["path"]
    path = ioc_log.full_path(section, number)
    return path[len(work) + 1:] if path.startswith(work + "/") else path


def seen(section, call, work, absolute):
    """Return the line that io_calls would print for it."""
    paths = [path_of(section, data, work) for _, _, data in call.ext.get("file", [])]
    data = call.data
    if call.type in ("open", "creat"):
        paths = [path_of(section, data & 0xFFFFFFFF, work)]
        data = "-"
    made = call.ext.get("made", [[None, "-", None]])[0][1]
    gone = call.ext.get("gone", [[None, "-", None]])[0][1]
    at = call.one("at") if "at" in call.ext else "-"
    second = call.ext["second"][0][1] if "second" in call.ext else "-"
    asked = call.one("asked") if "asked" in call.ext else "-"
    words = [call.name, call.type, call.fd, data, at, asked, second, made, gone]
    words += [urllib.parse.quote(p, "/=") for p in paths] + ["-"] * (2 - len(paths))
    return " ".join(str(w) for w in words)


def main():
    log, expected, *tables = sys.argv[1:]
    sections, damage = ioc_log.read_log(log)
    # popen starts a shell.
    sections = [s for s in sections if ioc_log.texts(s, "program")[0].endswith("/io_calls")]
    assert not damage and len(sections) == 1 and not sections[0].damage, (damage, len(sections))
    section = sections[0]
    assert section.lost == 0
    start = ioc_log.texts(section, "directory")[0]
    lines = [line.rstrip("\n") for line in open(expected)]
    missing = {line.split()[1] for line in lines if line.startswith("missing ")}
    lines = [line for line in lines if not line.startswith("missing ")]
    calls = [c for c in ioc_log.calls_of(section) if not c.name.startswith("_IO_file_")]
    times = [call.unit for call in calls]
    assert times == sorted(times) and len(set(times)) > len(times) // 10
    bad = 0
    got = [seen(section, call, start + "/work", start) for call in calls]
    # The base of the paths: "work" itself is named before it is entered.
    got = [re.sub(r" %s/work(?= |$)" % re.escape(start), " work", g) for g in got]
    loose = {"shm_open", "shm_unlink", "memfd_create"}
    for i in range(max(len(lines), len(got))):
        want = lines[i] if i < len(lines) else "nothing"
        have = got[i] if i < len(got) else "nothing"
        if want.split()[0] in loose:
            have = have.replace(" =", " ")
        if "dprintf" in have: # some versions of libc make a stream for it
            have = have.replace(" stdio_write ", " write ")
        # A file without a name has the one that the kernel reports.
        have = re.sub(r" %23\d+%20%28deleted%29(?= |$)", " .", have)
        want, have = want.replace(" ./", " "), have.replace(" ./", " ")
        if want.split() != have.split():
            bad += 1
            print(f"line {i + 1}:\n  wanted {want}\n  logged {have}")
            if bad > 20:
                break
    rows = set()
    for table in tables:
        rows |= set(re.findall(r"^(?:BASIC|DATA|DATA_AT|STATUS|STATUS_NAMED|FD|RANGE|PATH|PATHS|STREAM"
                               r"|STREAM_DATA|STREAM_CHAR|HAND|VARIADIC)\((\w+)", open(table).read(),
                               re.M))
    uncalled = rows - {line.split()[0] for line in lines} - missing - NOT_HERE
    if uncalled:
        print("no test calls:", " ".join(sorted(uncalled)))
    print(f"{len(got)} calls compared, {len(rows)} rows, libc has none of: {' '.join(sorted(missing))}")
    sys.exit(bool(bad or uncalled))


if __name__ == "__main__":
    main()
