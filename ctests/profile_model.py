"""profile_model.py - the contents of JSON reports by call path: the expectation for pages made from them."""

import json


class Path:
    def __init__(self):
        self.calls = self.recurse = self.total = self.inner = 0
        self.lanes = {}  # inclusive nanoseconds
        self.buckets = {}

    @property
    def self(self):
        return self.total - self.inner


def nanoseconds(seconds):
    return round(seconds * 1e9)


class Model:
    """Paths are tuples of names; `edges` are calls from a path back to another."""

    def __init__(self, files):
        self.paths, self.edges = {}, {}
        self.nlanes = 0
        for file in files:
            document = json.load(open(file, encoding="utf-8"))
            for thread in document["threads"]:
                self.add(thread, (document["rank"], thread["thread"]))

    def add(self, thread, lane):
        self.nlanes += 1
        ids = {0: ()}
        for node in thread["nodes"]:
            where = ids[node["id"]] = ids[node["parent"]] + (node["name"],)
            path = self.paths.setdefault(where, Path())
            total = nanoseconds(node["seconds"] + node.get("open_seconds", 0))
            path.calls += node["calls"]
            path.recurse += node["recurse"]
            path.total += total
            path.lanes[lane] = total
            for bucket, calls in node.get("histogram", []):
                path.buckets[bucket] = path.buckets.get(bucket, 0) + calls
            if node["parent"]:
                self.paths[where[:-1]].inner += total
        for edge in thread["back_edges"]:
            key = (ids[edge["from"]], ids[edge["to"]])
            self.edges[key] = self.edges.get(key, 0) + edge["calls"]

    @property
    def total(self):
        return sum(path.total for where, path in self.paths.items() if len(where) == 1)

    def children(self, where):
        return [w for w in self.paths if len(w) == len(where) + 1 and w[:-1] == where]

    def largest_first(self, wheres):
        return sorted(wheres, key=lambda w: -self.paths[w].total)

    def hot_path(self, where):
        while self.children(where):
            where = self.largest_first(self.children(where))[0]
        return where

    def walk(self, key, where=()):
        """All paths, depth first, siblings in the order of KEY."""
        for child in sorted(self.children(where), key=key):
            yield child
            yield from self.walk(key, child)

    def callers(self, name):
        """{name of a caller, None at the top: calls}"""
        calls = {}
        for where, path in self.paths.items():
            if where[-1] == name:
                back = sum(n for (_, to), n in self.edges.items() if to == where)
                caller = where[-2] if len(where) > 1 else None
                calls[caller] = calls.get(caller, 0) + path.calls - back
        for (start, to), n in self.edges.items():
            if to[-1] == name:
                calls[start[-1]] = calls.get(start[-1], 0) + n
        return calls
