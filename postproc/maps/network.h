/* network.h - messages between two ranks of an MPI job. */
#ifndef GPTL_POSTPROC_MAPS_NETWORK_H
#define GPTL_POSTPROC_MAPS_NETWORK_H

#include <stdbool.h>

#include "postproc/machine/machine.h"

/*
 * Start two ranks with LAUNCHER (mpiexec -n 2), a NULL-terminated list, and store their measurement
 * as the network of MACHINE. LAUNCHER is NULL if this process is such a rank. Ranks without a
 * result after SECONDS are terminated. Returns 0, or -1 after a message; MACHINE is unchanged then.
 */
int network_measure(struct machine *machine, char *const *launcher, bool quick, double seconds);

/*
 * Return whether a launcher started this process as one of several ranks, and store its rank. If
 * so, network_measure() without a LAUNCHER measures between this rank and the last one.
 */
bool network_is_rank(int *rank);

/* Execute the program of the launcher's MPI with ARGUMENTS. Returns only on failure. */
int network_ping(char *const *arguments);
/* Execute the same in a job whose first rank calls network_measure() without a launcher. */
int network_join(bool quick);

/* Fit latency and bandwidth to the messages with equal weight for all sizes. */
void network_fit(struct machine_network *network);

#endif
