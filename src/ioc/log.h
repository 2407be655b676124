/* log.h - the log's file: locked, appended to, and as it was before if that fails. */
#ifndef GPTL_IOC_LOG_H
#define GPTL_IOC_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/stderr.h"

struct gptl_ioc_log {
    int fd;
    int lock_errno; /* why it could not be locked, or 0 */
    int64_t begin;  /* where the section begins */
    uint64_t written;
    bool failed, is_kept;
    char *buffer;
    size_t used;
    struct gptl_write_signals signals; /* as they were */
};

/* Opens PATH for SIZE bytes, which, if IS_KEPT, a salvage file has. Returns false after a message. */
bool gptl_ioc_log_open(struct gptl_ioc_log *log, const char *path, uint64_t size, bool is_kept);
void gptl_ioc_log_put(struct gptl_ioc_log *log, const void *bytes, size_t size);
/* Returns whether all was written; if not, nothing is left, and a message says so. */
bool gptl_ioc_log_close(struct gptl_ioc_log *log, const char *path);

/* `gptl run` still runs, and will put what is kept into the log: then a failure here is no loss. */
extern bool gptl_ioc_log_is_collected;

/* One line on stderr, by posix/say.h. */
void gptl_ioc_say(const char *a, const char *b, const char *c, const char *d);

uint32_t gptl_ioc_crc(uint32_t crc, const void *bytes, size_t size);

#endif
