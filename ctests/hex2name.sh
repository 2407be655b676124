#!/bin/sh
# gptl hex2name converts a report with addresses, to the byte, into the report
# that the same run would have written with names: all sections, in text and JSON.
. "$srcdir/ctests/lib.sh"
need_plain_build
[ "$have_libdw" = yes ] || skip "built without libdw"
[ -x "$builddir/gptl" ] || skip "built without the gptl program"
need "$CC" nm objcopy strip readelf
hex2name="$builddir/gptl hex2name"

# It names its regions by the addresses of functions or, with REAL set, by their names.
cat >prog.c <<'EOF'
#include <gptl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char __executable_start;

void first_function_that_has_a_long_name_and_therefore_moves_columns(void) {}
void b(void) {}
void third_function_of_a_long_name_too(void) {}

static char first[100], second[100], third[100], wide[200];

static void name(char *to, void (*function)(void), const char *real)
{
    if (getenv("REAL"))
        strcpy(to, real);
    else
        sprintf(to, "prog+0x%lx", (unsigned long)((char *)function - &__executable_start));
}

static void *work(void *unused)
{
    GPTLstart(first);
    GPTLstart("by hand");
    GPTLstop("by hand");
    GPTLstart(third);
    GPTLstop(third);
    GPTLstop(first);
    return unused;
}

static void measure(void)
{
    GPTLstart(first);
    GPTLstart(second);
    GPTLstart("leaf");
    GPTLstop("leaf");
    GPTLstart(third);
    GPTLstop(third);
    GPTLstart("ends in 5");
    GPTLstart(third);
    GPTLstop(third);
    GPTLstop("ends in 5");
    GPTLstop(second);
    GPTLstart(third);
    GPTLstart(second);
    GPTLstart("leaf");
    GPTLstop("leaf");
    GPTLstop(second);
    GPTLstop(third);
    GPTLstart("\303\251t\303\251 3 4");
    GPTLstop("\303\251t\303\251 3 4");
    GPTLstart("prog+0x1 is a user's \"name\" 7");
    GPTLstop("prog+0x1 is a user's \"name\" 7");
    GPTLstop(first);
    GPTLstart(second);
    GPTLstart(first);
    GPTLstop(second);
    GPTLstop(first);
    GPTLmark("one");
    GPTLstart(second);
    GPTLstop(second);
    GPTLstart(wide);
    GPTLstart(first);
    GPTLstop(first);
    GPTLstop(wide);
    for (int i = 0; i < 12; i++)
        GPTLstart(i % 2 ? first : wide + i);
    for (int i = 12; i-- > 0;)
        GPTLstop(i % 2 ? first : wide + i);
}

int main(int argc, char **argv)
{
    (void)argc;
    pthread_t thread;
    name(first, first_function_that_has_a_long_name_and_therefore_moves_columns,
         "first_function_that_has_a_long_name_and_therefore_moves_columns");
    name(second, b, "b");
    name(third, third_function_of_a_long_name_too, "third_function_of_a_long_name_too");
    memset(wide, 'w', 130);
    GPTLinitialize();
    measure();
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    GPTLpr_file(argv[1]);
    return 0;
}
EOF
$CC -g -fPIE -pie -o prog prog.c -I"$srcdir/include" "$builddir/.libs/libgptl_internal.a" -pthread ||
    fail "cannot build the program"
id=$(readelf -n prog | sed -n 's/.*Build ID: *//p')
here=$PWD

modules() {
    printf '\nModules (a function without a name is printed as MODULE+address):\n'
    printf '  prog       %s  build id %s\n' "$here/prog" "$id"
    printf '  libm.so.6  /lib/of this one/libm.so.6  build id none\n'
}

# Without the parts that differ between runs.
steady() { grep -vE ' MB |longest search' "$1" | sed -E 's/[0-9]\.[0-9]{9}/0.123456789/g'; }

# same FILE EXPECTED
same() { cmp "$1" "$2" || { diff "$1" "$2" || true; fail "$3: $1 and $2 differ"; }; }

# both OPTIONS: the report with addresses in hex.txt, with names in real.txt.
both() {
    rm -f raw.txt
    GPTL_OPTIONS="wall=off;overhead=off;dopr_preamble=off;$1" ./prog raw.txt
    { steady raw.txt; modules; } >hex.txt
    rm -f raw.txt
    REAL=1 GPTL_OPTIONS="wall=off;overhead=off;dopr_preamble=off;$1" ./prog raw.txt
    { steady raw.txt; modules; } >real.txt
    grep -q 'prog+0x' hex.txt || fail "no address in the report"
}

for options in "" "dopr_quotes=on" "dopr_callers=on" "dopr_callers=on;dopr_quotes=on" \
    "print_method=full_tree;dopr_callers=on" "print_method=first_parent" \
    "print_method=last_parent;dopr_multparent=off"; do
    both "$options"
    $hex2name prog hex.txt >got.txt 2>said || fail "$options: exit status $?"
    # The callers of a region are sorted by their times.
    case $options in
        *callers*)
            sort -o got.txt got.txt
            sort -o real.txt real.txt
            ;;
    esac
    same got.txt real.txt "$options"
    [ ! -s said ] || fail "$options: $(cat said)"
done

# ---- Where the program is, and where it says what it cannot do ------------------------------

both ""
$hex2name prog - <hex.txt | cmp - real.txt || fail "standard input"
# shellcheck disable=SC2002 # a pipe cannot be read twice
cat hex.txt | $hex2name prog - | cmp - real.txt || fail "a pipe"
cp hex.txt in_place.txt
$hex2name -o in_place.txt prog in_place.txt
same in_place.txt real.txt "in place"
sed 's/$/\r/' hex.txt >crlf.txt
sed 's/$/\r/' real.txt >crlf_real.txt
$hex2name prog crlf.txt >got.txt
same got.txt crlf_real.txt "lines of Windows"
ln -s "$builddir/gptl" hex2name
ln -s "$builddir/gptl" hex2name.pl
./hex2name prog hex.txt | cmp - real.txt || fail "called hex2name"
./hex2name.pl -demangle prog hex.txt | cmp - real.txt || fail "called hex2name.pl"

# says TEXT PROGRAM REPORT: the report stays unchanged.
says() {
    $hex2name "$2" "$3" >got.txt 2>said || fail "$2 $3: exit status $?"
    same got.txt "$3" "nothing to name"
    grep -q "$1" said || fail "$2 $3: \"$(cat said)\" does not say $1"
}

mkdir moved
cp prog "moved/other name"
$hex2name "moved/other name" hex.txt 2>said | cmp - real.txt || fail "known by its build id"
mv prog moved/prog
$hex2name moved/prog hex.txt | cmp - real.txt || fail "moved"
strip -o prog moved/prog
says "3 addresses.*stripped of symbols" prog hex.txt
objcopy --only-keep-debug moved/prog prog.debug
objcopy --add-gnu-debuglink=prog.debug prog
$hex2name prog hex.txt | cmp - real.txt || fail "stripped"
mkdir debug
mv prog.debug debug
says "stripped of symbols" prog hex.txt
$hex2name --debug-dir debug prog hex.txt | cmp - real.txt || fail "--debug-dir"
mv moved/prog prog
$CC -fPIE -pie -o other prog.c -I"$srcdir/include" -DOTHER "$builddir/.libs/libgptl_internal.a" \
    -pthread -Wl,--build-id=sha1
cp other moved/prog
mv prog kept
says "3 addresses.*changed since the run" moved/prog hex.txt
says "is no module of the report" other hex.txt
mv kept prog
$hex2name other hex.txt 2>said | cmp - real.txt || fail "a module found by its path"
grep -q "no module of the report" said || fail "does not say that other is no module"
$hex2name moved/prog hex.txt 2>said | cmp - real.txt || fail "the one that ran is still there"

# Several reports in one file, each with different modules.
four="s/prog+/four+/g; s/^  prog  /  four  /; s/prog  build id/gone  build id/"
sed "$four" hex.txt | cat hex.txt - >two.txt
sed "$four" real.txt | cat real.txt - >two_real.txt
$hex2name prog two.txt >got.txt
same got.txt two_real.txt "two reports"
sed "s/build id $id/build id 0123456789/; s|$here/prog|/gone/prog|" hex.txt | cat hex.txt - >two.txt
sed "s/build id $id/build id 0123456789/; s|$here/prog|/gone/prog|" hex.txt | cat real.txt - >two_real.txt
$hex2name prog two.txt >got.txt 2>said
same got.txt two_real.txt "two reports of two builds"

# Words that only look like addresses are not replaced.
modules >only.txt
printf '\nStats for thread 0:\n          Called\n  x+0x1139     1\n' >>only.txt
$hex2name prog only.txt | cmp - only.txt || fail "a name of the user's"

# ---- Tables of which no run is needed -------------------------------------------------------

address() { nm prog | sed -n "s/^0*\([0-9a-f]*\) T $1\$/\1/p"; }
b=prog+0x$(address b)
long=third_function_of_a_long_name_too
third=prog+0x$(address third_function_of_a_long_name_too)

# The names are as wide as in the input, which the test does not know: so are the blanks.
blanks() { printf '%*s' "$1" ""; }
gap=$(blanks $((${#b} - 4)))
narrow=$(blanks 10)
{
    printf 'name%s  processes  calls  (proc thrd)\n' "$gap"
    printf '%s          1     12  (   0    1)\n' "$b"
    printf 'a 1 %s          1      1  (   0    0)\n\n' "$gap"
    printf '\nMPI of all ranks:\n%s      Calls  \n  %s      7  \n  1    %s      8  \n' \
        "$gap$narrow" "$third" "$(blanks $((${#third} - 5)))"
    printf '\nmost of it in %s, and (%s).\n' "$third" "$b"
    modules
} >tables.txt
{
    printf 'name  processes  calls  (proc thrd)\n'
    printf 'b             1     12  (   0    1)\n'
    printf 'a 1           1      1  (   0    0)\n\n'
    printf '\nMPI of all ranks:\n%s      Calls  \n  %s      7  \n  1  %s      8  \n' \
        "$narrow$(blanks $((${#long} - ${#third} + ${#b} - 4)))" $long "$(blanks $((${#long} - 3)))"
    printf '\nmost of it in %s, and (%s).\n' $long b
    modules
} >tables_real.txt
$hex2name prog tables.txt >got.txt
same got.txt tables_real.txt "tables"

# Other versions of GPTL print addresses of a program that is loaded at its link address.
$CC -g -no-pie -o fixed prog.c -I"$srcdir/include" "$builddir/.libs/libgptl_internal.a" -pthread
b=$(nm fixed | sed -n 's/^0*\([0-9a-f]*\) T b$/\1/p')
third=$(nm fixed | sed -n 's/^0*\([0-9a-f]*\) T third_function_of_a_long_name_too$/\1/p')
[ "${#b}" = 6 ] && [ "${#third}" = 6 ] || fail "unusual addresses $b, $third"
cat >classic.txt <<EOF
GPTL version 5.5

Stats for thread 0:
             Called  Recurse     Wallclock   max          min
  total           1     -       1.234e+00    1.234e+00    1.234e+00
    $b       10     -       0.5          0.1          0.05
*   0x$b     10     -       0.5          0.1          0.05
    facade       2     -       0.5          0.1          0.05
    loop 5       2     -       0.5          0.1          0.05

Multiple parent info (if any) for thread 0:
  123456 $third
   $b not
       4   0x$b

Same stats sorted by timer for threaded regions:
Thd          Called
000 0x$third       1
SUM 0x$third       2
EOF
cat >classic_real.txt <<EOF
GPTL version 5.5

Stats for thread 0:
           Called  Recurse     Wallclock   max          min
  total         1     -       1.234e+00    1.234e+00    1.234e+00
    b          10     -       0.5          0.1          0.05
*   b          10     -       0.5          0.1          0.05
    facade     2     -       0.5          0.1          0.05
    loop 5     2     -       0.5          0.1          0.05

Multiple parent info (if any) for thread 0:
  123456 $long
   $b not
       4   b

Same stats sorted by timer for threaded regions:
Thd                                   Called
000 $long       1
SUM $long       2
EOF
$hex2name fixed classic.txt >got.txt 2>said
same got.txt classic_real.txt "a report of another version"
[ ! -s said ] || fail "complains of what is no address: $(cat said)"
says "2 addresses.*position-independent" prog classic.txt
printf 'Stats for thread 0:\n          Called\n  %x     1\n' $((0x$b + 1)) >middle.txt
says "1 address without a name" fixed middle.txt # that is no beginning of a function

# ---- JSON -----------------------------------------------------------------------------------

offset=$(address third_function_of_a_long_name_too)
line=$(grep -n '^void third_function_of' prog.c | sed 's/:.*//')
to_prog="s|\"libx.so\",\"path\":null,\"build_id\":null|\"prog\",\"path\":\"/gone\",\"build_id\":\"$id\"|
    s/libx.so+0xffffffffffffffff/prog+0x$offset/; s/18446744073709551615/$((0x$offset))/"
sed "$to_prog" "$srcdir/ctests/golden/json_functions.json" >in.json
sed "s|{\"name\":null,\"address\":\"prog+0x$offset\"\(.*\)\"file\":null,\"line\":null|{\"name\":\"$long\",\"address\":\"prog+0x$offset\"\1\"file\":\"$here/prog.c\",\"line\":$line|
    s|\"name\":\"prog+0x$offset\"|\"name\":\"$long\"|" in.json >real.json
! cmp -s in.json real.json || fail "the golden file has no function without a name"
$hex2name prog in.json >got.json 2>said
same got.json real.json "JSON"
[ ! -s said ] || fail "JSON: $(cat said)"
$hex2name prog - <in.json | cmp - real.json || fail "JSON from standard input"
$hex2name prog "$srcdir/ctests/golden/json_functions.json" >got.json 2>said
same got.json "$srcdir/ctests/golden/json_functions.json" "JSON without names"
grep -q "libx.so: 1 address without a name (0xffffffffffffffff): the file is not there" said ||
    fail "JSON: $(cat said)"

# ---- What is no input -----------------------------------------------------------------------

# refuses WHY ARGUMENT...
refuses() {
    why=$1
    shift
    status=0
    $hex2name "$@" >got.txt 2>said || status=$?
    [ $status = 2 ] || fail "$*: exit status $status"
    [ ! -s got.txt ] || fail "$*: printed something"
    grep -q "^gptl hex2name: .*$why" said || fail "$*: \"$(cat said)\" does not say $why"
}
: >empty
echo '{"format":' >cut.json
echo '<?xml version="1.0"?>' >report.xml
refuses "needed"
refuses "needed" prog
refuses "needed" prog hex.txt hex.txt
refuses "unknown option" --wrong prog hex.txt
refuses "value is missing" prog -o
refuses "No such file" none hex.txt
refuses "No such file" prog none
refuses "directory" prog .
refuses "no program" hex.txt prog
refuses "comes first" prog prog
refuses "empty" prog empty
refuses "XML" prog report.xml
refuses "" prog cut.json
if [ -w /dev/full ]; then
    status=0
    $hex2name prog hex.txt >/dev/full 2>said || status=$?
    [ $status = 2 ] || fail "a full disk: exit status $status"
fi
$hex2name --help | grep -q '^usage: gptl hex2name' || fail "--help"
