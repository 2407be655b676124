/* section.h - a process's section of the log. */
#ifndef GPTL_IOC_SECTION_H
#define GPTL_IOC_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of this process; in a child of fork it is another one. */
struct gptl_ioc_process {
    int64_t pid, parent;
    uint64_t start_ticks, start_nanoseconds; /* of CLOCK_MONOTONIC */
    int64_t start_wall;
    uint32_t unit_shift, flags, part;
    uint64_t memory;
    int64_t rank;
    const char *directory;
    const char *note;   /* or NULL */
    const char *unseen; /* calls that are not recorded, each "OBJECT CALL" with a NUL */
    size_t unseen_size;
    uint32_t known_files; /* up to this number names are in a section already, or the parent's */
};

/*
 * Appends what no section has yet; nothing if there is nothing. FLAGS: enum gptl_ioc_flag. Returns
 * false after a message, when it could not.
 */
bool gptl_ioc_section_write(struct gptl_ioc_process *process, uint32_t flags);
/* The largest number of a file that has a name. */
uint32_t gptl_ioc_newest_file(void);
/* What is recorded is kept in the salvage file from here on. Returns false, with errno, if not. */
bool gptl_ioc_section_keep(const struct gptl_ioc_process *process);

#endif
