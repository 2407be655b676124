/*
 * host.h - system information: machine, command and job.
 */
#ifndef GPTL_REPORT_HOST_H
#define GPTL_REPORT_HOST_H

#include <stddef.h>
#include <stdint.h>

enum { GPTL_HOST_SIZE = 256 };

void gptl_host_name(char *name, size_t size);

/* Return the number of processors in this process's affinity mask; 0: unknown. */
unsigned gptl_host_cores(void);

/* Return the number of involuntary context switches of this process. */
uint64_t gptl_host_preemptions(void);

/*
 * Return the arguments of this process, each terminated by NUL; NULL if unavailable or out of
 * memory. Free with free().
 */
char *gptl_host_command(size_t *length);

/* Return the job name from the batch system, or NULL. */
const char *gptl_host_job(void);

#endif
