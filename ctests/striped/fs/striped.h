/*
 * striped.h - the client library of the striped storage. The environment variable STRIPED_SERVERS
 * names the files that contain the servers' addresses, separated by colons.
 *
 * Functions return 0 or a number, or less than 0: an errno. They may be called from any thread; a
 * process has at most one request in progress.
 */
#ifndef STRIPED_H
#define STRIPED_H

#include <stdint.h>

#include "protocol.h"

struct striped_file;

/* FLAGS as for open(2). */
int striped_open(const char *name, int flags, struct striped_file **file);
int striped_close(struct striped_file *file);
int64_t striped_size(struct striped_file *file);
int striped_resize(struct striped_file *file, int64_t size);
int striped_sync(struct striped_file *file);
int striped_delete(const char *name);

/* Read (STRIPED_READ) or write. Return the bytes, fewer at the end of the file. */
int64_t striped_sys_io(struct striped_file *file, enum striped_operation operation, void *data,
                       int64_t bytes, int64_t offset);

#endif
