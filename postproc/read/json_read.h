/*
 * json_read.h - streaming JSON (RFC 8259) parser: the caller requests the type that it expects
 * next.
 *
 * No library fits. A report may be gigabytes, so a document must not be built in memory, as json-c
 * and jansson do; yajl reads streams but is unmaintained. And a cluster may lack all of them. The
 * memory needed here is a buffer and the longest requested string.
 *
 * The first error is reported on stderr with its line. Afterwards nothing is read, objects and
 * arrays end, and values are 0, "" or false: check json_failed at the end.
 */
#ifndef GPTL_POSTPROC_JSON_READ_H
#define GPTL_POSTPROC_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json;

/*
 * Create a parser of FD, which stays open. WHO and NAME prefix messages: "WHO: NAME: line 3: …".
 * NULL if out of memory.
 */
struct json *json_new(const char *who, const char *name, int fd);
void json_free(struct json *json);

bool json_failed(const struct json *json);
/* Report an error in the last value, unless an error was reported before. */
void json_fail(struct json *json, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Report an error of the whole file, without a line. */
void json_fail_whole(struct json *json, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Set text appended to messages with a line; NULL: none. */
void json_hint(struct json *json, const char *hint);

/*
 * Return the first bytes without consuming them; *SIZE is the requested, then the available number.
 */
const char *json_peek(struct json *json, size_t *size);

/*
 * Begin an object. Then repeatedly: get the key of the next member, NULL at the end; read its
 * value.
 */
void json_object(struct json *json);
const char *json_key(struct json *json);

/* Begin an array. Then repeatedly: test for another element; read its value. */
void json_array(struct json *json);
bool json_element(struct json *json);

/* Consume the next value if it is null. */
bool json_null(struct json *json);

/* Read other values. A string or key is valid until the next is read; *LENGTH may be NULL. */
char *json_string(struct json *json, size_t *length);
bool json_bool(struct json *json);
double json_real(struct json *json);
/* Read an integer from 0 to MOST. */
uint64_t json_uint(struct json *json, uint64_t most);
/* Read a signed 64-bit integer. */
int64_t json_int(struct json *json);
/* Read seconds as nanoseconds; digits below nanoseconds are rounded. */
uint64_t json_nanoseconds(struct json *json);
/* Read a sum times 10^SCALE. */
struct gptl_wide json_wide(struct json *json, int scale);
/* Skip a value of any kind. */
void json_skip(struct json *json);
/* Check that only white space follows. */
void json_end(struct json *json);

#endif
