/* json_parts.h - between the files that read JSON. */
#ifndef GPTL_POSTPROC_JSON_PARTS_H
#define GPTL_POSTPROC_JSON_PARTS_H

#include "postproc/read/json_read.h"
#include "postproc/read/progress.h"

enum {
    BUFFER_SIZE = 256 << 10,
    DEEPEST = 200,
    LONGEST_TEXT = 1 << 28, /* no name that the library takes is longer */
    EXCERPT = 24,
};

struct json {
    const char *who, *name;
    int fd;
    bool failed, ended; /* ended: nothing comes from FD any more */
    int depth;
    bool any[DEEPEST]; /* of each level that is open: whether it had a member */
    bool is_array[DEEPEST];
    const char *at, *end; /* what is left in the buffer */
    uint64_t passed;      /* bytes that were in the buffer before */
    uint64_t line, line_start;
    char *text; /* the string or number that was read last */
    size_t length, room;
    struct progress progress;
    char what[256]; /* for progress */
    const char *hint;
    char key[64]; /* that was read last, for messages */
    char buffer[BUFFER_SIZE];
};

/* ---- Bytes --------------------------------------------------------------------------------- */

/* Whether there is another byte at json->at, when there is none in the buffer. */
bool json_refill(struct json *json);

static inline bool json_more(struct json *json)
{
    return json->at < json->end || json_refill(json);
}

/* The next byte that is no blank, which stays; -1 at the end. */
int json_next(struct json *json);
/* Takes the byte C, or tells that EXPECTED is missing. */
bool json_take(struct json *json, char c, const char *expected);

/* ---- Mistakes ------------------------------------------------------------------------------ */

/* EXPECTED is not what stands here. */
void json_expected(struct json *json, const char *expected);
/* It ends here. */
void json_cut(struct json *json);
void json_no_memory(struct json *json);

#endif
