/* disk.c - the server's disk: a queue, and the threads that process it. */
#include "server.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct buffer *first, **end = &first;
static int64_t dies_at;
static _Atomic int64_t accesses;

static void count_access(void)
{
    if (atomic_fetch_add(&accesses, 1) + 1 == dies_at)
        raise(SIGKILL);
}

int64_t disk_pwrite(int file, const char *data, int64_t bytes, int64_t offset)
{
    int64_t done = 0;
    count_access();
    while (done < bytes) {
        ssize_t n = pwrite(file, data + done, (size_t)(bytes - done), offset + done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        done += n;
    }
    return done;
}

int64_t disk_pread(int file, char *data, int64_t bytes, int64_t offset)
{
    int64_t done = 0;
    count_access();
    while (done < bytes) {
        ssize_t n = pread(file, data + done, (size_t)(bytes - done), offset + done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        done += n;
    }
    return done;
}

static struct buffer *take(void)
{
    pthread_mutex_lock(&lock);
    while (!first)
        pthread_cond_wait(&filled, &lock);
    struct buffer *buffer = first;
    first = buffer->next;
    end = first ? end : &first;
    pthread_mutex_unlock(&lock);
    return buffer;
}

static void *work(void *unused)
{
    (void)unused;
    for (;;) {
        struct buffer *b = take();
        struct flow *flow = b->flow;
        int64_t n = b->is_write ? disk_pwrite(flow->file, b->data, b->bytes, b->offset)
                                : disk_pread(flow->file, b->data, b->bytes, b->offset);
        pthread_mutex_lock(&flow->lock);
        flow->error = n < 0 ? (int)-n : flow->error;
        flow->had += n > 0 ? n : 0;
        pthread_mutex_unlock(&flow->lock);
        for (int64_t i = n > 0 ? n : 0; i < b->bytes && !b->is_write; i++)
            b->data[i] = '\0';
        b->done(b);
    }
    return NULL;
}

int disk_start(int threads, int64_t kill_at)
{
    dies_at = kill_at;
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        int error = pthread_create(&thread, NULL, work, NULL);
        if (error)
            return error;
        pthread_detach(thread);
    }
    return 0;
}

static void post(struct buffer *buffer)
{
    buffer->next = NULL;
    pthread_mutex_lock(&lock);
    *end = buffer;
    end = &buffer->next;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

void disk_write_list(struct buffer *buffer)
{
    buffer->is_write = true;
    post(buffer);
}

void disk_read_list(struct buffer *buffer)
{
    buffer->is_write = false;
    post(buffer);
}
