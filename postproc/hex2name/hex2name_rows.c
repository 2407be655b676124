/*
 * hex2name_rows.c - the parts of a line of a text report.
 *
 * Names may contain any characters, including numbers and spaces. So a row is parsed from its right
 * end with a known number of columns. Rows with addresses, whose end is unambiguous, define that
 * number.
 */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "postproc/hex2name/hex2name.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

size_t hex_width(const char *text, size_t length)
{
    size_t width = 0;
    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

/* ---- Addresses ------------------------------------------------------------------------------- */

static bool is_label(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("._-#", c));
}

/* Parse LENGTH hexadecimal digits, 1 to 16. */
static bool read_hex(const char *text, size_t length, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        if (!isxdigit((unsigned char)text[i]))
            return false;
        int c = tolower((unsigned char)text[i]);
        *value = *value << 4 | (uint64_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
    }
    return length >= 1 && length <= 16;
}

static bool has_0x(const char *text, size_t length)
{
    return length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

static bool parse_bare(const char *text, size_t length, struct hex_address *address)
{
    bool prefixed = has_0x(text, length);
    const char *digits = prefixed ? text + 2 : text;
    size_t n = (size_t)(text + length - digits);
    *address = (struct hex_address){.marked = prefixed};
    for (size_t i = 0; i < n; i++)
        address->marked |= isdigit((unsigned char)digits[i]) != 0;
    return n >= 6 && read_hex(digits, n, &address->offset);
}

bool hex_address_parse(const char *text, size_t length, bool bare, struct hex_address *address)
{
    size_t n = 0;
    if (bare)
        return parse_bare(text, length, address);
    while (n < length && is_label(text[n]))
        n++;
    *address = (struct hex_address){.label = text, .label_length = n};
    return n > 0 && n < length && text[n] == '+' && has_0x(text + n + 1, length - n - 1) &&
           read_hex(text + n + 3, length - n - 3, &address->offset);
}

/*
 * Parse a name with its quotes that begins at AT and ends before a space, END, or a character of
 * STOPS.
 */
static bool parse_name(const struct hex_line *line, bool bare, size_t at, size_t end,
                       const char *stops, struct hex_name *name)
{
    size_t to = at;
    *name = (struct hex_name){.at = at, .quoted = at < end && line->text[at] == '"'};
    if (name->quoted) {
        const char *quote = memchr(line->text + at + 1, '"', end - at - 1);
        to = quote ? (size_t)(quote - line->text) + 1 : at;
    } else {
        while (to < end && !is_blank(line->text[to]) &&
               (!line->text[to] || !strchr(stops, line->text[to])))
            to++;
    }
    name->length = to - at;
    size_t q = name->quoted;
    return name->length > 2 * q &&
           (to == end || is_blank(line->text[to]) ||
            (line->text[to] && strchr(stops, line->text[to]))) &&
           hex_address_parse(line->text + at + q, name->length - 2 * q, bare, &name->address);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static bool is_number(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!text[i] || !strchr("0123456789.,+-eE%()naif \t", text[i]))
            return false;
    return length > 0 &&
           (strchr("0123456789.+-(", text[0]) ||
            (length == 3 && (memcmp(text, "nan", 3) == 0 || memcmp(text, "inf", 3) == 0)));
}

/*
 * Return the start of the number that ends before TO, including a parenthesized part; TO if other
 * text ends there.
 */
static size_t number_before(const char *text, size_t to)
{
    size_t at = to;
    if (at > 0 && text[at - 1] == ')')
        while (at > 0 && text[at - 1] != '(')
            at--;
    while (at > 0 && !is_blank(text[at - 1]))
        at--;
    return is_number(text + at, to - at) ? at : to;
}

static size_t without_blanks(const char *text, size_t length)
{
    while (length > 0 && is_blank(text[length - 1]))
        length--;
    return length;
}

/*
 * Parse at most MOST numbers from the right end down to FROM. FIRST is set to the start of the
 * leftmost. Returns their number.
 */
static unsigned numbers(const char *text, size_t length, size_t from, unsigned most, size_t *first)
{
    unsigned n = 0;
    size_t to = without_blanks(text, length);
    while (n < most && to > from) {
        size_t at = number_before(text, to);
        if (at == to || at < from)
            break;
        *first = at;
        n++;
        to = without_blanks(text, at);
    }
    return n;
}

enum { MOST_CELLS = 64 };

/*
 * Return the count of numbers in a line of numbers only, or 0: the row's name was too long and
 * occupies the previous line.
 */
static unsigned numbers_alone(const char *text, size_t length)
{
    size_t first = 0;
    unsigned n =
        text && length > 0 && is_blank(text[0]) ? numbers(text, length, 0, MOST_CELLS, &first) : 0;
    return n > 0 && without_blanks(text, first) == 0 ? n : 0;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static size_t skip(const struct hex_line *line, size_t at, const char *what)
{
    while (at < line->length && line->text[at] && strchr(what, line->text[at]))
        at++;
    return at;
}

/* Skip "[51] ": the level, which replaces indentation that would be too wide. */
static size_t skip_level(const struct hex_line *line, size_t at)
{
    if (at >= line->length || line->text[at] != '[')
        return at;
    size_t to = skip(line, at + 1, "0123456789");
    return to > at + 1 && to + 1 < line->length && line->text[to] == ']' ? skip(line, to + 1, " ")
                                                                         : at;
}

/* Return the start of the name, or LENGTH for lines other than rows. */
static size_t name_begin(const struct hex_line *line)
{
    switch (line->section) {
    case HEX_TABLE:
        return skip_level(line, skip(line, 0, " \t*>"));
    case HEX_CALLERS:
        return skip(line, 0, " >");
    case HEX_SUMMARY:
        return skip(line, 0, " *");
    case HEX_PARENTS: {
        size_t count = skip(line, 0, " \t"), after = skip(line, count, "0123456789");
        size_t at = skip(line, after, " \t");
        return after > count && at > after ? at : line->length;
    }
    case HEX_THREADS:
    case HEX_INTERVALS: {
        bool sum = line->length > 3 && memcmp(line->text, "SUM", 3) == 0;
        size_t after = sum ? 3 : skip(line, 0, "0123456789"), at = skip(line, after, " \t");
        return after > 0 && at > after ? at : line->length;
    }
    default:
        return line->length;
    }
}

bool hex_row_address(const struct hex_line *line, bool bare, struct hex_name *name)
{
    return !line->heading && !line->head &&
           parse_name(line, bare, name_begin(line), line->length, "", name);
}

bool hex_row_ends(const struct hex_line *line, const struct hex_name *name)
{
    return without_blanks(line->text, line->length) == name->at + name->length;
}

unsigned hex_row_cells(const struct hex_line *line, const struct hex_name *name)
{
    size_t end = name->at + name->length, first = line->length;
    if (hex_row_ends(line, name))
        return numbers_alone(line->next, line->next_length);
    unsigned n = numbers(line->text, line->length, end, MOST_CELLS, &first);
    return n > 0 && without_blanks(line->text, first) == end ? n : 0;
}

bool hex_row_parse(const struct hex_line *line, unsigned ncells, struct hex_row *row)
{
    size_t begin = name_begin(line), first = line->length;
    if (line->heading || line->head || begin >= line->length || ncells == 0)
        return false;
    row->two_lines = numbers(line->text, line->length, begin, ncells, &first) < ncells ||
                     without_blanks(line->text, first) <= begin;
    if (row->two_lines) {
        if (numbers_alone(line->next, line->next_length) != ncells)
            return false;
        row->left = without_blanks(line->text, line->length);
        numbers(line->next, line->next_length, 0, ncells, &row->cells);
        return true;
    }
    row->left = without_blanks(line->text, first);
    row->cells = first;
    return true;
}

/*
 * A name may begin after a space or a parenthesis. In a path of callers it follows "<" and a space.
 */
bool hex_line_address(const struct hex_line *line, bool bare, size_t at, size_t end,
                      struct hex_name *name)
{
    for (; at < end; at++)
        if ((at == 0 || is_blank(line->text[at - 1]) || line->text[at - 1] == '(') &&
            parse_name(line, bare, at, end, ",;:)", name))
            return true;
    return false;
}
