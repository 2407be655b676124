/*
 * plan.h - a configuration in the language of the paper's Fig. 2, as it was read. Files are the same for
 * all: of what is in the configuration each text knows where it stood, for messages.
 */
#ifndef GPTL_POSTPROC_IOSTACK_PLAN_H
#define GPTL_POSTPROC_IOSTACK_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "postproc/iostack/query.h"

/* A place in a configuration. */
struct place {
    const char *file; /* as long as the plan */
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
    int metric;    /* -1: common */
    int operation; /* 0: any */
    enum probe_kind kind;
    enum probe_act act;
    bool after;
    char *function, *call; /* or NULL */
    unsigned nth;          /* which of several, from 1; 0: there is only one */
    bool all;              /* [*]: each of them */
    unsigned line;
    char *expected;  /* what stands in that line; NULL: whatever does */
    char *code;      /* or NULL */
    const char *set; /* the probe set that it is of, or NULL */
    bool chosen;
    bool ends_too; /* no other probe ends what this one begins at a call */
    const char *why;
};

struct trace_group {
    struct words files;
    struct place place;
};

struct plan {
    struct words files; /* that were read: the configuration, what it includes, probe sets */
    struct words application, libraries, names, values; /* names[i] is values[i] */
    char *build, *run;
    struct query query;
    struct place stack_place, query_place;
    size_t nlayers, nrules; /* as -S says, and rules that it gives */
    struct stack_rule {
        int64_t count;
        bool sum;
    } rules[NLAYERS];
    struct trace_group *traces;
    size_t ntraces, traces_room;
    struct words lists; /* of -Q, one for each layer */
    struct probe *probes;
    size_t nprobes, probes_room;
    size_t nwarnings;
};

/* Reads PATH and all that it includes. Returns 0, or -1 after messages. */
int plan_read(struct plan *plan, const char *path);
void plan_free(struct plan *plan);

/*
 * TEXT with each $NAME replaced: by what the configuration says, else by the environment. NULL after a
 * message that names PLACE.
 */
char *plan_expand(const struct plan *plan, const struct place *place, const char *text);

/* A message about what stands at PLACE. */
void plan_error(const struct place *place, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void plan_warning(struct plan *plan, const struct place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- Between the files that read ------------------------------------------------------------- */

/* What stands between the brackets of a flag: continued lines are one, and each byte has its place. */
struct value {
    char *text;
    struct place *places; /* of each byte, and of the end */
    size_t n, room, places_room;
};

/* A part of a value. */
struct part {
    const struct value *value;
    size_t at, end;
    bool over; /* part_next has given all of it */
};

struct part part_of(const struct value *value);
struct part part_trimmed(struct part part);
/* The part up to SEPARATOR outside of <>, [], {} and quotes; REST goes on behind it. False: no more. */
bool part_next(struct part *rest, char separator, struct part *part);
const struct place *part_place(const struct part *part);
size_t part_size(const struct part *part);
const char *part_text(const struct part *part);
bool part_is(const struct part *part, const char *text);
char *part_copy(const struct part *part);
void words_add(struct words *words, char *text, const struct place *place);
void words_free(struct words *words);

/* They return 0, or -1 after a message. */
int plan_take(struct plan *plan, char flag, const struct place *place, const struct value *value);
int plan_take_probe(struct plan *plan, const struct place *place, const struct value *value);
int plan_include(struct plan *plan, const struct place *place, const char *path, bool is_set);

#endif
