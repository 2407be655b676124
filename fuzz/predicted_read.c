/* predicted_read.c - any bytes as a prediction: it is refused, or regions follow their parents. */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "postproc/predict/predicted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Suppress messages about each input. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    stderr = fopen("/dev/null", "w");
    return stderr ? 0 : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct predicted predicted;
    char path[64];
    int fd = memfd_create("prediction", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (predicted_read(&predicted, "fuzz", path) == 0)
        for (uint32_t i = 0; i < predicted.nregions; i++)
            if (!predicted.regions[i].name || !(predicted.regions[i].seconds >= 0) ||
                (i > 0 && predicted.regions[i].parent >= i))
                abort();
    predicted_free(&predicted);
    close(fd);
    return 0;
}
