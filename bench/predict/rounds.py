"""Profiles and measurements in rounds, one directly after the other: what `run` and `net` share.

What the machine's host gives us changes by the minute: its clock, its memory, its last cache. Both
sides of a comparison have seen all of it then. In a round the usual one counts, and of rounds the fastest.
"""
import json


def pairs(points, others, size):
    """Those of the two lists that both have, by their SIZE."""
    known = {point[size]: point for point in others}
    return [(point, known[point[size]]) for point in points if point[size] in known]


def profile(path, turn, make, merge):
    """PATH is the profile of the rounds up to this one, whose own MAKE leaves in the file it is given."""
    made = path.with_name(f"{turn}.{path.name}")
    if made.exists():
        return
    new = made.with_suffix(".new")
    make(new)
    new.rename(made)
    machine = json.loads((path if turn else made).read_text())
    if turn:
        merge(machine, json.loads(made.read_text()))
    path.write_text(json.dumps(machine))


class Measured:
    """What was measured of each case, in a file that grows with each run: rounds can be gone on with."""

    def __init__(self, path):
        self.path = path
        self.runs = json.loads(path.read_text()) if path.exists() else {}

    def has(self, key, n):
        return len(self.runs.get(key, [])) >= n

    def add(self, key, run):
        self.runs.setdefault(key, []).append(run)
        self.path.write_text(json.dumps(self.runs, indent=1))

    def seconds(self, key):
        return min(run["seconds"] for run in self.runs[key])
