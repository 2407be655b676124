/*
 * host.h - the machine, the command, and the job, as the system tells them.
 */
#ifndef GPTL_REPORT_HOST_H
#define GPTL_REPORT_HOST_H

#include <stddef.h>
#include <stdint.h>

enum { GPTL_HOST_SIZE = 256 };

void gptl_host_name(char *name, size_t size);

/* Processors that this process may use, by its affinity; 0: not known. */
unsigned gptl_host_cores(void);

/* How often the kernel took a processor away from a thread of this process that could have run. */
uint64_t gptl_host_preemptions(void);

/*
 * The arguments of this process, each with a NUL at its end; NULL if the system does not tell, or
 * without memory. Free with free().
 */
char *gptl_host_command(size_t *length);

/* The batch system's name of the job, or NULL. */
const char *gptl_host_job(void);

#endif
