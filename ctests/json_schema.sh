#!/bin/sh
# Reports of a real program, with the additions of all options, and the golden files conform to
# doc/timing.schema.json, and the schema is valid.
. "$srcdir/ctests/lib.sh"

need python3
python3 -c 'import jsonschema' 2>/dev/null || skip "no jsonschema (Debian: python3-jsonschema)"

cat >small.in <<'END'
grid        = 32
steps       = 3
time_step   = 1e-4   # s
diffusivity = 1.0
tolerance   = 1e-10
output      = small.pgm
END
run_heat() {
    OMP_NUM_THREADS=2 GPTL_OPTIONS="output=text,json;output.path=$1;$2" \
        "$builddir/examples/heat" small.in >out 2>&1 || { cat out; fail "exit status $?"; }
}
run_heat plain ""
run_heat full "cpu=1;histogram=1;subtract=1;dopr_callers=1"
run_heat bare "overhead=0;wall=0"

cat >validate.py <<'END'
import json, sys
import jsonschema

schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
bad = False
for path in sys.argv[2:]:
    document = json.load(open(path, encoding="utf-8"))
    for error in validator.iter_errors(document):
        print(f"{path}: {error.json_path}: {error.message[:200]}")
        bad = True
    for thread in document["threads"]:
        known = {0}
        for node in thread["nodes"]:
            if node["parent"] not in known:
                print(f"{path}: node {node['id']} stands before its parent")
                bad = True
            known.add(node["id"])


def undescribed(part, path):
    """Every member says what it is."""
    for name, member in part.get("properties", {}).items():
        if "description" not in member:
            yield f"{path}.{name}"
        yield from undescribed(member, f"{path}.{name}")
        for choice in member.get("anyOf", []):
            yield from undescribed(choice, f"{path}.{name}")
    for name, member in part.get("$defs", {}).items():
        yield from undescribed(member, name)


for path in undescribed(schema, "document"):
    print(f"{sys.argv[1]}: {path} has no description")
    bad = True

# The check itself detects errors.
document["threads"][0]["nodes"].append({"id": -1})
if validator.is_valid(document):
    print("an invalid document passed")
    bad = True
sys.exit(bad)
END
# shellcheck disable=SC2046 # none of the names has a blank
python3 validate.py "$srcdir/doc/timing.schema.json" \
    $(grep -l '"gptl-profile"' "$srcdir"/ctests/golden/*.json) plain.json full.json bare.json || fail "not valid"
grep -q '"histogram":\[\[' full.json || fail "no histogram in full.json"
grep -q '"callers":\[$' full.json || fail "no callers in full.json"
