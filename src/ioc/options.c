/*
 * options.c - reads the environment variable GPTL_IO, in the grammar of GPTL_OPTIONS:
 * `path=FILE;memory=64M;detail=on;sockets=on;full=write;salvage=on;salvage.dir=FOLDER`.
 */
#include "config.h"

#include "ioc/options.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/pairs.h"
#include "core/rundir.h"
#include "ioc/log.h"
#include "posix/raw.h"
#include "posix/say.h"

struct gptl_ioc_options gptl_ioc_options = {.path = "ioc.log", .memory = (uint64_t)64 << 20};

static bool is_word(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcasecmp(text, *words) == 0)
            return true;
    return false;
}

static bool read_bool(const char *text, bool *value)
{
    static const char *const yes[] = {"1", "on", "yes", "true", NULL};
    static const char *const no[] = {"0", "off", "no", "false", NULL};
    bool on = is_word(text, yes);
    if (on || is_word(text, no))
        *value = on;
    return on || is_word(text, no);
}

static bool read_bytes(const char *text, uint64_t *value)
{
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    const char *units = "kmg", *unit = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
    if (end == text || *text == '-' || (*end && (!unit || end[1])) || n > UINT64_MAX >> 31)
        return false;
    n <<= unit ? 10 * (unit - units + 1) : 0;
    if (n < (1u << 16) || n > (uint64_t)1 << 46)
        return false;
    *value = n;
    return true;
}

/* Set the option KEY. Return a description of the allowed values, or NULL on success. */
static const char *set(const char *key, const char *value)
{
    struct gptl_ioc_options *o = &gptl_ioc_options;
    if (strcmp(key, "path") == 0) {
        if (!*value)
            return "the name of a file";
        strcpy(o->path, value); /* both have the size of a pair's value */
        return NULL;
    }
    if (strcmp(key, "memory") == 0)
        return read_bytes(value, &o->memory)
                   ? NULL
                   : "a number of bytes from 64K, with K, M or G behind it";
    if (strcmp(key, "detail") == 0)
        return read_bool(value, &o->detail) ? NULL : "on or off";
    if (strcmp(key, "sockets") == 0)
        return read_bool(value, &o->sockets) ? NULL : "on or off";
    if (strcmp(key, "salvage") == 0)
        return read_bool(value, &o->salvage) ? NULL : "on or off";
    if (strcmp(key, "salvage.dir") == 0) {
        strcpy(o->salvage_dir, value);
        return NULL;
    }
    if (strcmp(key, "run.dir") == 0) { /* the directory of a `gptl run`, which sets it */
        o->is_locked_out = *value && !gptl_rundir_find(value, o->run_dir);
        o->salvage &= *o->run_dir != '\0';
        gptl_posix_say_once(o->run_dir);
        return NULL;
    }
    if (strcmp(key, "full") == 0) {
        o->full_write = strcmp(value, "write") == 0;
        return o->full_write || strcmp(value, "overwrite") == 0 ? NULL : "overwrite or write";
    }
    return "path, memory, detail, sockets, full, salvage or salvage.dir";
}

static void make_absolute(char *path)
{
    char here[sizeof gptl_ioc_options.path];
    if (*path == '/')
        return;
    long n = gptl_kernel_call(SYS_getcwd, here, sizeof here);
    size_t length = strlen(path);
    if (n <= 1 || here[0] != '/' || (size_t)n + length + 1 > sizeof here)
        return;
    memmove(path + n, path, length + 1);
    memcpy(path, here, (size_t)n - 1);
    path[n - 1] = '/';
}

static_assert(sizeof gptl_ioc_options.run_dir >= PATH_MAX, "a directory is a path");
static_assert(sizeof gptl_ioc_options.path >= GPTL_PAIR_VALUE &&
                  sizeof gptl_ioc_options.salvage_dir >= GPTL_PAIR_VALUE,
              "a path is a pair's value");

void gptl_ioc_read_options(char **environment)
{
    static struct gptl_pair pair;
    const char *text = NULL;
    for (; environment && *environment; environment++)
        if (strncmp(*environment, "GPTL_IO=", 8) == 0)
            text = *environment + 8;
    while (text && (text = gptl_pair_next(text, &pair))) {
        if (pair.unclosed) {
            gptl_ioc_say("GPTL_IO: a quote is not closed in: ", pair.unclosed, "", "");
            break;
        }
        const char *allowed = set(pair.key, pair.value);
        if (allowed)
            gptl_ioc_say("GPTL_IO: ", pair.key, " cannot be that; there may stand ", allowed);
    }
    make_absolute(gptl_ioc_options.path);
    if (*gptl_ioc_options.run_dir)
        strcpy(gptl_ioc_options.salvage_dir, gptl_ioc_options.run_dir);
    if (*gptl_ioc_options.salvage_dir)
        make_absolute(gptl_ioc_options.salvage_dir);
}
