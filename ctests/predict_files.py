"""predict_files.py - machines and signatures with predictions in closed form.

Caches of 32 KiB and 1 MiB. Each kind of access takes the same time throughout a level, so working sets do not matter
within one.
"""

import json

CACHES = [32768, 1 << 20]
STRIDES = [0, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 1 << 40]
COLUMNS = ["region", "function", "line", "address", "executions", "instructions", "loads", "stores", "load_bytes",
           "store_bytes", "flops_scalar", "flops_vector", "flops_fused", "divides", "float_instructions", "random",
           "working_set_bytes", "scattered_set_bytes", "conflict_lines", "loads_in_turn", "integer_instructions",
           "load_conflict_lines", "split_loads", "split_stores", "runs",
           "branches", "wrong_branches", "new_pages", "strides", "found", "core"]
# Of loads; of stores; of loads again.
KINDS = ["near", "strided", "random", "dependent", "near", "strided", "random", "conflict", "loads in conflict"]

# Nanoseconds of an access in each level, by operation, access and bytes.
TIMES = {
    ("load", "sequential", 8): (1, 2, 4),
    ("store", "sequential", 8): (2, 3, 8),
    ("load_store", "sequential", 8): (1, 2, 5),
    ("copy", "sequential", 8): (1, 2, 3),
    ("load", "sequential", 32): (1.6, 5, 13),
    ("load", "stride", 8): (1, 4, 16),
    ("load", "random", 8): (1, 8, 64),
    ("store", "random", 8): (2, 9, 72),
    ("load", "dependent", 8): (4, 16, 128),
    ("load", "conflict", 8): (1, 20, 60),
    ("store", "conflict", 8): (2, 40, 80),
    ("load", "split", 32): (2.6, 9, 20),
    ("store", "split", 32): (5, 9, 20),
}

# Nanoseconds of dependent operations of a core; independent additions.
CORE = {"cycle": 1, "addition": 0.25, "multiply_integer": 3, "divide_integer": 20, "vector": 1, "convert": 5, "load": 4,
        "load_float": 6, "forward": 5, "refill": 15, "jump": 2, "call": 3}


def curve(kind, times):
    operation, access, size = kind
    points = []
    for (least, most), ns in zip([(4096, CACHES[0]), (CACHES[0] + 4096, CACHES[1]), (CACHES[1] + 4096, 1 << 26)], times):
        points += [{"working_set_bytes": size, "accesses_per_second": 1e9 / ns, "spread": 0} for size in (least, most)]
    made = {"operation": operation, "access": access, "width": "scalar" if size == 8 else "vector",
            "access_bytes": size, "pages": "small", "cores": 1, "points": points}
    if access == "stride":
        made["stride_lines"] = 1
    return made


def unit(operation, ns, latency, lanes=1):
    flops = lanes * (2 if operation == "multiply_add" else 1)
    return {"operation": operation, "width": "vector" if lanes > 1 else "scalar", "precision": "double",
            "lanes": lanes, "flops_per_second": flops * 1e9 / ns, "latency_seconds": latency}


def machine(name="flat", factor=1, **changes):
    made = {"format": "gptl-machine", "version": 1, "name": name, "made_from": None, "edits": [], "host": "h",
            "date": "2026-01-01T00:00:00Z", "processor": "p", "cores": 1, "line_bytes": 64,
            "caches": [{"level": i + 1, "bytes": size, "line_bytes": 64, "associativity": 8, "shared_by_cores": 1,
                        "source": "kernel"} for i, size in enumerate(CACHES)],
            "rates": [curve(kind, [factor * ns for ns in times]) for kind, times in TIMES.items()],
            "arithmetic": [unit("add", 1, 4e-9), unit("multiply", 1, 4e-9), unit("multiply_add", 1, 4e-9),
                           unit("divide", 10, 13e-9), unit("divide", 20, None, 4)],
            "core": {f"{name}_seconds": 1e-9 * ns for name, ns in CORE.items()},
            "instructions_per_second": 2e9, "window_instructions": 100, "window_integers": 50, "window_stores": 20,
            "window_vectors": None, "waiting_vectors": None, "new_small_bytes_per_second": None,
            "new_huge_bytes_per_second": None,
            "network": None}
    made.update(changes)
    return made


def block(region=0, function=0, line=1, loads=0, stores=0, size=8, kind="near", stride=8, found=None, flops=0, vector=0,
          floats=0, divides=0, working_set=4096, scattered_set=0, instructions=0, executions=1, lines=None, stored=None, conflict_lines=0,
          in_turn=0, integers=0, load_conflict_lines=0, split_loads=0, split_stores=0, runs=0, new_pages=0,
          core=()):
    """All accesses are of one KIND, and FOUND in the two caches and in memory, of stores if there are no loads.

    LINES: the same for sequential loads next to them; STORED: for stores next to loads. CORE: the nanoseconds of a
    core without waits for lines, and its waits for the second cache and memory.
    """
    end = "random" if kind in ("random", "dependent") else stride
    bins = [0] * (len(STRIDES) + 1)
    bins[len(STRIDES) if end == "random" else STRIDES.index(end)] = loads + stores
    kinds = [[] for _ in KINDS]
    if loads:
        kinds[KINDS.index(kind)] = found or [loads, 0, 0]
    if lines:
        loads += sum(lines)
        bins[STRIDES.index(stride)] += sum(lines)
        kinds[KINDS.index("near")] = lines
    if stores:
        kinds[KINDS.index(kind, 4)] = stored or (found if found and not loads else [stores, 0, 0])
    return [region, function, line, 4096 + line, executions, instructions, loads, stores, size * loads, size * stores,
            flops, vector, 0, divides, floats, bins[-1], working_set, scattered_set or working_set, conflict_lines,
            in_turn, integers, load_conflict_lines, split_loads, split_stores, runs, 0, 0, new_pages, bins,
            [kinds],
            [[round(1000 * core[0]), *core[1:]] if core else []]]


def signature(blocks, regions=None, functions=None, **changes):
    made = {"format": "gptl-signature", "version": 1, "program": "model", "command": ["./model"], "host": "h",
            "rank": None, "ranks": 1, "threads": 1, "complete": True, "notes": [], "sampling": None,
            "machines": [{"name": "flat", "line_bytes": 64,
                          "caches": [{"level": i + 1, "bytes": size, "line_bytes": 64, "associativity": 8}
                                     for i, size in enumerate(CACHES)]}],
            "regions": regions or [{"id": 0, "parent": None, "name": "", "calls": 0}],
            "functions": functions or [{"name": "f", "file": "f.c", "module": "model"}],
            "stride_bins_bytes": STRIDES, "columns": COLUMNS, "blocks": blocks}
    made.update(changes)
    return made


def write(path, document):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
