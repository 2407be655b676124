"""Compares outputs of `gptl report` with their JSON profiles.

usage: check_outputs.py SOURCE OUT PROFILE...: OUT.folded, OUT.csv, OUT.speedscope, OUT.chrome and OUT.dot. All
numbers are compared in nanoseconds, without rounding.
"""
import csv
import json
import re
import subprocess
import sys
from decimal import Decimal

import jsonschema
from profiles import real_name


def ns(seconds):
    return None if seconds in (None, "") else int(Decimal(seconds).scaleb(9))


class Node:
    def __init__(self, node, path):
        self.path = path
        self.calls, self.recurse = int(node["calls"]), int(node["recurse"])
        self.total = ns(node["seconds"]) + ns(node.get("open_seconds", "0"))
        self.max, self.min = ns(node["max"]), ns(node["min"])
        self.inside = 0

    @property
    def self(self):
        return max(0, self.total - self.inside)


def read_profile(path):
    """Each thread, the number of its process, its nodes by their paths, and edges of recursion."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file, parse_float=str, parse_int=str)
    rank = document["rank"]
    for thread in document["threads"]:
        by_id, nodes = {"0": ()}, {}
        for node in thread["nodes"]:
            parent = by_id[node["parent"]]
            path = by_id[node["id"]] = parent + (real_name(node["name"]),)
            assert path not in nodes, f"{path} twice"
            nodes[path] = Node(node, path)
            if parent:
                nodes[parent].inside += nodes[path].total
        edges = [(by_id[e["from"]], by_id[e["to"]], int(e["calls"])) for e in thread["back_edges"]]
        yield (rank, thread["thread"]), rank or document["pid"], nodes, edges


source, out, *files = sys.argv[1:]
lanes, processes, edges = {}, {}, []
for file in files:
    for lane, process, nodes, more in read_profile(file):
        lanes[lane], processes[lane] = nodes, process
        edges += more
several = len(lanes) > 1
ranks = {rank for rank, _ in lanes}
only_thread_0 = all(thread == "0" for _, thread in lanes)


def label(lane):
    rank, thread = lane
    if not several:
        return None
    if len(files) == 1:
        return f"thread {thread}"
    return f"rank {rank}" if only_thread_0 else f"rank {rank} thread {thread}"


by_label = {label(lane): nodes for lane, nodes in lanes.items()}


def text(suffix):
    with open(out + suffix, encoding="utf-8", newline="") as file:
        return file.read()


def same(what, got, wanted):
    assert got == wanted, f"{what}: {got!r}, not {wanted!r}"


# ---- CSV -----------------------------------------------------------------------

seen = 0
document = text(".csv")
same("lines", document.count("\n"), 1 + sum(len(nodes) for nodes in lanes.values()))
for row in csv.DictReader(document.split("\n"), strict=True):
    lane = (row["rank"] if row["rank"] else None, row["thread"])
    path = tuple(real_name(name) for name in row["path"].split("/"))
    node = lanes[lane][path]
    same("region", real_name(row["region"]), path[-1])
    same("depth", int(row["depth"]), len(path))
    same("calls", (int(row["calls"]), int(row["recurse"])), (node.calls, node.recurse))
    same("seconds", ns(row["seconds"]), node.total)
    same("self_seconds", ns(row["self_seconds"]), node.self)
    same("extremes", (ns(row["max_seconds"]), ns(row["min_seconds"])), (node.max, node.min))
    seen += 1
same("rows", seen, sum(len(nodes) for nodes in lanes.values()))

# ---- Folded stacks ---------------------------------------------------------------

stacks = {}
for line in text(".folded").split("\n")[:-1]:
    stack, count = line.rsplit(" ", 1)
    frames = stack.split(";")
    lane = frames.pop(0) if several else None
    path = tuple(real_name(frame) for frame in frames)
    assert (lane, path) not in stacks, f"{line} twice"
    stacks[lane, path] = int(count)
wanted = {(name, path): node.self for name, nodes in by_label.items()
          for path, node in nodes.items() if node.self}
same("stacks", stacks, wanted)

# ---- Speedscope ------------------------------------------------------------------


def validated(suffix, schema):
    document = json.loads(text(suffix))
    with open(f"{source}/ctests/{schema}.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)
    return document


document = validated(".speedscope", "speedscope")
frames = [real_name(frame["name"]) for frame in document["shared"]["frames"]]
same("profiles", [profile["name"] for profile in document["profiles"]],
     list(by_label) if several else ["thread 0"])
for profile, nodes in zip(document["profiles"], by_label.values()):
    got = {tuple(frames[i] for i in sample): weight
           for sample, weight in zip(profile["samples"], profile["weights"])}
    same("samples", len(profile["samples"]), len(profile["weights"]))
    same("weights", got, {path: node.self for path, node in nodes.items() if node.self})
    same("range", (profile["startValue"], profile["endValue"]), (0, sum(profile["weights"])))

# ---- Trace events ----------------------------------------------------------------

document = validated(".chrome", "chrome")
names = {}
events = {}
for event in document["traceEvents"]:
    place = (str(event["pid"]), str(event["tid"]))
    if event["name"] == "thread_name" and event["ph"] == "M":
        names[place] = event["args"]["name"]
    elif event["ph"] == "X":
        events.setdefault(place, []).append(event)
same("threads", len(names), len(lanes))
for lane, nodes in lanes.items():
    # The open events, from the root on: path, begin, end, and the earliest begin of the next event
    # inside.
    stack, seen = [[(), 0, float("inf"), 0]], set()
    for event in events.get((processes[lane], lane[1]), []):
        begin = round(event["ts"] * 1000)
        end = begin + round(event["dur"] * 1000)
        name = (real_name(event["name"]),)
        while stack and (stack[-1][0] + name not in nodes or stack[-1][0] + name in seen):
            stack.pop()
        assert stack, f"{name} has no place"
        parent = stack[-1]
        path = parent[0] + name
        assert begin >= parent[3] and end <= parent[2], f"{path} lies over others"
        parent[3] = end
        node = nodes[path]
        seen.add(path)
        same("seconds", round(event["args"]["seconds"] * 1e9), node.total)
        assert end - begin >= node.total, f"{path} is too short"
        same("args", (event["args"]["calls"], round(event["args"]["self_seconds"] * 1e9)),
             (node.calls, node.self))
        stack.append([path, begin, end, begin])
    same("events", len(seen), len(nodes))

# ---- The graph -------------------------------------------------------------------

subprocess.run(["dot", "-Tsvg", out + ".dot", "-o", out + ".svg"], check=True)
arrows = {}
for nodes in lanes.values():
    for path, node in nodes.items():
        if len(path) > 1:
            arrows[path[-2:]] = arrows.get(path[-2:], 0) + node.calls
for start, to, calls in edges:
    arrows[start[-1], to[-1]] = arrows.get((start[-1], to[-1]), 0) + calls
    if len(to) > 1:
        arrows[to[-2:]] -= calls
graph = text(".dot")
boxes = {}
for box, tooltip in re.findall(r'^  (r\d+) \[label=.* tooltip="((?:[^"\\]|\\.)*)"', graph, re.M):
    name = re.sub(r"\\(.)", r"\1", tooltip).replace("&amp;", "&")
    boxes[box] = real_name(name)
got = {(boxes[a], boxes[b]): int(calls)
       for a, b, calls in re.findall(r'^  (r\d+) -> (r\d+) \[label="(\d+) x', graph, re.M)}
if "left out" in graph:
    got = {pair: calls for pair, calls in got.items() if arrows[pair] != calls}
    same("arrows", got, {})
else:
    same("regions", sorted(boxes.values()),
         sorted({path[-1] for nodes in lanes.values() for path in nodes}))
    same("arrows", got, arrows)
print(len(lanes), "threads,", sum(len(nodes) for nodes in lanes.values()), "nodes")
