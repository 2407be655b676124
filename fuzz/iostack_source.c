/*
 * iostack_source.c - any bytes as C into which probes are inserted: all original bytes remain, in
 * their order. Probes are at the function f and its calls, and at lines.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/iostack/edits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Return whether WHOLE is PART with insertions. */
static int contains(const char *whole, size_t nwhole, const char *part, size_t npart)
{
    size_t at = 0;
    for (size_t i = 0; i < nwhole && at < npart; i++)
        at += whole[i] == part[at];
    return at == npart;
}

static void try(const char *text, size_t size, struct probe probe)
{
    struct ctokens c;
    struct edits edits = {0};
    probe.place = (struct place){"plan", 1, 1};
    ctokens_read(&c, text, size);
    if (edits_find(&edits, &c, &probe, "file", NULL) == 0) {
        size_t n;
        char *result = edits_apply(&edits, &c, "file", &n);
        if (!contains(result, n, text, size))
            abort();
        free(result);
    }
    edits_free(&edits);
    ctokens_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[] = "f", code[] = "g();", *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    struct probe probe = {.name = name, .layer = GPTL_LAYER_MPI, .all = true};
    for (int i = 0; i < 8; i++) {
        probe.after = i & 1;
        probe.act = i & 2 ? ACT_CODE : ACT_END;
        probe.code = code;
        probe.kind = i & 4 ? PROBE_FUNCTION : PROBE_CALL;
        probe.call = i & 4 ? NULL : name;
        probe.function = i & 4 ? name : NULL;
        try(text, size, probe);
    }
    for (unsigned line = 1; line < 5; line++)
        try(text, size,
            (struct probe){
                .name = name, .layer = 1, .kind = PROBE_LINE, .line = line, .act = ACT_END});
    free(text);
    return 0;
}
