/*
 * flow.c - moves a request's data between network and disk, one buffer at a time: while one is on
 * the disk, the other is on the network. The thread of the connection serves the network, and
 * threads of the disk call back when a buffer is done.
 */
#include "server.h"

/* All is done. For a write, a thread of the disk reports that. */
static void flow_callback(struct flow *flow)
{
    pthread_mutex_lock(&flow->lock);
    flow->is_over = true;
    pthread_cond_signal(&flow->changed);
    pthread_mutex_unlock(&flow->lock);
}

/* The buffer is free for the next part. */
static void write_done(struct buffer *buffer)
{
    struct flow *flow = buffer->flow;
    pthread_mutex_lock(&flow->lock);
    flow->done += buffer->bytes;
    buffer->next = flow->free;
    flow->free = buffer;
    bool is_over = flow->done == flow->bytes;
    pthread_cond_signal(&flow->changed);
    pthread_mutex_unlock(&flow->lock);
    if (is_over)
        flow_callback(flow);
}

/* The buffer can be sent. */
static void read_done(struct buffer *buffer)
{
    struct flow *flow = buffer->flow;
    pthread_mutex_lock(&flow->lock);
    buffer->is_ready = true;
    pthread_cond_signal(&flow->changed);
    pthread_mutex_unlock(&flow->lock);
}

/* Set a buffer to the part of the flow at offset AT. */
static void aim(struct buffer *buffer, struct flow *flow, int64_t at)
{
    int64_t left = flow->bytes - at;
    buffer->flow = flow;
    buffer->offset = flow->offset + at;
    buffer->bytes = left < FLOW_BUFFER ? left : FLOW_BUFFER;
    buffer->is_ready = false;
}

void io_start_flow(struct flow *flow)
{
    flow->is_over = false;
    flow->done = flow->had = 0;
    flow->error = 0;
    flow->free = NULL;
    if (!flow->is_write)
        return;
    /*
     * The callback passes buffers to the network. It is called for the first one, before any write,
     * to prime the pump.
     */
    flow->buffers[0].flow = flow;
    flow->buffers[0].bytes = 0;
    flow->buffers[0].done = write_done;
    write_done(&flow->buffers[0]);
}

/* The second buffer is filled when the first one is on the disk. */
static struct buffer *free_buffer(struct flow *flow, int *used)
{
    pthread_mutex_lock(&flow->lock);
    while (!flow->free && *used == FLOW_BUFFERS)
        pthread_cond_wait(&flow->changed, &flow->lock);
    struct buffer *buffer = flow->free ? flow->free : &flow->buffers[(*used)++];
    flow->free = buffer == flow->free ? buffer->next : flow->free;
    pthread_mutex_unlock(&flow->lock);
    return buffer;
}

/* The rest of a write whose client is gone counts as done. */
static void give_up(struct flow *flow, int64_t rest)
{
    pthread_mutex_lock(&flow->lock);
    flow->done += rest;
    bool is_over = flow->done == flow->bytes;
    pthread_mutex_unlock(&flow->lock);
    if (is_over)
        flow_callback(flow);
}

static int run_write(struct flow *flow)
{
    int used = 1;
    for (int64_t at = 0; at < flow->bytes;) {
        struct buffer *buffer = free_buffer(flow, &used);
        aim(buffer, flow, at);
        buffer->done = write_done;
        if (striped_receive(flow->socket, buffer->data, (size_t)buffer->bytes)) {
            give_up(flow, flow->bytes - at);
            return -1;
        }
        at += buffer->bytes;
        disk_write_list(buffer);
    }
    return 0;
}

static void wait_for(struct flow *flow, const bool *flag)
{
    pthread_mutex_lock(&flow->lock);
    while (!*flag)
        pthread_cond_wait(&flow->changed, &flow->lock);
    pthread_mutex_unlock(&flow->lock);
}

static int64_t read_next(struct flow *flow, int64_t at, struct buffer *buffer)
{
    aim(buffer, flow, at);
    buffer->done = read_done;
    disk_read_list(buffer);
    return at + buffer->bytes;
}

static int run_read(struct flow *flow)
{
    int64_t asked = 0;
    int result = 0;
    for (int i = 0; i < FLOW_BUFFERS && asked < flow->bytes; i++)
        asked = read_next(flow, asked, &flow->buffers[i]);
    for (int64_t at = 0, i = 0; at < flow->bytes; i = (i + 1) % FLOW_BUFFERS) {
        struct buffer *buffer = &flow->buffers[i];
        wait_for(flow, &buffer->is_ready);
        if (result == 0)
            result = striped_send(flow->socket, buffer->data, (size_t)buffer->bytes);
        at += buffer->bytes;
        if (asked < flow->bytes)
            asked = read_next(flow, asked, buffer);
    }
    flow_callback(flow);
    return result;
}

int flow_run(struct flow *flow)
{
    int result = flow->is_write ? run_write(flow) : run_read(flow);
    wait_for(flow, &flow->is_over);
    return result;
}
