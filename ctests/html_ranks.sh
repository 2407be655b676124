#!/bin/sh
# The page of gptl report --html of statistics over ranks in a browser: differences between the ranks on a
# path, with a histogram, and the late ranks; the same and the heat map with the reports of the ranks.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/html.sh"
need chromium chromedriver
need_tools
need_selenium

cat >waits.json <<'END'
{"format":"gptl-summary","version":1,"program":"waits","ranks":3,"threads":3,"elapsed":1,"started":1,"metrics":[],
"regions":[
{"name":"main","ranks":3,"threads":3,"calls":3,"seconds":30,"mean":10,"std_dev":0,"max":{"seconds":10,"rank":0,"thread":0},"min":{"seconds":10,"rank":0,"thread":0},
"of_ranks":{"mean":10,"std_dev":0,"min":{"seconds":10,"rank":0,"thread":0},"histogram":[[8.589934592,10.73741824,3]]}},
{"name":"sync_Allreduce","ranks":3,"threads":3,"calls":9,"seconds":6,"mean":2,"std_dev":0.8,"max":{"seconds":3,"rank":0,"thread":0},"min":{"seconds":1,"rank":1,"thread":0},
"of_ranks":{"mean":2,"std_dev":0.8,"min":{"seconds":1,"rank":1,"thread":0},"histogram":[[0.939524096,1.073741824,1],[1.879048192,2.147483648,1],[2.684354560,3.221225472,1]]}}],
"paths":[
{"id":1,"parent":0,"region":0,"name":"main","ranks":3,"threads":3,"calls":3,"seconds":30,"mean":10,"std_dev":0,"max":{"seconds":10,"rank":0,"thread":0},"min":{"seconds":10,"rank":0,"thread":0},
"of_ranks":{"mean":10,"std_dev":0,"min":{"seconds":10,"rank":0,"thread":0},"histogram":[[8.589934592,10.73741824,3]]}},
{"id":2,"parent":1,"region":1,"name":"sync_Allreduce","ranks":3,"threads":3,"calls":9,"seconds":6,"mean":2,"std_dev":0.8,"max":{"seconds":3,"rank":0,"thread":0},"min":{"seconds":1,"rank":1,"thread":0},
"of_ranks":{"mean":2,"std_dev":0.8,"min":{"seconds":1,"rank":1,"thread":0},"histogram":[[0.939524096,1.073741824,1],[1.879048192,2.147483648,1],[2.684354560,3.221225472,1]]}}]}
END
sed 's/"started":1,/"started":1700000000.25,/' waits.json >run.json
python3 - <<'END'
import json
profiles = [{"format": "gptl-profile", "version": 1, "program": "waits", "rank": rank, "started": 1700000000.25,
             "elapsed": 1, "threads": [{"thread": 0, "nodes": [
                 {"id": 1, "parent": 0, "name": "main", "calls": 1, "seconds": 10, "max": 10, "min": 10},
                 {"id": 2, "parent": 1, "name": "sync_Allreduce", "calls": 3, "seconds": seconds, "max": 1,
                  "min": 0.1}]}]} for rank, seconds in enumerate((3, 1, 2))]
with open("run.ranks.json", "w") as file:
    file.write('{"format":"gptl-profiles","version":1,"profiles":' + json.dumps(profiles) + "}")
END
ends 0 "$gptl" report --html statistics.html waits.json
ends 0 "$gptl" report --html both.html run.json
PYTHONPATH=$srcdir/ctests "$python" "$srcdir/ctests/html_ranks.py" statistics.html both.html || fail "a page"
cp run.ranks.json waits.ranks.json
"$gptl" report --html other.html waits.json 2>err || fail "no page beside another run"
grep -q 'of another run' err || fail "the reports of another run are taken: $(cat err)"
