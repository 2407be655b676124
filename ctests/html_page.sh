#!/bin/sh
# The page of gptl report --html in a browser: its tree opens, sorts and is
# searched by pointer and keyboard, and shows the values of the JSON reports, as
# do the icicle, the regions, and the details of a path. It requests nothing
# else.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/html.sh"
need "$CC" chromium chromedriver
need_tools
need_selenium

compile phases "$srcdir/ctests/programs/phases.c"
for rank in 0 1; do
    PMI_RANK=$rank GPTL_OPTIONS='output=json;histogram=on' ./phases || fail "phases ended with $?"
done
ends 0 "$gptl" report --html page.html timing.0.json timing.1.json
ends 0 "$gptl" report --html top.html --top 3 timing.0.json timing.1.json
"$python" "$srcdir/ctests/html_page.py" page.html top.html timing.0.json timing.1.json
