#!/usr/bin/env python3
"""summary_check.py SCHEMA FILE...: summaries are valid by the schema, and agree with themselves."""
import json
import sys

import jsonschema


def undescribed(part, path):
    """Every member has a description."""
    for name, member in part.get("properties", {}).items():
        if "description" not in member:
            yield f"{path}.{name}"
        yield from undescribed(member, f"{path}.{name}")
    if "items" in part:
        yield from undescribed(part["items"], path)
    for name, member in part.get("$defs", {}).items():
        yield from undescribed(member, name)


def row_faults(row, document):
    """Yield the violated invariants of a region or a path."""
    if not row["threads"]:
        if row["ranks"] or "seconds" in row:
            yield "has time without threads"
        return
    if not 1 <= row["ranks"] <= document["ranks"] or row["ranks"] > row["threads"]:
        yield f"{row['ranks']} ranks, {row['threads']} threads"
    least, most = row["min"]["seconds"], row["max"]["seconds"]
    for part in (row, row["of_ranks"]):
        slack = 1e-8 + 1e-12 * most
        if not part["min"]["seconds"] - slack <= part["mean"] <= part["max"]["seconds"] + slack:
            yield "the mean is not between least and most"
        if part["std_dev"] > (most - least) / 2 + slack:
            yield "the standard deviation is more than half the range"
    if abs(row["seconds"] - row["mean"] * row["threads"]) > 1e-8 * row["threads"]:
        yield "the total is not that of the mean"
    if sum(ranks for _, _, ranks in row["of_ranks"]["histogram"]) != row["ranks"]:
        yield "the histogram has other ranks"
    if "metrics" in row and len(row["metrics"]) != len(document["metrics"]):
        yield "has other metrics"


def faults(document):
    parents = {0}
    for path in document["paths"]:
        if path["parent"] not in parents:
            yield f"path {path['id']} stands before its parent"
        parents.add(path["id"])
        if document["regions"][path["region"]]["name"] != path["name"]:
            yield f"path {path['id']} is of another region"
    calls = [0] * len(document["regions"])
    for path in document["paths"]:
        calls[path["region"]] += path["calls"]
    for number, region in enumerate(document["regions"]):
        if calls[number] != region["calls"]:
            yield f"{region['name']}: {region['calls']} calls, {calls[number]} on its paths"
    for row in document["regions"] + document["paths"]:
        for fault in row_faults(row, document):
            yield f"{row['name']}: {fault}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    found = [f"{path} has no description" for path in undescribed(schema, "document")]
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        errors = [f"{path}: {e.json_path}: {e.message[:200]}" for e in validator.iter_errors(document)]
        found += errors or [f"{path}: {fault}" for fault in faults(document)]
    for line in found:
        print(line)
    sys.exit(bool(found))


main()
