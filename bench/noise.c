/*
 * noise.c - the noise test of gptl diff: how often it reports a difference between a program and
 * itself, and how often it finds one path of 300 that takes 10 % longer. NOISE_TRIALS is the number
 * of comparisons per rate (200).
 *
 * It prints rates, not times, so its rows have a different form.
 */
#include "ctests/noise_models.h"

#include <stdio.h>

enum { PATHS = 300 };

int main(void)
{
    static const int runs[][2] = {{4, 4}, {5, 5}, {5, 8}, {10, 10}};
    const char *text = getenv("NOISE_TRIALS");
    int trials = text ? atoi(text) : 200;
    if (trials < 1)
        trials = 1;
    printf("# %d comparisons, %d paths; alarms are to be at most %g %%\n", trials, PATHS,
           100 * NOISE_ALPHA);
    printf("# %-20s | runs    | alarms | found  | alarms beside it\n", "noise");
    for (int m = 0; m < MODELS; m++)
        for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
            /* Drawing the runs takes long. */
            int n = runs[i][0] == 10 ? (trials + 9) / 10 : trials;
            struct model_rates rates = model_try(m, PATHS, runs[i][0], runs[i][1], n, 1.1, false);
            printf("%-22s | %2d + %2d | %4.1f %% | %4.0f %% | %4.1f %%\n", model_names[m],
                   runs[i][0], runs[i][1], 100 * rates.alarms, 100 * rates.found,
                   100 * rates.beside);
            fflush(stdout);
        }
    return 0;
}
