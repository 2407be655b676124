/*
 * report.h - the counters in a JSON report, for tests of counters: their list, and the value of
 * each in a node, identified by thread and name.
 */
#ifndef CTESTS_PMU_REPORT_H
#define CTESTS_PMU_REPORT_H

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "../check.h"
#include "postproc/read/json_read.h"

enum { REPORT_NODES = 64, REPORT_METRICS = 16 };

struct report {
    int nmetrics, nnodes, nrefused;
    struct report_metric {
        char name[64];
        bool estimated;
    } metric[REPORT_METRICS];
    struct report_node {
        int thread;
        char name[64];
        double calls;
        double value[REPORT_METRICS]; /* NAN: null */
    } node[REPORT_NODES];
};

/* Options are read when the library is loaded: execute the program again with these. */
static inline void report_options(char **argv, const char *options)
{
    if (getenv("GPTL_OPTIONS"))
        return;
    setenv("GPTL_OPTIONS", options, 1);
    execv("/proc/self/exe", argv);
    CHECK_THAT(0, "cannot run this program again");
}

static inline void report_string(struct json *json, char *to, size_t size)
{
    snprintf(to, size, "%s", json_string(json, NULL));
}

static inline void report_metric(struct json *json, struct report *r)
{
    CHECK(r->nmetrics < REPORT_METRICS);
    struct report_metric *metric = &r->metric[r->nmetrics++];
    json_object(json);
    for (const char *key; (key = json_key(json));)
        if (strcmp(key, "name") == 0)
            report_string(json, metric->name, sizeof metric->name);
        else if (strcmp(key, "estimated") == 0)
            metric->estimated = json_bool(json);
        else
            json_skip(json);
}

static inline void report_node(struct json *json, struct report *r, int thread)
{
    CHECK(r->nnodes < REPORT_NODES);
    struct report_node *node = &r->node[r->nnodes++];
    *node = (struct report_node){.thread = thread};
    json_object(json);
    for (const char *key; (key = json_key(json));)
        if (strcmp(key, "name") == 0 && !json_null(json)) {
            report_string(json, node->name, sizeof node->name);
        } else if (strcmp(key, "calls") == 0) {
            node->calls = json_real(json);
        } else if (strcmp(key, "metrics") == 0) {
            json_array(json);
            for (int i = 0; json_element(json); i++) {
                CHECK(i < REPORT_METRICS);
                node->value[i] = json_null(json) ? NAN : json_real(json);
            }
        } else if (strcmp(key, "name") != 0) {
            json_skip(json);
        }
}

static inline void report_thread(struct json *json, struct report *r)
{
    int thread = -1;
    json_object(json);
    for (const char *key; (key = json_key(json));)
        if (strcmp(key, "thread") == 0) {
            thread = (int)json_uint(json, 1000);
        } else if (strcmp(key, "nodes") == 0) {
            json_array(json);
            while (json_element(json))
                report_node(json, r, thread);
        } else {
            json_skip(json);
        }
}

/* Write the report of the measurement so far, and read it. */
static inline struct report report_now(void)
{
    static struct report r;
    r = (struct report){0};
    CHECK_OK(GPTLpr(0));
    int fd = open("timing.0.json", O_RDONLY);
    struct json *json = json_new("test", "timing.0.json", fd);
    CHECK(json);
    json_object(json);
    for (const char *key; (key = json_key(json));)
        if (strcmp(key, "metrics") == 0) {
            json_array(json);
            while (json_element(json))
                report_metric(json, &r);
        } else if (strcmp(key, "threads") == 0) {
            json_array(json);
            while (json_element(json))
                report_thread(json, &r);
        } else if (strcmp(key, "refused") == 0) {
            json_array(json);
            for (; json_element(json); r.nrefused++)
                json_skip(json);
        } else {
            json_skip(json);
        }
    json_end(json);
    CHECK(!json_failed(json));
    json_free(json);
    close(fd);
    return r;
}

static inline int report_find(const struct report *r, const char *metric)
{
    for (int i = 0; i < r->nmetrics; i++)
        if (strcmp(r->metric[i].name, metric) == 0)
            return i;
    CHECK_THAT(0, "the report has no metric %s", metric);
    return -1;
}

static inline double report_value(const struct report *r, int thread, const char *node,
                                  const char *metric)
{
    int at = report_find(r, metric);
    for (int i = 0; i < r->nnodes; i++)
        if (r->node[i].thread == thread && strcmp(r->node[i].name, node) == 0)
            return r->node[i].value[at];
    CHECK_THAT(0, "thread %d has no node %s in the report", thread, node);
    return -1;
}

/*
 * 2 N instructions and a few before and after; N is a multiple of 10. The emulator is slowest at
 * branches, so there are few.
 */
static inline void report_work(uint64_t n)
{
    CHECK(n > 0 && n % 10 == 0);
#if defined(__aarch64__)
    n /= 10;
    __asm__ volatile("1: subs %0, %0, #1\n .rept 18\n nop\n .endr\n b.ne 1b" : "+r"(n) : : "cc");
#else
    while (n-- > 0)
        __asm__ volatile("");
#endif
}

#endif
