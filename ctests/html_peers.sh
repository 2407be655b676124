#!/bin/sh
# The heat map of messages between ranks in the page of gptl report --html.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/html.sh"
need chromium chromedriver
need_tools
need_selenium
PYTHONPATH=$srcdir/ctests/programs
export PYTHONPATH

cat >make.py <<'END'
import json
from profiles import Profile

def write(name, rank, peers):
    profile = Profile(rank)
    profile.thread().add(0, "main", 1, 10000)
    profile.write("one.json")
    document = json.load(open("one.json"))
    document["mpi_peers"] = [dict(zip(("peer", "sent", "sent_bytes", "received", "received_bytes"), row))
                             for row in peers]
    json.dump(document, open(name, "w"))

# Rank 2 lacks a profile: rank 0 has received its messages.
write("rank.0.json", 0, [(1, 1, 4000, 1, 7), (2, 0, 0, 5, 600), (-1, 1, 1, 1, 1)])
write("rank.1.json", 1, [(0, 1, 7, 1, 4000)])
write("many.json", 0, [(peer, 1, 100, 0, 0) for peer in range(2000)])
write("none.json", 0, [])
END
python3 make.py
ends 0 "$gptl" report --html page.html rank.0.json rank.1.json
ends 0 "$gptl" report --html many.html many.json
ends 0 "$gptl" report --html none.html none.json
"$python" "$srcdir/ctests/html_peers.py"
