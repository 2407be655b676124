/*
 * host.h - the machine, the job and the rank, as the environment tells them.
 */
#ifndef GPTL_REPORT_HOST_H
#define GPTL_REPORT_HOST_H

#include <stddef.h>

enum { GPTL_HOST_SIZE = 256 };

void gptl_host_name(char *name, size_t size);

/* The batch system's name of the job, or NULL. */
const char *gptl_host_job(void);

/* The rank that an MPI launcher gave this process, or -1. */
int gptl_host_rank(void);

#endif
