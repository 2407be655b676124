/* text.c - growing memory in which the blocks of a section are built. */
#include "config.h"

#include "ioc/text.h"

#include <string.h>

#include "ioc/log.h"
#include "posix/raw.h"

uint32_t gptl_ioc_block_crc(const struct gptl_ioc_block *head, const void *content)
{
    struct gptl_ioc_block own = {head->type, 0, head->size};
    return gptl_ioc_crc(gptl_ioc_crc(0, &own, sizeof own), content, head->size);
}

void gptl_ioc_text_put(struct gptl_ioc_text *t, const void *bytes, size_t size)
{
    if (t->failed || size == 0)
        return;
    if (t->used + size > t->size) {
        size_t larger = t->size * 2 > t->used + size + 65536 ? t->size * 2 : t->used + size + 65536;
        char *fresh = gptl_raw_pages(larger);
        if (!fresh) {
            t->failed = true;
            return;
        }
        if (t->bytes) {
            memcpy(fresh, t->bytes, t->used);
            gptl_raw_free(t->bytes, t->size);
        }
        t->bytes = fresh;
        t->size = larger;
    }
    memcpy(t->bytes + t->used, bytes, size);
    t->used += size;
}

void gptl_ioc_text_pad(struct gptl_ioc_text *t, size_t to)
{
    static const char zeros[GPTL_IOC_ALIGN];
    gptl_ioc_text_put(t, zeros, (to - t->used % to) % to);
}

void gptl_ioc_text_begin(struct gptl_ioc_text *t, enum gptl_ioc_block_type type)
{
    struct gptl_ioc_block head = {type, 0, 0};
    t->block = t->used;
    gptl_ioc_text_put(t, &head, sizeof head);
}

void gptl_ioc_text_end(struct gptl_ioc_text *t)
{
    struct gptl_ioc_block head;
    if (t->failed)
        return;
    char *content = t->bytes + t->block + sizeof head;
    memcpy(&head, t->bytes + t->block, sizeof head);
    head.size = t->used - t->block - sizeof head;
    head.crc = gptl_ioc_block_crc(&head, content);
    memcpy(t->bytes + t->block, &head, sizeof head);
    gptl_ioc_text_pad(t, GPTL_IOC_ALIGN);
    t->nblocks++;
}

void gptl_ioc_text_name(struct gptl_ioc_text *t, uint32_t number, uint32_t parent, const char *name)
{
    struct gptl_ioc_name head = {number, parent, (uint32_t)strlen(name), 0};
    gptl_ioc_text_put(t, &head, sizeof head);
    gptl_ioc_text_put(t, name, head.size);
    gptl_ioc_text_pad(t, 8);
}

void gptl_ioc_text_pair(struct gptl_ioc_text *t, const char *key, const char *value, size_t size)
{
    gptl_ioc_text_put(t, key, strlen(key));
    gptl_ioc_text_put(t, "=", 1);
    gptl_ioc_text_put(t, value, size);
    gptl_ioc_text_put(t, "", 1);
}

void gptl_ioc_text_free(struct gptl_ioc_text *t)
{
    if (t->bytes)
        gptl_raw_free(t->bytes, t->size);
    *t = (struct gptl_ioc_text){0};
}
