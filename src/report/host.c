/* host.c - the machine, the job and the rank, as the environment tells them. */
#include "config.h"

#include "report/host.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void gptl_host_name(char *name, size_t size)
{
    if (gethostname(name, size) || name[0] == '\0')
        snprintf(name, size, "unknown");
    name[size - 1] = '\0';
}

/* The first of VARIABLES that is set and not empty. */
static const char *first_set(const char *const *variables)
{
    for (; *variables; variables++) {
        const char *value = getenv(*variables);
        if (value && *value)
            return value;
    }
    return NULL;
}

const char *gptl_host_job(void)
{
    static const char *const variables[] = {"SLURM_JOB_ID", "PBS_JOBID",    "LSB_JOBID",
                                            "FLUX_JOB_ID",  "COBALT_JOBID", NULL};
    return first_set(variables);
}

int gptl_host_rank(void)
{
    static const char *const variables[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID",
                                            "PMIX_RANK", NULL};
    const char *value = first_set(variables);
    if (!value)
        return -1;
    char *end;
    long rank = strtol(value, &end, 10);
    return *end == '\0' && rank >= 0 && rank <= INT_MAX ? (int)rank : -1;
}
