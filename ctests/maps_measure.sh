#!/bin/sh
# gptl maps: a quick profile of this machine is valid by its schema and plausible; on one core, with little memory,
# and without a writable file; edits, pictures and damaged files.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3 gnuplot xmllint taskset prlimit
need_tools
python3 -c 'import jsonschema' 2>/dev/null || skip "no jsonschema (Debian: python3-jsonschema)"

cat >check.py <<'END'
import json, sys
import jsonschema

schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for path in sys.argv[2:]:
    machine = json.load(open(path, encoding="utf-8"))
    for error in validator.iter_errors(machine):
        sys.exit(f"{path}: {error.json_path}: {error.message[:200]}")
    curves = {(r["operation"], r["access"], r["width"], r["pages"], r["cores"]): r["points"]
              for r in machine["rates"]}
    assert len(curves) == len(machine["rates"]), "curves of the same kind"
    for points in curves.values():
        sets = [p["working_set_bytes"] for p in points]
        assert sets == sorted(set(sets)) and sets[0] == 4096, sets
    small = lambda *kind: curves[(*kind, "small", 1)]
    loads, chain = small("load", "sequential", "scalar"), small("load", "dependent", "scalar")
    # A copy loads and stores.
    assert small("copy", "sequential", "scalar")[-1]["accesses_per_second"] < 2 * loads[-1]["accesses_per_second"]
    # A load that depends on the previous one takes longer than an independent one, and in 16 MiB much longer.
    assert chain[0]["accesses_per_second"] < loads[0]["accesses_per_second"]
    assert chain[-1]["accesses_per_second"] < loads[-1]["accesses_per_second"] / 2
    units = {(u["operation"], u["width"], u["precision"]): u for u in machine["arithmetic"]}
    one = units["add", "scalar", "double"]
    # Twelve independent operations are faster than dependent ones.
    assert one["flops_per_second"] * one["latency_seconds"] > 1.2, one
    # An addition takes one cycle of a core. Microarchitectures differ in the other latencies: the profile omits those
    # that they hide.
    core = machine["core"]
    for name, seconds in core.items():
        # Processors execute up to three jumps per cycle.
        assert seconds is None or 0.05 < seconds / core["cycle_seconds"] < 100, (name, core)
    # None of these takes less time than an operation that is a part of it; 0.9 covers the noise of two measurements.
    for less, more in ("addition", "cycle"), ("cycle", "multiply_integer"), ("multiply_integer", "divide_integer"), ("cycle", "load"), ("load", "load_float"):
        times = core[f"{less}_seconds"], core[f"{more}_seconds"]
        assert None in times or 0.9 * times[0] < times[1], (less, more, core)
    # No buffer for one kind of instruction is larger than the reorder buffer for all kinds.
    windows = [machine[f"window_{name}"] for name in ("stores", "integers", "instructions")]
    assert None in windows or 0 < max(windows[:2]) <= windows[2], windows
    measurement = machine["measurement"]
    assert measurement["points"] == sum(len(points) for points in curves.values()), measurement
    assert 0 < measurement["seconds"] < 60 and not measurement["interrupted"], measurement
    # A misprediction takes longer than a dependent addition.
    assert one["latency_seconds"] < core["refill_seconds"], core
    if "x86" in machine["processor"] or ("multiply", "vector", "single") in units:
        many = units["multiply", "vector", "single"]
        assert many["flops_per_second"] > units["multiply", "scalar", "single"]["flops_per_second"]


def undescribed(part, path):
    """Every member says what it is."""
    for name, member in part.get("properties", {}).items():
        if "description" not in member and "const" not in member:
            yield f"{path}.{name}"
        for inner in [member, member.get("items", {}), *member.get("anyOf", [])]:
            yield from undescribed(inner, f"{path}.{name}")


assert not list(undescribed(schema, "")), list(undescribed(schema, ""))
# The check itself detects errors.
machine["rates"][0]["points"][0]["accesses_per_second"] = 0
assert not validator.is_valid(machine)
END

# measured FILE COMMAND...: its profile is plausible. If other users of the machine double the time of a part, the
# measurement is repeated.
measured() {
    file=$1
    shift
    for _ in 1 2 3; do
        "$@" >text 2>err || { cat err; fail "exit status $?: $*"; }
        ! python3 check.py "$srcdir/doc/machine.schema.json" "$file" || return 0
    done
    fail "$file makes no sense"
}

echo "== this machine"
measured machine.json "$gptl" maps --quick --name 'my "machine"' --plot picture.svg
grep -q '^Machine my "machine"$' text || fail "no name in the text"
grep -q '^  load, dependent  *[0-9]' text || fail "no latencies in the text"
"$gptl" maps --show machine.json >again
cmp text again || fail "--show prints something else"
xmllint --noout picture.svg || fail "the picture is no XML"
for word in 'my "machine": ' 'working set of a core' 'load, sequential' 'load, dependent' '1 core'; do
    grep -qF "$word" picture.svg || fail "the picture does not show: $word"
done
"$gptl" maps --show machine.json --plot picture.png >again
[ "$(head -c 4 picture.png | od -An -tx1)" = " 89 50 4e 47" ] || fail "no PNG"

echo "== a line for each phase where there is no terminal, and its cost in advance"
"$gptl" maps --quick -o phases.json >text 2>err || fail "exit status $?"
for line in 'this takes at most [0-9]+ s more, and [0-9]+ MiB of memory$' 'measuring arithmetic$' 'measuring memory$'; do
    [ "$(grep -cE "^gptl maps: $line" err)" = 1 ] || fail "not once: $line: $(cat err)"
done

echo "== SIGTERM keeps completed measurements"
"$gptl" maps -o stopped.json >text 2>err &
process=$!
for _ in $(seq 600); do
    ! grep -q 'measuring memory' err || break
    sleep 0.1
done
sleep 2
kill -TERM $process
status=0
wait $process || status=$?
[ $status = 143 ] || fail "ends with $status, not by SIGTERM: $(cat err)"
grep -q 'interrupted; stopped.json has the [1-9][0-9]* points' err || fail "does not name the file: $(cat err)"
python3 - <<'END' || fail "wrong profile"
import json

machine = json.load(open("stopped.json"))
points = sum(len(curve["points"]) for curve in machine["rates"])
assert machine["measurement"]["interrupted"] and machine["measurement"]["points"] == points > 0
assert machine["measurement"]["skipped_points"] > 0 and machine["arithmetic"]
END
"$gptl" maps --show stopped.json >text || fail "cannot show a part"

echo "== with less of it"
last=$(taskset -cp $$ | sed 's/.*[^0-9]//')
measured one.json taskset -c "$last" "$gptl" maps --quick -o one.json
grep -q '"cores":1,"line_bytes"' one.json || fail "not one core"
if [ "$sanitize" = no ]; then
    measured little.json prlimit --as=100000000 "$gptl" maps --quick -o little.json
fi
# A process group whose memory limit is below the machine's memory, where the system allows one.
cat >limited.sh <<'END'
mount -t tmpfs none /sys/fs/cgroup && echo 104857600 >/sys/fs/cgroup/memory.max && echo 20971520 >/sys/fs/cgroup/memory.current &&
    touch limited && exec "$1" maps --quick -o limited.json
END
unshare -rm sh ./limited.sh "$gptl" >text 2>err || [ ! -e limited ] || fail "with a limit of memory: $(cat err)"
[ ! -e limited ] || grep -qE 'and [1-8] MiB of memory$' err || fail "a tenth of 80 MiB is exceeded: $(cat err)"
# shellcheck disable=SC2016 # for another shell
measured piped.json sh -c '"$1" maps --quick -o /dev/stdout | cat >piped.json' - "$gptl"
ends 2 "$gptl" maps --quick -o nowhere/machine.json 2>err
grep -q 'cannot write nowhere/machine.json' err || fail "does not say that it cannot write"
if [ -w /dev/full ]; then
    ends 2 "$gptl" maps --show machine.json >/dev/full 2>err
    grep -q 'No space left' err || fail "does not say that the disk is full"
fi
[ -z "$(files .*.json*)" ] || fail "left behind: $(files .*.json*)"

echo "== edits"
"$gptl" maps --edit machine.json --name other -o other.json 'L1.rate*=2' 'memory.latency*=0.5' ||
    fail "cannot edit"
python3 - <<'END' || fail "wrong edits"
import json

old, new = json.load(open("machine.json")), json.load(open("other.json"))
assert new["name"] == "other" and new["made_from"] == old["name"]
assert new["edits"] == ["L1.rate*=2", "memory.latency*=0.5"]
for a, b in zip(old["rates"], new["rates"], strict=True):
    factor = 1 if a["access"] == "dependent" else 2
    first = b["points"][0]["accesses_per_second"] / a["points"][0]["accesses_per_second"]
    assert abs(first - factor) < 0.2 * factor, (a["access"], first)
END
"$gptl" maps --edit other.json 'L1.bytes*=1.25' >third.json || fail "cannot edit again"
"$gptl" maps --show third.json >text
grep -qF 'other, edited, made from other by L1.rate*=2 memory.latency*=0.5 L1.bytes*=1.25' text ||
    fail "does not tell the edits: $(head -1 text)"
ends 2 "$gptl" maps --edit machine.json -o wrong.json 'L9.rate*=2' 2>err
one_line err 'edit "L9.rate*=2": the machine has no such part'
[ ! -e wrong.json ] || fail "a wrong edit makes a file"

echo "== wrong usage and damaged files"
ends 2 "$gptl" maps --edit machine.json 2>err
one_line err 'there is no edit'
ends 2 "$gptl" maps mpiexec 2>err
one_line err 'stands behind --'
ends 2 "$gptl" maps --show machine.json --edit machine.json 2>err
one_line err 'choose one of'
ends 2 "$gptl" maps --plot picture.gif 2>err
one_line err 'ends in .svg or .png'
ends 2 "$gptl" maps --show nothing.json 2>err
one_line err 'nothing.json'
: >empty.json
head -c 3000 machine.json >cut.json
sed 's/"version":1/"version":9/' machine.json >new.json
for damaged in empty cut new; do
    ends 2 "$gptl" maps --show $damaged.json >text 2>err
    one_line err "gptl maps: $damaged.json"
    [ ! -s text ] || fail "prints a damaged file"
done
grep -q 'newer gptl' err || fail "does not say that the version is newer"
"$gptl" maps --help | grep -q '^usage: gptl maps' || fail "no help"
mkdir bin
PATH=$PWD/bin ends 2 "$gptl" maps --show machine.json --plot no.png >text 2>err
one_line err 'gnuplot draws the pictures, and is not installed'
[ ! -e no.png ] || fail "half a picture is left"
