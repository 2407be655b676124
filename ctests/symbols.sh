#!/bin/sh
# Names, sources and lines of functions agree with nm and addr2line: in programs and shared libraries of C,
# C++ and Fortran, with the debug information in the file, in one of its usual places, or nowhere.
. "$srcdir/ctests/lib.sh"
need_plain_build
[ "$have_libdw" = yes ] || skip "built without libdw"
need "$CC" nm addr2line objcopy strip readelf xz

$CC -o symbols_of "$srcdir/ctests/programs/symbols_of.c" -I"$srcdir/src" \
    "$builddir/.libs/libgptl_internal.a" -pthread || fail "cannot build symbols_of"

cat >c.c <<'EOF'
static int hidden(int x)
{
    return x + 1;
}
__attribute__((weak)) int soft(int x)
{
    return hidden(x) * 2;
}
int shown(int x)
{
    return soft(x) + 1;
}
int also_shown(int x) __attribute__((alias("shown")));
static int after(int x)
{
    return x + 5;
}
int main(int argc, char **argv)
{
    (void)argv;
    return shown(argc) + after(argc);
}
EOF
cat >cxx.cc <<'EOF'
namespace geo {
template <class T> struct Box {
    T v;
    T get() const
    {
        return v;
    }
    Box operator+(const Box &o) const
    {
        return Box{v + o.v};
    }
};
static int hidden(int x)
{
    return x + 1;
}
namespace {
struct Inner {
    int f(double)
    {
        return 2;
    }
};
} // namespace
int run(int x)
{
    return hidden(x) + (Box<int>{1} + Box<int>{x}).get() + Inner().f(1);
}
} // namespace geo
int main(int argc, char **)
{
    return geo::run(argc);
}
EOF
cat >fortran.f90 <<'EOF'
module heat
contains
  subroutine solve(n)
    integer, intent(inout) :: n
    n = n + 1
  end subroutine
end module
subroutine plain_one(n)
  integer, intent(inout) :: n
  n = n + 2
end subroutine
program p
  use heat
  integer :: n = 1
  call solve(n)
  call plain_one(n)
end program
EOF

# functions FILE: addresses and names of the functions from our sources in it.
functions() {
    nm "$1" | awk '$2 ~ /^[tTwW]$/ && NF == 3 { print $1, $3 }' |
        grep -E ' (hidden|after|soft|shown|also_shown|main|MAIN__|.*(geo|heat|plain).*)$'
}

build_id() { readelf -n "$1" | sed -n 's/.*Build ID: *//p'; }

# the_same FILE LINES: the output of symbols_of agrees with nm and, if LINES is yes, addr2line.
the_same() {
    functions "$1" >functions.out
    [ -s functions.out ] || fail "nm finds no function in $1"
    while read -r address name; do
        said=$(./symbols_of "$1" "$(build_id "$1")" "$address")
        source=$(addr2line -e "$1" "$address" | sed 's/ (disc.*//')
        [ "$2" = yes ] || source='??:0'
        # Of two names of one address the preferred one.
        case $name in also_shown) name=shown ;; *C2E*) continue ;; esac
        case $said in
            "$name $source "*) ;;
            *) fail "$1, $address: \"$said\", not $name $source" ;;
        esac
    done <functions.out
}

# says FILE TEXT WANTED...: for the function TEXT.
says() {
    file=$1
    name=$2
    shift 2
    address=$(functions "$file" | grep -E " ($name)\$" | sed -n '1s/ .*//p')
    [ -n "$address" ] || fail "there is no $name in $file"
    said=$(./symbols_of "$file" "" "$address")
    for wanted; do
        case $said in
            *"$wanted"*) ;;
            *) fail "$file, $name: \"$said\", not $wanted" ;;
        esac
    done
}

# ---- What compilers write -------------------------------------------------------------------

n=0
for flags in "-g -O0" "-g -O0 -no-pie" "-g -O0 -gdwarf-4" "-g -O0 -gdwarf-2" "-g -O0 -ffunction-sections" \
    "-O0" "-O0 -no-pie" "-O2"; do
    n=$((n + 1))
    lines=no
    case $flags in *-g*) lines=yes ;; esac
    # shellcheck disable=SC2086 # flags are words
    $CC $flags -o c.$n c.c || fail "$CC $flags"
    the_same c.$n $lines
    # shellcheck disable=SC2086
    $CC ${flags%-no-pie} -shared -fPIC -o libc.$n.so c.c || fail "$CC $flags -shared"
    the_same libc.$n.so $lines
    if [ -n "$CXX" ]; then
        # shellcheck disable=SC2086
        $CXX $flags -o cxx.$n cxx.cc || fail "$CXX $flags"
        the_same cxx.$n $lines
    fi
done
if [ -n "$CXX" ]; then
    says cxx.1 _ZN3geo3runEi "geo::run(int)" cxx.cc:26
    says cxx.1 _ZN3geoL6hiddenEi "geo::hidden(int)" cxx.cc:14
    says cxx.1 '_ZNK3geo3BoxIiEplERKS1_' "geo::Box<int>::operator+(geo::Box<int> const&) const"
    says cxx.6 '.*Inner.*' "geo::(anonymous namespace)::Inner::f(double)" "??:0"
fi
if [ "$enable_fortran" = yes ]; then
    $FC -g -O0 -o fortran fortran.f90 || fail "$FC"
    the_same fortran yes
    says fortran '.*heat.*solve.*' " heat::solve" fortran.f90:3
    says fortran 'plain_one_' " plain_one" fortran.f90:8
    $FC -o fortran.plain fortran.f90 || fail "$FC"
    says fortran.plain '.*heat.*solve.*' " heat::solve" "??:0"
fi

# Its line table is in the program, the rest in another file.
$CC -g -O0 -gsplit-dwarf -o c.split c.c || fail "$CC -gsplit-dwarf"
says c.split hidden c.c:2

# ---- Debug information elsewhere ------------------------------------------------------------

# says_of FILE BUILD_ID WANTED ARGUMENT...: for the function hidden.
says_of() {
    file=$1
    of=$2
    wanted=$3
    shift 3
    said=$(./symbols_of "$@" "$file" "$of" "$hidden")
    case $said in
        *"$wanted"*) ;;
        *) fail "$file${*:+, $*}: \"$said\", not $wanted" ;;
    esac
}

hidden=$(functions c.1 | sed -n 's/ hidden$//p')
id=$(build_id c.1)
here=$PWD
good="hidden $here/c.c:2"
none="stripped of symbols"
[ "${#id}" -ge 16 ] || fail "c.1 has no build id"

objcopy --only-keep-debug c.1 heat.debug
mkdir bin
strip -o bin/bare c.1
objcopy --add-gnu-debuglink=heat.debug bin/bare bin/linked
says_of bin/bare "$id" "$none"
says_of bin/linked "$id" "$none"

cp heat.debug bin
says_of bin/linked "$id" "$good"
mkdir bin/.debug
mv bin/heat.debug bin/.debug
says_of bin/linked "$id" "$good"
said=$(cd bin && ../symbols_of linked "$id" "$hidden")
[ "$said" = "$good hidden" ] || fail "a path without a folder: \"$said\""
rm -r bin/.debug

mkdir -p "root$here/bin"
cp heat.debug "root$here/bin"
says_of bin/linked "$id" "$good" -d root
says_of bin/bare "$id" "$none" -d root
rm -r root
mkdir root
cp heat.debug root
says_of bin/linked "$id" "$good" -d root
rm -r root

rest=${id#??}
mkdir -p "root/.build-id/${id%"$rest"}"
cp heat.debug "root/.build-id/${id%"$rest"}/$rest.debug"
says_of bin/bare "$id" "$good" -d root
says_of bin/linked "" "$good" -d elsewhere -d "$here/root"
says_of gone "$id" "$good" -d root
says_of gone "" "not there" -d root
says_of c.3 "$id" "$good" -d root # the file has changed, its debug information is there

# A file of another build is rejected.
objcopy --only-keep-debug c.3 bin/heat.debug
says_of bin/linked "$id" "$none"
says_of c.3 "$id" "changed since the run"

# Without a build id the checksum decides.
objcopy --remove-section .note.gnu.build-id c.1 noid 2>/dev/null
objcopy --only-keep-debug noid noid.debug 2>/dev/null
strip noid
objcopy --add-gnu-debuglink=noid.debug noid
says_of noid "" "$good"
says_of noid "$id" "changed since the run"
echo >>noid.debug
says_of noid "" "$none"

# A library keeps its exported names; the names of the functions between them are gone.
strip -o libbare.so libc.1.so
after=$(functions libc.1.so | sed -n 's/ after$//p')
./symbols_of libbare.so "" "$after" | grep -q 'stripped of symbols' || fail "a function has another's name"
shown=$(functions libc.1.so | sed -n 's/ shown$//p')
./symbols_of libbare.so "" "$shown" | grep -q '^shown ' || fail "a name of a stripped library"

# Names only, packed into the program (MiniDebugInfo).
strip --strip-debug -o mini c.1
objcopy --only-keep-debug mini mini.names
xz mini.names
objcopy --add-section .gnu_debugdata=mini.names.xz bin/bare packed
says_of packed "$id" "hidden ??:0"

# ---- Without libdw --------------------------------------------------------------------------

mkdir fake
echo 'int nothing;' | $CC -x c -shared -o fake/libdw.so.1 - || fail "cannot build a library"
said=$(LD_LIBRARY_PATH=$here/fake ./symbols_of c.1 "$id" "$hidden")
case $said in
    *libdw.so.1*) ;;
    *) fail "with a libdw that has no function: \"$said\"" ;;
esac
for library in "$builddir"/.libs/libgptl.so "$builddir"/.libs/libgptl.so.9; do
    [ -f "$library" ] || continue
    ! readelf -d "$library" | grep -E 'NEEDED.*(libdw|libelf|libstdc)' || fail "$library needs it"
done
