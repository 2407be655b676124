/* name_pool.c - unique names in a hash table with open addressing. */
#include "config.h"

#include "postproc/read/name_pool.h"

#include <stdlib.h>
#include <string.h>

/* ---- Encoded names ------------------------------------------------------------------------- */

static int digit_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

long name_decode(char *text, size_t length)
{
    char *to = text;
    if (memchr(text, '\0', length))
        return -1;
    for (size_t i = 0; i < length; i++) {
        bool escape = text[i] == '\\' && length - i >= 4 && text[i + 1] == 'x' &&
                      digit_value(text[i + 2]) >= 0 && digit_value(text[i + 3]) >= 0;
        char c = text[i];
        if (escape) {
            c = (char)(digit_value(text[i + 2]) << 4 | digit_value(text[i + 3]));
            i += 3;
        }
        if (c == '\0')
            return -1;
        *to++ = c;
    }
    *to = '\0';
    return to - text;
}

/* ---- Pool ---------------------------------------------------------------------------------- */

/* Return the FNV-1a hash of the name, the function and the kind. */
static uint32_t hash_of(const char *text, size_t length, uint32_t function, uint32_t kind)
{
    uint64_t h = 0xcbf29ce484222325u ^ function ^ (uint64_t)kind << 32;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    return (uint32_t)(h ^ h >> 32);
}

static bool grow(struct name_pool *pool)
{
    uint32_t room = pool->room ? 2 * pool->room : 64;
    if (pool->room > UINT32_MAX / 8)
        return false;
    struct pool_name *names = realloc(pool->names, room * sizeof *names);
    if (!names)
        return false;
    pool->names = names;
    uint32_t *slots = calloc(2 * (size_t)room, sizeof *slots);
    if (!slots)
        return false;
    free(pool->slots);
    pool->slots = slots;
    pool->mask = 2 * room - 1;
    pool->room = room;
    for (uint32_t i = 0; i < pool->nnames; i++) {
        uint32_t at = pool->names[i].hash & pool->mask;
        while (slots[at])
            at = (at + 1) & pool->mask;
        slots[at] = i + 1;
    }
    return true;
}

static bool is_same(const struct pool_name *name, const char *text, size_t length, uint32_t hash,
                    bool is_function, uint32_t region, uint32_t kind, uint32_t nfunctions)
{
    if (name->hash != hash || name->kind != kind || strncmp(name->text, text, length) != 0 ||
        name->text[length])
        return false;
    return is_function ? name->region == region : name->region > nfunctions;
}

const char *name_pool_add(struct name_pool *pool, const char *text, size_t length,
                          uint32_t function, uint32_t kind, uint32_t *region)
{
    bool is_function = function != NO_FUNCTION;
    uint32_t hash = hash_of(text, length, function, kind);
    if (pool->nnames == pool->room && !grow(pool))
        return NULL;
    uint32_t at = hash & pool->mask;
    for (; pool->slots[at]; at = (at + 1) & pool->mask) {
        const struct pool_name *name = &pool->names[pool->slots[at] - 1];
        if (is_same(name, text, length, hash, is_function, function + 1, kind, pool->nfunctions)) {
            *region = name->region;
            return name->text;
        }
    }
    char *kept = gptl_report_keep(&pool->memory, text, length);
    if (!kept)
        return NULL;
    *region = is_function ? function + 1 : pool->nfunctions + ++pool->nothers;
    pool->names[pool->nnames++] = (struct pool_name){kept, hash, *region, kind};
    pool->slots[at] = pool->nnames;
    return kept;
}

static bool add_copy(struct name_pool *pool, struct gptl_copy *copy, bool set)
{
    for (uint32_t i = 1; i < copy->nnodes; i++) {
        struct gptl_node_copy *node = &copy->nodes[i];
        uint32_t function = node->region <= pool->nfunctions ? node->region - 1 : NO_FUNCTION;
        uint32_t region;
        const char *name =
            name_pool_add(pool, node->name, strlen(node->name), function, node->kind, &region);
        if (!name)
            return false;
        if (set) {
            node->name = name;
            node->region = region;
        }
    }
    return true;
}

bool name_pool_shrink(struct name_pool *pool, struct gptl_copy *copies, int ncopies)
{
    struct name_pool fresh = {.nfunctions = pool->nfunctions};
    for (int i = 0; i < ncopies; i++)
        if (!add_copy(&fresh, &copies[i], false)) {
            name_pool_free(&fresh);
            return false;
        }
    for (int i = 0; i < ncopies; i++)
        add_copy(&fresh, &copies[i], true);
    name_pool_free(pool);
    *pool = fresh;
    return true;
}

void name_pool_free(struct name_pool *pool)
{
    free(pool->names);
    free(pool->slots);
    gptl_report_free(&pool->memory);
    *pool = (struct name_pool){0};
}
