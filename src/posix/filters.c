/* filters.c - counts the system call filters of this process, as reported by the kernel. */
#include "config.h"

#include "posix/filters.h"

#include <stdlib.h>
#include <string.h>

#include "posix/apart.h"
#include "posix/raw.h"

static const char *find_field(const char *status, const char *name)
{
    const char *found = strstr(status, name);
    return found ? found + strlen(name) : NULL;
}

long gptl_posix_count_filters(void)
{
    char *status = gptl_posix_scratch_take();
    int fd = status ? gptl_raw_open("/proc/self/status", O_RDONLY, 0) : -1;
    ssize_t size = fd >= 0 ? gptl_raw_read(fd, status, GPTL_POSIX_SCRATCH - 1) : 0;
    const char *field = NULL;
    if (fd >= 0)
        gptl_raw_close(fd);
    if (size > 0) {
        status[size] = '\0';
        field = find_field(status, "\nSeccomp_filters:");
        if (!field) /* before Linux 5.9 */
            field = find_field(status, "\nSeccomp:");
    }
    long n = field ? strtol(field, NULL, 10) : 0;
    gptl_posix_scratch_give(status);
    return n;
}

bool gptl_posix_tell_filters(void)
{
    char text[24];
    gptl_raw_decimal(text, (uint64_t)gptl_posix_count_filters());
    return setenv(GPTL_RUN_FILTERS, text, 1) == 0;
}
