#!/bin/sh
# The include rules of doc/architecture.md: a module includes its own headers
# and the public headers of modules that it may call, and nothing includes a .c
# file.
. "$srcdir/ctests/lib.sh"

# includes DIR: "file:line: header" of each quoted include below DIR, the header
# with its module. A header without a module is in the directory of the file
# that names it.
includes() {
    (cd "$1" && grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' \
        --include='*.[ch]' --include='*.def' .) |
        sed -E 's|^\./([^:]*):([0-9]+):[^"]*"([^"]*)".*|\1:\2: \3|' |
        awk '{
            room = $1
            sub(/:.*/, "", room)
            if (!sub(/\/[^\/]*$/, "", room)) room = "."
            header = $2
            if (header !~ /\// && room != ".") header = room "/" header
            sub(/^(.*\/)?(config\.h|gptl[a-z_]*\.h)$/, "", header)
            print $1, header
        }'
}

# breaches ROOT: print every include that a rule forbids.
breaches() {
    {
        [ ! -d "$1/src" ] || includes "$1/src"
        for room in postproc fortran; do
            [ ! -d "$1/$room" ] || includes "$1/$room" | sed "s|^|$room/|; s| \\./| $room/|"
        done
    } | awk '
        NF < 2 { next }                                     # config.h, public headers
        $2 ~ /\.c$/ || $2 ~ /\.\./ { print; next }
        $1 ~ /^core\//     && $2 ~ /^core\//                           { next }
        $1 ~ /^report\//   && $2 ~ /^(report\/|core\/(claim|core|descriptor|measured|own_stack|rundir|stderr)\.h$|counters\/expression\.h$|symbols\/symbols\.h$)/ { next }
        $1 ~ /^ranks\//    && $2 ~ /^(ranks\/|core\/(core|descriptor|measured|own_stack)\.h$|mpi\/find\.h$|report\/(json|ledger|metrics|name|number|out|output|report|snapshot|table|text)\.h$)/ { next }
        $1 ~ /^autoprof\// && $2 ~ /^(autoprof\/|core\/(core|descriptor)\.h$|symbols\/symbols\.h$)/ { next }
        $1 ~ /^posix\//    && $2 ~ /^(posix\/|core\/(claim|counter|descriptor|kernel|object|own_stack|stderr)\.h$)/            { next }
        $1 ~ /^ioc\//      && $2 ~ /^(ioc\/|posix\/(apart|offer|posix|raw|say)\.h$|core\/(claim|counter|descriptor|pairs|program|rundir|stderr|systime)\.h$)/ { next }
        $1 ~ /^iostack\//  && $2 ~ /^(iostack\/|core\/(core|counter|object|pairs|rundir|seldom|systime)\.h$|posix\/(apart|offer|posix|raw|say)\.h$)/ { next }
        $1 ~ /^run\//      && $2 ~ /^(run\/|core\/(fork|room|stderr)\.h$|posix\/(confine|filters|peek|raw)\.h$)/ { next }
        $1 ~ /^mpi\//      && $2 ~ /^(mpi\/|core\/(claim|core|descriptor|kernel|object|rundir|seldom|sister|stderr)\.h$|iostack\/on\.h$|ranks\/ranks\.h$)/  { next }
        $1 ~ /^memsig\//   && $2 ~ /^memsig\//                          { next }
        $1 ~ /^symbols\//  && $2 ~ /^(symbols\/|core\/descriptor\.h$)/                         { next }
        $1 ~ /^postproc\// && $2 !~ /\//                               { next }
        $1 ~ /^postproc\// && $2 ~ /^(postproc\/|core\/(claim|core|counter|measured|pairs|room|rundir|salvage)\.h$|mpi\/trace_format\.h$|ioc\/(format|log|plan|ring|salvage|text)\.h$|iostack\/format\.h$|memsig\/(columns|core)\.def$|posix\/(filters|posix|say)\.h$|run\/container\.h$|ranks\/(ranks|tree)\.h$|counters\/(derived|expression|papi)\.h$|report\/(file|host|json|ledger|metrics|name|number|out|report|resolve|table)\.h$|symbols\/symbols\.h$)/ { next }
        $1 ~ /^counters\// && $2 ~ /^(counters\/|core\/(core|descriptor)\.h$|symbols\/library\.h$)/ { next }
        $1 ~ /^fortran\//  && $2 ~ /^(fortran\/|core\/core\.h$|ranks\/ranks\.h$)/ { next }
        $1 ~ /^io\.c:/     && $2 ~ /^(ioc\/ioc|iostack\/posix_sink|posix\/posix)\.h$/ { next }
        $1 ~ /^rooms\.c:/  && $2 ~ /^(autoprof\/autoprof|core\/core|counters\/counters|ranks\/ranks|report\/report)\.h$/  { next }
        { print }'
}

# The check itself: it detects exactly the planted breaches.
mkdir -p planted/src/core planted/src/report planted/src/symbols planted/postproc planted/fortran
printf '#include "config.h"\n#include "core/tree.h"\n#include "tree.h"\n' >planted/src/core/a.c
printf '#include "core/core.h"\n#include "gptl.h"\n#include "table.h"\n' >planted/src/report/b.c
printf '#include "gptl.h"\n#include "own.h"\n#include "core/salvage.h"\n#include "report/out.h"\n' >planted/postproc/c.c
printf '#include "config.h"\n#include "core/core.h"\n' >planted/src/rooms.c
printf '#include "symbols/symbols.h"\n#include "module.h"\n' >planted/src/symbols/e.c
printf '#include "symbols/symbols.h"\n' >>planted/src/report/b.c
mkdir -p planted/src/mpi
printf '#include "core/core.h"\n#include "core/sister.h"\n#include "mpi/wrap.h"\n' >planted/src/mpi/f.c
printf '#include "fortran/text.h"\n#include "ranks/ranks.h"\n' >planted/fortran/d.c
[ -z "$(breaches planted)" ] || fail "refused what is allowed: $(breaches planted)"
echo '#include "report/report.h"' >>planted/src/core/a.c
echo '#  include "core/tree.h"' >>planted/src/report/b.c
echo '#include "core/tree.c"' >>planted/src/core/a.c
echo '#include "core/tree.h"' >>planted/postproc/c.c
echo '#include "report/layout.h"' >>planted/postproc/c.c
echo '#include "core/tree.h"' >>planted/fortran/d.c
echo '#include "symbols/module.h"' >>planted/src/report/b.c
echo '#include "core/core.h"' >>planted/src/symbols/e.c
echo '#include "core/short.h"' >>planted/src/mpi/f.c
echo '#include "core/sister.h"' >>planted/src/report/b.c
[ "$(breaches planted | wc -l)" -eq 10 ] || fail "missed a planted breach: $(breaches planted)"

found=$(breaches "$srcdir")
[ -z "$found" ] || fail "includes against the rules:
$found"
