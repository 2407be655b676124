"""layouts.py gptl8|cesm|empty NRANKS: reads the reports of programs/layouts.c, like the scripts for these layouts.

NRANKS 0: without MPI there is no summary.
"""
import re
import sys

what, nranks = sys.argv[1], int(sys.argv[2])
size = max(nranks, 1)
summary_expected = nranks > 0


def fail(text):
    sys.exit(f"{what}: {text}")


def same(found, expected, name):
    if isinstance(expected, float):
        if abs(float(found) - expected) > 0.0006:
            fail(f"{name} is {found}, expected {expected}")
    elif found != expected:
        fail(f"{name} is {found!r}, expected {expected!r}")


def lines_of(path):
    return open(path, encoding="utf-8").read().splitlines()


def deviation(values):
    mean = sum(values) / len(values)
    return (sum((v - mean) ** 2 for v in values) / len(values)) ** 0.5


LONG = ("a_name_that_is_longer_than_63_characters,_as_many_are_that_models_make_of_the_names_of_their_"
        "components,_of_their_grids_and_of_what_is_done_there_in_each_step_of_time")
FIRST_USE = ["total", "work", "other", "rec", "two words", LONG]


def regions(rank):
    """Calls, recursive calls, seconds, longest, shortest of thread 0 by name."""
    rows = {"total": (1, 0, None, None, None), "work": (rank + 2, 0, rank + 2.0, 1.0, 1.0),
            "other": (1, 0, None, None, None), "rec": (2, 1, None, None, None),
            "two words": (1, 0, 3.0, 3.0, 3.0), LONG: (1, 0, 4.0, 4.0, 4.0)}
    if rank == size - 1:
        rows["once"] = (1, 0, 5.0, 5.0, 5.0)
    rows["loop"] = (1, 0, rank + 1.0, rank + 1.0, rank + 1.0)
    rows["still_on"] = (0, 0, 0.0, 0.0, 0.0)
    if rank == 0:
        rows["again"] = (1, 0, 2.0, 2.0, 2.0)
    return rows


def thread_table(lines, thread):
    """The rows of a thread, up to the first blank line, and the line below them."""
    start = lines.index(f"Stats for thread {thread}:")
    end = lines.index("", start)
    totals = lines[end + 1:end + 4]
    return lines[start + 1], lines[start + 2:end], totals


def check_row(tokens, expected, name):
    calls, recursive, seconds, longest, shortest = expected
    same(tokens[0], str(calls), f"Called of {name}")
    same(tokens[1], str(recursive) if recursive else "-", f"Recurse of {name}")
    for token, value, column in zip(tokens[2:5], (seconds, longest, shortest), ("Wall", "max", "min")):
        if value is None:
            same(re.fullmatch(r"\d+\.\d+", token) is not None, True, f"{column} of {name}: {token}")
        else:
            same(token, value, f"{column} of {name}")


# ---- GPTL 8 ----------------------------------------------------------------------------------


def gptl8_rank(rank):
    lines = lines_of(f"timing.{rank:06d}")
    head, rows, totals = thread_table(lines, 0)
    same(head.split(), "Called Recurse Wall max min selfOH parentOH".split(), "head")
    seen = set()
    for line in rows:
        name = re.sub(r"( +\S+){7}$", "", line).strip()
        bare = name.lstrip("*!")
        same("!" in name, bare in ("still_on", "again"), f"! of {name}")
        same("*" in name, bare == "work", f"* of {name}")
        tokens = line.split()[-7:]
        if bare.startswith("MPI_"):
            continue
        seen.add(bare)
        check_row(tokens, regions(rank)[bare], bare)
        for text in tokens[5:]:
            same(re.fullmatch(r"\d+\.\d{3}", text) is not None, True, f"overhead of {bare}")
    same(seen, set(regions(rank)), "regions")
    same({len(line) for line in rows if LONG not in line}, {len(head)}, "ends of lines")
    same(re.fullmatch(r"Overhead sum = +\d\S* wallclock seconds", totals[0]) is not None, True, totals[0])
    calls = sum(int(line.split()[-7]) for line in rows)
    same(totals[1], f"Total calls  = {calls}", "total")
    at = lines.index("Same stats sorted by timer for threaded regions:")
    threads = {tuple(line.split()[:2]): line.split()[2:] for line in lines[at + 2:] if line}
    for label, seconds in (("000", 1.0), ("001", 1.5), ("SUM", 2.5)):
        same(threads[(label, "loop")][2], seconds * (rank + 1), f"Wall of {label} loop")
    same(threads[("SUM", "loop")][0], "2", "calls of SUM loop")


def gptl8_summary():
    lines = lines_of("timing.summary")
    head = lines[0]
    same(head.split(), "name ncalls nranks mean_time std_dev wallmax (rank thread) wallmin (rank thread)".split(),
         "head of the summary")
    rows = lines[1:lines.index("")]
    names = [re.split(r" +\d| NOT ", line)[0].strip() for line in rows]
    own = [name for name in names if not name.startswith("MPI_")]
    same(own[:6], FIRST_USE, "order of first use")
    by_name = {name: line[len(name):].split() for name, line in zip(names, rows)}
    ranks = range(size)
    for name, calls, where, times in (
            ("work", sum(r + 2 for r in ranks), ranks, [r + 2.0 for r in ranks]),
            ("loop", 2 * size, ranks, [1.5 * (r + 1) for r in ranks]),
            ("two words", size, ranks, [3.0] * size), ("once", 1, [size - 1], [5.0])):
        tokens = re.sub(r"[()]", " ", " ".join(by_name[name])).split()
        same(tokens[0], str(calls), f"ncalls of {name}")
        same(tokens[1], str(len(times)), f"nranks of {name}")
        same(tokens[2], sum(times) / len(times), f"mean_time of {name}")
        same(tokens[3], deviation(times), f"std_dev of {name}")
        same(tokens[4], max(times), f"wallmax of {name}")
        same(tokens[5:7], [str(where[times.index(max(times))]), "1" if name == "loop" else "0"],
             f"place of wallmax of {name}")
        same(tokens[7], 1.0 if name == "loop" else min(times), f"wallmin of {name}")
        same(tokens[8:10], [str(where[0]), "0"], f"place of wallmin of {name}")
        same(len(next(line for line in rows if line.startswith(name))), len(head), f"end of {name}'s line")
    for name, n in (("still_on", 2 * size), ("again", 1)):
        same(" ".join(by_name[name]), f"NOT PRINTED: timer is currently ON for {n} threads", name)


# ---- The climate models ----------------------------------------------------------------------


def cesm_summary(lines):
    """Like get_timing.py, a reader of columns by their words, and one of the first four tokens."""
    same(lines[0], f"***** GLOBAL STATISTICS ({size:6d} MPI TASKS) *****", "first line")
    at = next(i for i, line in enumerate(lines) if "'on' indicates whether the timer was active during output" in line)
    start = next(i for i, line in enumerate(lines) if i > at and line.startswith("name"))
    same(lines[start].split(), "name on processes threads count walltotal wallmax (proc thrd ) wallmin (proc thrd )".split(),
         "head")
    rows = lines[start + 1:lines.index("", start)]
    ranks = range(size)
    expected = {  # on, processes, threads, count, walltotal, wallmax, its place, wallmin, its place
        "work": ("-", size, size, sum(r + 2 for r in ranks), sum(r + 2.0 for r in ranks), size + 1.0,
                 (size - 1, 0), 2.0, (0, 0)),
        "loop": ("-", size, 2 * size, 2 * size, sum(2.5 * (r + 1) for r in ranks), 1.5 * size, (size - 1, 1), 1.0, (0, 0)),
        "two words": ("-", size, size, size, 3.0 * size, 3.0, (0, 0), 3.0, (0, 0)),
        LONG: ("-", size, size, size, 4.0 * size, 4.0, (0, 0), 4.0, (0, 0)),
        "once": ("-", 1, 1, 1, 5.0, 5.0, (size - 1, 0), 5.0, (size - 1, 0)),
        "still_on": ("y", 0, 0, 0, 0.0, 0.0, (0, 0), 0.0, (0, 0)),
        "again": ("y", 1, 1, 1, 2.0, 2.0, (0, 0), 2.0, (0, 0))}
    for name, values in expected.items():
        found = [m for m in (re.match(
            rf'\s*"{re.escape(name)}"\s+(\S)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(\d*\.\d+)\s*\(\s*(\d+)\s+(\d+)\)'
            rf'\s*(\d*\.\d+)\s*\(\s*(\d+)\s+(\d+)\)', line) for line in rows) if m]
        same(len(found), 1, f"rows of {name}")
        on, processes, threads, count, total, most, *rest = found[0].groups()
        same((on, int(processes), int(threads), int(float(count))), values[:4], name)
        same(re.fullmatch(r"\d\.\d{6}e[+-]\d\d", total) is not None, True, f"form of walltotal of {name}")
        same(total, values[4], f"walltotal of {name}")
        same(most, values[5], f"wallmax of {name}")
        same((int(rest[0]), int(rest[1])), values[6], f"place of wallmax of {name}")
        same(rest[2], values[7], f"wallmin of {name}")
        same((int(rest[3]), int(rest[4])), values[8], f"place of wallmin of {name}")
    own = [re.match(r'"([^"]*)"', line).group(1) for line in rows]
    same([name for name in own if not name.startswith("MPI_")][:6], FIRST_USE, "order of first use")


def cesm_rank(lines):
    start = lines.index(f"************ PROCESS {0:6d} ({0:6d}) ************")
    lines = lines[start:]
    head, rows, _ = thread_table(lines, 0)
    same(head.split(), "On Called Recurse Wallclock max min UTR Overhead".split(), "head")
    seen = set()
    for line in rows:
        match = re.fullmatch(r'[* ] +"([^"]*)" +([y-])((?: +\S+){6})', line)
        if not match:
            fail(f"row {line}")
        name = match.group(1)
        if name.startswith("MPI_"):
            continue
        seen.add(name)
        same(match.group(2), "y" if name in ("still_on", "again") else "-", f"On of {name}")
        same(line.startswith("*"), name == "work", f"* of {name}")
        check_row(match.group(3).split(), regions(0)[name], name)
        same(len(line) == len(head), name != LONG, f"end of {name}'s line")
        for token in match.group(3).split()[2:]:
            same(re.fullmatch(r"\d+\.\d{6}", token) is not None, True, f"decimals of {name}")
    same(seen, set(regions(0)), "regions")


if what == "gptl8":
    for r in range(size):
        gptl8_rank(r)
    if summary_expected:
        gptl8_summary()
elif what == "cesm":
    both = lines_of("model_timing_stats")
    if summary_expected:
        cesm_summary(both)
    cesm_rank(both)
elif what == "empty" and summary_expected:
    summary = lines_of("timing.summary")
    if "name" not in [line[:4] for line in summary]:
        fail("no head of the table")
    if [line for line in summary if re.search(r"total|work|loop", line) and not line.startswith("name")]:
        fail("rows of regions that nobody called")
