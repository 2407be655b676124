/*
 * speed.c - computing speed of the other machine by region, from a prediction. A region missing in
 * the prediction uses its nearest predicted ancestor.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/ioc/memory.h"
#include "postproc/net/net.h"
#include "postproc/read/json_read.h"

struct predicted {
    char *name;
    size_t length;
    uint64_t parent;
    double seconds, base; /* inclusive, of all calls */
    double factor;        /* of its exclusive time; NAN: undefined */
};

struct prediction {
    struct predicted *region; /* [0] is the root */
    size_t n, room;
    double speed; /* overall; 0: undefined */
};

/* ---- The file ------------------------------------------------------------------------------ */

static double number_or_nan(struct json *json)
{
    return json_null(json) ? (double)NAN : json_real(json);
}

static void read_region(struct json *json, struct prediction *p)
{
    struct predicted one = {.seconds = NAN, .base = NAN, .factor = NAN};
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "parent") == 0)
            one.parent = json_null(json) ? 0 : json_uint(json, UINT32_MAX);
        else if (strcmp(key, "name") == 0) {
            const char *name = json_string(json, &one.length);
            free(one.name);
            one.name = memory_zeros(one.length + 1, 1);
            memcpy(one.name, name, one.length);
        } else if (strcmp(key, "seconds") == 0)
            one.seconds = number_or_nan(json);
        else if (strcmp(key, "base_seconds") == 0)
            one.base = number_or_nan(json);
        else
            json_skip(json);
    }
    if (!one.name)
        one.name = memory_zeros(1, 1);
    if (one.parent > p->n || (p->n && one.parent == p->n))
        json_fail(json, "a region stands before its parent");
    p->region = memory_room(p->region, &p->room, p->n + 1, sizeof *p->region);
    p->region[p->n++] = one;
}

static void read_ratio(struct json *json, struct prediction *p)
{
    const char *key;
    if (json_null(json))
        return;
    json_object(json);
    while ((key = json_key(json)))
        if (strcmp(key, "value") == 0)
            p->speed = number_or_nan(json);
        else
            json_skip(json);
}

static void read_prediction(struct json *json, struct prediction *p)
{
    const char *key;
    bool known = false;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "format") == 0)
            known = strcmp(json_string(json, NULL), "gptl-prediction") == 0;
        else if (strcmp(key, "version") == 0) {
            if (json_uint(json, UINT32_MAX) != 1)
                json_fail(json, "is of a version that this program does not know");
        } else if (strcmp(key, "ratio") == 0)
            read_ratio(json, p);
        else if (strcmp(key, "regions") == 0) {
            json_array(json);
            while (json_element(json))
                read_region(json, p);
        } else
            json_skip(json);
    }
    json_end(json);
    if (!known)
        json_fail_whole(json, "is no prediction of `gptl predict`");
    else if (p->n == 0 || !(p->speed > 0))
        json_fail_whole(json, "compares no two machines: `gptl predict --base` does");
}

/* Compute the factors from exclusive times: inclusive times less the children's. */
static void find_factors(struct prediction *p)
{
    double *own = memory_zeros(2 * p->n, sizeof *own), *base = own + p->n;
    for (size_t i = 0; i < p->n; i++) {
        own[i] += p->region[i].seconds;
        base[i] += p->region[i].base;
        if (i > 0) {
            own[p->region[i].parent] -= p->region[i].seconds;
            base[p->region[i].parent] -= p->region[i].base;
        }
    }
    for (size_t i = 0; i < p->n; i++)
        if (own[i] > 0 && base[i] > 0)
            p->region[i].factor = own[i] / base[i];
    free(own);
}

/* ---- The traces ---------------------------------------------------------------------------- */

static const struct predicted *regions_compared; /* qsort lacks a context argument */

static int by_name(const struct predicted *a, size_t parent, const char *name, size_t length)
{
    if (a->parent != parent)
        return a->parent < parent ? -1 : 1;
    size_t n = a->length < length ? a->length : length;
    int order = memcmp(a->name, name, n);
    return order ? order : (a->length > length) - (a->length < length);
}

static int compare(const void *x, const void *y)
{
    const struct predicted *a = &regions_compared[*(const size_t *)x];
    const struct predicted *b = &regions_compared[*(const size_t *)y];
    return by_name(a, b->parent, b->name, b->length);
}

/* Return the region NAME below PARENT, or 0. */
static size_t find(const struct prediction *p, const size_t *order, size_t parent,
                   const struct trace_region *name)
{
    size_t low = 1, high = p->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int sign = by_name(&p->region[order[middle]], parent, name->name, name->length);
        if (sign == 0)
            return order[middle];
        if (sign < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static void match(struct speed *speed, const struct prediction *p, const size_t *order,
                  const struct trace_thread *thread, double *factor)
{
    size_t *place = memory_zeros(thread->nregions, sizeof *place);
    bool *known = memory_zeros(thread->nregions, sizeof *known);
    known[0] = true;
    factor[0] = isnan(p->region[0].factor) ? 1 / p->speed : p->region[0].factor;
    for (size_t i = 1; i < thread->nregions; i++) {
        const struct trace_region *one = &thread->region[i];
        place[i] = known[one->parent] && one->name ? find(p, order, place[one->parent], one) : 0;
        known[i] = place[i] != 0;
        factor[i] = known[i] && !isnan(p->region[place[i]].factor) ? p->region[place[i]].factor
                    : known[i] || one->parent == 0                 ? 1 / p->speed
                                                                   : factor[one->parent];
        speed->unmatched += !known[i] && one->ns > 0;
    }
    free(known);
    free(place);
}

int speed_of_prediction(struct speed *speed, const char *path, struct trace *const *traces,
                        int ranks)
{
    struct prediction p = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct json *json = fd >= 0 ? json_new(NET_WHO, path, fd) : NULL;
    if (!json) {
        fprintf(stderr, NET_WHO ": %s: %s\n", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    read_prediction(json, &p);
    bool failed = json_failed(json);
    json_free(json);
    close(fd);
    if (!failed) {
        find_factors(&p);
        size_t *order = memory_zeros(p.n, sizeof *order), room = 0;
        for (size_t i = 0; i < p.n; i++)
            order[i] = i;
        regions_compared = p.region;
        qsort(order + 1, p.n - 1, sizeof *order, compare);
        for (int r = 0; r < ranks; r++)
            for (size_t t = 0; t < traces[r]->nthreads; t++) {
                size_t n = traces[r]->thread[t].nregions;
                speed->factors =
                    memory_room(speed->factors, &room, speed->n + n, sizeof *speed->factors);
                match(speed, &p, order, &traces[r]->thread[t], speed->factors + speed->n);
                speed->n += n;
            }
        free(order);
    }
    for (size_t i = 0; i < p.n; i++)
        free(p.region[i].name);
    free(p.region);
    return failed ? -1 : 0;
}
