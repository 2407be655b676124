/* pmus.c - prints the names of the processor's PMUs in PAPI; exits with 1 if it counts nothing. */
#include <stdio.h>
#include <string.h>

#include <papi.h>

int main(void)
{
    int n = 0;
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        return 1;
    for (int i = 0; i < PAPI_num_components(); i++) {
        const PAPI_component_info_t *info = PAPI_get_component_info(i);
        if (!info || info->disabled || strcmp(info->name, "perf_event") != 0)
            continue;
        for (int k = 0; k < PAPI_PMU_MAX && info->pmu_names[k]; k++, n++)
            printf("CPU,%s\n", info->pmu_names[k]);
    }
    return n == 0;
}
