#!/usr/bin/env python3
"""Checks the rows of files that mpi_files.c leaves in timing.RANK.json: RANKS, and the number of names."""
import json
import sys

COLUMNS = ("opens", "reads", "writes", "read_bytes", "written_bytes")
ranks, names = int(sys.argv[1]), int(sys.argv[2])
for rank in range(ranks):
    profile = json.load(open(f"timing.{rank}.json"))
    found = {row["file"]: tuple(row[c] for c in COLUMNS) for row in profile["mpi_files"]}
    assert all(row["seconds"] > 0 for row in profile["mpi_files"]), profile["mpi_files"]
    expected = {'all "of" them': (1, 1, 2, 1000, 1500), f"own.{rank}": (1, 1, 2, 60, 80)}
    left = names - len(expected)
    for i in range(min(20, left)):
        expected[f"file.{rank}.{i}"] = (1, 0, 1, 0, i)
    if left < 20:
        expected["(other)"] = (20 - left, 0, 20 - left, 0, sum(range(left, 20)))
    assert found == expected, (found, expected)
