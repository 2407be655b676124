#!/bin/sh
# Messages by peer, sizes and files of constructed profiles: in text, JSON, XML and CSV, of one rank and of 64,
# with names of any bytes, and in truncated or invalid documents.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3 xmllint
need_tools
python3 -c 'import jsonschema' 2>/dev/null || skip "no jsonschema (Debian: python3-jsonschema)"
PYTHONPATH=$srcdir/ctests/programs
export PYTHONPATH

cat >make.py <<'END'
import json
from profiles import Profile

SUMS = {"sent": 1, "received": 3}
NAMES = ["plain", 'a "b",c', "semi;colon", "line\nend", "\\xff", "<&>", ""]
for rank in range(64):
    profile = Profile(rank)
    profile.thread().add(0, "main", 1, 10000)
    profile.write("one.json")
    document = json.load(open("one.json"))
    peers = [{"peer": peer, "sent": 1, "sent_bytes": 1000 * rank + peer, "received": 2,
              "received_bytes": 1000 * peer + rank} for peer in reversed(range(64)) if peer != rank]
    peers += [{"peer": -1, **SUMS, "sent_bytes": 5, "received_bytes": 6},
              {"peer": None, **SUMS, "sent_bytes": 7, "received_bytes": 8}]
    sizes = [{"routine": "MPI_Send", "from": size, **SUMS, "sent_bytes": size, "received_bytes": 0}
             for size in (0, 1, 1 << 40)]
    files = [{"file": name, "opens": 1, "reads": 2, "writes": 3, "read_bytes": 4, "written_bytes": 2**60,
              "seconds": 0.000000001 * (rank + 1), "more": [{}]} for name in NAMES]
    threads = document.pop("threads")
    document.update(mpi_files=files, mpi_peers=peers, mpi_sizes=sizes, threads=threads)
    json.dump(document, open(f"rank.{rank}.json", "w"))
END
python3 make.py
rm one.json

# ---- One rank: each format has all, and gives the others --------------------------------------------

"$gptl" report --set output=json rank.3.json >first.json || fail "output=json"
"$gptl" report --set output=json first.json >second.json || fail "output=json"
cmp first.json second.json || fail "another JSON"
"$gptl" report --set output=xml first.json >first.xml || fail "output=xml"
xmllint --noout --schema "$srcdir/doc/timing.xsd" first.xml 2>messages || fail "$(head messages)"
"$gptl" report first.json >text || fail "text"
grep -q 'MPI messages by peer (rank in MPI_COMM_WORLD): the 20 of most bytes of 65' text || fail "$(cat text)"
grep -q '^  MPI_Send 1099511627776 *1  *1099511627776 *3 *0$' text || fail "$(cat text)"
grep -q '^  a "b",c ' text || fail "$(cat text)"
python3 - "$srcdir/doc/timing.schema.json" <<'END' || fail "JSON or XML"
import json, sys
import jsonschema
import xml.etree.ElementTree as ElementTree

made, first = json.load(open("rank.3.json")), json.load(open("first.json"))
jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(first)
root = ElementTree.parse("first.xml").getroot()
for key in ("mpi_peers", "mpi_sizes", "mpi_files"):
    rows = [json.dumps({k: v for k, v in row.items() if k != "more"}, sort_keys=True) for row in made[key]]
    assert sorted(rows) == sorted(json.dumps(row, sort_keys=True) for row in first[key]), key
    elements = list(root.find(key))
    assert len(elements) == len(rows), key
    for row, element in zip(first[key], elements):
        for name, value in row.items():
            text = element.get(name)
            if value is None:
                assert text is None, (key, row)
            elif isinstance(value, str):
                assert text == value, (text, value)
            else:
                assert float(text) == value, (key, name, text, value)
END

# ---- Many ranks ----------------------------------------------------------------------------------

ends 0 "$gptl" report -o table rank.*.json
grep -q '^  rank  peer  sent' table || fail "$(tail table)"
grep -q 'the 20 of most bytes of 4160' table || fail "$(tail table)"
grep -q '^  plain  *64  *64  *128  *192  *256' table || fail "$(tail table)"
ends 0 "$gptl" report --csv-peers -o peers.csv rank.*.json
ends 0 "$gptl" report --csv-sizes -o sizes.csv rank.*.json
ends 0 "$gptl" report --csv-files -o files.csv rank.*.json
ends 0 "$gptl" report --csv-peers --rank 5 -o five.csv rank.*.json
ends 0 "$gptl" report --summary -o summary rank.*.json
grep -q '^  plain  *64  *64  *128  *192  *256' summary || fail "$(tail summary)"
python3 - <<'END' || fail "CSV"
import csv

peers = list(csv.DictReader(open("peers.csv")))
assert len(peers) == 64 * 65, len(peers)
for row in peers:
    if row["peer"] not in ("", "-1"):
        assert int(row["sent_bytes"]) == 1000 * int(row["rank"]) + int(row["peer"]), row
assert sum(row["peer"] == "" for row in peers) == 64
assert {row["rank"] for row in csv.DictReader(open("five.csv"))} == {"5"}
sizes = list(csv.DictReader(open("sizes.csv")))
assert [int(row["from"]) for row in sizes] == [0, 1, 1 << 40] and sizes[2]["sent_bytes"] == str(64 << 40), sizes
files = {row["file"]: row for row in csv.DictReader(open("files.csv"))}
assert set(files) == {"plain", 'a "b",c', "semi;colon", "line\\x0aend", "\\xff", "<&>", ""}, set(files)
assert files["plain"]["ranks"] == "64" and files["plain"]["seconds"] == "0.00000208", files["plain"]
END

# ---- Mistakes ------------------------------------------------------------------------------------

ends 2 "$gptl" report --csv-peers --top 3 rank.0.json
for change in 's/"peer": 7/"peer": "7"/' 's/"sent": 1/"sent": -1/' 's/"mpi_files": \[/"mpi_files": {/' \
    's/"file": "plain"/"file": 3/' 's/"from": 0/"from": 1.5/'; do
    sed "$change" rank.0.json >wrong.json
    cmp -s wrong.json rank.0.json && fail "$change changes nothing"
    ends 2 "$gptl" report wrong.json
done
size=$(wc -c <rank.0.json)
for part in 1 2 3 4 5 6 7; do
    head -c $((size * part / 8)) rank.0.json >cut.json
    ends 2 "$gptl" report cut.json
done
