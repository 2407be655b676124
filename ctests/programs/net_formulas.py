#!/usr/bin/env python3
"""Replays patterns with closed formulas, of a few ranks and of many, where a message takes 1 us + bytes / 1 GB/s.

usage: net_formulas.py GPTL

Its traces are in the directory t. It prints deviations of more than 1 %, and fails then.
"""
import json
import math
import subprocess
import sys

import net_trace

LATENCY, BYTES_PER_SECOND = 1e-6, 1e9
bad = 0


def replay():
    done = subprocess.run([sys.argv[1], "net", "t", "--latency", "1us", "--bandwidth", "1GB/s", "--json"],
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["predicted_seconds"]


def takes(known, pattern, ranks, **values):
    global bad
    net_trace.make("t", pattern, ranks, **values)
    found = replay()
    if abs(found - known) > 0.01 * known:
        bad += 1
        print("%s of %d ranks, %s: %g s, not %g" % (pattern, ranks, values, found, known))


def message(size):
    return LATENCY + size / BYTES_PER_SECOND


def logarithm(ranks):
    return math.ceil(math.log2(ranks))


def messages():
    for n in (2, 3, 8, 16, 37, 64, 128):
        for size in (0, 1000, 1000000):
            takes(3 * (message(size) + 2e-6), "ring", n, steps=3, size=size, ns=2000)
        takes(2 * n * (message(1000) + 2e-6), "chain", n, steps=2, size=1000, ns=2000)
        # A node sends small messages to all children at once: only a limited number follow each other.
        most = max(bin(rank).count("1") for rank in range(n))
        takes(most * message(0), "binomial", n, size=0)
        takes(logarithm(n) * message(100000), "binomial", n, size=100000)
        takes(most * message(0), "collectives", n, kind="bcast", size=0)
        takes(logarithm(n) * message(0), "collectives", n, kind="barrier")
        takes((n - 1) * message(100000), "collectives", n, kind="allgatherv", size=100000)
        takes((n - 1) * message(100000), "collectives", n, kind="alltoall", size=100000)
    for n in (2, 3, 37, 64):
        takes((n - 1) * message(1000), "pairwise", n, size=1000)
    for n in (2, 8, 64):
        takes(logarithm(n) * message(8), "collectives", n, kind="allreduce", size=8)
        # In halves, and then all of them back.
        takes(2 * logarithm(n) * LATENCY + 2 * (n - 1) / n * 1048576 / BYTES_PER_SECOND,
              "collectives", n, kind="allreduce", size=1048576)
        takes(logarithm(n) * message(100), "doubling", n, size=100)


def memory_of_others():
    """Put into the memory of the next rank, and get from it; a fence includes a barrier."""
    size = 100000
    for n in (2, 3, 16):
        barrier = logarithm(n) * LATENCY
        takes(3 * (2e-6 + message(size) + barrier), "onesided", n, steps=3, size=size, ns=2000)
        takes(3 * (LATENCY + message(size) + barrier), "onesided", n, steps=3, size=size, get=1)
        takes(3 * (message(size) + 2 * LATENCY), "onesided", n, steps=3, size=size, epoch="group")
        takes(3 * (message(size) + LATENCY), "onesided", n, steps=3, size=size, epoch="lock")
        takes(3 * message(size), "onesided", n, steps=3, size=size, epoch="request")


messages()
memory_of_others()
sys.exit(bad > 0)
