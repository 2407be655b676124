/*
 * record.c - the sink: records calls.
 *
 * The fast paths write one, two or three records of 16 bytes into the thread's chunk, and touch no
 * cache line that another thread writes. All other work is in lane.c.
 */
#include "config.h"

#include <stddef.h>

#include "core/counter.h"
#include "ioc/ioc.h"
#include "ioc/kept.h"
#include "ioc/lane.h"
#include "ioc/options.h"
#include "ioc/paths.h"
#include "posix/posix.h"

static_assert((int)GPTL_POSIX_READ == GPTL_IOC_READ &&
                  (int)GPTL_POSIX_FTRUNCATE == GPTL_IOC_FTRUNCATE &&
                  (int)GPTL_POSIX_STDIO_READ == GPTL_IOC_STDIO_READ &&
                  (int)GPTL_POSIX_OTHER == GPTL_IOC_OTHER,
              "types are the same in both rooms");

#define INLINE static inline __attribute__((always_inline))

INLINE struct gptl_ioc_record extension(enum gptl_ioc_extension kind, uint32_t value, int fd,
                                        int64_t data)
{
    return (struct gptl_ioc_record){GPTL_IOC_EXTENSION | (uint32_t)kind << 4 | value << 8, fd,
                                    data};
}

/* L NULL: the thread is filled in later, when the lane is known. */
INLINE struct gptl_ioc_record detail(struct gptl_ioc_lane *l, uint64_t ticks)
{
    return (struct gptl_ioc_record){GPTL_IOC_DETAIL | gptl_ioc_path(l) << 4, l ? l->thread : 0,
                                    (int64_t)ticks};
}

/*
 * Record CALL, with MORE if it is an extension. NOW 0: read the counter. The arguments fit into
 * registers, so that the fast path need not save any.
 */
static __attribute__((noinline, cold)) void add(struct gptl_ioc_record call,
                                                struct gptl_ioc_record more, uint64_t start,
                                                uint64_t now)
{
    struct gptl_ioc_record records[GPTL_IOC_SHORT_RECORDS + 1] = {call, more};
    int n = 1 + (gptl_ioc_type(&more) == GPTL_IOC_EXTENSION);
    if (!now)
        now = gptl_counter_read();
    if (gptl_ioc_options.detail)
        records[n++] = detail(NULL, start ? now - start : 0); /* 0: the first call of all */
    gptl_ioc_lane_add(records, n, now);
}

/*
 * Record one call, with an extension if HAS_MORE, and a detail if DETAILED. A signal handler may
 * also record. Before the limit is NULL, it uses this lane, whose fields are read after that;
 * later, it uses another lane. The head is stored last, so that all visible records are complete.
 */
INLINE void short_way(struct gptl_ioc_record call, struct gptl_ioc_record more, bool has_more,
                      bool detailed, uint64_t start)
{
    if (!GPTL_HAVE_COUNTER || __builtin_expect(!gptl_counter_is_fit, 0)) {
        add(call, more, start, 0); /* other calls here would cost register saves */
        return;
    }
    struct gptl_ioc_lane *l = gptl_ioc_lane;
    bool is_busy = !l->limit;
    if (!is_busy)
        l->limit = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    uint64_t now = gptl_counter();
    uint64_t unit = now >> l->shift, gap = unit - l->last;
    struct gptl_ioc_record *p = l->pos, *full = l->full;
    if (__builtin_expect(is_busy || p >= full || gap >= GPTL_IOC_LONG_GAP, 0)) {
        if (!is_busy)
            l->limit = full;
        add(call, more, start, now);
        return;
    }
    int n = 1;
    if (has_more)
        p[n++] = more;
    if (detailed)
        p[n++] = detail(l, start ? now - start : 0);
    p->data = call.data;
    uint64_t head = (call.head | (uint32_t)gap << 4) | (uint64_t)(uint32_t)call.fd << 32;
    __atomic_store_n((uint64_t *)p, head, __ATOMIC_RELEASE);
    l->pos = p + n;
    l->last = unit;
    l->joined = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    l->limit = full;
}

#define SHORT_WAYS(suffix, detailed)                                                               \
    static void plain##suffix(enum gptl_posix_type type, int fd, int64_t data, uint64_t start)     \
    {                                                                                              \
        short_way((struct gptl_ioc_record){type, fd, data}, (struct gptl_ioc_record){0}, false,    \
                  detailed, start);                                                                \
    }                                                                                              \
    static void fewer##suffix(enum gptl_posix_type type, int fd, int64_t data, int64_t asked,      \
                              uint64_t start)                                                      \
    {                                                                                              \
        short_way((struct gptl_ioc_record){type, fd, data},                                        \
                  extension(GPTL_IOC_ASKED, 0, 0, asked), true, detailed, start);                  \
    }                                                                                              \
    static void named##suffix(enum gptl_posix_type type, unsigned call, int fd, int64_t data,      \
                              uint64_t start)                                                      \
    {                                                                                              \
        short_way((struct gptl_ioc_record){type, fd, data}, extension(GPTL_IOC_NAMED, call, 0, 0), \
                  true, detailed, start);                                                          \
    }                                                                                              \
    static void at##suffix(enum gptl_posix_type type, unsigned call, int fd, int64_t data,         \
                           int64_t offset, uint64_t start)                                         \
    {                                                                                              \
        short_way((struct gptl_ioc_record){type, fd, data},                                        \
                  extension(GPTL_IOC_AT, call, 0, offset), true, detailed, start);                 \
    }                                                                                              \
    static void with##suffix(enum gptl_posix_type type, unsigned call, int fd, int64_t data,       \
                             int argument, int64_t value, uint64_t start)                          \
    {                                                                                              \
        short_way((struct gptl_ioc_record){type, fd, data},                                        \
                  extension(GPTL_IOC_NAMED, call, argument, value), true, detailed, start);        \
    }
SHORT_WAYS(, false)
SHORT_WAYS(_detailed, true)

/*
 * Merge a call into the preceding record, which mostly has the same call, stream and call path, and
 * is followed by its name. The time is not read: a detail gets duration 0.
 */
INLINE void join(enum gptl_posix_type type, unsigned call, int fd, int64_t bytes, bool detailed)
{
    struct gptl_ioc_lane *l = gptl_ioc_lane;
    uint32_t key = (uint32_t)type << 24 | call;
    struct gptl_ioc_record *r = l->joined;
    if (__builtin_expect(r && l->joined_key == key && l->joined_fd == fd && l->limit &&
                             l->joined_epoch == gptl_ioc_epoch &&
                             (!detailed || gptl_ioc_bits(&r[2]) == gptl_ioc_path(l)),
                         1)) {
        r->data += bytes;
        r[1].data++;
        return;
    }
    struct gptl_ioc_record records[GPTL_IOC_SHORT_RECORDS + 1] = {
        {type, fd, bytes}, extension(GPTL_IOC_NAMED, call, 0, 1)};
    if (detailed)
        records[2] = detail(NULL, 0);
    gptl_ioc_lane_add_joined(records, 2 + detailed, gptl_counter_read(), key);
}

static void joined(enum gptl_posix_type type, unsigned call, int fd, int64_t bytes)
{
    join(type, call, fd, bytes, false);
}

static void joined_detailed(enum gptl_posix_type type, unsigned call, int fd, int64_t bytes)
{
    join(type, call, fd, bytes, true);
}

static int encode(const struct gptl_posix_event *e, struct gptl_ioc_record *r)
{
    int n = 0;
    r[n++] = (struct gptl_ioc_record){e->type, e->fd, e->data};
    if (e->has_at)
        r[n++] = extension(GPTL_IOC_AT, e->call, e->arg, e->value);
    else if (e->call)
        r[n++] = extension(GPTL_IOC_NAMED, e->call, e->arg, e->value);
    if (e->has_asked)
        r[n++] = extension(GPTL_IOC_ASKED, 0, 0, e->asked);
    if (e->has_second)
        r[n++] = extension(GPTL_IOC_SECOND, 0, e->second, e->second_at);
    for (unsigned i = 0; i < e->nfiles; i++)
        r[n++] = extension(GPTL_IOC_FILE, i, 0, e->files[i]);
    for (unsigned i = 0; i < e->nfound; i++) {
        r[n++] = extension(GPTL_IOC_FOUND, 0, e->found[i].fd, (int64_t)e->found[i].file);
    }
    for (unsigned i = 0; i < e->npositions; i++)
        r[n++] = extension(GPTL_IOC_POSITION, 0, e->positions[i].fd, e->positions[i].offset);
    if (e->has_gone)
        r[n++] = extension(GPTL_IOC_GONE, 0, e->gone, e->gone_last);
    if (e->has_made)
        r[n++] = extension(GPTL_IOC_MADE, e->made_is_duplicate, e->made, (int64_t)e->made_file);
    return n;
}

static void event(const struct gptl_posix_event *e)
{
    struct gptl_ioc_record records[GPTL_IOC_MOST_RECORDS];
    uint64_t now = gptl_counter_read();
    int n = encode(e, records);
    if (gptl_ioc_options.detail)
        records[n++] = detail(NULL, e->start ? now - e->start : 0);
    gptl_ioc_lane_add(records, n, now);
}

const struct gptl_posix_sink gptl_ioc_sink = {
    .setup = gptl_ioc_setup,
    .plain = plain,
    .fewer = fewer,
    .named = named,
    .at = at,
    .with = with,
    .joined = joined,
    .event = event,
    .streamed = event,
    .file = gptl_ioc_kept_file,
    .leave = gptl_ioc_leave,
    .child = gptl_ioc_child,
    .pause = gptl_ioc_lane_pause,
    .confine = gptl_ioc_confine,
    .seal = gptl_ioc_seal,
    .bound = gptl_ioc_bound,
};

const struct gptl_posix_sink gptl_ioc_sink_detailed = {
    .setup = gptl_ioc_setup,
    .plain = plain_detailed,
    .fewer = fewer_detailed,
    .named = named_detailed,
    .at = at_detailed,
    .with = with_detailed,
    .joined = joined_detailed,
    .event = event,
    .streamed = event,
    .file = gptl_ioc_kept_file,
    .leave = gptl_ioc_leave,
    .child = gptl_ioc_child,
    .pause = gptl_ioc_lane_pause,
    .confine = gptl_ioc_confine,
    .seal = gptl_ioc_seal,
    .bound = gptl_ioc_bound,
};
