/*
 * plan.c - writes a section from a ring.
 *
 * Threads may continue to record. The number of records of each chunk is determined first; records
 * added after that belong to the next section.
 */
#include "config.h"

#include "ioc/plan.h"

#include <string.h>

#include "posix/raw.h"

enum { USED_BYTES = GPTL_IOC_MOST_CALLS / 8 };

static size_t size_of(const struct gptl_ioc_ring *ring)
{
    return ring->nslots * sizeof(struct gptl_ioc_piece) + USED_BYTES;
}

bool gptl_ioc_plan_begin(struct gptl_ioc_plan *plan, const struct gptl_ioc_ring *ring)
{
    char *memory = gptl_raw_pages(size_of(ring));
    *plan = (struct gptl_ioc_plan){.ring = ring};
    if (!memory)
        return false;
    plan->used = (unsigned char *)memory;
    plan->pieces = (struct gptl_ioc_piece *)(memory + USED_BYTES);
    return true;
}

void gptl_ioc_plan_free(struct gptl_ioc_plan *plan)
{
    gptl_raw_free(plan->used, size_of(plan->ring));
}

static void add(struct gptl_ioc_plan *plan, uint32_t slot)
{
    const struct gptl_ioc_record *first;
    struct gptl_ioc_record start;
    uint32_t n = gptl_ioc_ring_new(plan->ring, slot, &first, &start);
    if (n == 0)
        return;
    struct gptl_ioc_piece *p = &plan->pieces[plan->n++];
    *p = (struct gptl_ioc_piece){slot, n, gptl_ioc_type(first) != GPTL_IOC_START};
    plan->bytes += sizeof(struct gptl_ioc_block) + (n + p->has_start) * sizeof *first;
    for (uint32_t i = 0; i < n; i++) {
        plan->calls += gptl_ioc_type(&first[i]) <= GPTL_IOC_OTHER;
        if (gptl_ioc_type(&first[i]) == GPTL_IOC_EXTENSION &&
            gptl_ioc_kind(&first[i]) <= GPTL_IOC_AT &&
            gptl_ioc_value(&first[i]) < GPTL_IOC_MOST_CALLS)
            plan->used[gptl_ioc_value(&first[i]) / 8] |=
                (unsigned char)(1 << gptl_ioc_value(&first[i]) % 8);
    }
}

/*
 * Add the chunks in the order in which they were taken. Chunks taken concurrently must not change
 * the order. Unused slots are not read, because that would allocate their pages in each small
 * process.
 */
void gptl_ioc_plan_all(struct gptl_ioc_plan *plan, uint64_t next)
{
    uint32_t n = plan->ring->nslots;
    for (uint32_t i = 0; i < n && i < next; i++)
        add(plan, (uint32_t)((next > n ? next + i : i) % n));
}

/* Return the number of the file in R, or 0. */
static uint32_t file_of(const struct gptl_ioc_record *r)
{
    switch (gptl_ioc_type(r)) {
    case GPTL_IOC_OPEN:
    case GPTL_IOC_CREAT:
        return (uint32_t)r->data;
    case GPTL_IOC_EXTENSION:
        switch (gptl_ioc_kind(r)) {
        case GPTL_IOC_FILE:
        case GPTL_IOC_FOUND:
        case GPTL_IOC_MADE:
            return (uint32_t)r->data;
        default:
            return 0;
        }
    default:
        return 0;
    }
}

void gptl_ioc_plan_files(const struct gptl_ioc_plan *plan, unsigned char *used, uint32_t newest)
{
    for (uint32_t i = 0; i < plan->n; i++) {
        const struct gptl_ioc_record *first;
        struct gptl_ioc_record start;
        gptl_ioc_ring_new(plan->ring, plan->pieces[i].slot, &first, &start);
        for (uint32_t k = 0; k < plan->pieces[i].n; k++) {
            uint32_t file = file_of(&first[k]);
            if (file <= newest)
                used[file / 8] |= (unsigned char)(1 << file % 8);
        }
    }
}

void gptl_ioc_plan_sizes(const struct gptl_ioc_plan *plan, const struct gptl_ioc_text *text,
                         struct gptl_ioc_header *header)
{
    header->section_size = sizeof *header + text->used + plan->bytes;
    header->nblocks = text->nblocks + plan->n;
    header->calls = plan->calls;
}

static void write_piece(struct gptl_ioc_log *log, const struct gptl_ioc_ring *ring,
                        const struct gptl_ioc_piece *p)
{
    struct gptl_ioc_record copy[GPTL_IOC_CHUNK_RECORDS + 1];
    const struct gptl_ioc_record *first;
    uint32_t n = p->n + p->has_start;
    gptl_ioc_ring_new(ring, p->slot, &first, &copy[0]);
    memcpy(&copy[p->has_start], first, p->n * sizeof *first);
    struct gptl_ioc_block head = {GPTL_IOC_CHUNK, 0, n * sizeof *copy};
    head.crc = gptl_ioc_block_crc(&head, copy);
    gptl_ioc_log_put(log, &head, sizeof head);
    gptl_ioc_log_put(log, copy, head.size);
}

void gptl_ioc_plan_write(const struct gptl_ioc_plan *plan, const struct gptl_ioc_text *text,
                         struct gptl_ioc_header *header, struct gptl_ioc_log *log)
{
    if (log->lock_errno)
        header->flags |= GPTL_IOC_UNLOCKED;
    header->lock_errno = (uint32_t)log->lock_errno;
    header->crc = 0;
    header->crc = gptl_ioc_crc(0, header, sizeof *header);
    gptl_ioc_log_put(log, header, sizeof *header);
    gptl_ioc_log_put(log, text->bytes, text->used);
    for (uint32_t i = 0; i < plan->n; i++)
        write_piece(log, plan->ring, &plan->pieces[i]);
}
