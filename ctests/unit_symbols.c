/* unit_symbols.c - names of functions by address, from files of any kind; and demangled. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/resolve.h"
#include "symbols/symbols.h"

#define SELF "/proc/self/exe"

int unit_symbols_known(int x);

__attribute__((noinline)) int unit_symbols_known(int x)
{
    return x * 3 + 1;
}

static int first_bias(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(uintptr_t *)data = info->dlpi_addr;
    return 1;
}

/* The address in the symbol table. */
static uint64_t own_offset(void)
{
    uintptr_t bias = 0;
    dl_iterate_phdr(first_bias, &bias);
    return (uintptr_t)unit_symbols_known - bias;
}

static void is_found(const char *path, const char *build_id, enum gptl_symbol_state expected)
{
    struct gptl_symbols *symbols = gptl_symbols_open();
    struct gptl_symbol_module module = {path, build_id};
    struct gptl_symbol found = {.line = -1};
    assert_non_null(symbols);
    assert_int_equal(gptl_symbols_find(symbols, &module, own_offset(), &found), expected);
    if (expected == GPTL_SYMBOL_FOUND) {
        assert_string_equal(found.name, "unit_symbols_known");
        assert_true(found.start == own_offset());
    } else {
        assert_null(found.name);
        assert_int_equal(found.line, -1);
    }
    gptl_symbols_close(symbols);
}

#ifdef HAVE_LIBDW

static char *own_build_id(void)
{
    struct gptl_symbols *symbols = gptl_symbols_open();
    const char *id = gptl_symbols_build_id(symbols, SELF);
    assert_non_null(id);
    char *copy = strdup(id);
    gptl_symbols_close(symbols);
    return copy;
}

static void finds_own_function(void **state)
{
    (void)state;
    char *id = own_build_id();
    is_found(SELF, NULL, GPTL_SYMBOL_FOUND);
    is_found(SELF, "", GPTL_SYMBOL_FOUND);
    is_found(SELF, id, GPTL_SYMBOL_FOUND);
    free(id);
}

static void finds_middle_of_function_but_not_what_lies_beyond(void **state)
{
    (void)state;
    struct gptl_symbols *symbols = gptl_symbols_open();
    struct gptl_symbol_module module = {SELF, NULL};
    struct gptl_symbol found;
    assert_int_equal(gptl_symbols_find(symbols, &module, own_offset() + 1, &found),
                     GPTL_SYMBOL_FOUND);
    assert_string_equal(found.name, "unit_symbols_known");
    assert_true(found.start == own_offset());
    assert_int_equal(gptl_symbols_find(symbols, &module, 1, &found), GPTL_SYMBOL_NO_FUNCTION);
    assert_int_equal(gptl_symbols_find(symbols, &module, UINT64_MAX, &found),
                     GPTL_SYMBOL_NO_FUNCTION);
    gptl_symbols_close(symbols);
}

static void another_build_id_means_changed(void **state)
{
    (void)state;
    char *id = own_build_id();
    size_t last = strlen(id) - 1;
    id[last] = id[last] == '0' ? '1' : '0';
    is_found(SELF, id, GPTL_SYMBOL_CHANGED);
    id[last] = '\0';
    is_found(SELF, id, GPTL_SYMBOL_CHANGED);
    is_found(SELF, "no hexadecimal digits", GPTL_SYMBOL_CHANGED);
    free(id);
}

static void what_is_no_file_says_so(void **state)
{
    (void)state;
    is_found("", NULL, GPTL_SYMBOL_NO_FILE);
    is_found("not there", NULL, GPTL_SYMBOL_NO_FILE);
    is_found("not there", "0123456789abcdef", GPTL_SYMBOL_NO_FILE);
    is_found(".", NULL, GPTL_SYMBOL_NO_FILE);
    is_found("/dev/zero", NULL, GPTL_SYMBOL_NO_FILE);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    is_found("pipe", NULL, GPTL_SYMBOL_NO_FILE);
    FILE *file = fopen("text", "w");
    fputs("no program\n", file);
    fclose(file);
    is_found("text", NULL, GPTL_SYMBOL_NOT_ELF);
    assert_int_equal(truncate("text", 0), 0);
    is_found("text", NULL, GPTL_SYMBOL_NO_FILE);
}

/* A file of the same name is trusted by its build id only. */
static void deleted_file_is_found_under_its_name(void **state)
{
    (void)state;
    char path[4096], *id = own_build_id();
    ssize_t n = readlink(SELF, path, sizeof path - 16);
    assert_true(n > 0);
    strcpy(path + n, " (deleted)");
    is_found(path, id, GPTL_SYMBOL_FOUND);
    is_found(path, NULL, GPTL_SYMBOL_NO_FILE);
    free(id);
}

/* ---- Broken files ---------------------------------------------------------------------------- */

static unsigned char *whole;
static size_t size;

static void read_self(void)
{
    struct stat status;
    int fd = open(SELF, O_RDONLY);
    assert_int_equal(fstat(fd, &status), 0);
    size = (size_t)status.st_size;
    whole = malloc(size);
    assert_true(read(fd, whole, size) == (ssize_t)size);
    close(fd);
}

static uint64_t random_number(void)
{
    static uint64_t x = 88172645463325252;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x >> 8;
}

static void look_into(size_t n)
{
    FILE *file = fopen("broken", "w");
    assert_int_equal(fwrite(whole, 1, n, file), n);
    fclose(file);
    struct gptl_symbols *symbols = gptl_symbols_open();
    struct gptl_symbol_module module = {"broken", NULL};
    for (uint64_t offset = 0; offset < 4096; offset += 256) {
        struct gptl_symbol found;
        if (gptl_symbols_find(symbols, &module, own_offset() + offset, &found) == GPTL_SYMBOL_FOUND)
            free(gptl_symbols_demangle(found.name, found.file));
    }
    gptl_symbols_close(symbols);
}

static void broken_files_harm_nobody(void **state)
{
    (void)state;
    read_self();
    for (int i = 0; i < 30; i++)
        look_into(1 + random_number() % size);
    for (int i = 0; i < 120; i++) {
        unsigned char before[8];
        size_t at[8];
        /* The headers are at both ends. */
        for (int k = 0; k < 8; k++) {
            at[k] = i % 3 == 0   ? random_number() % 1024
                    : i % 3 == 1 ? size - 1 - random_number() % 2048
                                 : random_number() % size;
            before[k] = whole[at[k]];
            whole[at[k]] = (unsigned char)random_number();
        }
        look_into(size);
        for (int k = 8; k-- > 0;)
            whole[at[k]] = before[k];
    }
    free(whole);
}

/* libdwfl's own search would load this client. */
static void no_network_is_asked(void **state)
{
    (void)state;
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    bool libdw = false;
    while (fgets(line, sizeof line, maps)) {
        assert_null(strstr(line, "libdebuginfod"));
        libdw |= strstr(line, "libdw") != NULL;
    }
    assert_true(libdw);
    fclose(maps);
}

/* ---- Profiles -------------------------------------------------------------------------------- */

static void profile_gets_names(void **state)
{
    (void)state;
    char address[] = "self+0x1", gone[] = "gone+0x1";
    struct gptl_module modules[] = {{(char[]){"self"}, (char[]){SELF}, (char[]){""}},
                                    {(char[]){"gone"}, (char[]){"gone"}, (char[]){""}}};
    struct gptl_function functions[] = {
        {.region = 2, .module = 0, .offset = own_offset(), .address = address},
        {.region = 3, .module = 1, .offset = 1, .address = gone},
        {.region = 5, .module = 9, .offset = 1, .address = gone}};
    struct gptl_node_copy nodes[] = {{.name = "root"},
                                     {.name = "by hand", .region = 1},
                                     {.name = address, .region = 2},
                                     {.name = gone, .region = 3},
                                     {.name = address, .region = 2, .parent = 3}};
    struct gptl_crossing crossing = {gone, address, 1};
    struct gptl_copy copy = {.nnodes = 5, .nodes = nodes, .ncrossings = 1, .crossings = &crossing};
    struct gptl_profile profile = {.copies = &copy,
                                   .ncopies = 1,
                                   .modules = modules,
                                   .nmodules = 2,
                                   .functions = functions,
                                   .nfunctions = 3};
    errno = EXDEV;
    gptl_report_resolve(&profile, true);
    assert_int_equal(errno, EXDEV);
    assert_string_equal(functions[0].name, "unit_symbols_known");
    assert_null(functions[1].name);
    assert_string_equal(nodes[1].name, "by hand");
    assert_string_equal(nodes[2].name, "unit_symbols_known");
    assert_string_equal(nodes[3].name, "gone+0x1");
    assert_string_equal(nodes[4].name, "unit_symbols_known");
    assert_string_equal(crossing.stopped, "gone+0x1");
    assert_string_equal(crossing.inside, "unit_symbols_known");
    profile.copies = NULL;
    profile.ncopies = 0;
    gptl_report_free(&profile);
}

#else

static void without_libdw_there_are_no_names(void **state)
{
    (void)state;
    is_found(SELF, NULL, GPTL_SYMBOL_NO_LIBRARY);
    is_found("", NULL, GPTL_SYMBOL_NO_LIBRARY);
}

#endif

/* ---- Names of sources ------------------------------------------------------------------------ */

static const struct {
    const char *name, *file, *expected;
} mangled[] = {
    {"main", "a.c", "main"},
    {"solve", NULL, "solve"},
    {"_ZN2ns3runEi", NULL, "ns::run(int)"},
    {"_ZNK3BoxIdEplERKS0_", "box.cpp", "Box<double>::operator+(Box<double> const&) const"},
    {"_Z1fv.constprop.0", NULL, "f() [clone .constprop.0]"},
    {"_Znot a name", NULL, "_Znot a name"},
    {"_Z", NULL, "_Z"},
    {"", NULL, ""},
    {"foo.part.0", "a.c", "foo.part.0"},
    {"foo.cold", NULL, "foo.cold"},
    /* gfortran */
    {"__heat_MOD_solve", "heat.f90", "heat::solve"},
    {"__heat_MOD_solve", NULL, "heat::solve"},
    {"__heat_MOD___copy_heat_Grid", NULL, "heat::__copy_heat_Grid"},
    {"__heat_mod_MOD_solve_mod", NULL, "heat_mod::solve_mod"},
    {"__heat_MOD_solve.constprop.0", NULL, "heat::solve.constprop.0"},
    {"MAIN__", "heat.f90", "MAIN__"},
    {"__MOD_", NULL, "__MOD_"},
    {"__heat_MOD_", NULL, "__heat_MOD_"},
    {"___MOD_x", NULL, "___MOD_x"},
    {"__", NULL, "__"},
    {"_MOD_solve", NULL, "_MOD_solve"},
    {"solve_", "heat.F90", "solve"},
    {"solve_", "heat.for", "solve"},
    {"my_solve__", "heat.f", "my_solve"},
    {"solve__", "heat.f", "solve_"},
    {"solve_.part.0", "heat.f90", "solve.part.0"},
    {"solve_", "heat.c", "solve_"},
    {"solve_", NULL, "solve_"},
    {"_", "heat.f90", "_"},
    {"bound_to_c", "heat.f90", "bound_to_c"},
    /* Intel */
    {"heat_mp_solve_", "heat.f90", "heat::solve"},
    {"heat_mp_solve_", NULL, "heat::solve"},
    {"heat_mp_solve_", "heat.c", "heat_mp_solve_"},
    {"heat_mp_solve", "heat.f90", "heat_mp_solve"},
    {"heat_mp__", "heat.f90", "heat_mp"},
    {"_mp_solve_", NULL, "_mp_solve_"},
    /* flang */
    {"_QMheatPsolve", NULL, "heat::solve"},
    {"_QPsolve", NULL, "solve"},
    {"_QFmainPinner", NULL, "main::inner"},
    {"_QFPinner", NULL, "inner"},
    {"_QMheatFsolvePinner_2", NULL, "heat::solve::inner_2"},
    {"_QMheatSinsidePsolve", NULL, "heat::inside::solve"},
    {"_QMheatFsolveB1Pinner", NULL, "heat::solve::inner"},
    {"_QPsolve.cold", NULL, "solve.cold"},
    {"_QQmain", NULL, "_QQmain"},
    {"_QMheat", NULL, "_QMheat"},
    {"_QMheatPsolveX", NULL, "_QMheatPsolveX"},
    {"_QP", NULL, "_QP"},
    {"_Q", NULL, "_Q"},
};

static void names_are_demangled(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mangled / sizeof *mangled; i++) {
        char *name = gptl_symbols_demangle(mangled[i].name, mangled[i].file);
        assert_non_null(name);
        assert_string_equal(name, mangled[i].expected);
        free(name);
    }
}

/* Each level names the one below twice: it doubles, from 193 bytes to 335 MB. */
static void test_names_that_double(void **state)
{
    char name[512];
    (void)state;
    for (int levels = 2; levels <= 26; levels += 4) {
        size_t n = (size_t)sprintf(name, "_ZN3add");
        for (int i = 1; i < levels; i++)
            n += (size_t)sprintf(name + n, "IS_");
        n += (size_t)sprintf(name + n, "IddE");
        for (int i = 0; i < levels - 1; i++)
            n += (size_t)sprintf(name + n, "S%c_E", "0123456789ABCDEFGHIJKLMNOPQ"[i]);
        sprintf(name + n, "4evalEi");
        char *readable = gptl_symbols_demangle(name, NULL);
        assert_true(readable && strlen(readable) <= GPTL_SYMBOL_LENGTH);
        free(readable);
    }
    /* The same after an expression, which length.c does not parse: 400 MB from 182 bytes. */
    size_t n = (size_t)sprintf(name, "_Z1fIXszLi1EEEv");
    for (int i = 0; i < 25; i++)
        n += (size_t)sprintf(name + n, "1aI");
    n += (size_t)sprintf(name + n, "ddE");
    for (int i = 26; i < 50; i++)
        n += (size_t)sprintf(name + n, i <= 36 ? "S%c_E" : "S1%c_E",
                             "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(i - 1) % 36]);
    char *unread = gptl_symbols_demangle(name, NULL);
    assert_string_equal(unread, name);
    free(unread);
    char *small = gptl_symbols_demangle("_ZN3addIS_IddES0_E4evalEi", NULL);
    assert_string_equal(small, "add<add<double, double>, add<double, double> >::eval(int)");
    free(small);
}

static void test_long_names_lose_their_middle(void **state)
{
    char *name = malloc(5001);
    (void)state;
    memset(name, 'a', 2500);
    memset(name + 2500, 'z', 2500);
    name[5000] = '\0';
    gptl_symbols_bound(name);
    assert_int_equal(strlen(name), GPTL_SYMBOL_LENGTH);
    assert_non_null(strstr(name, "a...z"));
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef HAVE_LIBDW
        cmocka_unit_test(finds_own_function),
        cmocka_unit_test(finds_middle_of_function_but_not_what_lies_beyond),
        cmocka_unit_test(another_build_id_means_changed),
        cmocka_unit_test(what_is_no_file_says_so),
        cmocka_unit_test(deleted_file_is_found_under_its_name),
        cmocka_unit_test(broken_files_harm_nobody),
        cmocka_unit_test(profile_gets_names),
        cmocka_unit_test(no_network_is_asked),
#else
        cmocka_unit_test(without_libdw_there_are_no_names),
#endif
        cmocka_unit_test(names_are_demangled),
        cmocka_unit_test(test_names_that_double),
        cmocka_unit_test(test_long_names_lose_their_middle),
    };
    setenv("DEBUGINFOD_URLS", "http://localhost:1", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
