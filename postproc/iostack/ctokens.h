/*
 * ctokens.h - splits a source file into tokens of C. Comments, strings and preprocessor lines are
 * recognized, and so is the table of a state machine (between two lines of %%), which does not
 * contain C.
 */
#ifndef GPTL_POSTPROC_IOSTACK_CTOKENS_H
#define GPTL_POSTPROC_IOSTACK_CTOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_MARK, TOKEN_DIRECTIVE, TOKEN_TABLE };

struct token {
    enum token_kind kind;
    size_t at, size; /* offset and size in the text */
    unsigned line;
    /* The matching bracket, or SIZE_MAX. */
    size_t other;
    int depth; /* number of enclosing braces; braces in #else branches count once */
};

/* A function defined in the file. */
struct function {
    size_t name, begin, open, close; /* tokens; BEGIN is the first of the definition */
    bool returns_nothing;
};

struct ctokens {
    const char *text;
    size_t size;
    struct token *tokens;
    size_t n, room;
    struct function *functions;
    size_t nfunctions, functions_room;
};

/* Tokenize TEXT, which is NUL-terminated and must outlive the tokens. */
void ctokens_read(struct ctokens *c, const char *text, size_t size);
void ctokens_free(struct ctokens *c);
bool ctokens_is(const struct ctokens *c, size_t token, const char *text);
/* Return the next or previous token of C code, or SIZE_MAX. */
size_t ctokens_next(const struct ctokens *c, size_t token);
size_t ctokens_before(const struct ctokens *c, size_t token);
/* Return the function whose body contains TOKEN, or NULL. */
const struct function *ctokens_function(const struct ctokens *c, size_t token);

#endif
