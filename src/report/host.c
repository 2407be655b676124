/* host.c - system information: machine, command and job. */
#include "config.h"

#include "report/host.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/descriptor.h"

void gptl_host_name(char *name, size_t size)
{
    if (gethostname(name, size) || name[0] == '\0')
        snprintf(name, size, "unknown");
    name[size - 1] = '\0';
}

unsigned gptl_host_cores(void)
{
    enum { MOST = 1 << 16 }; /* processors, far beyond the limit of kernels */
    for (size_t n = CPU_SETSIZE; n <= MOST; n *= 2) {
        cpu_set_t *set = CPU_ALLOC(n);
        int result = set ? sched_getaffinity(0, CPU_ALLOC_SIZE(n), set) : -1;
        int cores = result == 0 ? CPU_COUNT_S(CPU_ALLOC_SIZE(n), set) : 0;
        bool is_small = set && result != 0 && errno == EINVAL;
        CPU_FREE(set);
        if (!is_small)
            return cores > 0 ? (unsigned)cores : 0;
    }
    return 0;
}

uint64_t gptl_host_preemptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_nivcsw > 0 ? (uint64_t)usage.ru_nivcsw
                                                                      : 0;
}

/* Return the first of VARIABLES that is set and not empty. */
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

/*
 * Read a file to the end into *TEXT, which grows. Return 0, or -1 on an error or when out of
 * memory.
 */
static int read_all(int fd, char **text, size_t *length)
{
    size_t room = 0;
    for (;;) {
        if (*length == room) {
            room = room ? 2 * room : 4096;
            char *more = realloc(*text, room);
            if (!more)
                return -1;
            *text = more;
        }
        ssize_t n = read(fd, *text + *length, room - *length);
        if (n == 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return -1;
        *length += n > 0 ? (size_t)n : 0;
    }
}

char *gptl_host_command(size_t *length)
{
    char *text = NULL;
    *length = 0;
    int fd = gptl_descriptor_open("/proc/self/cmdline", O_RDONLY, 0);
    if (fd < 0)
        return NULL;
    int result = read_all(fd, &text, length);
    close(fd);
    if (result == 0 && *length > 0)
        return text;
    free(text);
    return NULL;
}
