/* section.c - reads the contents of a section except its records. */
#include "config.h"

#include "postproc/ioc/section.h"

#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/blocks.h"
#include "postproc/ioc/memory.h"

/* ---- Blocks of names ----------------------------------------------------------------------- */

static char *text_of(const unsigned char *bytes, size_t size)
{
    char *text = memory_zeros(size + 1, 1);
    memcpy(text, bytes, size);
    return text;
}

static size_t padded(size_t size)
{
    return (size + 7) / 8 * 8;
}

static void add_name(struct section_name **names, size_t *n, size_t *room,
                     const struct gptl_ioc_name *head, const unsigned char *text)
{
    *names = memory_room(*names, room, *n + 1, sizeof **names);
    (*names)[(*n)++] = (struct section_name){head->number, head->parent, text_of(text, head->size)};
}

/* Add "OBJECT CALL"; an empty object is the program itself, and gets its name. */
static void add_unseen(struct log *log, const char *program, const char *text, size_t size)
{
    const char *slash = strrchr(program, '/');
    program = slash ? slash + 1 : program;
    size_t n = strnlen(text, size), m = n > 0 && text[0] == ' ' ? strlen(program) : 0;
    char *whole = memory_zeros(m + n + 1, 1);
    memcpy(whole, program, m);
    memcpy(whole + m, text, n);
    log_add_text(log, true, whole, m + n);
    free(whole);
}

static void take_names(struct section *section, struct log *log, const char *program, uint32_t type,
                       const unsigned char *content, size_t size)
{
    struct gptl_ioc_name head;
    for (size_t at = 0; size - at >= sizeof head; at += sizeof head + padded(head.size)) {
        memcpy(&head, content + at, sizeof head);
        if (head.size > size - at - sizeof head)
            return;
        const unsigned char *text = content + at + sizeof head;
        if (type == GPTL_IOC_CALLS)
            add_name(&section->calls, &section->ncalls, &section->calls_room, &head, text);
        else if (type == GPTL_IOC_PATHS)
            add_name(&section->paths, &section->npaths, &section->paths_room, &head, text);
        else
            add_unseen(log, program, (const char *)text, head.size);
        if (padded(head.size) > size - at - sizeof head)
            return;
    }
}

static void take_files(struct section *section, const unsigned char *content, size_t size)
{
    struct gptl_ioc_file head;
    for (size_t at = 0; size - at >= sizeof head; at += sizeof head + padded(head.name_size)) {
        memcpy(&head, content + at, sizeof head);
        if (head.name_size > size - at - sizeof head)
            return;
        section->files = memory_room(section->files, &section->files_room, section->nfiles + 1,
                                     sizeof *section->files);
        section->files[section->nfiles++] =
            (struct section_file){.number = head.number,
                                  .base = head.base,
                                  .kind = head.kind,
                                  .device = head.device,
                                  .inode = head.inode,
                                  .birth = head.birth,
                                  .size = head.size,
                                  .path = text_of(content + at + sizeof head, head.name_size)};
        if (padded(head.name_size) > size - at - sizeof head)
            return;
    }
}

static void take_descriptors(struct section *section, const unsigned char *content, size_t size)
{
    size_t n = size / sizeof *section->descriptors;
    if (n == 0)
        return;
    section->descriptors = memory_room(section->descriptors, &section->descriptors_room,
                                       section->ndescriptors + n, sizeof *section->descriptors);
    memcpy(section->descriptors + section->ndescriptors, content, n * sizeof *section->descriptors);
    section->ndescriptors += n;
}

/* ---- Records ------------------------------------------------------------------------------- */

static void add_run(struct section *section, uint64_t at, int64_t start)
{
    section->runs =
        memory_room(section->runs, &section->runs_room, section->nruns + 1, sizeof *section->runs);
    section->runs[section->nruns++] = (struct run){.at = at, .start = start};
}

/*
 * Find the runs of a chunk: each begins with a start record, and the first record of type 0 ends
 * the chunk.
 */
static void take_chunk(struct section *section, struct window *window, uint64_t at, uint64_t size)
{
    enum { PIECE = 4096 };
    bool any = false;
    for (uint64_t done = 0, left = size / sizeof(struct gptl_ioc_record); left > 0;) {
        size_t n = left < PIECE ? (size_t)left : PIECE;
        uint64_t from = at + done * sizeof(struct gptl_ioc_record);
        const unsigned char *bytes = window_at(window, from, n * sizeof(struct gptl_ioc_record));
        for (size_t i = 0; bytes && i < n; i++) {
            /* copied, because a section in a damaged file may be unaligned */
            struct gptl_ioc_record r;
            memcpy(&r, bytes + i * sizeof r, sizeof r);
            enum gptl_ioc_type type = gptl_ioc_type(&r);
            if (type == GPTL_IOC_NONE)
                return;
            if (type == GPTL_IOC_START)
                add_run(section, from + i * sizeof r, r.data);
            any |= type == GPTL_IOC_START;
            section->calls_read += type <= GPTL_IOC_OTHER;
            if (any)
                section->runs[section->nruns - 1].n++;
        }
        if (!bytes)
            return;
        done += n;
        left -= n;
    }
}

/* ---- Order --------------------------------------------------------------------------------- */

static int compare_runs(const void *x, const void *y)
{
    const struct run *a = x, *b = y;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static int compare_numbers(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

static_assert(offsetof(struct section_name, number) == 0 &&
                  offsetof(struct section_file, number) == 0,
              "the number comes first, where compare_numbers looks for it");

static const void *of_number(const void *items, size_t n, size_t size, uint32_t number)
{
    return n ? bsearch(&number, items, n, size, compare_numbers) : NULL;
}

static void sort_numbers(void *items, size_t n, size_t size)
{
    if (n > 1)
        qsort(items, n, size, compare_numbers);
}

const struct section_file *section_file(const struct section *section, uint32_t number)
{
    return of_number(section->files, section->nfiles, sizeof *section->files, number);
}

const char *section_call(const struct section *section, uint32_t number)
{
    /* Fast path: numbers are usually consecutive. */
    const struct section_name *name =
        number > 0 && number <= section->ncalls && section->calls[number - 1].number == number
            ? &section->calls[number - 1]
            : of_number(section->calls, section->ncalls, sizeof *section->calls, number);
    return name ? name->text : NULL;
}

const struct section_name *section_path(const struct section *section, uint32_t number)
{
    return of_number(section->paths, section->npaths, sizeof *section->paths, number);
}

/* ---- Whole section ------------------------------------------------------------------------- */

static void take_block(struct section *section, struct blocks *blocks, struct log *log)
{
    if (blocks->type < GPTL_IOC_PROCESS || blocks->type >= GPTL_IOC_CHUNK) {
        /* Other types are checked only for damage, because even their type may be damaged. */
        if (blocks_check(blocks) && blocks->type == GPTL_IOC_CHUNK)
            take_chunk(section, blocks->window, blocks->at, blocks->size);
        return;
    }
    const unsigned char *content = blocks_content(blocks);
    if (!content)
        return;
    switch (blocks->type) {
    case GPTL_IOC_CALLS:
    case GPTL_IOC_PATHS:
    case GPTL_IOC_UNSEEN:
        take_names(section, log, log->processes[blocks->section->process].program, blocks->type,
                   content, (size_t)blocks->size);
        break;
    case GPTL_IOC_FILES:
        take_files(section, content, (size_t)blocks->size);
        break;
    case GPTL_IOC_DESCRIPTORS:
        take_descriptors(section, content, (size_t)blocks->size);
        break;
    default:
        break;
    }
}

void section_load(struct section *section, struct log *log, struct log_section *from,
                  struct window *window)
{
    struct blocks blocks;
    size_t damage = log->ndamage;
    *section = (struct section){0};
    blocks_begin(&blocks, log, from, window);
    while (blocks_next(&blocks))
        take_block(section, &blocks, log);
    bool is_cut = from->end - from->at < from->header.section_size;
    if (!from->checked && damage == log->ndamage && !is_cut &&
        section->calls_read < from->header.calls)
        log_add_damage(log, from->source, from->at, 0,
                       "calls are missing, though nothing else is damaged");
    from->checked = true;
    if (section->nruns > 1)
        qsort(section->runs, section->nruns, sizeof *section->runs, compare_runs);
    sort_numbers(section->calls, section->ncalls, sizeof *section->calls);
    sort_numbers(section->paths, section->npaths, sizeof *section->paths);
    sort_numbers(section->files, section->nfiles, sizeof *section->files);
}

void section_free(struct section *section)
{
    for (size_t i = 0; i < section->ncalls; i++)
        free(section->calls[i].text);
    for (size_t i = 0; i < section->npaths; i++)
        free(section->paths[i].text);
    for (size_t i = 0; i < section->nfiles; i++)
        free(section->files[i].path);
    free(section->runs);
    free(section->calls);
    free(section->paths);
    free(section->files);
    free(section->descriptors);
    *section = (struct section){0};
}
