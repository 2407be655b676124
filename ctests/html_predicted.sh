#!/bin/sh
# The page of gptl report --html --prediction in a browser: columns of predictions and their errors, and the same
# for the selected path.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/html.sh"
need chromium chromedriver
need_tools
need_selenium

cat >timing.json <<'END'
{"format":"gptl-profile","version":1,"program":"model","elapsed":1,"threads":[{"thread":0,"nodes":[
{"id":1,"parent":0,"name":"solve","calls":10,"seconds":4,"max":1,"min":0.1},
{"id":2,"parent":1,"name":"dot","calls":100,"seconds":2,"max":0.1,"min":0.01},
{"id":3,"parent":0,"name":"io","calls":1,"seconds":1,"max":1,"min":1}]}]}
END
cat >prediction.json <<'END'
{"format":"gptl-prediction","version":1,"machine":"next <i>one</i>","regions":[
{"id":0,"parent":null,"name":"","seconds":6},
{"id":1,"parent":0,"name":"solve","seconds":5},
{"id":2,"parent":1,"name":"dot","seconds":1.5}]}
END
ends 0 "$gptl" report --html page.html --prediction prediction.json timing.json
ends 0 "$gptl" report --html plain.html timing.json
PYTHONPATH=$srcdir/ctests "$python" "$srcdir/ctests/html_predicted.py" page.html plain.html || fail "a page"
