/*
 * json_read.h - JSON (RFC 8259) as a stream: the caller asks for what it expects next.
 *
 * This is code of its own because no library fits. A report may be gigabytes, so no document can be
 * built in memory, as json-c and jansson do; yajl reads streams but is not kept up. And a cluster has
 * none of them for sure. Here memory is a buffer, and the longest string that is asked for.
 *
 * The first mistake is told on stderr, with the line. From then on nothing is read, objects and
 * arrays have no more members, and values are 0, "" or false: check json_failed at the end.
 */
#ifndef GPTL_POSTPROC_JSON_READ_H
#define GPTL_POSTPROC_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json;

/*
 * Reads from FD, which stays open. WHO and NAME stand before messages, "WHO: NAME: line 3: …". NULL when
 * there is no memory.
 */
struct json *json_new(const char *who, const char *name, int fd);
void json_free(struct json *json);

bool json_failed(const struct json *json);
/* Tells a mistake of what was read last, unless one was told before. */
void json_fail(struct json *json, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same without a line: what is wrong with all of it. */
void json_fail_whole(struct json *json, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What is added to messages that have a line, until it is NULL. */
void json_hint(struct json *json, const char *hint);

/* The first bytes that are there, at least SIZE of them unless there are fewer; *SIZE says. */
const char *json_peek(struct json *json, size_t *size);

/* An object begins here. Then, in turn: the key of the next member, NULL at the end; its value. */
void json_object(struct json *json);
const char *json_key(struct json *json);

/* An array begins here. Then, in turn: whether there is another element; its value. */
void json_array(struct json *json);
bool json_element(struct json *json);

/* The next value, if it is null. */
bool json_null(struct json *json);

/* Other values. Strings and keys are valid until the next one is read; *LENGTH may be NULL. */
char *json_string(struct json *json, size_t *length);
bool json_bool(struct json *json);
double json_real(struct json *json);
/* A whole number from 0 to MOST. */
uint64_t json_uint(struct json *json, uint64_t most);
/* A whole number of 64 bits with a sign. */
int64_t json_int(struct json *json);
/* A number of seconds, as nanoseconds: exact, unless it has digits beyond those. */
uint64_t json_nanoseconds(struct json *json);
/* A sum times 10^SCALE. */
struct gptl_wide json_wide(struct json *json, int scale);
/* A value of any kind. */
void json_skip(struct json *json);
/* Nothing may follow but blanks. */
void json_end(struct json *json);

#endif
