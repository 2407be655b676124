/* signature_read.c - streams signature.json into arrays and validates all input. */
#include "config.h"

#include "postproc/signature/signature_reading.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/read/name_pool.h"

void signature_no_memory(struct signature_reading *r)
{
    json_fail_whole(r->json, "there is no memory to read it");
}

void *signature_grow(struct signature_reading *r, void *array, size_t *room, size_t n, size_t more,
                     size_t size)
{
    if (n + more <= *room && array)
        return array;
    size_t larger = 2 * (n + more) + 16;
    void *grown = n < UINT32_MAX ? reallocarray(array, larger, size) : NULL;
    if (grown)
        *room = larger;
    else
        signature_no_memory(r);
    return grown;
}

/* Read a text, "" for null; the caller frees it. NULL after a message. */
static char *read_text(struct signature_reading *r)
{
    size_t length;
    if (json_failed(r->json))
        return NULL;
    if (json_null(r->json))
        return strdup("");
    char *text = json_string(r->json, &length);
    long decoded = name_decode(text, length);
    if (decoded < 0 || memchr(text, 0, (size_t)decoded))
        json_fail(r->json, "a text has a byte of 0 in it");
    if (json_failed(r->json))
        return NULL;
    char *kept = strndup(text, (size_t)decoded);
    if (!kept)
        signature_no_memory(r);
    return kept;
}

static void read_into(struct signature_reading *r, char **text)
{
    char *read = read_text(r);
    if (read) {
        free(*text);
        *text = read;
    }
}

static void read_texts(struct signature_reading *r, char ***texts, uint32_t *n, size_t *room)
{
    json_array(r->json);
    while (json_element(r->json)) {
        char *text = read_text(r);
        char **all = text ? signature_grow(r, *texts, room, *n, 1, sizeof *all) : NULL;
        if (!all) {
            free(text);
            return;
        }
        *texts = all;
        all[(*n)++] = text;
    }
}

void signature_begin_list(struct signature_reading *r, bool *has, const char *name)
{
    if (*has)
        json_fail(r->json, "\"%s\" is there twice", name);
    *has = true;
    json_array(r->json);
}

/* ---- Machines and classes ------------------------------------------------------------------ */

static void read_cache(struct signature_reading *r, struct signature_machine *machine)
{
    struct json *json = r->json;
    struct signature_cache cache = {0};
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "level") == 0)
            cache.level = (uint32_t)json_uint(json, UINT32_MAX);
        else if (strcmp(key, "bytes") == 0)
            cache.bytes = json_uint(json, (uint64_t)1 << 50);
        else if (strcmp(key, "line_bytes") == 0)
            cache.line_bytes = (uint32_t)json_uint(json, 1 << 20);
        else if (strcmp(key, "associativity") == 0)
            cache.associativity = (uint32_t)json_uint(json, UINT32_MAX);
        else
            json_skip(json);
    }
    if (machine->ncaches == SIGNATURE_LEVELS)
        json_fail(json, "a machine has more than %d caches", SIGNATURE_LEVELS);
    else
        machine->caches[machine->ncaches++] = cache;
}

static void read_machines(struct signature_reading *r)
{
    struct json *json = r->json;
    signature_begin_list(r, &r->has_machines, "machines");
    while (json_element(json)) {
        if (r->s->nmachines == SIGNATURE_MACHINES) {
            json_fail(json, "there are more than %d machines", SIGNATURE_MACHINES);
            return;
        }
        struct signature_machine *machine = &r->s->machines[r->s->nmachines++];
        const char *key;
        if (!(machine->name = strdup("")))
            signature_no_memory(r);
        json_object(json);
        while ((key = json_key(json))) {
            if (strcmp(key, "name") == 0)
                read_into(r, &machine->name);
            else if (strcmp(key, "line_bytes") == 0)
                machine->line_bytes = (uint32_t)json_uint(json, 1 << 20);
            else if (strcmp(key, "caches") == 0) {
                json_array(json);
                while (json_element(json))
                    read_cache(r, machine);
            } else
                json_skip(json);
        }
        r->s->first_found[r->s->nmachines - 1] = r->s->nfound;
        r->s->nfound += SIGNATURE_KINDS * (machine->ncaches + 1);
    }
}

static void read_ends(struct signature_reading *r)
{
    struct signature *s = r->s;
    signature_begin_list(r, &r->has_ends, "stride_bins_bytes");
    while (json_element(r->json)) {
        uint64_t end = json_uint(r->json, UINT64_MAX);
        if (s->nends == SIGNATURE_STRIDES || (s->nends > 0 && end <= s->ends[s->nends - 1])) {
            json_fail(r->json, "\"stride_bins_bytes\" has more than %d ends, or they do not rise",
                      SIGNATURE_STRIDES);
            return;
        }
        s->ends[s->nends++] = end;
    }
}

/* ---- Regions and functions ------------------------------------------------------------------ */

static void read_region(struct signature_reading *r)
{
    struct json *json = r->json;
    struct signature_region region = {0};
    uint32_t number = r->s->nregions;
    uint64_t id = number;
    bool has_parent = false;
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "id") == 0)
            id = json_uint(json, UINT32_MAX);
        else if (strcmp(key, "parent") == 0) {
            has_parent = !json_null(json);
            region.parent = has_parent ? (uint32_t)json_uint(json, UINT32_MAX) : 0;
        } else if (strcmp(key, "name") == 0)
            read_into(r, &region.name);
        else if (strcmp(key, "calls") == 0)
            region.calls = json_uint(json, UINT64_MAX);
        else
            json_skip(json);
    }
    if (id != number)
        json_fail(json, "region %u has another \"id\"", number);
    else if (has_parent != (number > 0) || (has_parent && region.parent >= number))
        json_fail(json, "region %u does not stand behind its parent", number);
    struct signature_region *all =
        signature_grow(r, r->s->regions, &r->regions, number, 1, sizeof *all);
    if (all)
        r->s->regions = all;
    if (!region.name && !json_failed(json) && !(region.name = strdup("")))
        signature_no_memory(r);
    if (!all || json_failed(json)) {
        free(region.name);
        return;
    }
    all[r->s->nregions++] = region;
}

static void read_function(struct signature_reading *r)
{
    struct json *json = r->json;
    struct signature_function *all =
        signature_grow(r, r->s->functions, &r->functions, r->s->nfunctions, 1, sizeof *all);
    const char *key;
    if (!all)
        return;
    r->s->functions = all;
    struct signature_function *function = &all[r->s->nfunctions++];
    *function = (struct signature_function){strdup(""), strdup(""), strdup("")};
    if (!function->name || !function->file || !function->module)
        signature_no_memory(r);
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "name") == 0)
            read_into(r, &function->name);
        else if (strcmp(key, "file") == 0)
            read_into(r, &function->file);
        else if (strcmp(key, "module") == 0)
            read_into(r, &function->module);
        else
            json_skip(json);
    }
}

/* ---- Document ------------------------------------------------------------------------------- */

static void read_sampling(struct signature_reading *r)
{
    struct json *json = r->json;
    const char *key;
    if (json_null(json))
        return;
    r->s->sampling.on = true;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "fraction") == 0)
            r->s->sampling.fraction = json_real(json);
        else if (strcmp(key, "error") == 0)
            r->s->sampling.error = json_null(json) ? -1 : json_real(json);
        else if (strcmp(key, "burst_blocks") == 0)
            r->s->sampling.burst_blocks = json_uint(json, UINT64_MAX);
        else
            json_skip(json);
    }
}

static void check_format(struct signature_reading *r)
{
    const char *format = json_string(r->json, NULL);
    r->has_format = true;
    if (strcmp(format, "gptl-signature") != 0)
        json_fail_whole(r->json, "its \"format\" is \"%.60s\", not \"gptl-signature\"", format);
}

static void check_version(struct signature_reading *r)
{
    uint64_t version = json_uint(r->json, UINT64_MAX);
    r->has_version = true;
    if (version < 1 || version > SIGNATURE_VERSION)
        json_fail_whole(r->json,
                        "this is a gptl-signature of version %llu; gptl " PACKAGE_VERSION
                        " reads version %d. Take the gptl that wrote it",
                        (unsigned long long)version, SIGNATURE_VERSION);
}

static bool read_head(struct signature_reading *r, const char *key)
{
    struct json *json = r->json;
    struct signature *s = r->s;
    if (strcmp(key, "format") == 0)
        check_format(r);
    else if (strcmp(key, "version") == 0)
        check_version(r);
    else if (strcmp(key, "program") == 0)
        read_into(r, &s->program);
    else if (strcmp(key, "command") == 0)
        read_texts(r, &s->command, &s->ncommand, &r->command);
    else if (strcmp(key, "host") == 0)
        read_into(r, &s->host);
    else if (strcmp(key, "rank") == 0)
        s->rank = json_null(json) ? -1 : (int32_t)json_uint(json, INT32_MAX);
    else if (strcmp(key, "ranks") == 0)
        s->nranks = (uint32_t)json_uint(json, UINT32_MAX);
    else if (strcmp(key, "threads") == 0)
        s->nthreads = (uint32_t)json_uint(json, UINT32_MAX);
    else if (strcmp(key, "complete") == 0)
        s->complete = json_bool(json);
    else if (strcmp(key, "calls_beyond_paths") == 0)
        s->calls_beyond_paths = json_uint(json, UINT64_MAX);
    else if (strcmp(key, "only_caches") == 0)
        s->only_caches = json_bool(json);
    else if (strcmp(key, "notes") == 0)
        read_texts(r, &s->notes, &s->nnotes, &r->notes);
    else
        return false;
    return true;
}

static void read_document(struct signature_reading *r)
{
    struct json *json = r->json;
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (read_head(r, key))
            continue;
        if (strcmp(key, "sampling") == 0)
            read_sampling(r);
        else if (strcmp(key, "machines") == 0)
            read_machines(r);
        else if (strcmp(key, "stride_bins_bytes") == 0)
            read_ends(r);
        else if (strcmp(key, "regions") == 0)
            for (signature_begin_list(r, &r->has_regions, "regions"); json_element(json);)
                read_region(r);
        else if (strcmp(key, "functions") == 0)
            for (signature_begin_list(r, &r->has_functions, "functions"); json_element(json);)
                read_function(r);
        else if (strcmp(key, "columns") == 0)
            signature_read_columns(r);
        else if (strcmp(key, "blocks") == 0)
            signature_read_blocks(r);
        else
            json_skip(json);
    }
    json_end(json);
    if (!r->has_format || !r->has_version || !r->has_blocks)
        json_fail_whole(json, "it has no \"%s\"; it is no signature that `gptl memsig` wrote",
                        !r->has_format    ? "format"
                        : !r->has_version ? "version"
                                          : "blocks");
}

static bool set_defaults(struct signature *s)
{
    s->rank = -1;
    s->nranks = s->nthreads = 1;
    s->complete = true;
    s->program = strdup("");
    s->host = strdup("");
    return s->program && s->host;
}

struct signature *signature_read(const char *who, const char *path)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        fprintf(stderr, "%s: %s: %s\n", who, path, strerror(errno));
        return NULL;
    }
    struct signature_reading r = {.json = json_new(who, is_stdin ? "stdin" : path, fd),
                                  .s = calloc(1, sizeof(struct signature))};
    bool done = false;
    if (!r.json || !r.s || !set_defaults(r.s)) {
        fprintf(stderr, "%s: %s: there is no memory to read it\n", who, path);
    } else {
        read_document(&r);
        done = !json_failed(r.json);
    }
    json_free(r.json);
    if (!is_stdin)
        close(fd);
    if (done)
        return r.s;
    signature_free(r.s);
    return NULL;
}
