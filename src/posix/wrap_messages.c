/*
 * wrap_messages.c - the wrappers of calls that write to descriptor 2 inside libc without a stream;
 * only the descriptor's offset shows the number of bytes. Also the wrapper of localtime_r, which
 * reads a file, also for the timing library's reports.
 */
#include "config.h"

#include <signal.h>
#include <stdarg.h>
#include <syslog.h>

#include "posix/apart.h"
#include "posix/follow.h"
#include "posix/next.h"
#include "posix/offer.h"
#include "posix/own.h"
#include "posix/raw.h"

struct message {
    uint64_t start;
    unsigned writes;
    struct gptl_posix_following f;
};

static struct message begin(void)
{
    struct message m = {.writes = gptl_posix_thread_streams.writes};
    if (gptl_posix_is_active())
        gptl_posix_follow(&m.f, STDERR_FILENO);
    m.start = gptl_posix_start();
    return m;
}

static void end(unsigned call, const struct message *m)
{
    int error = errno;
    if (!m->f.is_followed || gptl_posix_is_sealed)
        return;
    off_t after = gptl_raw_lseek(STDERR_FILENO, 0, SEEK_CUR);
    errno = error;
    int64_t n = m->writes == gptl_posix_thread_streams.writes ? after - m->f.before : 0;
    if (n > 0 || m->f.is_new)
        gptl_posix_moved_followed(&m->f, GPTL_POSIX_WRITE, call, STDERR_FILENO, n, n, m->start);
}

#define MESSAGE(name, params, args)                                                                \
    WRAPPER(name, void, params)                                                                    \
    {                                                                                              \
        struct message m = begin();                                                                \
        gptl_posix_next.name args;                                                                 \
        end(GPTL_CALL_##name, &m);                                                                 \
    }
MESSAGE(psiginfo, (const siginfo_t *info, const char *text), (info, text))
MESSAGE(vsyslog, (int priority, const char *format, va_list list), (priority, format, list))
MESSAGE(__vsyslog_chk, (int priority, int flag, const char *format, va_list list),
        (priority, flag, format, list))

#define FORMATS(name, params, next, args)                                                          \
    __attribute__((visibility("default"))) void gptl_wrap_##name params __asm__(#name);            \
    void gptl_wrap_##name params                                                                   \
    {                                                                                              \
        struct message m = begin();                                                                \
        va_list list;                                                                              \
        va_start(list, format);                                                                    \
        gptl_posix_next.next args;                                                                 \
        va_end(list);                                                                              \
        end(GPTL_CALL_##name, &m);                                                                 \
    }
FORMATS(syslog, (int priority, const char *format, ...), vsyslog, (priority, format, list))
FORMATS(__syslog_chk, (int priority, int flag, const char *format, ...), __vsyslog_chk,
        (priority, flag, format, list))

WRAPPER(localtime_r, struct tm *, (const time_t *time, struct tm *to))
{
    bool is_own = GPTL_POSIX_IS_OWN;
    gptl_posix_thread_streams.own += is_own;
    struct tm *result = gptl_posix_next.localtime_r(time, to);
    gptl_posix_thread_streams.own -= is_own;
    return result;
}
