#!/bin/sh
# The time of a simulated core follows from its parameters: dependent instructions, ports, mispredicted branches,
# cache lines; of several machines at once, and of several merged signatures.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need_tools
. "$srcdir/ctests/memsig_lib.sh"
PYTHONPATH=$PYTHONPATH:$srcdir/ctests
kernels
python "" <<'EOF2'
from predict_files import CORE, machine, write
write("flat.json", machine())
write("slow.json", machine("slow", 2, core={f"{name}_seconds": 2e-9 * ns for name, ns in CORE.items()}))
write("coreless.json", machine("coreless", core={}))
# Impossible parameters are treated as unknown. The core has few registers for two kinds of vector instructions.
write("narrow.json", machine("narrow", window_vectors=10, waiting_vectors=4))
write("absurd.json", machine("absurd", core={f"{name}_seconds": 1e-16 * ns for name, ns in CORE.items()}))
small = machine("small")
small["caches"][1]["bytes"] = 65536
write("small.json", small)
EOF2

signature cores.json --machine flat.json -- ./kernels cores
cp out told
python "" <<'EOF2'
from memsig_sums import Signature
signature = Signature("cores.json")
for line in open("told", encoding="utf-8"):
    name, known = line.split()
    have = signature.core(name)[0] / 1e6
    print(name, have, "ns a turn")
    assert 0.98 * float(known) < have < 1.05 * float(known), "%s: %s ns are known" % (name, known)
EOF2
[ "$(wc -l <told)" -eq 15 ] || fail "no functions with known times"

# With few vector registers, the divisions of the next iteration issue when all but four of the instructions that
# depend on the previous ones have started; or when all but ten have ended, after the subsequent loads.
signature narrowed.json --machine narrow.json -- ./kernels cores
python "" <<'EOF2'
from memsig_sums import Signature
signature = Signature("narrowed.json")
for name, known in ("waiting", 26 + 14 - 4 + 1), ("registers", 39):
    have = signature.core(name)[0] / 1e6
    print(name, have, "ns a turn, of a narrow core")
    assert 0.98 * known < have < 1.05 * known, name
EOF2

# A list waits for the full latency of each line: a load takes four nanoseconds of the remaining time.
signature list.json --machine flat.json --machine small.json -- ./kernels list
python "" <<'EOF2'
from memsig_sums import Signature
block = max(Signature("list.json").of("list"), key=lambda block: sum(block["found"][0][3] or [0]))
for machine, level in (0, 1), (1, 2):
    found, core = block["found"][machine][3], block["core"][machine]
    print(found, core)
    assert found[level] > 9000, "too few lines to compare"
    assert 0.99 < sum(core[1:]) / sum(found[1:]) < 1.01
    # A line from memory may have been prefetched with its neighbor.
    assert 0.9 < core[level] / found[level] < 1.01
    assert 0.99 < core[0] / (4000 * sum(found)) < 1.01
EOF2

# A misprediction costs the load and the comparison that determine the branch, and the restart; instructions issue in
# between.
signature branches.json --machine flat.json -- ./kernels branches
python "" <<'EOF2'
from memsig_sums import Signature
signature = Signature("branches.json")
for name in "coins", "dice":
    wrong, instructions = signature.sum("wrong_branches", name), signature.sum("instructions", name)
    have, wanted = signature.core(name)[0] / 1000, 20 * wrong + 0.5 * instructions
    print(name, have, wanted)
    assert wrong > 10000 and 0.9 < have / wanted < 1.1, name
EOF2

# Several machines at once give the same results as each alone, and a machine with too few parameters has no core.
signature slow.json.alone --machine slow.json -- ./kernels cores
signature together.json --machine flat.json --machine coreless.json --machine slow.json -- ./kernels cores
signature absurd.out.json --machine absurd.json -- ./kernels cores
"$gptl" memsig merge together.json together.json >merged.json 2>err || fail "merge: $(cat err)"
python "" <<'EOF2'
import json
from memsig_sums import Signature
alone, slow, together, merged = map(Signature, ("cores.json", "slow.json.alone", "together.json", "merged.json"))
for name in "sums", "chased", "products":
    first, none, second = (together.core(name, machine) for machine in range(3))
    print(name, first, none, second)
    assert none is None and 1.9 < second[0] / first[0] < 2.1
    assert abs(first[0] / alone.core(name)[0] - 1) < 0.02 and abs(second[0] / slow.core(name)[0] - 1) < 0.02
    assert merged.core(name)[0] == 2 * first[0] and merged.core(name, 1) is None
assert Signature("absurd.out.json").core("sums") is None
# If one of two lacks the value, its executions are estimated from the other one.
unknown = json.load(open("cores.json"))
for block in unknown["blocks"]:
    block[unknown["columns"].index("core")] = [[]]
json.dump(unknown, open("unknown.json", "w"))
EOF2
for order in "cores.json unknown.json" "unknown.json cores.json"; do
    # shellcheck disable=SC2086 # two files
    "$gptl" memsig merge $order >merged.json 2>err || fail "merge: $(cat err)"
    python "" <<'EOF2'
from memsig_sums import Signature
alone, merged = Signature("cores.json"), Signature("merged.json")
for name in "sums", "chased":
    assert abs(merged.core(name)[0] / alone.core(name)[0] - 2) < 1e-3, name
EOF2
done

# A string instruction that clears memory in advance hides the latency of the following instructions.
signature cleared.json --machine flat.json -- ./kernels cleared
python "" <<'EOF2'
from memsig_sums import Signature
signature = Signature("cleared.json")
assert signature.sum("instructions", "fill") > 30000
assert signature.core("little") is not None
EOF2

# The same for a sample.
signature sample.json --sample=200000 --machine flat.json -- ./kernels branches 32
python "" <<'EOF2'
from memsig_sums import Signature
sample, whole = Signature("sample.json"), Signature("branches.json")
have, wanted = (s.core("coins")[0] / s.sum("branches", "coins") for s in (sample, whole))
print(have, wanted)
assert 0.9 < have / wanted < 1.1
EOF2
no_folder
