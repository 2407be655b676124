/* predicted_read.c - reads prediction.json and validates all input. */
#include "config.h"

#include "postproc/predict/predicted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/ioc/memory.h"
#include "postproc/read/json_read.h"
#include "postproc/read/name_pool.h"

enum { FORMAT_VERSION = 1 };

/* Read a text that the caller frees; "" after an error. */
static char *read_text(struct json *json)
{
    size_t length;
    char *text = json_string(json, &length);
    long decoded = name_decode(text, length);
    if (decoded < 0)
        json_fail(json, "a name has a byte of 0 in it");
    if (decoded < 0 || json_failed(json))
        return memory_text("");
    char *kept = memory_zeros((size_t)decoded + 1, 1);
    memcpy(kept, text, (size_t)decoded);
    return kept;
}

static double read_seconds(struct json *json)
{
    double seconds = json_null(json) ? 0 : json_real(json);
    if (!json_failed(json) && !(seconds >= 0))
        json_fail(json, "a time must not be below 0");
    return seconds;
}

/* Read a region. NUMBER is its index in the list and must equal its id. */
static void read_region(struct json *json, struct predicted_region *region, uint32_t number)
{
    const char *key;
    bool has_parent = false;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "id") == 0) {
            if (json_uint(json, UINT32_MAX) != number && !json_failed(json))
                json_fail(json, "the id of this region is not its place in the list");
        } else if (strcmp(key, "parent") == 0) {
            has_parent = !json_null(json);
            region->parent = has_parent ? (uint32_t)json_uint(json, UINT32_MAX) : 0;
        } else if (strcmp(key, "name") == 0) {
            free(region->name);
            region->name = read_text(json);
        } else if (strcmp(key, "seconds") == 0) {
            region->seconds = read_seconds(json);
        } else if (strcmp(key, "base_seconds") == 0) {
            region->base_seconds = read_seconds(json);
        } else {
            json_skip(json);
        }
    }
    if (json_failed(json))
        return;
    if (!region->name)
        json_fail(json, "this region has no name");
    else if (has_parent != (number > 0) || region->parent > number ||
             (number > 0 && region->parent == number))
        json_fail(json, "the parent of this region does not stand before it");
}

static void read_regions(struct json *json, struct predicted *predicted)
{
    size_t room = predicted->nregions;
    json_array(json);
    while (json_element(json)) {
        uint32_t n = predicted->nregions;
        if (n == PREDICTED_NONE) {
            json_fail(json, "these are more regions than there may be");
            return;
        }
        predicted->regions =
            memory_room(predicted->regions, &room, (size_t)n + 1, sizeof *predicted->regions);
        predicted->regions[n] = (struct predicted_region){.name = NULL};
        predicted->nregions++;
        read_region(json, &predicted->regions[n], n);
    }
}

static void read_sampling(struct json *json, struct predicted *predicted)
{
    const char *key;
    if (json_null(json))
        return;
    json_object(json);
    while ((key = json_key(json)))
        if (strcmp(key, "doubtful") == 0)
            predicted->doubtful = json_bool(json);
        else
            json_skip(json);
}

static void read_all(struct json *json, struct predicted *predicted)
{
    const char *key;
    bool is_format = false;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "format") == 0) {
            is_format = strcmp(json_string(json, NULL), "gptl-prediction") == 0;
        } else if (strcmp(key, "version") == 0) {
            uint64_t version = json_uint(json, UINT32_MAX);
            if (!json_failed(json) && version != FORMAT_VERSION)
                json_fail_whole(json, "a prediction of version %llu; this program reads version %d",
                                (unsigned long long)version, FORMAT_VERSION);
        } else if (strcmp(key, "machine") == 0) {
            free(predicted->machine);
            predicted->machine = read_text(json);
        } else if (strcmp(key, "sampling") == 0) {
            read_sampling(json, predicted);
        } else if (strcmp(key, "regions") == 0 && predicted->nregions == 0) {
            read_regions(json, predicted);
        } else {
            json_skip(json);
        }
    }
    json_end(json);
    if (!json_failed(json) && (!is_format || !predicted->machine || predicted->nregions == 0))
        json_fail_whole(json, "this is no prediction, as `gptl predict --json` writes it");
}

int predicted_read(struct predicted *predicted, const char *who, const char *path)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    *predicted = (struct predicted){.machine = NULL};
    if (fd < 0) {
        fprintf(stderr, "%s: %s: %s\n", who, path, strerror(errno));
        return -1;
    }
    struct json *json = json_new(who, path, fd);
    int result = -1;
    if (json) {
        read_all(json, predicted);
        result = json_failed(json) ? -1 : 0;
    } else {
        fprintf(stderr, "%s: %s: there is no memory to read it\n", who, path);
    }
    json_free(json);
    if (!is_stdin)
        close(fd);
    return result;
}

void predicted_free(struct predicted *predicted)
{
    for (uint32_t i = 0; i < predicted->nregions; i++)
        free(predicted->regions[i].name);
    free(predicted->regions);
    free(predicted->machine);
}
