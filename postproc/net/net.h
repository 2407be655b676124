/* net.h - between the files of `gptl net`: what is replayed where, and what came of it. */
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

/* ---- The machine: network.c ---------------------------------------------------------------- */

struct network {
    char *name;
    const char *platform; /* a file of SimGrid's, with the network in it; NULL: what follows */
    double latency_seconds, bytes_per_second;
    uint64_t eager; /* larger messages wait for their receiver */
    bool knows_eager;
    struct machine_message *points; /* where they take another time than these say, or NULL */
    size_t npoints;
};

/* From machine.json. Returns 0, or -1 after a message. */
int network_of_machine(struct network *network, const char *path);
void network_free(struct network *network);
/* The latency of what lies between the ranks, without what they do themselves: as the smallest message has it. */
double network_wire(const struct network *network);
/* Writes a platform for RANKS to PATH. Returns 0, or -1 after a message. */
int network_write(const struct network *network, int ranks, const char *path);

/* ---- How much faster it computes: speed.c -------------------------------------------------- */

/* For each region of each thread of each trace, in this order, what its time is multiplied with. */
struct speed {
    double all; /* times as fast */
    double *factors;
    size_t n;
    size_t unmatched; /* regions that the prediction does not know */
};

int speed_of_prediction(struct speed *speed, const char *path, struct trace *const *traces,
                        int ranks);

/* ---- The replay: replay.c ------------------------------------------------------------------ */

struct net_case {
    const char *folder;
    struct trace *const *traces;
    int ranks;
    const struct network *network;
    const struct speed *speed;
    uint64_t eager;
};

struct net_rank {
    double ended, computed,
        other;               /* seconds; since it began, and of those in which it computed … */
    uint64_t never, unknown; /* receives of nobody knows what, and calls on such communicators */
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

/* Returns 0, or -1 after a message. Free it in both cases. */
int net_replay(struct net_result *result, const struct net_case *one);
void net_result_free(struct net_result *result);

/* ---- What is printed: print.c, sweep.c, events.c ------------------------------------------- */

void net_print(struct gptl_out *out, const struct net_case *one, const struct net_result *result);
void net_print_json(struct gptl_out *out, const struct net_case *one,
                    const struct net_result *result);
/* What waits for ever. */
void net_tell_stuck(const struct net_result *result);
/* The records of a rank, a line each. */
void net_print_events(struct gptl_out *out, const struct trace *trace);
/* As users know the call. */
const char *net_call_name(const struct trace_event *event);

enum sweep_what { SWEEP_LATENCY, SWEEP_BANDWIDTH, SWEEP_CPU, SWEEP_KINDS };
struct sweep {
    double *value[SWEEP_KINDS];
    bool *is_factor[SWEEP_KINDS];
    size_t n[SWEEP_KINDS];
};

/* TEXT is KEY=VALUE,VALUE… . Returns 0, or -1 after a message. */
int sweep_add(struct sweep *sweep, const char *text);
int sweep_run(const struct sweep *sweep, const struct net_case *one, struct gptl_out *out,
              bool json, const char *picture);
void sweep_free(struct sweep *sweep);

/* Seconds and bytes a second, with units as 1.5us and 12.5GB/s. False: it is none. */
bool net_seconds(const char *text, double *seconds);
bool net_rate(const char *text, double *rate);

/* ---- More ranks: extrapolate.c ------------------------------------------------------------- */

enum scaling { SCALING_NONE, SCALING_WEAK, SCALING_STRONG };
/* Writes traces of RANKS to FOLDER. Returns 0, or -1 after a message that names what is in the way. */
int net_extrapolate(struct trace *const *traces, int from, int ranks, enum scaling scaling,
                    const char *folder, char *pattern, size_t size);

#endif
