/* net.h - interface between the files of `gptl net`: inputs and results of a replay. */
#ifndef GPTL_NET_NET_H
#define GPTL_NET_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "postproc/machine/machine.h"
#include "postproc/net/trace.h"
#include "postproc/plot/plot.h"

#include "report/out.h"

#define NET_WHO "gptl net"

/* ---- Machine: network.c -------------------------------------------------------------------- */

struct network {
    char *name;
    /* SimGrid platform file that includes the network; NULL: use the following fields */
    const char *platform;
    double latency_seconds, bytes_per_second;
    uint64_t eager; /* eager limit: larger messages wait for their receiver */
    bool knows_eager;
    /* measured messages, used instead of latency and bandwidth, or NULL */
    struct machine_message *points;
    size_t npoints;
};

/* Read the network from machine.json. Returns 0, or -1 after a message. */
int network_of_machine(struct network *network, const char *path);
void network_free(struct network *network);
/*
 * Return the latency of the network alone, without the ranks' own work, derived from the smallest
 * message.
 */
double network_wire(const struct network *network);
/* Write a platform for RANKS to PATH. Returns 0, or -1 after a message. */
int network_write(const struct network *network, int ranks, const char *path);

/* ---- Relative computing speed: speed.c ----------------------------------------------------- */

/* Factor of the computing time of each region of each thread of each trace, in this order. */
struct speed {
    double all; /* overall speedup */
    double *factors;
    size_t n;
    size_t unmatched; /* regions missing in the prediction */
};

int speed_of_prediction(struct speed *speed, const char *path, struct trace *const *traces,
                        int ranks);

/* ---- Replay: replay.c ---------------------------------------------------------------------- */

struct net_case {
    const char *folder;
    struct trace *const *traces;
    int ranks;
    const struct network *network;
    const struct speed *speed;
    uint64_t eager;
};

struct net_rank {
    double ended, computed, other; /* seconds: end, computing, in other calls */
    /* omitted receives with unknown source, and calls on unknown communicators */
    uint64_t never, unknown;
};

struct net_stuck {
    int rank;
    uint64_t event;
    int what, peer, tag;
};

struct net_result {
    double seconds;
    struct net_rank *rank;
    struct net_stuck *stuck;
    size_t nstuck;
};

/* Replay a case. Returns 0, or -1 after a message; always free the result. */
int net_replay(struct net_result *result, const struct net_case *one);
void net_result_free(struct net_result *result);

/* ---- Output: print.c, sweep.c, events.c ---------------------------------------------------- */

void net_print(struct gptl_out *out, const struct net_case *one, const struct net_result *result);
void net_print_json(struct gptl_out *out, const struct net_case *one,
                    const struct net_result *result);
/* Report the calls that never complete. */
void net_tell_stuck(const struct net_result *result);
/* Print the records of a rank, one per line. */
void net_print_events(struct gptl_out *out, const struct trace *trace);
/* Return the name of the MPI call. */
const char *net_call_name(const struct trace_event *event);

enum sweep_what { SWEEP_LATENCY, SWEEP_BANDWIDTH, SWEEP_CPU, SWEEP_KINDS };
struct sweep {
    double *value[SWEEP_KINDS];
    bool *is_factor[SWEEP_KINDS];
    size_t n[SWEEP_KINDS];
};

/* Add the variation TEXT, KEY=VALUE,VALUE… . Returns 0, or -1 after a message. */
int sweep_add(struct sweep *sweep, const char *text);
int sweep_run(const struct sweep *sweep, const struct net_case *one, struct gptl_out *out,
              bool json, const char *picture);
void sweep_free(struct sweep *sweep);

/*
 * Parse seconds and bytes per second with units, e.g. 1.5us and 12.5GB/s. Return false if invalid.
 */
bool net_seconds(const char *text, double *seconds);
bool net_rate(const char *text, double *rate);

/* ---- More ranks: extrapolate.c ------------------------------------------------------------- */

enum scaling { SCALING_NONE, SCALING_WEAK, SCALING_STRONG };
/* Write traces of RANKS to FOLDER. Returns 0, or -1 after a message that names the obstacle. */
int net_extrapolate(struct trace *const *traces, int from, int ranks, enum scaling scaling,
                    const char *folder, char *pattern, size_t size);

#endif
