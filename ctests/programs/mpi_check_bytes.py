"""mpi_check_bytes.py RANKS: timing.RANK.json agrees with expected.RANK on each path, with the calls of MPI below it.
A last line counts the cases.
"""

import json
import sys

cases = wrong = 0
for rank in range(int(sys.argv[1])):
    document = json.load(open(f"timing.{rank}.json", encoding="utf-8"))
    assert document["rank"] == rank, document["rank"]
    names = [m["name"] for m in document["metrics"]]
    columns = [names.index("MPI_SENT"), names.index("MPI_RECEIVED")]
    found = {}
    for thread in document["threads"]:
        paths = {0: ""}
        for node in thread["nodes"]:
            path = paths[node["parent"]] + "/" + node["name"]
            paths[node["id"]] = path
            values = node.get("metrics") or [0] * len(names)
            has = found.setdefault(path[1:], [0, 0])
            for i, column in enumerate(columns):
                has[i] += values[column] or 0
    for line in open(f"expected.{rank}", encoding="utf-8"):
        path, sent, received = line.split()
        cases += 1
        if found.get(path) != [int(sent), int(received)]:
            print(f"rank {rank}: {path}: expected {sent} and {received}, found {found.get(path)}")
            wrong += 1
print(f"{cases} cases")
sys.exit(wrong != 0)
