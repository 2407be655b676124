/* trace.h - what strace saw of a program's reads and writes of files. */
#ifndef GPTL_POSTPROC_IOC_TRACE_H
#define GPTL_POSTPROC_IOC_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "postproc/ioc/agree.h"
#include "postproc/ioc/map.h"

/* Calls that libc makes inside itself, where no wrapper can be. */
enum trace_inside { INSIDE_LINKER, INSIDE_LOCALES, INSIDE_USERS, INSIDE_ZONES, NINSIDE };
extern const char *const trace_inside_names[NINSIDE];

/* All calls of a thread that are alike. */
struct trace_calls {
    char *name; /* as libc has it, without a 64 */
    char *path; /* of the first */
    int64_t thread, fd, result;
    uint64_t seen, recorded;
    uint64_t inside[NINSIDE]; /* how many of those that were seen are libc's own */
    size_t same;              /* index + 1 of another of the same hash */
};

struct trace {
    struct trace_calls *calls;
    size_t n, room;
    struct map by_hash;
    struct agree *agree; /* gets the bytes of each file */
};

/* The calls for regular files in FROM, which `strace -f -y` wrote, but for those on files below FOLDER. */
void trace_read(struct trace *trace, struct agree *agree, FILE *from, const char *folder);
/* Those that are alike, or NULL. The name may be a variant: pread64, __read_chk. */
struct trace_calls *trace_find(const struct trace *trace, int64_t thread, const char *name,
                               int64_t fd, int64_t result);
/* Whether that is a file, and not below FOLDER: none of what the kernel makes up. */
bool trace_is_file(const char *path, const char *folder);
void trace_free(struct trace *trace);

#endif
