#!/bin/sh
# Names in the HTML report are text, whatever they contain: markup, the end of
# the script, quotes, control characters, bytes that are not UTF-8, text that
# runs from right to left. So are the program's name and its arguments. Without
# scripts the page is a table.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/html.sh"
need "$CC" chromium chromedriver
need_tools
need_selenium

program='phases <b>&"x'\'
compile "$program" "$srcdir/ctests/programs/phases.c"
tab=$(printf '\t')
set -- "</script><script>document.title='run'</script>" "<img src=x onerror=\"document.title='run'\">" \
    'quote " and '\'' \ &amp; &' '<!-- <script> -->' ']]>' '@CUT@' '__proto__' 'constructor' \
    "tab${tab}and
line" "$(printf 'caf\303\251')" "$(printf 'bad \377\303')" "$(printf 'line \342\200\250 separator')" \
    "$(printf 'left \342\200\256 right')" 'a\x41' 'a\x5c' '-->' "a very long name: $(printf '%02000d' 7)"
GPTL_OPTIONS=output=json "./$program" "$@" || fail "the program ended with $?"
ends 0 "$gptl" report --html page.html timing.0.json
"$python" "$srcdir/ctests/html_names.py" page.html
