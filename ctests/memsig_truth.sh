#!/bin/sh
# The counts of gptl memsig equal known values: misses as in cachegrind, flops, strides, memory; several machines at
# once as one by one; a sample as the complete run, within its error.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need_tools
. "$srcdir/ctests/memsig_lib.sh"
kernels
python "" <<'EOF2'
from memsig_sums import machine
machine("plain.json", "plain", (32768, 64, 8), (262144, 64, 16))
machine("odd.json", "odd", (40960, 64, 8), (196608, 128, 24), (1 << 20, 128, 1))
machine("tiny.json", "tiny", (3 * 32 * 5, 32, 5))
machine("one_set.json", "one set", (4096, 64, 64), (262144, 64, 16))
EOF2

# The distance between stack and heap decides which of their lines share a set. It depends on the size of the
# environment, so Valgrind's parts are in a directory whose name has the same length for both.
folder=$PWD/.gptl-memsig.0000000
mkdir "$folder"
for file in cachegrind-amd64-linux default.supp vgpreload_core-amd64-linux.so; do
    ln -s "$VALGRIND_FOLDER/$file" "$folder/$file"
done
for kernel in rows stencil gather list sorting; do
    env -i PATH="$PATH" "$gptl" memsig -o "$kernel.json" --machine plain.json -- \
        ./kernels "$kernel" >out 2>err || fail "gptl memsig: $(cat err)"
    env -i PATH="$PATH" VALGRIND_LIB="$folder" valgrind -q --tool=cachegrind --cache-sim=yes \
        --D1=32768,8,64 --LL=262144,16,64 --cachegrind-out-file="$kernel.cg" \
        ./kernels "$kernel" >out 2>&1 || fail "cachegrind: $(cat out)"
    python "$kernel" <<'EOF2'
import re
import sys
from memsig_sums import Signature
ours = Signature(sys.argv[1] + ".json").misses()
text = open(sys.argv[1] + ".cg", encoding="utf-8").read()
of = dict(zip(re.search("^events: (.*)", text, re.M)[1].split(),
              map(int, re.search("^summary: (.*)", text, re.M)[1].split())))
theirs = [of["D1mr"] + of["D1mw"], of["DLmr"] + of["DLmw"]]
for level, (mine, other) in enumerate(zip(ours, theirs)):
    print(sys.argv[1], level + 1, mine, other)
    assert other > 9000, "too few misses to compare"
    # Its last level also contains the instructions, which evict a few data lines.
    assert abs(mine - other) <= 1e-4 * other + 10, "misses differ"
EOF2
done

# Without strides the results are the same, without other output.
for kernel in rows stencil; do
    signature "caches.$kernel.json" --only-caches --machine plain.json -- ./kernels "$kernel"
    signature "all.$kernel.json" --machine plain.json -- ./kernels "$kernel"
    python "$kernel" <<'EOF2'
import sys
from memsig_sums import Signature
caches, whole = (Signature(mode + "." + sys.argv[1] + ".json") for mode in ("caches", "all"))
assert caches.all["only_caches"] and not whole.all["only_caches"]
print(sys.argv[1], caches.misses(), whole.misses())
for a, b in zip(caches.misses(), whole.misses()):
    assert abs(a - b) <= 20, "misses differ"
for column in ("instructions", "loads", "stores", "load_bytes", "flops_scalar"):
    assert caches.sum(column, sys.argv[1]) == whole.sum(column, sys.argv[1]), column
assert caches.sum("random") == caches.sum("working_set_bytes") == 0
for block in caches.blocks:
    assert not any(block["strides"]), block
    for kind, found in enumerate(block["found"][0]):
        assert sum(found) == {0: block["loads"], 4: block["stores"]}.get(kind, 0), block
EOF2
    "$gptl" memsig show "caches.$kernel.json" >shown || fail "show"
    ! grep -q 'random%' shown || fail "a column of what is not there"
    status=0
    "$gptl" memsig merge "caches.$kernel.json" "all.$kernel.json" >merged 2>err || status=$?
    [ "$status" -eq 2 ] && grep -q "only-caches" err || fail "merged with one that has strides: $(cat err)"
done

# Each machine alone, and all in one pass.
for machine in plain odd tiny; do
    signature "alone.$machine.json" --machine "$machine.json" -- ./kernels rows
done
signature together.json --machine plain.json --machine odd.json --machine tiny.json -- ./kernels rows
python "" <<'EOF2'
from memsig_sums import Signature
together = Signature("together.json")
for number, name in enumerate(("plain", "odd", "tiny")):
    alone = Signature("alone.%s.json" % name)
    assert together.all["machines"][number] == alone.all["machines"][0]
    print(name, together.misses(number), alone.misses())
    # The dynamic linker's work differs slightly, because the contents of the initial stack differ.
    for a, b in zip(together.misses(number), alone.misses()):
        assert abs(a - b) <= 20, name
assert len(set(map(tuple, map(together.misses, range(3))))) == 3
EOF2

signature arithmetic.json -- ./kernels arithmetic
cp out told
python "" <<'EOF2'
from memsig_sums import Signature
signature = Signature("arithmetic.json")
for line in open("told", encoding="utf-8"):
    name, *known = line.split()
    have = [signature.sum(c, name) for c in ("flops_scalar", "flops_vector", "flops_fused",
                                             "divides")]
    print(name, have)
    assert have == list(map(int, known)), "%s: %s are known" % (name, known)
EOF2
[ "$(wc -l <told)" -ge 4 ] || fail "no functions with known flops"

# Instructions that write a general register, a known number in each of 1000 iterations; the surrounding code of the
# program adds a few.
signature integers.json -- ./kernels integers
cp out told
python "" <<'EOF2'
from memsig_sums import Signature
signature = Signature("integers.json")
for line in open("told", encoding="utf-8"):
    name, known = line.split()
    have = signature.sum("integer_instructions", name)
    print(name, have)
    assert 0 <= have - 1000 * int(known) < 10, "%s: %s in each turn are known" % (name, known)
EOF2
[ "$(wc -l <told)" -ge 3 ] || fail "no functions with known integers"

# Branches of a loop, and the approximate number of mispredictions among a thousand. At first all predictions count,
# here those of the coins, and later one in sixteen; in a sample those in bursts.
for sample in "" --sample=200000; do
    # shellcheck disable=SC2086 # none, when it is empty
    signature branches.json $sample -- ./kernels branches 32
    cp out told
    python "" <<'EOF2'
from memsig_sums import Signature
signature = Signature("branches.json")
for line in open("told", encoding="utf-8"):
    name, branches, share = line.split()
    have, wrong = signature.sum("branches", name), signature.sum("wrong_branches", name)
    print(name, have, wrong, 1000 * wrong / have)
    assert int(branches) - 3 <= have <= int(branches) + 3, name
    assert 0.9 * int(share) - 1 < 1000 * wrong / have < 1.15 * int(share) + 1, name
EOF2
    [ "$(wc -l <told)" -eq 4 ] || fail "no functions with known branches"
done

# A conditional move selects the next address by the loaded data.
signature halves.json --machine plain.json -- ./kernels halves
python "" <<'EOF2'
from memsig_sums import Signature
block = max(Signature("halves.json").of("halved"), key=lambda block: block["executions"])
print(block)
assert sum(block["found"][0][3]) == block["loads"] > 4096 * 15
EOF2

signature strides.json --machine plain.json -- ./kernels strides
python "" <<'EOF2'
from memsig_sums import Signature
signature = Signature("strides.json")
ends = signature.all["stride_bins_bytes"]
for name, stores, stride, touched in (("every_8", 8192, 8, 65536), ("every", 21846, 192, 64 * 21846),
                                      ("any", 65536, None, 0.632 * 64 * 65536)):
    block = max(signature.of(name), key=lambda b: b["executions"])
    most = block["strides"].index(max(block["strides"]))
    print(name, block)
    assert signature.sum("stores", name) == stores, name
    assert signature.sum("store_bytes", name) == stores * (8 if name == "every_8" else 1), name
    if stride is None:
        assert block["strides"][-1] > 0.95 * stores, name
    else:
        assert ends[most] >= stride > ends[most - 1], name
        assert block["strides"][most] >= stores - 3, name
    assert abs(block["working_set_bytes"] / touched - 1) < 0.25, name

# An access next to a line in the first cache is sequential, regardless of the instruction that began the sequence.
for name, near, strided in (("every", 0, 21846), ("in_turn", 65536, 0)):
    found = [block["found"][0] for block in signature.of(name)]
    missed = [sum(sum(kinds[kind][1:]) for kinds in found) for kind in (4, 5)]
    print(name, missed)
    # Except for the part of the memory that is still in the first cache.
    assert near - 600 <= missed[0] <= near and strided - 600 <= missed[1] <= strided, name

# All loads of that instruction except one at each place; if the first place has a separate block, its load there
# continues the sequence at one. So do those of the other function.
turns = [signature.sum("loads_in_turn", name) for name in ("at_places", "any")]
print(turns)
assert turns[0] in (4 * 512 - 4, 3 * 512 - 3) and turns[1] == 0, turns

# Twelve lines in a set of eight, which the next cache holds: all stores except those that return to the first line,
# which are random, access a line that the other eleven have evicted since its last access.
for name, least, most in (("too_many", 11 * 99, 12 * 99), ("as_many_as_fit", 0, 0)):
    conflicts = sum(sum(block["found"][0][7]) for block in signature.of(name))
    print(name, conflicts, signature.sum("conflict_lines", name))
    assert least <= conflicts <= most, name
    assert signature.sum("conflict_lines", name) == 12 * conflicts, name
EOF2

# In each row of twelve lines a set of eight gets the last four when it is full. In the second pass all are conflicts,
# because twelve are expected, except the first of a row accessed by the same instruction, which is random.
signature lines.json --machine plain.json -- ./kernels lines
signature full.json --machine one_set.json -- ./kernels lines
python "" <<'EOF2'
from memsig_sums import Signature
signature = Signature("lines.json")
for name, first, least, most in (("rows_of_12", (9, 10, 11, 12), 11, 12), ("rows_of_8", (), 0, 0)):
    conflicts = sum(sum(block["found"][0][8]) for block in signature.of(name))
    again = conflicts - 64 * len(first)
    print(name, conflicts, signature.sum("load_conflict_lines", name))
    assert 64 * least <= again <= 64 * most, name
    assert signature.sum("load_conflict_lines", name) == 64 * sum(first) + 12 * again, name
# With a single set, no line has more conflicts than another.
assert not any(block["load_conflict_lines"] for block in Signature("full.json").blocks)
# A loop is one run of its block per row, a single run without rows.
for path, name, rows in (("lines.json", "rows_of_12", 64), ("strides.json", "every_8", 1)):
    loop = max(Signature(path).of(name), key=lambda block: block["executions"])
    print(name, loop["executions"], loop["runs"])
    assert loop["executions"] > 2 * rows and loop["runs"] == rows, name
for name, loads, stores in (("over_ends", 1, 2), ("within_lines", 0, 0)):
    split = [signature.sum("split_loads", name), signature.sum("split_stores", name)]
    times = signature.sum("stores", name) // 2
    print(name, split, times)
    assert times > 900 and split == [loads * times, stores * times], name
EOF2

# The work of a string instruction on 32 bytes is an access. (The stack has some more: two per call.)
signature strings.json -- ./kernels strings
signature strings.sampled.json --sample=200000 -- ./kernels strings
python "" <<'EOF2'
from memsig_sums import Signature
for name, loads, stores, load_bytes, store_bytes in (
        ("fill", 0, 128 + 10, 0, 4096 + 160), ("fill_backwards", 0, 128, 0, 4096),
        ("copy_words", 128, 129, 4096, 4096), ("compare", 2, 0, 2, 0)):
    for signature in (Signature("strings.json"), Signature("strings.sampled.json")):
        # The instruction and the accesses of its function, which returns by a load of 8 bytes.
        calls = 12 if name == "fill" else 1
        have = [signature.sum(c, name) for c in ("loads", "stores", "load_bytes", "store_bytes")]
        print(name, have, signature.sum("instructions", name))
        assert have == [loads + calls, stores, load_bytes + 8 * calls, store_bytes], name
        pieces = max(loads, stores) if name != "compare" else 1
        assert pieces <= signature.sum("instructions", name) <= pieces + 6 * calls, name
        assert signature.sum("integer_instructions", name) <= 6 * calls, name
EOF2

# Pages that the kernel allocates for the program: newly mapped, dropped, or at the end of a heap of 20 MB.
./kernels pages >told || fail "kernels pages: exit status $?"
signature pages.json -- ./kernels pages
signature pages.sampled.json --sample=200000 -- ./kernels pages
python "" <<'EOF2'
from memsig_sums import Signature
told = {name: int(known) for name, known in map(str.split, open("told", encoding="utf-8"))}
for path, error in ("pages.json", 0.02), ("pages.sampled.json", 0.2):
    signature = Signature(path)
    touched, all = signature.sum("new_pages", "touch"), sum(block["new_pages"] for block in signature.blocks)
    print(path, told, touched, all)
    # The C library touches some pages of its heap first.
    for wanted, have in (told["mapped"] + told["dropped"], touched), (told["allocated"], all - touched):
        assert wanted > 15000 and abs(have / wanted - 1) < error, (wanted, have)
EOF2

# Bursts and caches are small here.
signature all.json --machine tiny.json -- ./kernels gather 16
signature sample.json --machine tiny.json --sample=200000 -- ./kernels gather 16
python "" <<'EOF2'
from memsig_sums import Signature
exact, sample = Signature("all.json"), Signature("sample.json")
said = sample.all["sampling"]
print(said)
assert 0.01 < said["fraction"] < 0.4 and said["error"] < 0.01 and said["burst_blocks"] == 200000
a, b = (s.misses()[0] / s.sum("accesses") for s in (exact, sample))
print(a, b)
assert abs(a - b) < 4 * said["error"], "the sample is further off than it says"
for column in ("executions", "loads", "stores", "instructions"):
    x, y = exact.sum(column, "gather"), sample.sum(column, "gather")
    assert x == y, "executions are counted, not sampled: %d %d" % (x, y)
EOF2
