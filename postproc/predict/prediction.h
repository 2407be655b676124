/*
 * prediction.h - what a program costs on a machine: by block, function and region, beside what was
 * measured and what it costs on another machine. doc/prediction.schema.json describes the file.
 */
#ifndef GPTL_POSTPROC_PREDICT_PREDICTION_H
#define GPTL_POSTPROC_PREDICT_PREDICTION_H

#include "postproc/predict/use.h"

#include "report/out.h"

/* Of each region: what was measured there. */
struct prediction_measured {
    double seconds; /* inclusive */
    bool known;
};

/* What may make a measured run slower than one with a core for each rank. */
struct prediction_sharing {
    char *host; /* whose ranks share its cores, or NULL */
    unsigned ranks, cores;
    double preemptions; /* a second, of the rank that has most */
};

struct prediction {
    const char *signature_path;
    const struct signature *signature;
    const struct prices *prices;
    bool by_working_set; /* the caches of this machine were not simulated */
    struct cost *blocks, *functions;
    struct cost *regions, *own; /* inclusive, exclusive; the first is all */
    double *rates;              /* accesses in a second of each block, 0: it has none */
    double equation_1;
    const struct prediction *base; /* on the machine that this one is compared with, or NULL */
    struct prediction_measured *measured; /* of each region, or NULL */
    struct prediction_sharing sharing;    /* of the measured run */
};

/* Returns 0, or -1 when there is no memory; free it in both cases. */
int prediction_make(struct prediction *prediction, const struct signature *signature,
                    uint32_t machine, const struct prices *prices);
void prediction_free(struct prediction *prediction);

/* Adds what the profiles ARGUMENTS (files, folders) say. Returns 0, or -1 after a message. */
int prediction_measure(struct prediction *prediction, const char *who, char *const *arguments,
                       int narguments);

/* Predicted to measured, less 1; not a number where nothing was measured. */
double prediction_error(const struct prediction *prediction, uint32_t region);

/*
 * Whether the signature was sampled with an error that makes times of memory doubtful: a hundredth of all
 * accesses may be what most of the time goes to. So is an error that is not known.
 */
bool prediction_is_doubtful(const struct prediction *prediction);

/* Both show the TOP blocks and functions of the longest time. -1 when there is no memory. */
int prediction_text(struct gptl_out *out, const struct prediction *prediction, uint32_t top);
int prediction_json(struct gptl_out *out, const struct prediction *prediction, uint32_t top);

/* The COUNT items of the longest total time, the longest first, at most TOP. -1: no memory. */
int prediction_longest(const struct cost *costs, uint32_t count, uint32_t top, uint32_t **items,
                       uint32_t *n);

#endif
