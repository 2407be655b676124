/* section.h - a process's section of the log. */
#ifndef GPTL_IOC_SECTION_H
#define GPTL_IOC_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Data about this process; a child of fork has other data. */
struct gptl_ioc_process {
    int64_t pid, parent;
    uint64_t start_ticks, start_nanoseconds; /* of CLOCK_MONOTONIC */
    int64_t start_wall;
    uint32_t unit_shift, flags, part;
    uint64_t memory;
    int64_t rank;
    const char *directory;
    const char *note;   /* or NULL */
    const char *unseen; /* functions that are not recorded, each "OBJECT CALL" with a NUL */
    size_t unseen_size;
    uint32_t known_files; /* files up to this number are in an earlier section, or the parent's */
};

/*
 * Append all calls that are in no section, if any. FLAGS: enum gptl_ioc_flag. Return false after a
 * message on failure.
 */
bool gptl_ioc_section_write(struct gptl_ioc_process *process, uint32_t flags);
/* Return the largest file number in use. */
uint32_t gptl_ioc_newest_file(void);
/*
 * Preserve the recorded calls in the salvage file from now on. Return false and set errno on
 * failure.
 */
bool gptl_ioc_section_keep(const struct gptl_ioc_process *process);

#endif
