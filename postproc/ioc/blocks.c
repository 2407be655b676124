/*
 * blocks.c - iterates over the blocks of a section. The block after a damaged one starts at the
 * position that its size implies, unless no block can begin there: then it is found by its
 * checksum.
 */
#include "config.h"

#include "postproc/ioc/blocks.h"

#include <string.h>

#include "postproc/ioc/crc.h"

/* Limit of the content bytes searched per section. */
#define MOST_SEARCHED ((uint64_t)256 << 20)
enum { MOST_TYPE = 255, PIECE = 1 << 16 };
#define MOST_CONTENT ((uint64_t)1 << 30) /* of a block that is loaded as a whole */

void blocks_begin(struct blocks *blocks, struct log *log, struct log_section *section,
                  struct window *window)
{
    *blocks = (struct blocks){.log = log, .section = section, .window = window};
    blocks->next = section->at + section->header.header_size;
    blocks->search = MOST_SEARCHED;
}

static uint64_t after(uint64_t at, uint64_t size)
{
    return at + size + (0 - size) % GPTL_IOC_ALIGN;
}

/* Return whether a block can begin at AT and end within the section. */
static bool head_at(struct blocks *blocks, uint64_t at)
{
    struct gptl_ioc_block head;
    const void *bytes = window_at(blocks->window, at, sizeof head);
    if (!bytes)
        return false;
    memcpy(&head, bytes, sizeof head);
    uint64_t content = at + sizeof head;
    if (head.type < 1 || head.type > MOST_TYPE || content > blocks->section->end ||
        head.size > blocks->section->end - content)
        return false;
    blocks->type = head.type;
    blocks->crc = head.crc;
    blocks->at = content;
    blocks->size = head.size;
    return true;
}

static bool is_right(struct blocks *blocks)
{
    struct gptl_ioc_block head = {blocks->type, 0, blocks->size};
    uint32_t crc = crc_of(0, &head, sizeof head);
    for (uint64_t done = 0; done < blocks->size;) {
        size_t piece = blocks->size - done < PIECE ? (size_t)(blocks->size - done) : PIECE;
        const void *bytes = window_at(blocks->window, blocks->at + done, piece);
        if (!bytes)
            return false;
        crc = crc_of(crc, bytes, piece);
        done += piece;
    }
    return crc == blocks->crc;
}

/* Find the next block from AT on with a correct checksum. */
static bool find(struct blocks *blocks, uint64_t at)
{
    for (; at < blocks->section->end && blocks->search > 0; at += GPTL_IOC_ALIGN) {
        if (!head_at(blocks, at) || blocks->type > GPTL_IOC_CHUNK || blocks->size == 0)
            continue;
        uint64_t cost = blocks->size < blocks->search ? blocks->size : blocks->search;
        blocks->search -= cost;
        if (is_right(blocks))
            return true;
    }
    return false;
}

static void add_damage(struct blocks *blocks, uint64_t to, const char *what)
{
    if (!blocks->section->checked && to > blocks->next)
        log_add_damage(blocks->log, blocks->section->source, blocks->next, to - blocks->next, what);
}

bool blocks_next(struct blocks *blocks)
{
    uint64_t end = blocks->section->end;
    if (blocks->next >= end || blocks->seen >= blocks->section->header.nblocks)
        return false;
    if (!head_at(blocks, blocks->next)) {
        bool found = find(blocks, blocks->next);
        bool cut = !found && end == blocks->window->end;
        add_damage(blocks, found ? blocks->at - sizeof(struct gptl_ioc_block) : end,
                   cut ? "the file ends within a block" : "damaged blocks");
        if (!found) {
            blocks->next = end;
            return false;
        }
    }
    blocks->next = after(blocks->at, blocks->size);
    blocks->seen++;
    return true;
}

bool blocks_check(struct blocks *blocks)
{
    if (is_right(blocks))
        return true;
    struct blocks bad = *blocks;
    uint64_t next = bad.next;
    blocks->next = bad.at - sizeof(struct gptl_ioc_block);
    /* The damage may be in its size. */
    if (next < bad.section->end && !(head_at(blocks, next) && is_right(blocks)) &&
        find(blocks, blocks->next + GPTL_IOC_ALIGN))
        next = blocks->at - sizeof(struct gptl_ioc_block);
    add_damage(blocks, next < bad.section->end ? next : bad.section->end, "a damaged block");
    blocks->next = next;
    return false;
}

const unsigned char *blocks_content(struct blocks *blocks)
{
    static const unsigned char nothing[1];
    if (blocks->size > MOST_CONTENT || !blocks_check(blocks))
        return NULL;
    return blocks->size == 0 ? nothing : window_at(blocks->window, blocks->at, blocks->size);
}
