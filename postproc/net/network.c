/* network.c - the target machine: costs of messages, and the platform for SimGrid. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"
#include "postproc/net/net.h"

/*
 * Take the machine's measured points. A message costs the time measured for its size; the part
 * beyond the latency uses the network's bandwidth.
 */
static void take_points(struct network *network, const struct machine_network *from)
{
    size_t room = 0;
    for (size_t i = 0; i < from->nmessages; i++) {
        const struct machine_message *one = &from->messages[i];
        if (!(one->seconds > 0) || (i > 0 && one->bytes <= from->messages[i - 1].bytes))
            continue;
        network->points =
            memory_room(network->points, &room, network->npoints + 1, sizeof *network->points);
        network->points[network->npoints++] = *one;
        if (one->seconds < network->latency_seconds)
            network->latency_seconds = one->seconds;
    }
}

int network_of_machine(struct network *network, const char *path)
{
    struct machine machine;
    int status = machine_read(&machine, NET_WHO, path);
    if (status == 0 && !machine.network) {
        fprintf(stderr,
                NET_WHO ": %s says nothing of the network: measure it with "
                        "`gptl maps … -- mpiexec -n 2`, or give --latency and --bandwidth\n",
                path);
        status = -1;
    }
    if (status == 0) {
        network->name = memory_text(machine.name ? machine.name : path);
        network->latency_seconds = machine.network->latency_seconds;
        network->bytes_per_second = machine.network->bytes_per_second;
        network->eager = machine.network->eager_bytes;
        network->knows_eager = machine.network->knows_eager;
        take_points(network, machine.network);
    }
    machine_free(&machine);
    return status;
}

double network_wire(const struct network *network)
{
    if (network->npoints == 0)
        return network->latency_seconds;
    double first = network->points[0].seconds - network->points[0].receive_seconds;
    return first > 0 ? first : 0;
}

void network_free(struct network *network)
{
    free(network->name);
    free(network->points);
}

/*
 * Write a platform with a host per rank, and a link in each direction, without limits in between:
 * messages share only the end links. The latency is halved because a message crosses two links.
 */
int network_write(const struct network *network, int ranks, const char *path)
{
    FILE *file = fopen(path, "we");
    if (file) {
        fprintf(file,
                "<?xml version='1.0'?>\n"
                "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                "<platform version=\"4.1\">\n"
                "<cluster id=\"c\" prefix=\"rank\" suffix=\"\" radical=\"0-%d\" speed=\"1Gf\" "
                "bw=\"%.17gBps\" lat=\"%.17gs\" sharing_policy=\"SPLITDUPLEX\" "
                "loopback_bw=\"%.17gBps\" loopback_lat=\"%.17gs\"/>\n"
                "</platform>\n",
                ranks - 1, network->bytes_per_second, network_wire(network) / 2,
                network->bytes_per_second, network_wire(network));
    }
    bool written = file && !ferror(file);
    if (!file || fclose(file) != 0 || !written) {
        fprintf(stderr, NET_WHO ": cannot write %s: %s\n", path, strerror(errno));
        return -1;
    }
    return 0;
}

/* ---- Numbers with units -------------------------------------------------------------------- */

struct unit {
    const char *name;
    double factor;
};

static bool with_unit(const char *text, const struct unit *units, double *out)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || !isfinite(value) || value <= 0)
        return false;
    for (; units->name; units++)
        if (strcmp(end, units->name) == 0) {
            *out = value * units->factor;
            return true;
        }
    return false;
}

bool net_seconds(const char *text, double *seconds)
{
    static const struct unit units[] = {{"", 1},      {"s", 1},     {"ms", 1e-3},
                                        {"us", 1e-6}, {"ns", 1e-9}, {NULL, 0}};
    return with_unit(text, units, seconds);
}

bool net_rate(const char *text, double *rate)
{
    static const struct unit units[] = {{"", 1},       {"B/s", 1},     {"kB/s", 1e3}, {"MB/s", 1e6},
                                        {"GB/s", 1e9}, {"TB/s", 1e12}, {NULL, 0}};
    return with_unit(text, units, rate);
}
