/* unit_maps.c - what gptl maps goes over is the memory that it was given. */
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

/* Whatever was touched before or behind would end the test. */
static void test_lines_beside_others_are_within_their_memory(void **state)
{
    enum { BYTES = 64 << 10 };
    const struct machine_kind kind = {
        .operation = MACHINE_LOAD, .access = MACHINE_BESIDE, .access_bytes = 16, .cores = 1};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *map = mmap(NULL, page + BYTES + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct arena arena = {.memory = map + page, .bytes = BYTES};
    int processor = sched_getcpu();
    struct bench bench = {.team = team_start(&processor, 1),
                          .arenas = &arena,
                          .effort = {.seconds = 1e-4, .least = 5, .most = 9, .spread = 0.1}};
    (void)state;
    assert_ptr_not_equal(map, MAP_FAILED);
    assert_int_equal(mprotect(arena.memory, BYTES, PROT_READ | PROT_WRITE), 0);
    assert_non_null(bench.team);
    measure_touch(&bench);
    assert_true(measure_point(&bench, &kind, BYTES).accesses_per_second > 0);
    team_end(bench.team);
    munmap(map, page + BYTES + page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_beside_others_are_within_their_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
