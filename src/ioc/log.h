/* log.h - the log file: locks it, appends a section, and restores it on failure. */
#ifndef GPTL_IOC_LOG_H
#define GPTL_IOC_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/stderr.h"

struct gptl_ioc_log {
    int fd;
    int lock_errno; /* reason why it could not be locked, or 0 */
    int64_t begin;  /* offset of the section */
    uint64_t written;
    bool failed, is_kept;
    char *buffer;
    size_t used;
    struct gptl_write_signals signals; /* before the write */
};

/*
 * Open PATH to append SIZE bytes. IS_KEPT: a salvage file also holds them. Return false after a
 * message.
 */
bool gptl_ioc_log_open(struct gptl_ioc_log *log, const char *path, uint64_t size, bool is_kept);
void gptl_ioc_log_put(struct gptl_ioc_log *log, const void *bytes, size_t size);
/*
 * Return true if everything was written. Otherwise remove the partial section and print a message.
 */
bool gptl_ioc_log_close(struct gptl_ioc_log *log, const char *path);

/*
 * True while `gptl run` runs, which will add the salvaged calls to the log: a failure then loses
 * nothing.
 */
extern bool gptl_ioc_log_is_collected;

/* Print one line on stderr, by posix/say.h. */
void gptl_ioc_say(const char *a, const char *b, const char *c, const char *d);

uint32_t gptl_ioc_crc(uint32_t crc, const void *bytes, size_t size);

#endif
