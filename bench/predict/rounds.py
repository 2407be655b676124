"""Profiles and measurements in rounds, one directly after the other: shared by `run` and `net`.

The machine's host changes its speed by the minute: clock, memory, last cache. Both sides of a comparison then meet
all states, and the median of the rounds counts for each number. The fastest round may belong to a state that the
other side never met.
"""
import json
import statistics


def middle(values):
    """Median of the known values."""
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def middle_of(records, names):
    """A record of these NAMES; each number is the median over the RECORDS."""
    records = list(records)
    return {name: middle(record.get(name) for record in records) for name in names}


def profile(path, turn, make, merge):
    """Write to PATH the result of MERGE for the profiles of the rounds up to this one; MAKE writes this round's
    profile to a file.
    """
    made = path.with_name(f"{turn}.{path.name}")
    if made.exists():
        return
    new = made.with_suffix(".new")
    make(new)
    new.rename(made)
    path.write_text(json.dumps(merge([json.loads(path.with_name(f"{i}.{path.name}").read_text())
                                      for i in range(turn + 1)])))


class Measured:
    """Measurements of each case, in a file that grows with each run, so that rounds can be continued."""

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
