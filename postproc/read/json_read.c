/* json_read.c - streaming JSON parser: strings, objects, arrays, numbers. */
#include "config.h"

#include "postproc/read/json_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/read/decimal.h"

/* ---- Text ---------------------------------------------------------------------------------- */

/* Reserve space for SIZE more bytes and a NUL. */
static bool make_room(struct json *json, size_t size)
{
    if (json->room - json->length > size)
        return true;
    size_t room = json->length + size < LONGEST_TEXT ? 2 * (json->length + size) + 64 : 0;
    char *text = room ? realloc(json->text, room) : NULL;
    if (!text) {
        if (room)
            json_no_memory(json);
        else
            json_fail(json, "a text is longer than %d bytes", LONGEST_TEXT);
        return false;
    }
    json->text = text;
    json->room = room;
    return true;
}

static bool append(struct json *json, const char *bytes, size_t size)
{
    if (!make_room(json, size))
        return false;
    memcpy(json->text + json->length, bytes, size);
    json->length += size;
    return true;
}

static bool append_character(struct json *json, uint32_t c)
{
    char utf8[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        utf8[i] = (char)(0x80 | (c & 0x3f));
    utf8[0] = (char)(first[n] | c);
    return append(json, utf8, n);
}

static int digit_value(int c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Read the four digits after \u; UINT32_MAX if invalid. */
static uint32_t four_digits(struct json *json)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = json_more(json) ? digit_value((unsigned char)*json->at) : -1;
        if (digit < 0) {
            json_expected(json, "four hexadecimal digits behind \\u");
            return UINT32_MAX;
        }
        value = value << 4 | (uint32_t)digit;
        json->at++;
    }
    return value;
}

/* Decode the escape after \u. Characters beyond 16 bits are surrogate pairs. */
static bool append_escaped(struct json *json)
{
    uint32_t c = four_digits(json);
    if (c >= 0xd800 && c < 0xdc00) {
        bool escape = json_more(json) && *json->at == '\\';
        json->at += escape;
        escape = escape && json_more(json) && *json->at == 'u';
        json->at += escape;
        uint32_t low = escape ? four_digits(json) : 0;
        if (low < 0xdc00 || low >= 0xe000)
            c = 0xdc00;
        else
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    if (c >= 0xdc00 && c < 0xe000)
        json_fail(json, "one half of a pair of \\u stands alone");
    return !json->failed && append_character(json, c);
}

static bool append_escape(struct json *json)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (!json_more(json)) {
        json_cut(json);
        return false;
    }
    char c = *json->at;
    const char *found = c ? strchr(from, c) : NULL;
    if (!found && c != 'u') {
        json_expected(json, "one of \"\\/bfnrtu behind a backslash");
        return false;
    }
    json->at++;
    return found ? append(json, &to[found - from], 1) : append_escaped(json);
}

/* Return the number of bytes before the next quote, escape or control character. */
static size_t plain_length(const char *from, const char *end)
{
    const char *c = from;
    while (c < end && (unsigned char)*c >= ' ' && *c != '"' && *c != '\\')
        c++;
    return (size_t)(c - from);
}

/* Read the rest of a string after the quote, into json->text if KEEP. */
static void scan_string(struct json *json, bool keep)
{
    json->length = 0;
    while (!json->failed) {
        if (!json_more(json)) {
            json_cut(json);
            return;
        }
        size_t n = plain_length(json->at, json->end);
        if (keep && !append(json, json->at, n))
            return;
        json->at += n;
        if (json->at == json->end)
            continue;
        char c = *json->at;
        if (c != '"' && c != '\\') {
            json_expected(json, "a character of a string, or its end");
            return;
        }
        json->at++;
        if (c == '"') {
            if (keep)
                json->text[json->length] = '\0';
            return;
        }
        if (!append_escape(json))
            return;
        json->length = keep ? json->length : 0;
    }
}

char *json_string(struct json *json, size_t *length)
{
    static char none[1];
    if (!json->failed && make_room(json, 1) && json_take(json, '"', "a text in quotes"))
        scan_string(json, true);
    if (json->failed)
        json->length = none[0] = 0;
    if (length)
        *length = json->length;
    return json->failed ? none : json->text;
}

/* ---- Objects and arrays -------------------------------------------------------------------- */

static void begin(struct json *json, bool is_array)
{
    if (!json_take(json, is_array ? '[' : '{', is_array ? "an array" : "an object"))
        return;
    if (json->depth == DEEPEST) {
        json_fail(json, "it is nested more than %d levels deep", DEEPEST);
        return;
    }
    json->any[json->depth] = false;
    json->is_array[json->depth++] = is_array;
}

/* Advance to the next member of the innermost object or array. Returns false at its end. */
static bool next_member(struct json *json)
{
    if (json->failed)
        return false;
    bool is_array = json->is_array[json->depth - 1], *any = &json->any[json->depth - 1];
    char end = is_array ? ']' : '}';
    int c = json_next(json);
    if (c == end) {
        json->at++;
        json->depth--;
        return false;
    }
    if (*any && !json_take(json, ',', is_array ? "a comma or ]" : "a comma or }"))
        return false;
    if (*any && json_next(json) == end)
        json_expected(json, "another member behind the comma");
    *any = true;
    return !json->failed;
}

void json_object(struct json *json)
{
    begin(json, false);
}

const char *json_key(struct json *json)
{
    if (!next_member(json))
        return NULL;
    size_t length;
    const char *text = json_string(json, &length);
    if (json->failed || !json_take(json, ':', "a colon behind the key"))
        return NULL;
    size_t kept = length < sizeof json->key - 1 ? length : sizeof json->key - 1;
    memcpy(json->key, text, kept);
    json->key[kept] = '\0';
    return text;
}

void json_array(struct json *json)
{
    begin(json, true);
}

bool json_element(struct json *json)
{
    return next_member(json);
}

/* ---- Other values -------------------------------------------------------------------------- */

/* Consume true, false or null. */
static void take_word(struct json *json, const char *word)
{
    for (const char *c = word; *c && !json->failed; c++) {
        if (!json_more(json) || *json->at != *c)
            json_expected(json, "a value");
        else
            json->at++;
    }
}

bool json_null(struct json *json)
{
    if (json_next(json) != 'n')
        return false;
    take_word(json, "null");
    return !json->failed;
}

bool json_bool(struct json *json)
{
    int c = json_next(json);
    if (c == 't' || c == 'f')
        take_word(json, c == 't' ? "true" : "false");
    else
        json_expected(json, "true or false");
    return c == 't' && !json->failed;
}

static bool is_of_number(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

/* Read the text of a number, "" after an error. */
static const char *number(struct json *json)
{
    int c = json_next(json);
    if (c != '-' && (c < '0' || c > '9')) {
        json_expected(json, "a number");
        return "";
    }
    json->length = 0;
    while (json_more(json)) {
        const char *end = json->at;
        while (end < json->end && is_of_number(*end))
            end++;
        if (end == json->at || !append(json, json->at, (size_t)(end - json->at)))
            break;
        json->at = end;
    }
    if (json->failed || !make_room(json, 1))
        return "";
    json->text[json->length] = '\0';
    if (!decimal_is_number(json->text)) {
        if (!json_more(json))
            json_cut(json);
        json_fail(json, "this is no number: %.*s", EXCERPT, json->text);
        return "";
    }
    return json->text;
}

double json_real(struct json *json)
{
    double value = strtod(number(json), NULL);
    if (!json->failed && !isfinite(value))
        json_fail(json, "\"%s\" is too large a number", json->key);
    return json->failed ? 0 : value;
}

uint64_t json_uint(struct json *json, uint64_t most)
{
    uint64_t value = 0;
    bool exact = true;
    const char *text = number(json);
    if (json->failed)
        return 0;
    if (decimal_read(text, 0, &value, &exact) && exact && value <= most)
        return value;
    json_fail(json, "\"%s\" must be a whole number from 0 to %llu, not %.*s", json->key,
              (unsigned long long)most, EXCERPT, text);
    return 0;
}

int64_t json_int(struct json *json)
{
    uint64_t value = 0;
    bool exact = true;
    const char *text = number(json);
    if (json->failed)
        return 0;
    bool negative = *text == '-';
    if (decimal_read(text + negative, 0, &value, &exact) && exact &&
        value <= (uint64_t)INT64_MAX + negative)
        return negative ? (int64_t)-value : (int64_t)value;
    json_fail(json, "\"%s\" must be a whole number of 64 bits, not %.*s", json->key, EXCERPT, text);
    return 0;
}

uint64_t json_nanoseconds(struct json *json)
{
    uint64_t value = 0;
    bool exact;
    const char *text = number(json);
    if (json->failed || decimal_read(text, 9, &value, &exact))
        return json->failed ? 0 : value;
    json_fail(json, "\"%s\" must be a time in seconds from 0 to 18446744073, not %.*s", json->key,
              EXCERPT, text);
    return 0;
}

struct gptl_wide json_wide(struct json *json, int scale)
{
    struct gptl_wide value = {0, 0};
    bool exact;
    const char *text = number(json);
    if (!json->failed && !decimal_read_wide(text, scale, &value, &exact))
        json_fail(json, "\"%s\" must be a sum from 0 to 10^37, not %.*s", json->key, EXCERPT, text);
    return json->failed ? (struct gptl_wide){0, 0} : value;
}

/* ---- Any value ----------------------------------------------------------------------------- */

/* Skip a value other than an object or array. */
static void skip_simple(struct json *json)
{
    int c = json_next(json);
    if (c == '"') {
        json->at++;
        scan_string(json, false);
    } else if (c == 't' || c == 'f') {
        json_bool(json);
    } else if (c == 'n') {
        json_null(json);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        number(json);
    } else {
        json_expected(json, "a value");
    }
}

void json_skip(struct json *json)
{
    int depth = json->depth;
    do {
        if (json->depth > depth) {
            bool is_array = json->is_array[json->depth - 1];
            if (!(is_array ? json_element(json) : json_key(json) != NULL))
                continue;
        }
        int c = json_next(json);
        if (c == '{' || c == '[')
            begin(json, c == '[');
        else
            skip_simple(json);
    } while (!json->failed && json->depth > depth);
}

void json_end(struct json *json)
{
    if (!json->failed && json_next(json) >= 0)
        json_fail(json, "there is more behind the end of the document");
}
