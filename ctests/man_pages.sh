#!/bin/sh
# Every public function has a manual page, gptl_options(7) names every option, gptl(1) every command, references
# between pages resolve, and troff prints no warnings.
. "$srcdir/ctests/lib.sh"
need_plain_build

root=$PWD/root
install_tree "$root"
man3=$(find "$root" -type d -name man3)
[ -n "$man3" ] || fail "no manual pages of section 3 installed"

{
    sed -n 's/@@.*//p' "$srcdir/ctests/exports.list" | grep '^GPTL' | grep -v '_v9$' # another symbol of a function
    sed -n 's/^GPTL_API [^(]*\(GPTL[a-z_]*\)(.*/\1/p' "$srcdir/include/gptlmpi.h"
} | sort -u >functions
(cd "$man3" && ls) | sed -n 's/^\(GPTL.*\)\.3$/\1/p' | sort >pages
diff -u functions pages || fail "functions of exports.list, gptlmpi.h and installed pages differ (man/man.mk)"

while read -r function; do
    page=$man3/$function.3
    target=$(sed -n '1s/^\.so //p' "$page")
    [ -z "$target" ] || page=$man3/../$target
    [ -f "$page" ] || fail "$function(3) refers to $target, which is not there"
    grep "^GPTL.* .- " "$page" | tr ', ' '\n' | grep -qx "$function" ||
        fail "$page does not name $function"
    grep -q "^.fB.* .*$function(" "$page" || fail "$page has no prototype of $function"
done <functions

options=$man3/../man7/gptl_options.7
sed -nE 's/^(STRING_)?OPTION\([^"]*"([^"]*)".*/\2/p' "$srcdir/src/core/options.def" >keys
[ "$(wc -l <keys)" -ge 30 ] || fail "found only $(wc -l <keys) options in options.def"
while read -r key; do
    grep -q "^.fB$key.fR=" "$options" || fail "gptl_options(7) has no option $key"
done <keys

if [ -x "$builddir/gptl" ]; then
    for command in $("$builddir/gptl" --help | sed -n 's/^  \([a-z0-9]*\)  .*/\1/p'); do
        grep -q "^\.BR $command \", see \" gptl.-$command (1)" "$man3/../man1/gptl.1" ||
            fail "gptl(1) does not name the command $command"
        [ -f "$man3/../man1/gptl-$command.1" ] || fail "no page gptl-$command(1)"
    done
fi

need groff
for page in "$man3"/../man*/*; do
    [ "$(head -c 4 "$page")" != ".so " ] || continue
    groff -man -ww -Tascii "$page" 2>&1 >/dev/null | sed "s|^|$(basename "$page"): |" >>warnings
done
[ ! -s warnings ] || fail "troff warns: $(cat warnings)"
