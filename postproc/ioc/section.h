/*
 * section.h - the contents of a section except its records: the positions of records, and the names
 * that they refer to.
 */
#ifndef GPTL_POSTPROC_IOC_SECTION_H
#define GPTL_POSTPROC_IOC_SECTION_H

#include <stdint.h>

#include "postproc/ioc/log.h"
#include "postproc/ioc/window.h"

/* Records of one thread, in order of time. */
struct run {
    uint64_t at; /* position of the start record */
    uint64_t n;  /* number of records, including it */
    int64_t start;
};

struct section_name {
    uint32_t number, parent;
    char *text;
};

struct section_file {
    uint32_t number, base, kind;
    uint64_t device, inode, birth; /* 0: unknown */
    int64_t size;
    char *path;
};

struct section {
    struct run *runs; /* sorted by start time */
    size_t nruns, runs_room;
    struct section_name *calls, *paths; /* sorted by number */
    size_t ncalls, calls_room, npaths, paths_room;
    struct section_file *files; /* sorted by number */
    size_t nfiles, files_room;
    struct gptl_ioc_descriptor *descriptors;
    size_t ndescriptors, descriptors_room;
    uint64_t calls_read;
};

/* Read and check the section. Damaged parts are omitted, and added once to the log's damage. */
void section_load(struct section *section, struct log *log, struct log_section *from,
                  struct window *window);
void section_free(struct section *section);

/* Return the item with NUMBER, or NULL. */
const struct section_file *section_file(const struct section *section, uint32_t number);
const char *section_call(const struct section *section, uint32_t number);
const struct section_name *section_path(const struct section *section, uint32_t number);

#endif
