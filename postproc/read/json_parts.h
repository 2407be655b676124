/* json_parts.h - interface between the files that read JSON. */
#ifndef GPTL_POSTPROC_JSON_PARTS_H
#define GPTL_POSTPROC_JSON_PARTS_H

#include "postproc/read/json_read.h"
#include "postproc/read/progress.h"

enum {
    BUFFER_SIZE = 256 << 10,
    DEEPEST = 200,
    LONGEST_TEXT = 1 << 28, /* exceeds the longest name that the library accepts */
    EXCERPT = 24,
};

struct json {
    const char *who, *name;
    int fd;
    bool failed, ended; /* ended: FD is at its end */
    int depth;
    bool any[DEEPEST]; /* by open level: whether it had a member */
    bool is_array[DEEPEST];
    const char *at, *end; /* unread part of the buffer */
    uint64_t passed;      /* bytes consumed in earlier buffers */
    uint64_t line, line_start;
    char *text; /* the last string or number */
    size_t length, room;
    struct progress progress;
    char what[256]; /* label for progress */
    const char *hint;
    char key[64]; /* last key, for messages */
    char buffer[BUFFER_SIZE];
};

/* ---- Bytes --------------------------------------------------------------------------------- */

/* Refill the empty buffer. Returns false at the end of the file. */
bool json_refill(struct json *json);

static inline bool json_more(struct json *json)
{
    return json->at < json->end || json_refill(json);
}

/* Return the next byte other than white space without consuming it, or -1 at the end. */
int json_next(struct json *json);
/* Consume the byte C, or report that EXPECTED is missing. */
bool json_take(struct json *json, char c, const char *expected);

/* ---- Errors -------------------------------------------------------------------------------- */

/* Report that the input is not EXPECTED. */
void json_expected(struct json *json, const char *expected);
/* Report a truncated file. */
void json_cut(struct json *json);
void json_no_memory(struct json *json);

#endif
