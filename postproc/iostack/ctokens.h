/*
 * ctokens.h - a source file as tokens of C: comments, strings and preprocessor lines are known for what
 * they are, and so is the table of a state machine (between two lines of %%), in which there is no C.
 */
#ifndef GPTL_POSTPROC_IOSTACK_CTOKENS_H
#define GPTL_POSTPROC_IOSTACK_CTOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_MARK, TOKEN_DIRECTIVE, TOKEN_TABLE };

struct token {
    enum token_kind kind;
    size_t at, size; /* in the text */
    unsigned line;
    /* Of brackets: the token that closes this one, or opens it; SIZE_MAX: none does. */
    size_t other;
    int depth; /* of braces around it; those of #else branches count once */
};

/* A function that is defined in the file. */
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

/* TEXT, with a NUL behind it, must outlive the tokens. */
void ctokens_read(struct ctokens *c, const char *text, size_t size);
void ctokens_free(struct ctokens *c);
bool ctokens_is(const struct ctokens *c, size_t token, const char *text);
/* The next token that is C, or the one before; SIZE_MAX: there is none. */
size_t ctokens_next(const struct ctokens *c, size_t token);
size_t ctokens_before(const struct ctokens *c, size_t token);
/* The function whose body has TOKEN, or NULL. */
const struct function *ctokens_function(const struct ctokens *c, size_t token);

#endif
