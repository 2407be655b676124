/*
 * plan.h - a parsed configuration in the language of the paper's Fig. 2. Each text records its
 * place in the configuration for messages.
 */
#ifndef GPTL_POSTPROC_IOSTACK_PLAN_H
#define GPTL_POSTPROC_IOSTACK_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "postproc/iostack/query.h"

/* A place in a configuration. */
struct place {
    const char *file; /* lives as long as the plan */
    unsigned line, column;
};

struct word {
    char *text;
    struct place place;
};

struct words {
    struct word *words;
    size_t n, room;
};

enum probe_kind {
    PROBE_LINE,    /* -n LINE */
    PROBE_CALL,    /* -l NAME: a call of NAME, or the function itself */
    PROBE_FUNCTION /* -f NAME without -l: its entry, or all its returns */
};

enum probe_act { ACT_BEGIN, ACT_END, ACT_CODE, ACT_NONE };

struct probe {
    struct place place;
    char *name, *file; /* file as written; NULL: the application's */
    int layer;
    int metric;    /* -1: common to all metrics */
    int operation; /* 0: any */
    enum probe_kind kind;
    enum probe_act act;
    bool after;
    char *function, *call; /* or NULL */
    unsigned nth;          /* occurrence, from 1; 0: must be unique */
    bool all;              /* [*]: all occurrences */
    unsigned line;
    char *expected;  /* required text of the line, or NULL */
    char *code;      /* or NULL */
    const char *set; /* probe set that contains it, or NULL */
    bool chosen;
    bool ends_too; /* also ends the span at the call, because no other probe does */
    const char *why;
};

struct trace_group {
    struct words files;
    struct place place;
};

struct plan {
    struct words files; /* files read: the configuration, included files, probe sets */
    struct words application, libraries, names, values; /* names[i] is defined as values[i] */
    char *build, *run;
    struct query query;
    struct place stack_place, query_place;
    size_t nlayers, nrules; /* number of layers and rules of -S */
    struct stack_rule {
        int64_t count;
        bool sum;
    } rules[NLAYERS];
    struct trace_group *traces;
    size_t ntraces, traces_room;
    struct words lists; /* lists of -Q, one for each layer */
    struct probe *probes;
    size_t nprobes, probes_room;
    size_t nwarnings;
};

/* Read PATH and included files. Returns 0, or -1 after messages. */
int plan_read(struct plan *plan, const char *path);
void plan_free(struct plan *plan);

/*
 * Return TEXT with each $NAME replaced by its value in the configuration, or in the environment.
 * NULL after a message that names PLACE.
 */
char *plan_expand(const struct plan *plan, const struct place *place, const char *text);

/* Print a message about PLACE. */
void plan_error(const struct place *place, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void plan_warning(struct plan *plan, const struct place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- Between the files of the parser --------------------------------------------------------- */

/* The contents of a flag's brackets, with continued lines joined; each byte has its place. */
struct value {
    char *text;
    struct place *places; /* of each byte, and of the end */
    size_t n, room, places_room;
};

/* A part of a value. */
struct part {
    const struct value *value;
    size_t at, end;
    bool over; /* exhausted by part_next */
};

struct part part_of(const struct value *value);
struct part part_trimmed(struct part part);
/*
 * Split off the part before SEPARATOR outside of <>, [], {} and quotes; REST becomes the remainder.
 * Returns false at the end.
 */
bool part_next(struct part *rest, char separator, struct part *part);
const struct place *part_place(const struct part *part);
size_t part_size(const struct part *part);
const char *part_text(const struct part *part);
bool part_is(const struct part *part, const char *text);
char *part_copy(const struct part *part);
void words_add(struct words *words, char *text, const struct place *place);
void words_free(struct words *words);

/* Parse a flag. Return 0, or -1 after a message. */
int plan_take(struct plan *plan, char flag, const struct place *place, const struct value *value);
int plan_take_probe(struct plan *plan, const struct place *place, const struct value *value);
int plan_include(struct plan *plan, const struct place *place, const char *path, bool is_set);

#endif
