/* server.h - inside a server: connections, flows of data, and the disk. */
#ifndef STRIPED_SERVER_H
#define STRIPED_SERVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

/* What is read or written at once. */
struct buffer {
    struct flow *flow;
    struct buffer *next;
    void (*done)(struct buffer *buffer); /* called by a thread of the disk */
    int64_t offset, bytes;
    bool is_write, is_ready;
    char data[FLOW_BUFFER];
};

enum { FLOW_BUFFERS = 2 };

/* A request's data on its way between network and disk. */
struct flow {
    int socket, file;
    bool is_write, is_over;
    int64_t offset, bytes;
    int64_t done, had; /* bytes that are done with, and that were there */
    int error;
    struct striped_hints hints; /* of the request */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct buffer *free;
    struct buffer *buffers; /* FLOW_BUFFERS of them */
};

/* ---- disk.c --------------------------------------------------------------------------------- */

/* KILL_AT: at which access the server dies, for tests of that; 0: it does not. */
int disk_start(int threads, int64_t kill_at);
/* The buffer's done is called when its bytes are written, or read. */
void disk_write_list(struct buffer *buffer);
void disk_read_list(struct buffer *buffer);

/* Return the bytes, fewer where the file ends; or less than 0: an errno. */
int64_t disk_pwrite(int file, const char *data, int64_t bytes, int64_t offset);
int64_t disk_pread(int file, char *data, int64_t bytes, int64_t offset);

/* ---- flow.c --------------------------------------------------------------------------------- */

/* Begins a flow; flow_run then moves what the network brings or takes, until all is over. */
void io_start_flow(struct flow *flow);
/* Returns 0, or -1: the client is gone. */
int flow_run(struct flow *flow);

/* ---- small_io.c ----------------------------------------------------------------------------- */

/* Reads or writes DATA. Returns the bytes, or less than 0: an errno. */
int64_t small_io(const struct striped_request *request, char data[SMALL_IO]);

#endif
