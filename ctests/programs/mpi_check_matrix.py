#!/usr/bin/env python3
"""Compares messages by peer and by size in timing.RANK.json with expected.RANK, for the given number of ranks."""
import json
import sys

COLUMNS = ("sent", "sent_bytes", "received", "received_bytes")
wrong = rows = 0
for rank in range(int(sys.argv[1])):
    expected = {}
    for line in open(f"expected.{rank}"):
        words = line.split()
        expected[tuple(words[:-4])] = tuple(map(int, words[-4:]))
    profile = json.load(open(f"timing.{rank}.json"))
    found = {("peer", str(row["peer"])): tuple(row[c] for c in COLUMNS) for row in profile["mpi_peers"]}
    for row in profile["mpi_sizes"]:
        # Data that is not a message between two ranks is not in the program's account.
        if row["routine"] in {words[1] for words in expected if words[0] == "size"}:
            found["size", row["routine"], str(row["from"])] = tuple(row[c] for c in COLUMNS)
    for key in sorted(expected.keys() | found.keys()):
        rows += 1
        if expected.get(key) != found.get(key):
            wrong += 1
            print(f"rank {rank}: {' '.join(key)}: {found.get(key)}, not {expected.get(key)}")
print(f"{rows} rows")
sys.exit(wrong > 0)
