/* iostack_plan.c - any bytes as a configuration of gptl iostack. */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "postproc/iostack/plan.h"
#include "postproc/iostack/selector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct plan plan;
    int fd = memfd_create("plan", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (plan_read(&plan, path) == 0) {
        for (size_t i = 0; i < plan.nprobes; i++)
            if (!plan.probes[i].name || plan.probes[i].layer <= 0)
                abort();
        select_probes(&plan);
    }
    plan_free(&plan);
    close(fd);
    return 0;
}
