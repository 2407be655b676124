#!/bin/sh
# gptl report --summary of many ranks: the sums are right even if 64 bits cannot hold them in
# nanoseconds, and four times the ranks take about four times as long, not sixteen times.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC" python3
need_plain_build
need_tools

cat >year.c <<'EOF'
#include <gptl.h>
int main(void)
{
    GPTLstartstop_vals("model", 31536000., 1);
    return 0;
}
EOF
compile year year.c
PMI_RANK=0 PMI_SIZE=1 GPTL_OPTIONS='output=json' ends 0 ./year
cat >expand.py <<'EOF'
"""expand.py DIR RANKS: copies of the report, each of a rank that exchanged messages with 26 others."""
import json, os, sys
to, ranks = sys.argv[1], int(sys.argv[2])
os.makedirs(to)
report = json.load(open("timing.0.json"))
for rank in range(ranks):
    report["rank"], report["pid"] = rank, 1000 + rank
    report["mpi_peers"] = [
        {"peer": (rank + d) % ranks, "sent": 3, "sent_bytes": 24, "received": 3, "received_bytes": 24}
        for d in range(1, 27)]
    json.dump(report, open(f"{to}/timing.{rank}.json", "w"))
EOF
# summary RANKS: set took, in seconds of CPU time, and write the file RANKS.summary.
summary() {
    python3 expand.py "d$1" "$1"
    took=$(python3 - "$gptl" "$1" <<'EOF'
import resource, subprocess, sys
with open(f"{sys.argv[2]}.summary", "w") as out:
    subprocess.run([sys.argv[1], "report", "--summary", f"d{sys.argv[2]}"], stdout=out, check=True)
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(use.ru_utime + use.ru_stime)
EOF
    )
    # A year of each rank: 1000 ranks have more nanoseconds than 2^64.
    same "walltotal of $1 years" "$(awk '$1 == "model" { print $5; exit }' "$1.summary")" \
        "$(($1 * 31536000)).000"
    same "ranks" "$(awk '$1 == "model" { print $2; exit }' "$1.summary")" "$1"
}
summary 500
few=$took
summary 2000
awk -v few="$few" -v many="$took" 'BEGIN { exit !(many < 9 * few + 0.5) }' ||
    fail "500 ranks took $few s, 2000 ranks $took s"
