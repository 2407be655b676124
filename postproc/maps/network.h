/* network.h - messages between two ranks of an MPI job. */
#ifndef GPTL_POSTPROC_MAPS_NETWORK_H
#define GPTL_POSTPROC_MAPS_NETWORK_H

#include <stdbool.h>

#include "postproc/machine/machine.h"

/*
 * Starts two ranks by LAUNCHER (mpiexec -n 2), a list that ends with NULL, and takes what they measure
 * as the network of MACHINE. LAUNCHER is NULL if this is such a rank already. Ranks that print no result
 * within SECONDS are ended. Returns 0, or -1 after a message; then MACHINE is unchanged.
 */
int network_measure(struct machine *machine, char *const *launcher, bool quick, double seconds);

/*
 * Whether a launcher has started this process as a rank of several, and which one it is. Then
 * network_measure() without a LAUNCHER takes what this rank measures together with the last one.
 */
bool network_is_rank(int *rank);

/* What such a rank does: becomes the program of its MPI, with ARGUMENTS. Returns if it cannot. */
int network_ping(char *const *arguments);
/* The same, in a job whose first rank is in network_measure() without a launcher. */
int network_join(bool quick);

/* The latency and the bandwidth that fit the messages best, all sizes being as important. */
void network_fit(struct machine_network *network);

#endif
