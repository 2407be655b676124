/* log.h - the log's file: locked, appended to, and as it was before if that fails. */
#ifndef GPTL_IOC_LOG_H
#define GPTL_IOC_LOG_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct gptl_ioc_log {
    int fd;
    int lock_errno; /* why it could not be locked, or 0 */
    int64_t begin;  /* where the section begins */
    uint64_t written;
    bool failed;
    char *buffer;
    size_t used;
    sigset_t signals; /* as they were */
};

/* Opens PATH for SIZE bytes. Returns false after a message. */
bool gptl_ioc_log_open(struct gptl_ioc_log *log, const char *path, uint64_t size);
void gptl_ioc_log_put(struct gptl_ioc_log *log, const void *bytes, size_t size);
/* Returns whether all was written; if not, nothing is left, and a message says so. */
bool gptl_ioc_log_close(struct gptl_ioc_log *log, const char *path);

/* One line on stderr, if that is still what it was at load. */
void gptl_ioc_say(const char *a, const char *b, const char *c, const char *d);
void gptl_ioc_say_begin(void);
/* From now on a line that another process has said is not said again, of all that share FOLDER. */
void gptl_ioc_say_once(const char *folder);

/* A file in that folder, which `gptl run` removes with it: such a line. */
#define GPTL_IOC_CLAIM "/claim.io."

uint32_t gptl_ioc_crc(uint32_t crc, const void *bytes, size_t size);

#endif
