/*
 * perf.c - queries the kernel for the reason why events cannot be counted; PAPI's error codes are
 * not specific.
 */
#include "config.h"

#include "counters/perf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/descriptor.h"

/* Open an event for the calling thread; return 0 or the error number. */
static int try(uint32_t type, uint64_t config)
{
    struct perf_event_attr event;
    memset(&event, 0, sizeof event);
    event.type = type;
    event.size = sizeof event;
    event.config = config;
    event.disabled = event.exclude_kernel = event.exclude_hv = 1;
    long fd = syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
    if (fd < 0)
        return errno;
    close((int)fd);
    return 0;
}

/* Return the kernel's setting; 2 if the file is missing. */
static int paranoid(void)
{
    char text[16] = "2";
    int fd = gptl_descriptor_open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY, 0);
    if (fd >= 0) {
        ssize_t n = read(fd, text, sizeof text - 1);
        text[n > 0 ? n : 0] = '\0';
        close(fd);
    }
    return atoi(text);
}

bool gptl_perf_why_not(char *why, size_t whysize)
{
    int error = try(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
    if (error == ENOSYS) {
        snprintf(why, whysize,
                 "this kernel cannot count events, or a filter of system calls "
                 "(seccomp, of a container say) hides perf_event_open: allow it");
    } else if (error && paranoid() > 2) {
        snprintf(
            why, whysize,
            "the kernel lets only root count events (kernel.perf_event_paranoid is %d): set it "
            "to 2 or less, as root: sysctl kernel.perf_event_paranoid=2",
            paranoid());
    } else if (error == EPERM || error == EACCES) {
        snprintf(why, whysize,
                 "the system call perf_event_open is forbidden here (by a container's seccomp "
                 "filter, say): allow it, or give the process the capability CAP_PERFMON");
    } else if (error) {
        snprintf(why, whysize, "the kernel opens no event: %s", strerror(error));
    } else {
        error = try(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
        if (!error)
            return false;
        snprintf(why, whysize,
                 "the kernel finds no hardware counters (%s), as in most virtual machines: run on "
                 "the machine itself, or have its PMU passed through",
                 strerror(error));
    }
    return true;
}

bool gptl_perf_has_files(int n, char *why, size_t whysize)
{
    int fd = gptl_descriptor_open("/", O_PATH, 0), error = errno;
    bool has = fd >= 0 ? n <= 1 || gptl_perf_has_files(n - 1, why, whysize)
                       : error != EMFILE && error != ENFILE;
    if (fd >= 0)
        close(fd);
    else if (!has)
        snprintf(why, whysize,
                 "%s, and each event takes a file descriptor in each thread: raise the limit "
                 "(ulimit -n)",
                 strerror(error));
    return has;
}
