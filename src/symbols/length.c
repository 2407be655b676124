/*
 * length.c - estimates the length of a demangled C++ name without demangling it. A substitution
 * repeats an earlier part, so each level of a type can double the previous level: 193 bytes expand
 * to 335 MB. The parser follows the Itanium C++ ABI (5.1, Mangling) and keeps only lengths.
 */
#include "config.h"

#include "symbols/length.h"

#include <ctype.h>
#include <string.h>

enum { MOST_PARTS = 512, MOST_DEPTH = 200, MOST = 1 << 24 };

struct reader {
    const char *at;
    uint32_t parts[MOST_PARTS]; /* expanded lengths of the substitution candidates */
    unsigned nparts, depth;
    /* lengths of the arguments of the template read last, referenced by T_ */
    uint32_t arguments[64];
    unsigned narguments;
    bool failed; /* the name contains a construct unknown to this parser */
};

static uint32_t sum(uint32_t a, uint32_t b)
{
    return a + b < MOST ? a + b : MOST;
}

static uint32_t fail(struct reader *r)
{
    r->failed = true;
    return 0;
}

static bool take(struct reader *r, char c)
{
    bool there = *r->at == c;
    r->at += there;
    return there;
}

static uint32_t keep(struct reader *r, uint32_t length)
{
    if (r->nparts < MOST_PARTS)
        r->parts[r->nparts++] = length;
    else
        r->failed = true;
    return length;
}

static uint32_t read_type(struct reader *r);
static uint32_t read_name(struct reader *r, bool is_type);
static uint32_t read_encoding(struct reader *r);

/* Read a base-36 number and an underscore: no digits mean 0, "0" means 1. */
static unsigned read_index(struct reader *r)
{
    unsigned n = 0;
    if (take(r, '_'))
        return 0;
    for (; isdigit((unsigned char)*r->at) || isupper((unsigned char)*r->at); r->at++)
        n = n < MOST ? n * 36 + (unsigned)(isdigit((unsigned char)*r->at) ? *r->at - '0'
                                                                          : *r->at - 'A' + 10)
                     : n;
    if (!take(r, '_'))
        r->failed = true;
    return n + 1;
}

static uint32_t read_number(struct reader *r)
{
    uint32_t n = 0;
    for (take(r, 'n'); isdigit((unsigned char)*r->at); r->at++)
        n = n < MOST ? n * 10 + (uint32_t)(*r->at - '0') : n;
    return n;
}

static uint32_t read_source_name(struct reader *r)
{
    uint32_t n = read_number(r);
    if (n == 0 || strnlen(r->at, n) < n)
        return fail(r);
    r->at += n;
    while (take(r, 'B')) /* an ABI tag */
        n = sum(n, read_source_name(r));
    return n;
}

static uint32_t read_arguments(struct reader *r);

/* Skip an expression up to its closing E; expressions rarely expand to long text. */
static uint32_t read_literal(struct reader *r)
{
    if (strncmp(r->at, "_Z", 2) == 0) {
        r->at += 2;
        uint32_t n = read_encoding(r);
        return take(r, 'E') ? n : fail(r);
    }
    uint32_t n = read_type(r);
    for (; *r->at && *r->at != 'E'; r->at++)
        n = sum(n, 1);
    return take(r, 'E') ? sum(n, 4) : fail(r);
}

static uint32_t read_argument(struct reader *r)
{
    uint32_t n = 0;
    if (take(r, 'L'))
        return read_literal(r);
    if (*r->at == 'X')
        return fail(r);
    if (!take(r, 'J'))
        return read_type(r);
    while (!r->failed && !take(r, 'E'))
        n = sum(n, sum(read_argument(r), 2));
    return n;
}

/* Read template arguments after the I. */
static uint32_t read_arguments(struct reader *r)
{
    uint32_t all = 2, own[64] = {0};
    unsigned n = 0;
    while (!r->failed && !take(r, 'E')) {
        uint32_t length = read_argument(r);
        if (n < 64)
            own[n++] = length;
        all = sum(all, sum(length, 2));
    }
    memcpy(r->arguments, own, n * sizeof *own);
    r->narguments = n;
    return all;
}

/*
 * Read a substitution after the S: an earlier part, or a name in std. *STD is set if an unqualified
 * name must follow.
 */
static uint32_t read_substitution(struct reader *r, bool *std)
{
    *std = false;
    if (take(r, 't')) {
        *std = true;
        return 5;
    }
    if (*r->at && strchr("absiod", *r->at)) {
        r->at++;
        return 60; /* std::basic_string with its default arguments */
    }
    unsigned i = read_index(r);
    return i < r->nparts ? r->parts[i] : fail(r);
}

static uint32_t read_parameter(struct reader *r)
{
    unsigned i = read_index(r);
    return i < r->narguments ? r->arguments[i] : 16;
}

static uint32_t read_unqualified(struct reader *r)
{
    if (isdigit((unsigned char)*r->at))
        return read_source_name(r);
    if ((*r->at == 'C' || *r->at == 'D') && isdigit((unsigned char)r->at[1])) {
        r->at += 2;
        return 16;
    }
    if (take(r, 'L'))
        return read_source_name(r);
    if (strncmp(r->at, "cv", 2) == 0) {
        r->at += 2;
        return sum(9, read_type(r));
    }
    if (islower((unsigned char)r->at[0]) && isalpha((unsigned char)r->at[1])) {
        r->at += 2;
        return 12;
    }
    return fail(r);
}

/* Read a nested name between N and E. */
static uint32_t read_nested(struct reader *r)
{
    uint32_t n = 0;
    bool std;
    r->at += strspn(r->at, "rVK");
    r->at += strspn(r->at, "RO");
    while (!r->failed && !take(r, 'E')) {
        bool is_substitution = false;
        if (take(r, 'S')) {
            n = sum(n, read_substitution(r, &std));
            is_substitution = true;
        } else if (take(r, 'T'))
            n = sum(n, read_parameter(r));
        else if (take(r, 'I'))
            n = sum(n, read_arguments(r));
        else
            n = sum(n, sum(2, read_unqualified(r)));
        if (!is_substitution && *r->at != 'E' && !r->failed)
            keep(r, n);
    }
    return n;
}

/* Read a local name between Z and the end of its entity. */
static uint32_t read_local(struct reader *r)
{
    uint32_t n = read_encoding(r);
    if (!take(r, 'E'))
        return fail(r);
    if (take(r, 's'))
        return sum(n, 16);
    n = sum(n, read_name(r, false));
    if (take(r, '_'))
        read_number(r);
    return n;
}

static uint32_t read_name(struct reader *r, bool is_type)
{
    bool std = false, is_whole = false;
    uint32_t n;
    if (take(r, 'N'))
        return read_nested(r);
    if (take(r, 'Z'))
        return read_local(r);
    if (take(r, 'S')) {
        n = read_substitution(r, &std);
        is_whole = !std;
        if (std)
            n = sum(n, read_unqualified(r));
    } else {
        n = read_unqualified(r);
    }
    if (*r->at != 'I')
        return n;
    if (!is_whole)
        keep(r, n);
    r->at++;
    (void)is_type;
    return sum(n, read_arguments(r));
}

static uint32_t read_function_type(struct reader *r)
{
    uint32_t n = 4;
    take(r, 'Y');
    while (!r->failed && !take(r, 'E')) {
        if (strncmp(r->at, "RE", 2) == 0 || strncmp(r->at, "OE", 2) == 0)
            r->at++;
        else
            n = sum(n, sum(2, read_type(r)));
    }
    return n;
}

static uint32_t read_d(struct reader *r)
{
    char c = *r->at ? *r->at++ : '\0';
    if (c && strchr("defhisuacn", c))
        return 16;
    if (c == 'p')
        return keep(r, read_type(r));
    if (c == 'o' && take(r, 'F'))
        return keep(r, sum(9, read_function_type(r)));
    return fail(r);
}

static uint32_t read_any_type(struct reader *r)
{
    char c = *r->at;
    bool std;
    if (c && strchr("vwbcahstijlmxynofdegz", c)) {
        r->at++;
        return 18;
    }
    if (isdigit((unsigned char)c) || c == 'N' || c == 'Z' || (c == 'S' && r->at[1] == 't'))
        return keep(r, read_name(r, true));
    r->at += c != '\0';
    switch (c) {
    case 'r':
    case 'V':
    case 'K':
        r->at += strspn(r->at, "rVK");
        return keep(r, sum(9, read_type(r)));
    case 'P':
    case 'R':
    case 'O':
    case 'C':
    case 'G':
        return keep(r, sum(2, read_type(r)));
    case 'F':
        return keep(r, read_function_type(r));
    case 'A':
        read_number(r);
        return take(r, '_') ? keep(r, sum(12, read_type(r))) : fail(r);
    case 'M': {
        uint32_t n = read_type(r);
        return keep(r, sum(n, sum(4, read_type(r))));
    }
    case 'D':
        return read_d(r);
    case 'T': {
        uint32_t n = keep(r, read_parameter(r));
        return take(r, 'I') ? keep(r, sum(n, read_arguments(r))) : n;
    }
    case 'S': {
        uint32_t n = read_substitution(r, &std);
        return take(r, 'I') ? keep(r, sum(n, read_arguments(r))) : n;
    }
    default:
        return fail(r);
    }
}

static uint32_t read_type(struct reader *r)
{
    if (r->failed || ++r->depth > MOST_DEPTH)
        return fail(r);
    uint32_t n = read_any_type(r);
    r->depth--;
    return n;
}

static uint32_t read_encoding(struct reader *r)
{
    if (r->failed || ++r->depth > MOST_DEPTH)
        return fail(r);
    uint32_t n = read_name(r, false);
    while (!r->failed && *r->at && *r->at != 'E' && *r->at != '.')
        n = sum(n, sum(2, read_type(r)));
    r->depth--;
    return n;
}

size_t gptl_symbols_length(const char *name)
{
    struct reader r = {.at = name + 2};
    size_t bytes = strlen(name), longest = bytes, references = 0;
    uint32_t n = strncmp(name, "_Z", 2) == 0 ? read_encoding(&r) : (uint32_t)bytes;
    if (!r.failed)
        return n;
    /*
     * Estimate for a name that the parser does not understand. A substitution at most doubles the
     * text before it, but rarely does in practice: half limits a hostile name to some megabytes.
     */
    for (const char *c = strchr(name, 'S'); c; c = strchr(c + 1, 'S'))
        references += c[1] == '_' || isdigit((unsigned char)c[1]) || isupper((unsigned char)c[1]);
    for (; references > 0 && longest < MOST; references--)
        longest += longest / 2;
    return longest;
}
