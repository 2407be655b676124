/* print.c - predicted times next to measured ones, as text and JSON. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"
#include "postproc/net/net.h"

#include "report/json.h"
#include "report/name.h"

/* ---- Measured times ------------------------------------------------------------------------ */

/*
 * Return the measured time. The trace of a killed rank lacks an end, so its recorded time counts.
 */
static double measured(const struct trace *t)
{
    return (double)(t->wall ? t->wall : t->busy) * 1e-9;
}

static double computed(const struct trace *t)
{
    return (double)t->computed * 1e-9;
}

static double longest(const struct net_case *one)
{
    double most = 0;
    for (int i = 0; i < one->ranks; i++)
        if (measured(one->traces[i]) > most)
            most = measured(one->traces[i]);
    return most;
}

/* ---- Omissions ----------------------------------------------------------------------------- */

struct left {
    char *name;
    uint64_t calls;
    double seconds;
};

/*
 * List the functions that are not replayed, over all threads of all ranks. Returns their number;
 * the caller frees names and list.
 */
static size_t left_out(const struct net_case *one, struct left **out)
{
    size_t n = 0, room = 0;
    struct left *list = NULL;
    for (int r = 0; r < one->ranks; r++)
        for (size_t i = 0; i < one->traces[r]->nothers; i++) {
            const struct trace_other *other = &one->traces[r]->other[i];
            size_t k = 0;
            if (!other->calls)
                continue;
            while (k < n && (strlen(list[k].name) != other->length ||
                             memcmp(list[k].name, other->name, other->length) != 0))
                k++;
            if (k == n) {
                list = memory_room(list, &room, n + 1, sizeof *list);
                list[n] = (struct left){memory_zeros(other->length + 1, 1), 0, 0};
                memcpy(list[n++].name, other->name, other->length);
            }
            list[k].calls += other->calls;
            list[k].seconds += (double)other->ns * 1e-9;
        }
    *out = list;
    return n;
}

static void free_left(struct left *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(list[i].name);
    free(list);
}

struct flaws {
    uint64_t never, unknown, lost, killed;
};

static struct flaws find_flaws(const struct net_case *one, const struct net_result *result)
{
    struct flaws flaws = {0};
    for (int i = 0; i < one->ranks; i++) {
        flaws.never += result->rank[i].never;
        flaws.unknown += result->rank[i].unknown;
        flaws.lost += one->traces[i]->lost;
        flaws.killed += !one->traces[i]->whole;
    }
    return flaws;
}

/* ---- Text ---------------------------------------------------------------------------------- */

static void put_machine(struct gptl_out *out, const struct net_case *one)
{
    const struct network *network = one->network;
    if (network->platform)
        gptl_out_format(out, "Replay of %d ranks on the platform %s", one->ranks,
                        network->platform);
    else
        gptl_out_format(out, "Replay of %d ranks on %s: latency %.4g us, bandwidth %.4g GB/s%s",
                        one->ranks, network->name, network->latency_seconds * 1e6,
                        network->bytes_per_second * 1e-9,
                        network->npoints ? ", messages as measured by size" : "");
    if (one->speed->n)
        gptl_out_literal(out, ", computation as predicted by region");
    if (one->speed->all != 1)
        gptl_out_format(out, ", processor %.4g times as fast", one->speed->all);
    gptl_out_literal(out, "\n\n");
}

static void put_row(struct gptl_out *out, const char *name, double whole, double computes,
                    double then, double then_computes)
{
    gptl_out_format(out, "%-8s %13.6f %13.6f %13.6f %13.6f %13.6f %13.6f\n", name, whole, computes,
                    whole - computes, then, then_computes, then - then_computes);
}

static void put_left(struct gptl_out *out, const struct net_case *one,
                     const struct net_result *result)
{
    struct left *list;
    double all = 0;
    size_t n = left_out(one, &list);
    struct flaws flaws = find_flaws(one, result);
    for (int i = 0; i < one->ranks; i++)
        all += measured(one->traces[i]) * (double)one->traces[i]->nthreads;
    if (n)
        gptl_out_literal(out, "\nNot replayed, but as long as it was measured:\n");
    for (size_t i = 0; i < n; i++)
        gptl_out_format(out, "  %-40s %10llu calls %13.6f s %6.2f %% of all threads' time\n",
                        list[i].name, (unsigned long long)list[i].calls, list[i].seconds,
                        all > 0 ? 100 * list[i].seconds / all : 0.0);
    free_left(list, n);
    if (flaws.killed)
        gptl_out_format(out, "\n%llu ranks came to no end: their traces are not complete\n",
                        (unsigned long long)flaws.killed);
    if (flaws.lost)
        gptl_out_format(out, "\n%llu records were lost, as there was no memory for them\n",
                        (unsigned long long)flaws.lost);
    if (flaws.never)
        gptl_out_format(out, "\n%llu receives for any sender never ended, and are left out\n",
                        (unsigned long long)flaws.never);
    if (flaws.unknown)
        gptl_out_format(
            out, "\n%llu calls on communicators that the traces do not describe are left out\n",
            (unsigned long long)flaws.unknown);
    if (one->speed->unmatched)
        gptl_out_format(out,
                        "\n%llu regions are not in the prediction: they are as those around them\n",
                        (unsigned long long)one->speed->unmatched);
}

void net_print(struct gptl_out *out, const struct net_case *one, const struct net_result *result)
{
    double all = 0, then = 0;
    put_machine(out, one);
    gptl_out_literal(out, "               measured                                 predicted\n"
                          "rank           seconds      computes        in MPI       seconds      "
                          "computes        in MPI\n");
    for (int i = 0; i < one->ranks; i++) {
        char name[16];
        const struct trace *t = one->traces[i];
        snprintf(name, sizeof name, "%d", i);
        put_row(out, name, measured(t), computed(t), result->rank[i].ended,
                result->rank[i].computed);
        all += computed(t);
        then += result->rank[i].computed;
    }
    put_row(out, "all", longest(one), all / one->ranks, result->seconds, then / one->ranks);
    put_left(out, one, result);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void put_number(struct gptl_out *out, double value)
{
    gptl_out_real(out, value);
}

static void put_rank_json(struct gptl_out *out, const struct trace *t, const struct net_rank *r)
{
    gptl_out_format(out, "{\"rank\":%d,\"calls\":%llu,\"messages\":%llu,\"message_bytes\":%llu",
                    t->rank, (unsigned long long)t->calls, (unsigned long long)t->sent,
                    (unsigned long long)t->sent_bytes);
    gptl_json_key(out, "measured_seconds");
    put_number(out, measured(t));
    gptl_json_key(out, "measured_computation_seconds");
    put_number(out, computed(t));
    gptl_json_key(out, "predicted_seconds");
    put_number(out, r->ended);
    gptl_json_key(out, "predicted_computation_seconds");
    put_number(out, r->computed);
    gptl_json_key(out, "not_replayed_seconds");
    put_number(out, r->other);
    gptl_out_format(out, ",\"complete\":%s}", t->whole ? "true" : "false");
}

void net_print_json(struct gptl_out *out, const struct net_case *one,
                    const struct net_result *result)
{
    const struct network *network = one->network;
    struct flaws flaws = find_flaws(one, result);
    struct left *list;
    gptl_out_literal(out, "{\"format\":\"gptl-net\",\"version\":1,\n\"machine\":");
    gptl_name_json(out, network->platform ? network->platform : network->name);
    if (!network->platform) {
        gptl_json_key(out, "latency_seconds");
        put_number(out, network->latency_seconds);
        gptl_json_key(out, "bytes_per_second");
        put_number(out, network->bytes_per_second);
    }
    gptl_json_key(out, "processor_speed");
    put_number(out, one->speed->all);
    gptl_out_literal(out, ",\n\"measured_seconds\":");
    put_number(out, longest(one));
    gptl_json_key(out, "predicted_seconds");
    put_number(out, result->seconds);
    gptl_out_literal(out, ",\n\"ranks\":[");
    for (int i = 0; i < one->ranks; i++) {
        gptl_out_text(out, i ? ",\n" : "\n");
        put_rank_json(out, one->traces[i], &result->rank[i]);
    }
    gptl_out_literal(out, "],\n\"not_replayed\":[");
    size_t n = left_out(one, &list);
    for (size_t i = 0; i < n; i++) {
        gptl_out_text(out, i ? ",\n{\"name\":" : "\n{\"name\":");
        gptl_name_json(out, list[i].name);
        gptl_out_format(out, ",\"calls\":%llu", (unsigned long long)list[i].calls);
        gptl_json_key(out, "seconds");
        put_number(out, list[i].seconds);
        gptl_out_char(out, '}');
    }
    free_left(list, n);
    gptl_out_format(
        out,
        "],\n\"incomplete_ranks\":%llu,\"lost_records\":%llu,\"left_out_receives\":%llu,"
        "\"left_out_calls\":%llu,\"stuck_ranks\":%llu}\n",
        (unsigned long long)flaws.killed, (unsigned long long)flaws.lost,
        (unsigned long long)flaws.never, (unsigned long long)flaws.unknown,
        (unsigned long long)result->nstuck);
}

/* ---- Deadlock ------------------------------------------------------------------------------ */

void net_tell_stuck(const struct net_result *result)
{
    enum { SHOWN = 5 };
    fprintf(stderr,
            NET_WHO
            ": after %.9g s nothing goes on: %zu threads wait for what does not come. A rank "
            "that was killed, or calls that were not recorded, may be why.\n",
            result->seconds, result->nstuck);
    for (size_t i = 0; i < result->nstuck && i < SHOWN; i++) {
        const struct net_stuck *one = &result->stuck[i];
        struct trace_event event = {.what = one->what};
        bool is_message = one->what == GPTL_TI_SEND || one->what == GPTL_TI_RECV ||
                          one->what == GPTL_TI_SENDRECV || one->what == GPTL_TI_PROBE;
        fprintf(stderr, NET_WHO ":   rank %d in its event %llu, %s", one->rank,
                (unsigned long long)one->event, net_call_name(&event));
        if (is_message)
            fprintf(stderr, ", rank %d, tag %d", one->peer, one->tag);
        fputc('\n', stderr);
    }
    if (result->nstuck > SHOWN)
        fprintf(stderr, NET_WHO ":   and %zu more\n", result->nstuck - SHOWN);
}
