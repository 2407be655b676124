/*
 * say.c - prints messages of a preloaded library to the user, on stderr.
 *
 * A command may start thousands of processes with the same message. The processes of a `gptl run`
 * mark each message in its directory, so only the first one prints it.
 */
#include "config.h"

#include "posix/say.h"

#include <stdint.h>

#include "core/claim.h"
#include "core/stderr.h"
#include "posix/apart.h"
#include "posix/raw.h"

static char run_folder[4096];

void gptl_posix_say_once(const char *folder)
{
    gptl_raw_append(run_folder, run_folder + sizeof run_folder, folder);
}

struct line {
    const char *who, *a, *b, *c, *d;
};

static void write_line(void *arg)
{
    const struct line *l = arg;
    char line[5000], *limit = line + sizeof line - 1, *end = line;
    uint64_t key = gptl_claim_key(0, l->who);
    key = gptl_claim_key(gptl_claim_key(gptl_claim_key(key, l->a), l->c), l->d);
    if (!gptl_stderr_is_heard() || gptl_claim(run_folder, GPTL_CLAIM_LINE, key, NULL) == 0)
        return;
    end = gptl_raw_append(end, limit, l->who);
    end = gptl_raw_append(end, limit, l->a);
    end = gptl_raw_append(end, limit, l->b);
    end = gptl_raw_append(end, limit, l->c);
    end = gptl_raw_append(end, limit, l->d);
    *end++ = '\n';
    gptl_stderr_write(line, (size_t)(end - line));
}

void gptl_posix_say(const char *who, const char *a, const char *b, const char *c, const char *d)
{
    struct line line = {who, a, b, c, d};
    gptl_posix_apart(write_line, &line);
}
