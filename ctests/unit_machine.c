/*
 * unit_machine.c - profiles of machines: written files are read back, rates between points and
 * curves, edits by exact arithmetic, steps of curves, and the fit of a network.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "postproc/machine/machine.h"
#include "postproc/maps/caches.h"
#include "postproc/maps/edit.h"
#include "postproc/maps/network.h"

#define assert_near(value, wanted)                                                                 \
    do {                                                                                           \
        double near_v = (value), near_w = (wanted);                                                \
        if (!(near_v >= near_w * (1 - 1e-9) && near_v <= near_w * (1 + 1e-9)))                     \
            fail_msg("%s is %.12g, expected %.12g", #value, near_v, near_w);                       \
    } while (0)

/* ---- A machine ----------------------------------------------------------------------------- */

enum { KB = 1024, MB = 1024 * KB };

static void read_text(struct machine *machine, const char *text, int status)
{
    FILE *file = fopen("machine.json", "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) < 0, 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(machine_read(machine, "test", "machine.json"), status);
}

#define CURVE(access, cores, l1, mid, l2, memory)                                                  \
    "{\"operation\":\"load\",\"access\":" access ",\"width\":\"scalar\",\"access_bytes\":8,"       \
    "\"pages\":\"small\",\"cores\":" cores ",\"points\":["                                         \
    "{\"working_set_bytes\":4096,\"accesses_per_second\":" l1 ",\"spread\":0},"                    \
    "{\"working_set_bytes\":16384,\"accesses_per_second\":" l1 ",\"spread\":0},"                   \
    "{\"working_set_bytes\":65536,\"accesses_per_second\":" mid ",\"spread\":0.5},"                \
    "{\"working_set_bytes\":262144,\"accesses_per_second\":" l2 ",\"spread\":0},"                  \
    "{\"working_set_bytes\":16777216,\"accesses_per_second\":" memory ",\"spread\":0},"            \
    "{\"working_set_bytes\":67108864,\"accesses_per_second\":" memory ",\"spread\":0}]}"

/*
 * Two caches, of 32 KiB and 1 MiB, of which two cores share the latter. At 64 KiB: half from each.
 */
static const char text[] =
    "{\"format\":\"gptl-machine\",\"version\":1,\"name\":\"a \\\"b\\\"\\n\\\\xff\",\n"
    "\"made_from\":null,\"edits\":[],\"host\":\"h\",\"date\":\"d\",\"processor\":\"p\",\"cores\":2,"
    "\"line_bytes\":64,\"later\":{\"x\":[1,2,{}]},"
    "\"caches\":[{\"level\":1,\"bytes\":32768,\"line_bytes\":64,\"associativity\":8,"
    "\"shared_by_cores\":1,\"source\":\"kernel\"},{\"level\":2,\"bytes\":1048576,"
    "\"line_bytes\":64,\"associativity\":null,\"shared_by_cores\":2,\"source\":\"measured\"}],"
    "\"rates\":[" CURVE("\"sequential\"", "1", "8e9", "3.2e9", "2e9", "1e9") "," CURVE(
        "\"sequential\"", "2", "8e9", "3.2e9", "2e9",
        "5e8") "," CURVE("\"dependent\"", "1", "5e8", "2e8", "1.25e8",
                         "1e7") "," CURVE("\"stride\",\"stride_lines\":1", "1", "4e9", "1e9", "1e9",
                                          "4e8") "," CURVE("\"stride\",\"stride_lines\":4", "1",
                                                           "4e9", "1e9", "1e9",
                                                           "1e8") "],"
                                                                  "\"arithmetic\":[{\"operation\":"
                                                                  "\"add\",\"width\":\"vector\","
                                                                  "\"precision\":\"double\","
                                                                  "\"lanes\":4,\"flops_per_"
                                                                  "second\":1e10,\"latency_"
                                                                  "seconds\":1e-9},{\"operation\":"
                                                                  "\"sqrt\","
                                                                  "\"width\":\"scalar\","
                                                                  "\"precision\":\"single\","
                                                                  "\"lanes\":1,\"flops_per_"
                                                                  "second\":1e9,"
                                                                  "\"latency_seconds\":null}],"
                                                                  "\"instructions_per_second\":4e9,"
                                                                  "\"core\":{\"refill_seconds\":5e-"
                                                                  "9,"
                                                                  "\"jump_seconds\":3e-10,\"call_"
                                                                  "seconds\":6e-10,\"load_"
                                                                  "seconds\":1e-9,\"later\":"
                                                                  "1},"
                                                                  "\"window_instructions\":224,"
                                                                  "\"window_vectors\":160,"
                                                                  "\"waiting_vectors\":60,"
                                                                  "\"window_integers\":96,\"window_"
                                                                  "stores\":64,"
                                                                  "\"new_small_bytes_per_second\":"
                                                                  "2e9,\"new_huge_bytes_per_"
                                                                  "second\":3e10,\"network\":{"
                                                                  "\"latency_"
                                                                  "seconds\":1e-6,\"bytes_per_"
                                                                  "second\":1e10,\"points\":["
                                                                  "{\"message_bytes\":0,"
                                                                  "\"seconds\":8e-7},{\"message_"
                                                                  "bytes\":1000000,\"seconds\":1."
                                                                  "01e-4}]}}";

static const struct machine_kind loads = {
    .operation = MACHINE_LOAD, .access = MACHINE_SEQUENTIAL, .access_bytes = 8, .cores = 1};

static double rate_at(const struct machine *machine, int curve, double bytes)
{
    return machine_curve_at(&machine->curves[curve], bytes);
}

/* ---- Reading and writing ------------------------------------------------------------------- */

static char *written(const struct machine *machine)
{
    char *all = calloc(1, 1 << 16);
    FILE *file = fopen("written.json", "w+");
    assert_non_null(all);
    assert_non_null(file);
    struct gptl_out *out = gptl_out_new(fileno(file));
    assert_non_null(out);
    machine_write(machine, out);
    assert_int_equal(gptl_out_flush(out), 0);
    free(out);
    rewind(file);
    assert_true(fread(all, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return all;
}

static void test_what_is_written_is_read_back(void **state)
{
    struct machine machine, again;
    (void)state;
    read_text(&machine, text, 0);
    assert_string_equal(machine.name, "a \"b\"\n\xff");
    assert_null(machine.made_from);
    assert_int_equal(machine.ncaches, 2);
    assert_int_equal(machine.caches[1].associativity, 0);
    assert_int_equal(machine.caches[1].source, MACHINE_MEASURED);
    assert_int_equal(machine.ncurves, 5);
    assert_int_equal(machine.curves[4].kind.stride_lines, 4);
    assert_int_equal(machine.curves[1].kind.cores, 2);
    assert_true(machine.units[1].latency_seconds == 0);
    assert_near(machine.window_instructions, 224);
    assert_near(machine.window_integers, 96);
    assert_near(machine.window_stores, 64);
    assert_near(machine.window_vectors, 160);
    assert_near(machine.waiting_vectors, 60);
    assert_near(machine.new_bytes_per_second[MACHINE_SMALL], 2e9);
    assert_near(machine.new_bytes_per_second[MACHINE_HUGE], 3e10);
    assert_near(machine.core.refill_seconds, 5e-9);
    assert_near(machine.core.load_seconds, 1e-9);
    assert_near(machine.core.jump_seconds, 3e-10);
    assert_near(machine.core.call_seconds, 6e-10);
    assert_true(machine.core.cycle_seconds == 0);
    char *first = written(&machine);
    read_text(&again, first, 0);
    char *second = written(&again);
    assert_string_equal(first, second);
    free(first);
    free(second);
    machine_free(&machine);
    machine_free(&again);
}

/* WHAT in the text becomes OTHER, which is refused. */
static void refused(const char *what, const char *other)
{
    char *changed = malloc(2 * sizeof text + strlen(other));
    const char *at = strstr(text, what);
    struct machine machine;
    assert_non_null(changed);
    assert_non_null(at);
    sprintf(changed, "%.*s%s%s", (int)(at - text), text, other, at + strlen(what));
    read_text(&machine, changed, -1);
    machine_free(&machine);
    free(changed);
}

static void test_what_makes_no_sense_is_refused(void **state)
{
    struct machine machine;
    (void)state;
    refused("gptl-machine", "gptl-profile");
    refused("\"version\":1", "\"version\":2");
    refused("\"bytes\":1048576", "\"bytes\":32768");
    refused("\"level\":2", "\"level\":1");
    refused("\"bytes\":32768", "\"bytes\":0");
    refused("\"line_bytes\":64", "\"line_bytes\":65");
    refused("\"cores\":2,", "\"cores\":0,");
    refused("\"cores\":2,\"points\"", "\"cores\":1,\"points\"");
    refused("\"working_set_bytes\":16384", "\"working_set_bytes\":4096");
    refused("\"accesses_per_second\":8e9", "\"accesses_per_second\":0");
    refused("\"accesses_per_second\":8e9", "\"accesses_per_second\":-1");
    refused("\"accesses_per_second\":8e9", "\"accesses_per_second\":1e999");
    refused("\"accesses_per_second\":8e9", "\"accesses_per_second\":1e-300");
    refused("\"stride\",\"stride_lines\":1", "\"stride\"");
    refused("\"sequential\"", "\"sideways\"");
    refused("\"seconds\":8e-7", "\"seconds\":0");
    refused("\"latency_seconds\":1e-6,", "");
    refused("\"message_bytes\":1000000", "\"message_bytes\":0");
    refused("\"window_instructions\":224", "\"window_instructions\":0");
    refused("\"window_integers\":96", "\"window_integers\":-1");
    refused("\"instructions_per_second\":4e9,", "\"instructions_per_second\":,");
    for (size_t n = 0; n + 1 < sizeof text; n += 7) {
        char *cut = strndup(text, n);
        read_text(&machine, cut, -1);
        machine_free(&machine);
        free(cut);
    }
    assert_int_equal(machine_read(&machine, "test", "nowhere.json"), -1);
    machine_free(&machine);
    assert_int_equal(machine_read(&machine, "test", "."), -1);
    machine_free(&machine);
}

static void test_little_is_enough(void **state)
{
    struct machine machine;
    (void)state;
    read_text(&machine, "{\"format\":\"gptl-machine\",\"version\":1}", 0);
    assert_string_equal(machine.name, "");
    assert_int_equal(machine.cores, 1);
    assert_true(machine_rate(&machine, &loads, 4096) == 0);
    assert_true(machine_level_rate(&machine, &loads, 0) == 0);
    assert_null(machine_unit_of(&machine, MACHINE_ADD, MACHINE_VECTOR, MACHINE_DOUBLE));
    assert_null(machine.network);
    machine_free(&machine);
}

/* ---- Rates --------------------------------------------------------------------------------- */

static void test_times_are_linear_between_points(void **state)
{
    struct machine machine;
    (void)state;
    read_text(&machine, text, 0);
    assert_near(rate_at(&machine, 0, 1), 8e9);
    assert_near(rate_at(&machine, 0, 4096), 8e9);
    assert_near(rate_at(&machine, 0, 8192), 8e9);
    /* Half of the way in octaves: the mean of 1/8 ns and 1/3.2 ns. */
    assert_near(rate_at(&machine, 0, 32768), 1 / ((1 / 8e9 + 1 / 3.2e9) / 2));
    assert_near(rate_at(&machine, 0, 262144), 2e9);
    assert_near(rate_at(&machine, 0, 1e18), 1e9);
    machine_free(&machine);
}

static void test_the_nearest_curve_is_found(void **state)
{
    struct machine machine;
    struct machine_kind kind = loads;
    (void)state;
    read_text(&machine, text, 0);
    assert_ptr_equal(machine_curve_like(&machine, &kind), &machine.curves[0]);
    kind.cores = 2;
    kind.pages = MACHINE_HUGE;
    assert_ptr_equal(machine_curve_like(&machine, &kind), &machine.curves[1]);
    kind.operation = MACHINE_STORE;
    kind.access = MACHINE_DEPENDENT;
    assert_ptr_equal(machine_curve_like(&machine, &kind), &machine.curves[2]);
    machine_free(&machine);
}

static void test_strides_and_cores_between_curves(void **state)
{
    struct machine machine;
    struct machine_kind kind = loads;
    (void)state;
    read_text(&machine, text, 0);
    kind.access = MACHINE_STRIDE;
    kind.stride_lines = 2;
    assert_near(machine_rate(&machine, &kind, 64 * MB), 1 / ((1 / 4e8 + 1 / 1e8) / 2));
    kind.stride_lines = 1;
    assert_near(machine_rate(&machine, &kind, 64 * MB), 4e8);
    kind.stride_lines = 100;
    assert_near(machine_rate(&machine, &kind, 64 * MB), 1e8);
    kind = loads;
    kind.cores = 2;
    assert_near(machine_rate(&machine, &kind, 64 * MB), 5e8);
    kind.cores = 64;
    assert_near(machine_rate(&machine, &kind, 64 * MB), 5e8);
    machine.curves[1].kind.cores = 5; /* 2 is a quarter of the way from 1 to 5 */
    kind.cores = 2;
    assert_near(machine_rate(&machine, &kind, 64 * MB), 1 / (0.75 / 1e9 + 0.25 / 5e8));
    machine_free(&machine);
}

static void test_levels(void **state)
{
    struct machine machine;
    double least, most;
    (void)state;
    read_text(&machine, text, 0);
    assert_near(machine_level_rate(&machine, &loads, 0), 8e9);
    assert_near(machine_level_rate(&machine, &loads, 1), 2e9);
    assert_near(machine_level_rate(&machine, &loads, 2), 1e9);
    machine_level_span(&machine, 1, 2, &least, &most);
    assert_near(least, 32 * KB);
    assert_near(most, 512 * KB); /* two cores have half each */
    machine_level_span(&machine, 2, 1, &least, &most);
    assert_near(least, MB);
    assert_true(most > 1e300);
    machine_free(&machine);
}

/* ---- Edits --------------------------------------------------------------------------------- */

static void test_a_level_is_scaled(void **state)
{
    struct machine machine;
    (void)state;
    read_text(&machine, text, 0);
    assert_int_equal(edit_machine(&machine, "L2.rate*=2"), 0);
    assert_near(rate_at(&machine, 0, 16384), 8e9);
    assert_near(rate_at(&machine, 0, 262144), 4e9);
    assert_near(rate_at(&machine, 0, 64 * MB), 1e9);
    /* 64 KiB took half from L1 (1/8 ns) and half from L2 (1/2 ns, now 1/4 ns). */
    assert_near(rate_at(&machine, 0, 65536), 1 / ((1 / 8e9 + 1 / 4e9) / 2));
    assert_near(rate_at(&machine, 2, 262144), 1.25e8); /* a latency is not a rate */
    assert_int_equal(edit_machine(&machine, "memory.latency*=0.5"), 0);
    assert_near(rate_at(&machine, 2, 64 * MB), 2e7);
    assert_near(rate_at(&machine, 2, 16384), 5e8);
    assert_near(rate_at(&machine, 0, 64 * MB), 1e9);
    assert_int_equal(edit_machine(&machine, "L1.latency=1ns"), 0);
    assert_near(rate_at(&machine, 2, 4096), 1e9);
    assert_int_equal(machine.nedits, 3);
    assert_string_equal(machine.edits[1], "memory.latency*=0.5");
    machine_free(&machine);
}

static void test_a_size_moves_the_steps(void **state)
{
    struct machine machine;
    (void)state;
    read_text(&machine, text, 0);
    assert_int_equal(edit_machine(&machine, "L2.bytes=4M"), 0);
    assert_int_equal(machine.caches[1].bytes, 4 * MB);
    assert_int_equal(machine.caches[1].source, MACHINE_EDITED);
    /*
     * 256 KiB was 3/5 of the way from 32 KiB to 1 MiB in octaves; 7 octaves are between them now.
     */
    assert_int_equal(machine.curves[0].points[3].working_set_bytes, 602249);
    assert_int_equal(machine.curves[0].points[1].working_set_bytes, 16384);
    assert_int_equal(machine.curves[0].points[5].working_set_bytes, 256 * MB);
    assert_near(machine.curves[0].points[5].accesses_per_second, 1e9);
    assert_int_equal(edit_machine(&machine, "L1.bytes*=2"), 0);
    assert_int_equal(machine.curves[0].points[0].working_set_bytes, 8192);
    assert_int_equal(edit_machine(&machine, "L1.associativity=16"), 0);
    assert_int_equal(machine.caches[0].associativity, 16);
    machine_free(&machine);
}

static void test_network_and_arithmetic(void **state)
{
    struct machine machine;
    (void)state;
    read_text(&machine, text, 0);
    assert_int_equal(edit_machine(&machine, "network.latency=2us"), 0);
    assert_near(machine.network->latency_seconds, 2e-6);
    assert_near(machine.network->messages[0].seconds, 1.6e-6);
    assert_near(machine.network->messages[1].seconds, 1.02e-4);
    assert_int_equal(edit_machine(&machine, "network.bandwidth=20GB/s"), 0);
    assert_near(machine.network->bytes_per_second, 2e10);
    assert_near(machine.network->messages[1].seconds, 5.2e-5);
    assert_int_equal(edit_machine(&machine, "arithmetic.rate*=2"), 0);
    assert_near(machine.units[0].flops_per_second, 2e10);
    assert_near(machine.units[0].latency_seconds, 1e-9);
    assert_near(machine.instructions_per_second, 8e9);
    assert_int_equal(edit_machine(&machine, "arithmetic.latency*=0.5"), 0);
    assert_near(machine.units[0].latency_seconds, 0.5e-9);
    assert_near(machine.core.refill_seconds, 2.5e-9);
    machine_free(&machine);
}

static void test_wrong_edits_change_nothing(void **state)
{
    static const char *const wrong[] = {"",
                                        "L2",
                                        "L2.rate",
                                        "L2.rate*2",
                                        "L2.rate*=",
                                        "L2.rate*=0",
                                        "L2.rate*=-1",
                                        "L2.rate*=nan",
                                        "L2.rate*=inf",
                                        "L2.rate*=1e300",
                                        "L2.rate=2",
                                        "L2.rate*=2G",
                                        "L2.color=3",
                                        "L3.rate*=2",
                                        "L2x.rate*=2",
                                        "memory.bytes=1G",
                                        "L2.bytes=16K",
                                        "L1.bytes=1M",
                                        "L1.bytes=1",
                                        "L1.bytes=1parsec",
                                        "L1.associativity=1.5",
                                        "network.rate*=2",
                                        "network.latency=1M",
                                        "network.bandwidth=1ns",
                                        "arithmetic.rate=2",
                                        "disk.rate*=2",
                                        "L2.rate*=2 L1.rate*=2"};
    struct machine machine;
    (void)state;
    read_text(&machine, text, 0);
    char *before = written(&machine);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (edit_machine(&machine, wrong[i]) != -1)
            fail_msg("\"%s\" was taken", wrong[i]);
    char *after = written(&machine);
    assert_string_equal(before, after);
    free(before);
    free(after);
    machine_free(&machine);
    read_text(&machine, "{\"format\":\"gptl-machine\",\"version\":1}", 0);
    assert_int_equal(edit_machine(&machine, "network.latency=1us"), -1);
    assert_int_equal(edit_machine(&machine, "memory.rate*=2"), -1);
    machine_free(&machine);
}

/* ---- What is found by measuring ------------------------------------------------------------ */

/*
 * Loads hit the first level that contains them; with random replacement and cyclic order the hit
 * rate is the fitting share.
 */
static double model(const double *sizes, const double *times, int n, double bytes)
{
    double time = times[0];
    for (int i = 0; i < n; i++)
        if (bytes > sizes[i])
            time += (times[i + 1] - times[i]) * (1 - sizes[i] / bytes);
    return time;
}

static void check_steps(const double *sizes, const double *times, int n)
{
    enum { POINTS = 160 };
    struct machine_point points[POINTS];
    struct machine_curve curve = {.points = points, .npoints = POINTS};
    double found[8], bytes = 4096;
    for (int i = 0; i < POINTS; i++, bytes *= 1.09050773266525766) /* 8 per octave */
        points[i] = (struct machine_point){(uint64_t)bytes, 1 / model(sizes, times, n, bytes), 0};
    assert_int_equal(caches_steps(&curve, found, 8), n);
    for (int i = 0; i < n; i++)
        if (found[i] < sizes[i] / 1.5 || found[i] > sizes[i] * 1.5)
            fail_msg("the step at %.0f is found at %.0f", sizes[i], found[i]);
}

static void test_steps_of_a_curve(void **state)
{
    static const double sizes[] = {48 * KB, 2 * MB, 32.0 * MB}, small[] = {32 * KB, 512 * KB};
    static const double times[] = {1.5e-9, 5e-9, 25e-9, 100e-9}, none[] = {1e-9};
    (void)state;
    check_steps(sizes, times, 3);
    check_steps(small, times, 2);
    check_steps(sizes, none, 0);
}

static void test_the_reach_of_loads_in_order(void **state)
{
    struct machine_point points[] = {{1 << 20, 4e9, 0},  {4 << 20, 2e9, 0},  {8 << 20, 2e9, 0},
                                     {32 << 20, 2e9, 0}, {48 << 20, 9e8, 0}, {64 << 20, 1.9e9, 0},
                                     {96 << 20, 1e9, 0}, {192 << 20, 1e9, 0}};
    struct machine_curve curve = {.points = points, .npoints = 8};
    (void)state;
    /* 0.5 ns in the cache, 1 beyond it; a single slow point is noise. */
    assert_int_equal(caches_reach(&curve, 8 << 20), 64 << 20);
    /* No larger level exists. */
    assert_int_equal(caches_reach(&curve, 96 << 20), 0);
    assert_int_equal(caches_reach(&curve, 1e12), 0);
}

static void test_scaling_a_message(void **state)
{
    struct machine_message message = {.seconds = 2,
                                      .send_seconds = 1,
                                      .own_seconds = 3,
                                      .bcast_seconds = 5,
                                      .pieces8_seconds = 9};
    (void)state;
    machine_scale_message(&message, 10);
    assert_near(message.seconds, 20);
    assert_near(message.send_seconds, 10);
    assert_near(message.own_seconds, 3);
    assert_near(message.bcast_seconds, 23);   /* 3 of these are its own work */
    assert_near(message.pieces8_seconds, 27); /* 7 of these are packing */
    assert_true(message.barrier_seconds <= 0);
}

static void test_the_fit_of_a_network(void **state)
{
    struct machine_message messages[20];
    struct machine_network network = {.messages = messages, .nmessages = 20};
    (void)state;
    for (int i = 0; i < 20; i++) {
        uint64_t bytes = i > 0 ? (uint64_t)1 << i : 0;
        messages[i] =
            (struct machine_message){.bytes = bytes, .seconds = 1.5e-6 + (double)bytes / 12e9};
    }
    network_fit(&network);
    assert_near(network.latency_seconds, 1.5e-6);
    assert_near(network.bytes_per_second, 12e9);
    /* Rates that increase with the size: not a line, but still numbers above 0. */
    for (int i = 0; i < 20; i++)
        messages[i].seconds = 1e-6 / (i + 1);
    network_fit(&network);
    assert_true(network.latency_seconds > 0 && network.bytes_per_second > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_is_read_back),
        cmocka_unit_test(test_what_makes_no_sense_is_refused),
        cmocka_unit_test(test_little_is_enough),
        cmocka_unit_test(test_times_are_linear_between_points),
        cmocka_unit_test(test_the_nearest_curve_is_found),
        cmocka_unit_test(test_strides_and_cores_between_curves),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_a_level_is_scaled),
        cmocka_unit_test(test_a_size_moves_the_steps),
        cmocka_unit_test(test_network_and_arithmetic),
        cmocka_unit_test(test_wrong_edits_change_nothing),
        cmocka_unit_test(test_steps_of_a_curve),
        cmocka_unit_test(test_the_reach_of_loads_in_order),
        cmocka_unit_test(test_scaling_a_message),
        cmocka_unit_test(test_the_fit_of_a_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
