"""Constructed JSON profiles in the form written by a process: input of the tests of `gptl report`.

Times are nanoseconds. A name is bytes or text; bytes are the exact name of the region.
"""
import json
import re


def json_name(name):
    """A document of doc/timing.schema.json."""
    if isinstance(name, bytes):
        name = name.decode("utf-8", "surrogateescape")
    name = name.replace("\\x", "\\x5cx")
    return "".join(f"\\x{ord(c) - 0xDC00:02x}" if 0xDC80 <= ord(c) <= 0xDCFF else c for c in name)


def real_name(text):
    """Return the bytes that a name in any output represents."""
    return re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), text.encode())


def seconds(ns):
    return None if ns is None else ns / 1e9


class Thread:
    def __init__(self, number):
        self.number = number
        self.nodes, self.edges = [], []

    def add(self, parent, name, calls, ns, function=None, recurse=0, most=None, least=None,
            open_ns=None, values=None, timed=None, error=0):
        """Return the node's id; PARENT 0 is the root. VALUES has one for each metric."""
        mean = ns // calls if calls else None
        node = {"id": len(self.nodes) + len(self.edges) + 1, "parent": parent,
                "name": json_name(name), "calls": calls, "recurse": recurse, "seconds": seconds(ns),
                "max": seconds(mean if most is None else most),
                "min": seconds(mean if least is None else least), "latest": seconds(mean)}
        if function is not None:
            node["function"] = function
        if open_ns is not None:
            node["open"], node["open_seconds"] = 1, seconds(open_ns)
        if timed is not None:
            node["timed"], node["error"] = timed, seconds(error)
        if values is not None:
            node["metrics"] = values
        self.nodes.append(node)
        return node["id"]

    def edge(self, start, to, calls):
        self.edges.append({"id": len(self.nodes) + len(self.edges) + 1, "from": start, "to": to,
                           "calls": calls})

    def document(self):
        return {"thread": self.number, "live": False, "served": 1, "seconds_per_tick": 1e-9,
                "unmatched": 0, "dropped": 0, "too_deep": 0, "backwards": 0, "folded_paths": 0,
                "folded_names": 0, "crossed": 0, "crossings": [], "memory": 8192,
                "table": {"slots": 128, "used": len(self.nodes), "longest_probe": 1,
                          "cache_slots": 64},
                "nodes": self.nodes, "back_edges": self.edges, "intervals": []}


def counted(name, **more):
    return {"name": name, "kind": "counted", "description": "", "unit": "", "component": None,
            "scope": "thread", "shown": True, "estimated": False, "least_seconds": 0,
            "expression": None, **more}


def derived(name, expression, **more):
    return counted(name, kind="derived", expression=expression, **more)


class Profile:
    def __init__(self, rank=None, program="/home/user/model", pid=4711, build="0123abcd"):
        self.rank, self.program, self.pid, self.build = rank, program, pid, build
        self.threads, self.functions = [], []
        self.metrics, self.refused = [], []

    def thread(self):
        self.threads.append(Thread(len(self.threads)))
        return self.threads[-1]

    def function(self, name, offset, file=None, line=None):
        self.functions.append({"name": name, "address": f"model+0x{offset:x}", "module": 0,
                               "offset": offset, "file": file, "line": line})
        return len(self.functions) - 1

    def document(self):
        metrics = {"metrics": self.metrics, "refused": self.refused}
        return {"format": "gptl-profile", "version": 1, "library": "9.0.0",
                "program": self.program, "host": "node1", "pid": self.pid, "job": None,
                "rank": self.rank, "command": None, "started": 1700000000.25, "elapsed": 12.5,
                "salvaged": None, "errors": 0, "warnings": 0,
                "clock": {"name": "nanotime", "source": "time-stamp counter", "kernel": "tsc",
                          "cost": 9.5e-9, "resolution": 1e-9, "seconds_per_tick": 1e-9,
                          "calibrated_over": 12.5, "monotonic": True, "rejected": ""},
                "options": None, "overhead": None,
                "memory": {"total": 65536, "names": 4096, "budget": 268435456, "regions": 9},
                "buckets": {"number": 1280, "linear": 32, "parts": 32, "unit": "ticks"},
                "modules": [{"label": "model", "path": self.program, "build_id": self.build}],
                "functions": self.functions, **(metrics if self.metrics or self.refused else {}),
                "threads": [thread.document() for thread in self.threads]}

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.document(), file)
