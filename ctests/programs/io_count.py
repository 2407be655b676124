"""io_count.py LOG...: the contents of a log, a few words per line, for comparison in tests.

One line per section: part, flags, calls, lost, and bytes written to files by name.
"""
import sys

import ioc_log


def written(section):
    """Bytes by the last part of the file's path, following descriptors in the order of time."""
    files = {d[0]: d[1] for d in section.descriptors}
    bytes_of = {}
    for call in sorted(ioc_log.calls_of(section), key=lambda c: c.unit):
        for kind in ("found", "gone", "made"):
            for _, fd, data in call.ext.get(kind, []):
                if kind == "gone":
                    files = {k: v for k, v in files.items() if not fd <= k <= data}
                else:
                    files[fd] = data & 0xFFFFFFFF
        if call.type in ("open", "creat") and call.fd >= 0:
            files[call.fd] = call.data & 0xFFFFFFFF
        elif call.type == "close":
            files.pop(call.fd, None)
        elif call.type == "write" and call.data > 0:
            name = ioc_log.full_path(section, files.get(call.fd, 0)).rpartition("/")[2]
            bytes_of[name] = bytes_of.get(name, 0) + call.data
    return bytes_of


for path in sys.argv[1:]:
    sections, damage = ioc_log.read_log(path)
    for s in sections:
        flags = ",".join(k for k, v in ioc_log.FLAGS.items() if s.flags & v) or "-"
        calls = list(ioc_log.calls_of(s))
        assert len(calls) == s.ncalls, (len(calls), s.ncalls)
        words = " ".join(f"{k}={v}" for k, v in sorted(written(s).items()))
        threads = len({c.thread for c in calls})
        print(f"part={s.part} flags={flags} lost={s.lost} threads={threads} {words}".strip(),
              *(f"DAMAGE={d}" for d in s.damage))
    for place in damage:
        print("DAMAGED", place)
