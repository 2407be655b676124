"""samples.py - the distribution of a program's time: samples by perf (Debian: linux-perf), by the address in its
module.

A virtual machine often lacks counters of cycles, so a timer triggers the samples; the sampled instruction is one or
two after the one that stalled.
"""
import bisect
import re
import subprocess
from collections import Counter
from pathlib import Path

MAPPED = re.compile(r"PERF_RECORD_MMAP2? .*\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*x[ps] (\S+)")
SAMPLE = re.compile(r"\s*([0-9a-f]+)\s*$")
PER_SECOND = 20000


def take(command, data, **options):
    """Counter of (module, address) for a run of COMMAND, with the samples in the file DATA."""
    subprocess.run(["perf", "record", "-q", "-F", str(PER_SECOND), "-e", "cpu-clock:u", "-o", str(data), *command],
                   check=True, stderr=subprocess.DEVNULL, **options)
    lines = subprocess.run(["perf", "script", "-i", str(data), "--show-mmap-events", "-F", "ip"], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    data.unlink()
    mapped, found = [], Counter()
    for line in lines:
        if match := MAPPED.search(line):
            begin, size, offset = (int(match[i], 16) for i in (1, 2, 3))
            mapped.append((begin, begin + size, offset, Path(match[4]).name))
        elif match := SAMPLE.match(line):
            address = int(match[1], 16)
            for begin, end, offset, module in mapped:
                if begin <= address < end:
                    found[module, address - begin + offset] += 1
    return found


def by_block(found, blocks):
    """Counter of BLOCKS, a list of (module, address): each sample belongs to the last block that begins at or before
    it.
    """
    places = {}
    for module, address in sorted(blocks):
        places.setdefault(module, []).append(address)
    counts = Counter()
    for (module, address), n in found.items():
        starts = places.get(module, [])
        at = bisect.bisect(starts, address)
        if at > 0:
            counts[module, starts[at - 1]] += n
    return counts
