/* query.c - the query: metric and selection. */
#include "config.h"

#include "postproc/iostack/query.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "postproc/ioc/memory.h"

/* The first disk is from the paper: an IBM Ultrastar 36Z15 with 36.7 GB and 15,000 rpm. */
static const struct disk disks[] = {{"IBM36Z15", 13.5, 10.2}};

static const struct {
    const char *name;
    enum metric metric;
} metrics[] = {{"latency", METRIC_LATENCY},
               {"throughput", METRIC_THROUGHPUT},
               {"segment", METRIC_SEGMENT},
               {"nodes", METRIC_NODES},
               {"communication", METRIC_COMMUNICATION},
               {"energy", METRIC_ENERGY},
               {"accesses", METRIC_ACCESSES},
               {"power", METRIC_ENERGY},
               {"comm", METRIC_COMMUNICATION},
               {"bandwidth", METRIC_THROUGHPUT}};

enum { NNAMES = sizeof metrics / sizeof metrics[0] };

int metric_of(const char *name, size_t size)
{
    for (int i = 0; i < NNAMES; i++)
        if (strlen(metrics[i].name) == size && strncasecmp(metrics[i].name, name, size) == 0)
            return (int)metrics[i].metric;
    return -1;
}

const char *metric_name(enum metric metric)
{
    return metrics[metric].name;
}

void query_begin(struct query *query)
{
    *query = (struct query){.disk = disks[0]};
}

void query_free(struct query *query)
{
    free(query->calls.ranges);
    free(query->lines.ranges);
    for (int i = 0; i < NLAYERS; i++)
        free(query->of_layer[i].ranges);
}

void numbers_add(struct numbers *ranges, int64_t first, int64_t last)
{
    ranges->ranges =
        memory_room(ranges->ranges, &ranges->room, ranges->n + 1, sizeof *ranges->ranges);
    ranges->ranges[ranges->n++] = (struct number_range){first, last};
}

bool numbers_have(const struct numbers *ranges, int64_t number)
{
    for (size_t i = 0; i < ranges->n; i++)
        if (number >= ranges->ranges[i].first && number <= ranges->ranges[i].last)
            return true;
    return ranges->n == 0;
}

static bool take_number(const char **at, int64_t *number)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    *number = strtoll(*at, &end, 10);
    *at = end;
    return errno == 0;
}

size_t numbers_parse(struct numbers *ranges, const char *text)
{
    const char *at = text;
    int64_t first, last;
    if (*at == '*')
        return 1;
    for (;;) {
        const char *before = at;
        if (!take_number(&at, &first))
            return (size_t)(before - text);
        last = first;
        if (*at == '-') {
            const char *dash = at++;
            if (!take_number(&at, &last) || last < first)
                return (size_t)(dash - text);
        }
        numbers_add(ranges, first, last);
        if (*at != ',')
            return (size_t)(at - text);
        at++;
    }
}

/* ---- Disks --------------------------------------------------------------------------------- */

/* Parse a line "NAME ACTIVE IDLE", in watts. Returns false for other lines. */
static bool read_disk(const char *line, struct disk *disk)
{
    int end = 0;
    return sscanf(line, "%63s %lf %lf %n", disk->name, &disk->active, &disk->idle, &end) == 3 &&
           line[end] == '\0' && isfinite(disk->active) && isfinite(disk->idle) &&
           disk->active >= 0 && disk->idle >= 0;
}

/*
 * Find a disk in a file. Returns 1 if found, 0 if not, or -1 after a message if the file is
 * unreadable.
 */
static int find_in_file(struct disk *disk, const char *name, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512];
    int number = 0, result = 0;
    if (!file) {
        fprintf(stderr, "gptl iostack: %s: %s\n", path, strerror(errno));
        return -1;
    }
    while (result == 0 && fgets(line, sizeof line, file)) {
        struct disk here;
        number++;
        line[strcspn(line, "#\n")] = '\0';
        if (line[strspn(line, " \t\r")] == '\0')
            continue;
        if (!read_disk(line, &here)) {
            fprintf(stderr, "gptl iostack: %s:%d: expected NAME ACTIVE IDLE, the power in watts\n",
                    path, number);
            result = -1;
        } else if (!name || strcasecmp(here.name, name) == 0) {
            *disk = here;
            result = 1;
        }
    }
    fclose(file);
    return result;
}

bool query_of_energy(const struct query *query)
{
    return query->has_disk || query->metric == METRIC_ENERGY;
}

int query_take_disk(struct query *query, const char *name, const char *file)
{
    int found = file ? find_in_file(&query->disk, name, file) : 0;
    for (size_t i = 0; i < sizeof disks / sizeof disks[0] && found == 0 && name; i++)
        if (strcasecmp(disks[i].name, name) == 0) {
            query->disk = disks[i];
            found = 1;
        }
    if (found == 0)
        fprintf(stderr, "gptl iostack: there is no disk %s%s%s; --disk-table FILE has more\n",
                name ? name : "", file ? " in " : "", file ? file : "");
    query->has_disk = found == 1;
    return found == 1 ? 0 : -1;
}
