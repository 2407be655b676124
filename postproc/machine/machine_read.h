/* machine_read.h - common functions of the readers of machine.json's parts. */
#ifndef GPTL_POSTPROC_MACHINE_READ_H
#define GPTL_POSTPROC_MACHINE_READ_H

#include "postproc/machine/machine.h"
#include "postproc/read/json_read.h"

/* Upper limit beyond any machine's counts and sizes; sums and products do not overflow. */
#define MACHINE_MOST_BYTES ((uint64_t)1 << 60)

/* Read a positive number whose reciprocal is finite. */
double machine_read_positive(struct json *json);
/* Read the member "network". */
void machine_read_network(struct json *json, struct machine *machine);

#endif
