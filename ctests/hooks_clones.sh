#!/bin/sh
# Functions that are selected at program start (target_clones) have names, and filters match them:
# hooks get the address of a stub in .plt, or the address of the selected copy.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/hooks_lib.sh"
need "$CC"
need_plain_build
need_tools

cat >clones.c <<'EOF'
__attribute__((target_clones("avx2", "default"), noinline)) int many(const int *v, int n);
__attribute__((target_clones("avx2", "default"), noinline)) int many(const int *v, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += v[i];
    return s;
}
__attribute__((noinline)) int plain(int n);
__attribute__((noinline)) int plain(int n)
{
    __asm__ volatile("");
    return n;
}
int work(void);
int work(void)
{
    int v[100], s = 0;
    for (int i = 0; i < 100; i++)
        v[i] = i;
    for (int i = 0; i < 10; i++)
        s += many(v, 100) + plain(i);
    return s == 10 * 4950 + 45 ? 7 : 3;
}
EOF
echo 'int work(void); int main(void) { return work(); }' >main.c
with=$link
link=''
$CC -fsyntax-only -Werror clones.c 2>/dev/null || skip "the compiler has no target_clones here"
link=$with

# rows WANTED NAME: the rows of thread 0 whose name begins with NAME, with 10 calls.
rows() {
    same "$what: rows of $2" "$(sed -n '/^Stats for thread 0/,/^Total/p' timing.0 |
        awk -v n="$2" '$2 == 10 && index($1, n) == 1' | wc -l)" "$1"
}

check() {
    what=$1
    rm -f timing.0
    GPTL_OPTIONS=output=text ends 7 ./clones
    rows 1 many
    rows 1 plain
    rm -f timing.0
    GPTL_OPTIONS='output=text;exclude=many' ends 7 ./clones
    rows 0 many
    rows 1 plain
    same "$what: rows without a name" "$(sed -n '/^Stats for thread 0/,/^Total/p' timing.0 | grep -c '+0x' || true)" 0
    rm -f timing.0
    GPTL_OPTIONS='output=text;include=many' ends 7 ./clones
    rows 1 many
    rows 0 plain
}

for flags in '-fPIE -pie' '-fno-pie -no-pie' '-fPIE -pie -fcf-protection -Wl,-z,ibtplt' \
    '-fPIE -pie -Wl,-z,now' '-fno-pie -no-pie -fno-plt'; do
    # shellcheck disable=SC2086 # a list of words
    compile clones main.c clones.c "$hooks" $flags
    check "$flags"
done
if [ "$enable_shared" = yes ]; then
    for flags in '' -fvisibility=hidden -Wl,-Bsymbolic; do
        sed 's/^int work/__attribute__((visibility("default"))) &/' clones.c >library.c
        # shellcheck disable=SC2086 # none or one word
        compile libclones.so library.c "$hooks" -fPIC -shared $flags
        compile clones main.c "$hooks" ./libclones.so -Wl,-rpath,"$PWD"
        check "shared library $flags"
    done
fi
if [ "$enable_static" = yes ]; then
    link="$builddir/.libs/libgptl.a"
    compile clones main.c clones.c "$hooks" -static
    what=static
    rm -f timing.0
    GPTL_OPTIONS=output=text ends 7 ./clones
    # A static program does not read symbols itself.
    "$gptl" hex2name -o named ./clones timing.0
    mv named timing.0
    rows 1 many
fi
