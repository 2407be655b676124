#!/bin/sh
# Counters and estimated times in the page of gptl report --html: selecting and sorting columns, ratios
# of regions and callers, widths of the icicle, refused events.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/html.sh"
need chromium chromedriver
need_tools
need_selenium
PYTHONPATH=$srcdir/ctests/programs
export PYTHONPATH

cat >make.py <<'END'
from profiles import Profile, counted, derived

A, B = counted("PAPI_A", description="things <b>"), counted("PAPI_B", unit="bits")
R = derived("GPTL_R", "PAPI_A/PAPI_B", description="things a bit")
E, S = counted("E", scope="process"), derived("S", "PAPI_A/wall", estimated=True, least_seconds=2500e-9)
for rank in range(2):
    profile = Profile(rank)
    profile.metrics = [A, B, R, E, S] if rank == 0 else [A, E, S]
    profile.refused = [{"name": "PAPI_<i>X", "why": "no counter & no \"event\""}]
    for number in range(2):
        thread = profile.thread()

        def add(parent, name, calls, ns, a, b, e, **more):
            values = [a, b, a / b, e, a / ns * 1e9] if rank == 0 else [a, e, a / ns * 1e9]
            return thread.add(parent, name, calls, ns, values=values, **more)

        main = add(0, "main", 1, 10000, 1000 + rank, 100, 50 + number)
        solve = add(main, "solve", 4, 6000, 600, 50, 30)
        add(solve, "dot", 1000, 2000, 200, 10, 5, timed=100, error=300)
        add(main, "dot", 10, 3000, 90, 30, 7)
        if rank == 0 and number == 1:
            add(0, "alone", 1, 5000, 25 * 10**9, 5, 3)
    profile.write(f"timing.{rank}.json")
Profile().write("none.json")
END
python3 make.py
ends 0 "$gptl" report --html page.html timing.0.json timing.1.json
ends 0 "$gptl" report --html one.html timing.0.json
ends 0 "$gptl" report --html chosen.html --metrics B timing.0.json timing.1.json
"$python" "$srcdir/ctests/html_metrics.py"
