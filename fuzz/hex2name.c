/*
 * hex2name.c - any bytes as a text report with addresses, every second of which has a name, some of
 * them very long.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/hex2name/hex2name.h"

static char *find(void *data, const struct hex_module *module, uint64_t offset,
                  enum gptl_symbol_state *state)
{
    (void)data, (void)module;
    *state = offset % 2 ? GPTL_SYMBOL_NO_FUNCTION : GPTL_SYMBOL_FOUND;
    if (offset % 2)
        return NULL;
    char *name = malloc(200);
    if (name) {
        memset(name, 'n', 199);
        name[offset % 199] = '\0';
    }
    return name;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    FILE *in = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct gptl_out *out = gptl_out_new(fd);
    struct hex_names *names = hex_names_new(find, NULL);
    if (in && out && names && hex_text(in, out, names) == 0)
        gptl_out_flush(out);
    hex_names_free(names);
    free(out);
    if (in)
        fclose(in);
    close(fd);
    return 0;
}
