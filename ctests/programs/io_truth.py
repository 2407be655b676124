"""io_truth.py STRACE LOG: each read and write of a regular file seen by strace is in the log.

Either the log has the call, or it belongs to a class of calls that libc makes internally, before or without any
wrapper. Other calls are printed, and the exit status is 1.
"""
import collections
import re
import sys

import ioc_log

INSIDE_LIBC = [
    ("the dynamic linker", re.compile(r"\.so(\.[0-9.]*)?$|/ld\.so\.(cache|preload)$")),
    ("locales", re.compile(r"/locale|/gconv|/LC_|\.mo$")),
    ("names of users and groups", re.compile(r"^/etc/(nsswitch\.conf|passwd|group)$")),
    ("time zones", re.compile(r"/zoneinfo/|^/etc/localtime$")),
]


def lines_of(path):
    """Complete calls; interrupted ones are joined."""
    pending = {}
    with open(path, errors="replace") as file:
        for line in file:
            pid, _, rest = line.strip().partition(" ")
            rest = rest.strip()
            if "<unfinished" in rest:
                pending[pid] = rest.split("<unfinished")[0]
                continue
            resumed = re.match(r"<\.\.\. \w+ resumed>(.*)", rest)
            yield pid, pending.pop(pid, "") + resumed[1] if resumed else rest


def main():
    truth, log = sys.argv[1:]
    wanted, paths = collections.Counter(), {}
    for pid, call in lines_of(truth):
        m = re.match(r"(\w+)\((\d+)<(.*?)>[,)].* = (\d+)", call)
        if not m or not m[3].startswith("/") or re.match(r"/(dev|proc|sys)/", m[3]) or m[3] == log:
            continue
        key = (pid, m[1].replace("64", ""), int(m[2]), int(m[4]))
        wanted[key] += 1
        paths.setdefault(key, collections.Counter())[m[3]] += 1
    sections, damage = ioc_log.read_log(log)
    assert not damage
    logged = collections.Counter()
    for section in sections:
        assert section.lost == 0
        for call in ioc_log.calls_of(section):
            thread = str(call.thread)
            name = re.sub(r"^_IO_file_|^__|_chk$|64", "", call.name)
            if call.type in ("read", "write"):
                logged[(thread, name, call.fd, call.data)] += 1
            if "second" in call.ext:
                logged[(thread, name, call.ext["second"][0][1], call.data)] += 1
    left = wanted - logged
    explained = collections.Counter()
    for key in list(left):
        for name, pattern in INSIDE_LIBC: # files that share a descriptor and a size share a key
            inside = sum(n for path, n in paths[key].items() if pattern.search(path))
            explained[name] += min(inside, left[key])
            left[key] -= min(inside, left[key])
    print(f"{sum(wanted.values())} calls by strace, {sum((wanted & logged).values())} logged,",
          ", ".join(f"{n} {name}" for name, n in explained.items() if n),
          f"{sum(left.values())} unexplained")
    for key, n in (+left).items():
        print("unexplained:", n, *key, *paths[key])
    sys.exit(bool(+left) or not wanted & logged)


if __name__ == "__main__":
    main()
