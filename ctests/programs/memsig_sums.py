"""memsig_sums.py - queries of the gptl memsig tests to a signature."""
import json


class Signature:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.all = json.load(file)
        columns = self.all["columns"]
        self.blocks = [dict(zip(columns, block)) for block in self.all["blocks"]]
        for block in self.blocks:
            block["accesses"] = block["loads"] + block["stores"]
            assert sum(block["strides"]) <= block["accesses"], block
            if self.all["sampling"] is None and not self.all["only_caches"]:
                assert sum(block["strides"]) == block["accesses"], block
                assert block["strides"][-1] == block["random"], block
            for machine, kinds in zip(self.all["machines"], block["found"]):
                assert len(kinds) == 9, block
                assert all(len(kind) in (0, len(machine["caches"]) + 1) for kind in kinds), block
                if self.all["sampling"] is None:
                    assert sum(map(sum, kinds)) == block["accesses"], block

    def of(self, name):
        """The blocks of the function NAME, or of all functions if it is None."""
        functions = self.all["functions"]
        return [b for b in self.blocks if name is None or functions[b["function"]]["name"] == name]

    def sum(self, column, name=None):
        return sum(block[column] for block in self.of(name))

    def core(self, name, machine=0):
        """Picoseconds and waits of a machine's core in all blocks of NAME; None if unknown."""
        known = [block["core"][machine] for block in self.of(name) if block["core"][machine]]
        return list(map(sum, zip(*known))) or None

    def misses(self, machine=0, name=None):
        """Misses of the first level, of the second one, ..."""
        levels = len(self.all["machines"][machine]["caches"])
        found = [sum(kind[i] for b in self.of(name) for kind in b["found"][machine] if kind)
                 for i in range(levels)]
        accesses = self.sum("accesses", name)
        return [accesses - sum(found[:i + 1]) for i in range(levels)]

    def paths(self):
        """{path of names: calls}"""
        regions = self.all["regions"]
        paths = {0: ()}
        for region in regions[1:]:
            paths[region["id"]] = paths[region["parent"]] + (region["name"],)
        return {paths[r["id"]]: r["calls"] for r in regions[1:]}

    def has_paths_of(self, known):
        """The paths and calls of reports, except paths without calls since a reset."""
        found = {path: calls for path, calls in self.paths().items() if calls > 0 or path in known}
        assert len(known) > 3
        assert found == known, "%s\nbut the report has\n%s" % (found, known)


def reported(names):
    """{path of names: calls} from the reports of all ranks."""
    known = {}
    for name in names:
        with open(name, encoding="utf-8") as file:
            report = json.load(file)
        for thread in report["threads"]:
            paths = {0: ()}
            for node in thread["nodes"]:
                path = paths[node["id"]] = paths[node["parent"]] + (node["name"],)
                known[path] = known.get(path, 0) + node["calls"]
    return known


def machine(path, name, *caches):
    """machine.json with caches of (bytes, line, ways)."""
    made = [dict(level=i + 1, bytes=size, line_bytes=line, associativity=ways, shared_by_cores=1,
                 source="kernel") for i, (size, line, ways) in enumerate(caches)]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(dict(format="gptl-machine", version=1, name=name, made_from=None, edits=[],
                       host="h", date="d", processor="p", cores=1, line_bytes=caches[0][1],
                       caches=made, rates=[], arithmetic=[], instructions_per_second=None,
                       network=None), file)
