/* unit_maps.c - gptl maps accesses exactly the memory that it was given. */
#include "config.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "postproc/maps/kernels.h"
#include "postproc/maps/measure.h"

/* An access before or after it would end the test. */
static void is_within_its_memory(enum machine_operation operation, enum machine_access access,
                                 unsigned bytes)
{
    enum { BYTES = 64 << 10 };
    const struct machine_kind kind = {
        .operation = operation, .access = access, .access_bytes = bytes, .cores = 1};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *map = mmap(NULL, page + BYTES + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct arena arena = {.memory = map + page, .bytes = BYTES};
    int processor = sched_getcpu();
    struct bench bench = {.team = team_start(&processor, 1),
                          .arenas = &arena,
                          .effort = {.seconds = 1e-4, .least = 5, .most = 9, .spread = 0.1}};
    assert_ptr_not_equal(map, MAP_FAILED);
    assert_int_equal(mprotect(arena.memory, BYTES, PROT_READ | PROT_WRITE), 0);
    assert_non_null(bench.team);
    measure_touch(&bench);
    assert_true(measure_point(&bench, &kind, BYTES).accesses_per_second > 0);
    team_end(bench.team);
    munmap(map, page + BYTES + page);
}

static void test_lines_beside_others_are_within_their_memory(void **state)
{
    (void)state;
    is_within_its_memory(MACHINE_LOAD, MACHINE_BESIDE, 16);
}

static void test_lines_of_a_set_are_within_their_memory(void **state)
{
    (void)state;
    is_within_its_memory(MACHINE_LOAD, MACHINE_CONFLICT, sizeof(void *));
    is_within_its_memory(MACHINE_STORE, MACHINE_CONFLICT, sizeof(void *));
}

static void test_ends_of_lines_are_within_their_memory(void **state)
{
    (void)state;
    is_within_its_memory(MACHINE_LOAD, MACHINE_SPLIT, 16);
    is_within_its_memory(MACHINE_STORE, MACHINE_SPLIT, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_beside_others_are_within_their_memory),
        cmocka_unit_test(test_lines_of_a_set_are_within_their_memory),
        cmocka_unit_test(test_ends_of_lines_are_within_their_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
