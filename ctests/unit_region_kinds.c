/*
 * A name of the program and one of a library at the same address, merged by the linker, are two
 * regions, on the fast path and on the slow one.
 */
#include "config.h"

#include "fake.h"

#include "core/measured.h"
#include "core/sister.h"
#include "gptl.h"

static const char same[] = "write";

static void call(int ncalls)
{
    for (int i = 0; i < ncalls; i++) {
        CHECK_OK(GPTLstart(same));
        CHECK(gptl_core_begin(same, GPTL_KIND_IO) != NULL);
        uint64_t read = 0;
        void *node = gptl_sister_begin(same, GPTL_KIND_MPI, &read);
        if (!node)
            node = gptl_core_begin_at(same, GPTL_KIND_MPI, gptl_counter());
        CHECK(gptl_core_here() == node);
        CHECK_INT(gptl_core_node_kind(node), GPTL_KIND_MPI);
        gptl_core_end_at(same, GPTL_KIND_MPI, gptl_counter());
        CHECK_INT(gptl_core_node_kind(gptl_core_here()), GPTL_KIND_IO);
        gptl_core_end(same, GPTL_KIND_IO);
        CHECK_INT(gptl_core_node_kind(gptl_core_here()), GPTL_KIND_USER);
        CHECK_OK(GPTLstop(same));
    }
}

/* Calls of a region of KIND below one of the kind AROUND. */
static long calls(enum gptl_kind kind, enum gptl_kind around)
{
    struct gptl_copy *copies;
    int ncopies;
    long n = 0;
    CHECK_OK(gptl_core_copy(&copies, &ncopies));
    for (int c = 0; c < ncopies; c++)
        for (uint32_t i = 1; i < copies[c].nnodes; i++) {
            const struct gptl_node_copy *node = &copies[c].nodes[i];
            CHECK_INT((long)node->recurse, 0);
            if (strcmp(node->name, same) == 0 && node->kind == kind &&
                copies[c].nodes[node->parent].kind == (node->parent ? around : 0))
                n += (long)node->count;
        }
    gptl_core_copy_free(copies, ncopies);
    return n;
}

static void check(long n)
{
    int count;
    CHECK_INT(calls(GPTL_KIND_USER, GPTL_KIND_USER), n);
    CHECK_INT(calls(GPTL_KIND_IO, GPTL_KIND_USER), n);
    CHECK_INT(calls(GPTL_KIND_MPI, GPTL_KIND_IO), n);
    CHECK_OK(GPTLget_count(same, 0, &count));
    CHECK_INT(count, n);
}

static void are_two_regions(void **state)
{
    (void)state;
    char name[16];
    call(5);
    check(5);
    CHECK_OK(GPTLget_regionname(0, 0, name, sizeof name));
    CHECK_STRING(name, same);
    CHECK_OK(GPTLprefix_set("p:")); /* the slow path from here on */
    CHECK_OK(GPTLprefix_unset());
    call(3);
    check(8);
}

static void are_two_regions_with_other_features(void **state)
{
    (void)state;
    CHECK_OK(GPTLsetoption(GPTLcpu, 1));
    CHECK_OK(GPTLsetoption(GPTLdepthlimit, 100));
    call(5);
    check(5);
}

static void a_prefix_is_for_the_program(void **state)
{
    (void)state;
    CHECK_OK(GPTLprefix_set("p:"));
    CHECK_OK(GPTLstart(same));
    CHECK(gptl_core_begin(same, GPTL_KIND_IO) != NULL);
    CHECK_STRING(gptl_core_node_name(gptl_core_here()), same);
    gptl_core_end(same, GPTL_KIND_IO);
    CHECK_STRING(gptl_core_node_name(gptl_core_here()), "p:write");
    CHECK_OK(GPTLstop(same));
    CHECK_INT(check_count("p:write", 0), 1);
}

/* An MPI call precedes it, and has a later index. */
static void the_first_is_the_programs(void **state)
{
    (void)state;
    char name[16];
    int n;
    CHECK(gptl_core_turn_on());
    CHECK(gptl_core_begin("begun", GPTL_KIND_MPI) != NULL);
    gptl_core_end("begun", GPTL_KIND_MPI);
    CHECK_OK(GPTLstart("own"));
    CHECK_OK(GPTLstop("own"));
    CHECK_OK(GPTLget_nregions(0, &n));
    CHECK_INT(n, 2);
    CHECK_OK(GPTLget_regionname(0, 0, name, sizeof name));
    CHECK_STRING(name, "own");
    CHECK_OK(GPTLget_regionname(0, 1, name, sizeof name));
    CHECK_STRING(name, "begun");
    CHECK_INT(check_count("begun", 0), 1); /* the only region of this name */
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fake_setup_implicit, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(are_two_regions),
        TEST(are_two_regions_with_other_features),
        TEST(a_prefix_is_for_the_program),
        TEST(the_first_is_the_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
