/* server.h - inside a server: connections, flows of data, and the disk. */
#ifndef STRIPED_SERVER_H
#define STRIPED_SERVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

/* A unit of reading or writing. */
struct buffer {
    struct flow *flow;
    struct buffer *next;
    void (*done)(struct buffer *buffer); /* called by a thread of the disk */
    int64_t offset, bytes;
    bool is_write, is_ready;
    char data[FLOW_BUFFER];
};

enum { FLOW_BUFFERS = 2 };

/* A request's data in transit between network and disk. */
struct flow {
    int socket, file;
    bool is_write, is_over;
    int64_t offset, bytes;
    int64_t done, had; /* processed bytes; existing bytes */
    int error;
    struct striped_hints hints; /* of the request */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct buffer *free;
    struct buffer *buffers; /* FLOW_BUFFERS of them */
};

/* ---- disk.c --------------------------------------------------------------------------------- */

/* KILL_AT: the access at which the server dies, for tests of that; 0: never. */
int disk_start(int threads, int64_t kill_at);
/* The buffer's done is called when its bytes are written, or read. */
void disk_write_list(struct buffer *buffer);
void disk_read_list(struct buffer *buffer);

/* Return the bytes, fewer at the end of the file; or less than 0: an errno. */
int64_t disk_pwrite(int file, const char *data, int64_t bytes, int64_t offset);
int64_t disk_pread(int file, char *data, int64_t bytes, int64_t offset);

/* ---- flow.c --------------------------------------------------------------------------------- */

/* Begin a flow; flow_run then moves the data of the network until all is done. */
void io_start_flow(struct flow *flow);
/* Return 0, or -1: the client is gone. */
int flow_run(struct flow *flow);

/* ---- small_io.c ----------------------------------------------------------------------------- */

/* Read or write DATA. Return the bytes, or less than 0: an errno. */
int64_t small_io(const struct striped_request *request, char data[SMALL_IO]);

#endif
