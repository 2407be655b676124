/*
 * prediction.h - the cost of a program on a machine by block, function and region, next to the
 * measured times and the cost on another machine. doc/prediction.schema.json describes the file.
 */
#ifndef GPTL_POSTPROC_PREDICT_PREDICTION_H
#define GPTL_POSTPROC_PREDICT_PREDICTION_H

#include "postproc/predict/use.h"

#include "report/out.h"

/* Measured time of a region. */
struct prediction_measured {
    double seconds; /* inclusive */
    bool known;
};

/* Conditions that make a measured run slower than a run with one core per rank. */
struct prediction_sharing {
    char *host; /* a host with more ranks than cores, or NULL */
    unsigned ranks, cores;
    double preemptions; /* per second, of the rank with the most */
};

struct prediction {
    const char *signature_path;
    const struct signature *signature;
    const struct prices *prices;
    bool by_working_set; /* the machine's caches were not simulated */
    struct cost *blocks, *functions;
    struct cost *regions, *own; /* inclusive, exclusive; index 0 is the total */
    double *rates;              /* accesses per second by block, 0 without accesses */
    double equation_1;
    const struct prediction *base;        /* prediction for the machine of comparison, or NULL */
    struct prediction_measured *measured; /* by region, or NULL */
    struct prediction_sharing sharing;    /* in the measured run */
};

/* Predict the costs. Returns 0, or -1 if out of memory; always free the result. */
int prediction_make(struct prediction *prediction, const struct signature *signature,
                    uint32_t machine, const struct prices *prices);
void prediction_free(struct prediction *prediction);

/*
 * Add the times of the profiles ARGUMENTS (files, directories). Returns 0, or -1 after a message.
 */
int prediction_measure(struct prediction *prediction, const char *who, char *const *arguments,
                       int narguments);

/* Return predicted / measured - 1, or NaN if the region was not measured. */
double prediction_error(const struct prediction *prediction, uint32_t region);

/*
 * Return whether a sampling error makes memory times unreliable, because a hundredth of all
 * accesses can account for most of the time. Also true if the error is unknown.
 */
bool prediction_is_doubtful(const struct prediction *prediction);

/* Write the TOP blocks and functions with the longest time. Both return -1 if out of memory. */
int prediction_text(struct gptl_out *out, const struct prediction *prediction, uint32_t top);
int prediction_json(struct gptl_out *out, const struct prediction *prediction, uint32_t top);

/*
 * Select the at most TOP of COUNT items with the longest total time, the longest first. Returns -1
 * if out of memory.
 */
int prediction_longest(const struct cost *costs, uint32_t count, uint32_t top, uint32_t **items,
                       uint32_t *n);

#endif
