#!/bin/sh
# gptl memsig around programs: a signature that conforms to its schema, of each process and rank, including
# killed ones; merged, shown; invalid words and damaged files are refused.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need_tools
python3 -c 'import jsonschema' 2>/dev/null || skip "no jsonschema (Debian: python3-jsonschema)"
. "$srcdir/ctests/memsig_lib.sh"

cat >prog.c <<'EOF2'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "memsig_work.h"
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    work(3000000);
    if (strcmp(how, "fork") == 0 && fork() == 0) {
        work(2000000);
        _exit(0);
    }
    if (strcmp(how, "daemon") == 0) {
        if (fork() != 0)
            return 0;
        while (access("stop", F_OK) != 0)
            usleep(10000);
        FILE *file = fopen("stopped", "w");
        fprintf(file, "%d\n", (int)getpid());
        return fclose(file);
    }
    wait(NULL);
    while (strcmp(how, "on") == 0)
        work(1000);
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "abort") == 0)
        abort();
    return strcmp(how, "three") == 0 ? 3 : 0;
}
EOF2
compile prog prog.c -I"$srcdir/ctests/programs"

signature one.json -- ./prog 'a "word"'
"$gptl" memsig show --top 3 one.json >shown || fail "show"
grep -q 'L1%' shown && grep -q 'work (memsig_work.h' shown || fail "not shown: $(cat shown)"
no_folder
python "$srcdir/doc/signature.schema.json" <<'EOF2'
import json
import sys
import jsonschema
from memsig_sums import Signature
signature = Signature("one.json")
schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.validate(signature.all, schema)
assert signature.all["complete"] and signature.all["rank"] is None
assert signature.all["command"] == ["./prog", 'a "word"']
assert signature.sum("stores", "work") == 3000000
for change in ({"version": 2}, {"ranks": -1}, {"regions": []}):
    try:
        jsonschema.validate(dict(signature.all, **change), schema)
    except jsonschema.ValidationError:
        continue
    sys.exit("the schema takes %s" % change)
EOF2

# The same, merged with itself: everything doubles except memory.
"$gptl" memsig merge -o twice.json one.json one.json || fail "merge"
"$gptl" memsig merge -o once.json one.json || fail "merge"
python "" <<'EOF2'
from memsig_sums import Signature
one, twice, once = map(Signature, ("one.json", "twice.json", "once.json"))
key = lambda b: (b["region"], b["function"], b["line"], b["address"])
assert sorted(map(key, one.blocks)) == sorted(map(key, twice.blocks)), "blocks are split or lost"
assert twice.all["ranks"] == 2 and twice.all["threads"] == 2
for column in ("executions", "instructions", "loads", "stores", "load_bytes", "random"):
    assert twice.sum(column) == 2 * one.sum(column), column
assert twice.misses() == [2 * m for m in one.misses()]
known = {key(b): b for b in one.blocks}
for block in twice.blocks:
    assert block["working_set_bytes"] == known[key(block)]["working_set_bytes"]
    assert block["strides"] == [2 * s for s in known[key(block)]["strides"]]
assert once.blocks == one.blocks and once.all["regions"] == one.all["regions"]
EOF2

# Ends of programs. The shell's message about the signal is removed.
for how in kill:137 abort:134 three:3; do
    status=0
    "$gptl" memsig -o end.json -- ./prog "${how%:*}" 2>err || status=$?
    [ "$status" = "${how#*:}" ] || fail "${how%:*}: exit status $status: $(cat err)"
    complete=false
    [ "$how" != three:3 ] || complete=true
    grep -q "\"complete\":$complete" end.json || fail "${how%:*} is not marked"
    grep -q '"work"' end.json || fail "${how%:*}: nothing is known of it"
done
"$gptl" memsig show end.json >shown || fail "show"

# Killed from outside, with the tool: the data of the last interval.
"$gptl" memsig --interval 1 -o end.json -- ./prog on >out 2>err &
tries=0
until written=$(grep -l '"work"' .gptl-memsig.*/*.json 2>/dev/null); do
    tries=$((tries + 1))
    [ $tries -lt 1000 ] || fail "nothing is written while the program runs: $(cat err)"
    sleep 0.1
done
kill -KILL "$(basename "$written" .json)"
status=0
wait $! || status=$?
[ "$status" = 137 ] || fail "killed from outside: exit status $status: $(cat err)"
grep -q '"complete":false' end.json && grep -q '"work"' end.json || fail "killed from outside: no signature"
no_folder

# A daemon that ends after the command has nobody to report to, and prints nothing.
"$gptl" memsig -o end.json -- ./prog daemon >out 2>err || fail "a daemon: exit status $?: $(cat err)"
no_folder
touch stop
tries=0
until [ -s stopped ] && ! kill -0 "$(cat stopped)" 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 1000 ] || fail "the daemon does not end"
    sleep 0.1
done
! grep "cannot write" err || fail "a daemon complains"

# A child has its own counts; a script in between does not create a signature.
printf '#!/bin/sh\n./prog fork\n' >script
chmod +x script
rm -f one.*
signature one.json -- ./script
[ "$(find . -name 'one*.json' | wc -l)" -eq 2 ] || fail "not two signatures: $(ls) $(cat err)"
python "" <<'EOF2'
import glob
from memsig_sums import Signature
stores = sorted(Signature(name).sum("stores", "work") for name in glob.glob("one*.json"))
assert stores == [2000000, 3000000], stores
EOF2

# The installed command finds its parts as well.
install_tree "$PWD/root"
"$PWD/root$bindir/gptl" memsig -o installed.json -- ./prog 2>err || fail "installed: $(cat err)"
grep -q '"work"' installed.json || fail "installed: nothing is known"

# Wrong words.
refused() {
    status=0
    "$gptl" memsig "$@" >out 2>err || status=$?
    [ "$status" -eq 2 ] || fail "gptl memsig $*: exit status $status: $(cat err)"
    grep -q '^gptl memsig' err || fail "gptl memsig $*: no message: $(cat err)"
}
refused
refused --nothing ./prog
refused --machine missing.json -- ./prog
refused --sample=1 -- ./prog
refused --interval 0 -- ./prog
refused --paths 1x -- ./prog
refused show
refused show missing.json
refused show --top x twice.json
refused merge
refused merge twice.json missing.json
# Programs that Valgrind does not run: 32-bit programs (this is the beginning of one), programs with the
# rights of others.
printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0' >old
cp prog rights
chmod +x old
chmod u+s rights
for file in old rights; do
    refused -- "./$file"
    grep -q '32 bits\|rights' err || fail "$file: $(cat err)"
done
printf '{"format":"gptl-machine","version":1,"name":"m","caches":[]}' >none.json
refused --machine none.json -- ./prog
status=0
"$gptl" memsig -- ./nothing >out 2>err || status=$?
[ "$status" -eq 127 ] || fail "a program that is not there: $status"
no_folder

# Damaged files: truncated anywhere, and invalid in each part.
size=$(wc -c <twice.json)
for part in 0 1 2 3 5 10 20 30 40 50 60 70 80 90 97 99; do
    head -c $((size * part / 100)) twice.json >cut.json
    refused show cut.json
done
python "" <<'EOF2'
import json
whole = json.load(open("twice.json", encoding="utf-8"))
def changed(number, change):
    copy = json.loads(json.dumps(whole))
    change(copy)
    json.dump(copy, open("wrong.%d.json" % number, "w", encoding="utf-8"))
def at(column):
    return whole["columns"].index(column)
for number, change in enumerate((
        lambda s: s.update(format="gptl-summary"),
        lambda s: s.update(version=2),
        lambda s: s.pop("blocks"),
        lambda s: s["columns"].pop(),
        lambda s: s["columns"].__setitem__(0, "function"),
        lambda s: s["blocks"][0].pop(),
        lambda s: s["blocks"][0].__setitem__(at("region"), 99999999),
        lambda s: s["blocks"][0].__setitem__(at("function"), 99999999),
        lambda s: s["blocks"][0].__setitem__(at("loads"), -1),
        lambda s: s["blocks"][0].__setitem__(at("found"), []),
        lambda s: s["blocks"][0][at("strides")].append(1),
        lambda s: s["blocks"][0][at("found")][0].__setitem__(0, [2 ** 63]),
        lambda s: s["regions"][0].update(parent=0),
        lambda s: s["regions"].append(dict(id=7, parent=9, name="", calls=1)),
        lambda s: s["machines"].extend(s["machines"] * 40),
        lambda s: s.update(stride_bins_bytes=[4, 3, 2]))):
    changed(number, change)
# Additions of later versions are skipped.
whole["columns"].insert(3, "new")
whole["later"] = [{"x": 1}]
for block in whole["blocks"]:
    block.insert(3, {"any": [1]})
json.dump(whole, open("later.json", "w", encoding="utf-8"))
EOF2
for file in wrong.*.json; do
    refused show "$file"
    refused merge "$file"
done
"$gptl" memsig show later.json >later && "$gptl" memsig show twice.json >known || fail "later.json"
cmp later known || fail "a later version is read otherwise"
refused merge twice.json wrong.0.json
! "$gptl" memsig show twice.json >/dev/full 2>err || fail "a full disk is no error"
