"""Profiles and measurements in rounds, one directly after the other: what `run` and `net` share.

What the machine's host gives us changes by the minute: its clock, its memory, its last cache. Both
sides of a comparison have seen all of it then, and of each number the middle one of the rounds counts. The fastest
would be of a state that the other side need not have met.
"""
import json
import statistics


def middle(values):
    """Of those that are known."""
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def middle_of(records, names):
    """A record of these NAMES, whose numbers are each the middle one of the RECORDS."""
    records = list(records)
    return {name: middle(record.get(name) for record in records) for name in names}


def profile(path, turn, make, merge):
    """PATH is what MERGE makes of the profiles of the rounds up to this one, whose own MAKE leaves in a file."""
    made = path.with_name(f"{turn}.{path.name}")
    if made.exists():
        return
    new = made.with_suffix(".new")
    make(new)
    new.rename(made)
    path.write_text(json.dumps(merge([json.loads(path.with_name(f"{i}.{path.name}").read_text())
                                      for i in range(turn + 1)])))


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
        return middle(run["seconds"] for run in self.runs[key])
