#!/bin/sh
# What a simulated core takes is what follows from its numbers: instructions that wait for each other, ports, branches that
# are guessed wrong, lines; of several machines at once, and of several signatures as one.
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
# What no core could have is as if it were not known.
# Of two kinds of vector instructions it has room for few.
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

# Where there is room for few vector instructions, the divisions of the next turn come when all but four of those that wait
# for the ones before have begun; or when all but ten have ended, behind what is loaded then.
signature narrowed.json --machine narrow.json -- ./kernels cores
python "" <<'EOF2'
from memsig_sums import Signature
signature = Signature("narrowed.json")
for name, known in ("waiting", 26 + 14 - 4 + 1), ("registers", 39):
    have = signature.core(name)[0] / 1e6
    print(name, have, "ns a turn, of a narrow core")
    assert 0.98 * known < have < 1.05 * known, name
EOF2

# A list waits for each of its lines, as long as that takes: of the rest a load takes four nanoseconds.
signature list.json --machine flat.json --machine small.json -- ./kernels list
python "" <<'EOF2'
from memsig_sums import Signature
block = max(Signature("list.json").of("list"), key=lambda block: sum(block["found"][0][3] or [0]))
for machine, level in (0, 1), (1, 2):
    found, core = block["found"][machine][3], block["core"][machine]
    print(found, core)
    assert found[level] > 9000, "too few lines to compare"
    assert 0.99 < sum(core[1:]) / sum(found[1:]) < 1.01
    # From memory a line may have come with its neighbor.
    assert 0.9 < core[level] / found[level] < 1.01
    assert 0.99 < core[0] / (4000 * sum(found)) < 1.01
EOF2

# A guess that is wrong costs the load and the comparison that tell, and what begins anew; instructions start between.
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

# Several machines at once are as each alone, and one of which too little is known has no core.
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
# Where one of two does not know, its executions are as those of the other one.
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

# A string instruction that clears memory first leaves time for what comes then.
signature cleared.json --machine flat.json -- ./kernels cleared
python "" <<'EOF2'
from memsig_sums import Signature
signature = Signature("cleared.json")
assert signature.sum("instructions", "fill") > 30000
assert signature.core("little") is not None
EOF2

# Of a sample as well.
signature sample.json --sample=200000 --machine flat.json -- ./kernels branches 32
python "" <<'EOF2'
from memsig_sums import Signature
sample, whole = Signature("sample.json"), Signature("branches.json")
have, wanted = (s.core("coins")[0] / s.sum("branches", "coins") for s in (sample, whole))
print(have, wanted)
assert 0.9 < have / wanted < 1.1
EOF2
no_folder
