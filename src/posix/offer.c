/*
 * offer.c - reports calls to the sinks that failed, transferred fewer bytes than requested, name
 * files, or use unknown descriptors.
 */
#include "config.h"

#include "posix/offer.h"

#include "posix/apart.h"
#include "posix/files.h"
#include "posix/next.h"

struct gptl_posix_event gptl_posix_event(enum gptl_posix_type type, unsigned call, int fd,
                                         int64_t result, uint64_t start)
{
    struct gptl_posix_event event = {.type = type, .call = call, .fd = fd, .start = start};
    event.data = result < 0 ? -(int64_t)errno : result;
    return event;
}

bool gptl_posix_identify(struct gptl_posix_event *event, int fd)
{
    bool new;
    struct gptl_posix_found *found = &event->found[event->nfound];
    uint32_t entry = gptl_posix_look(fd, found, &new);
    if (!(entry & GPTL_POSIX_OFFERED))
        return false;
    if (!new || event->nfound == 2)
        return true;
    event->nfound++;
    return true;
}

void gptl_posix_offer(const struct gptl_posix_event *event, int error)
{
    OFFER(event, event);
    errno = error;
}

/* The kind of a closed descriptor is unknown. The call is still reported, because of its error. */
static bool failed_on_nothing(const struct gptl_posix_event *event)
{
    return event->data == -EBADF && event->type != GPTL_POSIX_CLOSE;
}

static bool begin(struct gptl_posix_event *event, enum gptl_posix_type type, unsigned call, int fd,
                  int64_t result, uint64_t start)
{
    if (!gptl_posix_is_active())
        return false;
    *event = gptl_posix_event(type, call, fd, result, start);
    return true;
}

void gptl_posix_moved_else(enum gptl_posix_type type, unsigned call, int fd, int64_t result,
                           int64_t asked, uint64_t start)
{
    int error = errno;
    struct gptl_posix_event event;
    if (!begin(&event, type, call, fd, result, start))
        return;
    event.has_asked = result != asked;
    event.asked = asked;
    /* Another thread may have shared FD since the call began. */
    if (gptl_posix_identify(&event, fd)) {
        if (!gptl_posix_is_short(fd))
            gptl_posix_place(&event, fd, -1);
        gptl_posix_offer(&event, error);
    } else if (failed_on_nothing(&event)) {
        gptl_posix_offer(&event, error);
    }
}

void gptl_posix_moved_at_else(enum gptl_posix_type type, unsigned call, int fd, int64_t result,
                              int64_t asked, int64_t offset, uint64_t start)
{
    int error = errno;
    struct gptl_posix_event event;
    if (!begin(&event, type, call, fd, result, start))
        return;
    event.has_asked = result != asked;
    event.asked = asked;
    event.has_at = true;
    event.value = offset;
    if (gptl_posix_identify(&event, fd) || failed_on_nothing(&event))
        gptl_posix_offer(&event, error);
}

void gptl_posix_status_else(enum gptl_posix_type type, unsigned call, int fd, int64_t result,
                            int64_t data, int64_t argument, int64_t value, uint64_t start)
{
    int error = errno;
    struct gptl_posix_event event;
    if (!begin(&event, type, call, fd, result, start))
        return;
    if (result >= 0)
        event.data = data;
    event.arg = (int)argument;
    event.value = value;
    if (gptl_posix_identify(&event, fd) || failed_on_nothing(&event))
        gptl_posix_offer(&event, error);
}

/*
 * Add the file PATH to EVENT. PATH is readable if the call succeeded. A single path is also
 * readable after ENOENT, the most common failure: there, a copy by the kernel would take longer
 * than the call.
 */
static void name_file(struct gptl_posix_event *event, int dir, const char *path, bool is_single)
{
    bool was_read =
        event->data >= 0 || (event->data == -ENOENT && is_single && !gptl_posix_is_sealed);
    struct gptl_posix_file *file = was_read ? gptl_posix_name(dir, path)
                                            : gptl_posix_name_refused(dir, path, (int)-event->data);
    event->files[event->nfiles++] = gptl_posix_number(file);
}

void gptl_posix_offer_paths(unsigned call, int64_t result, int argument, int dir, const char *path,
                            int dir2, const char *path2, uint64_t start)
{
    int error = errno;
    struct gptl_posix_event event;
    if (!begin(&event, GPTL_POSIX_OTHER, call, -1, result, start))
        return;
    event.arg = argument;
    name_file(&event, dir, path, !path2);
    if (path2)
        name_file(&event, dir2, path2, false);
    gptl_posix_offer(&event, error);
}
