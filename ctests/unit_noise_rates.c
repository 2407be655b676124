/*
 * unit_noise_rates.c - gptl diff finds a path that takes 10 % longer, and rarely reports that a
 * program differs from itself, for any noise. bench/noise shows the rates in detail.
 */
#include "config.h"

#include "fake.h"

#include <stdio.h>

#include "noise_models.h"

enum { TRIALS = 80, PATHS = 40, RUNS = 5 };

static void test_rates_in_all_kinds_of_noise(void **state)
{
    double alarms = 0, beside = 0;
    (void)state;
    model_random = 30;
    for (int m = 0; m < MODELS; m++) {
        struct model_rates rates = model_try(m, PATHS, RUNS, RUNS, TRIALS, 1.1, false);
        print_message("%-20s alarms %4.1f %%, found %3.0f %%, beside %4.1f %%\n", model_names[m],
                      100 * rates.alarms, 100 * rates.found, 100 * rates.beside);
        CHECK_BETWEEN(rates.alarms, 0, 0.09); /* 0.03 and 3 standard deviations */
        CHECK_BETWEEN(rates.beside, 0, 0.09);
        CHECK_BETWEEN(rates.found, m == MODEL_MACHINE ? 0.75 : 0.9, 1);
        alarms += rates.alarms / MODELS;
        beside += rates.beside / (MODELS - 1); /* trees tell none */
    }
    CHECK_BETWEEN(alarms, 0.005, 0.05);
    CHECK_BETWEEN(beside, 0.005, 0.05);
}

static void test_rates_of_unequal_and_of_many_runs(void **state)
{
    (void)state;
    model_random = 21;
    struct model_rates few = model_try(MODEL_NORMAL_2, PATHS, 4, 4, TRIALS, 1.1, false);
    CHECK_BETWEEN(few.alarms, 0, 0.09);
    CHECK_BETWEEN(few.found, 0.9, 1);
    struct model_rates unequal = model_try(MODEL_OUTLIERS, PATHS, 8, 5, TRIALS / 2, 1.1, false);
    CHECK_BETWEEN(unequal.alarms, 0, 0.12);
    CHECK_BETWEEN(unequal.found, 0.9, 1);
    struct model_rates many = model_try(MODEL_OUTLIERS, PATHS / 4, 10, 10, TRIALS / 5, 1.1, false);
    CHECK_BETWEEN(many.alarms, 0, 0.2);
    CHECK_BETWEEN(many.found, 0.95, 1);
    struct model_rates apart = model_try(MODEL_OUTLIERS, PATHS, RUNS, RUNS, TRIALS, 1.1, true);
    CHECK_BETWEEN(apart.found, 0.9, 1);
    struct model_rates faster =
        model_try(MODEL_NORMAL_2, PATHS, RUNS, RUNS, TRIALS / 2, 0.9, false);
    CHECK_BETWEEN(faster.found, 0.95, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates_of_unequal_and_of_many_runs),
        cmocka_unit_test(test_rates_in_all_kinds_of_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
