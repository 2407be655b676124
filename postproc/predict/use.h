/* use.h - demand of a signature's blocks on a machine, as counts of the model. */
#ifndef GPTL_POSTPROC_PREDICT_USE_H
#define GPTL_POSTPROC_PREDICT_USE_H

#include "postproc/predict/convolve.h"
#include "postproc/signature/signature.h"

/* Replaces the number of a simulated machine: levels are estimated from working sets. */
#define USE_BY_WORKING_SET UINT32_MAX

/* Return the signature's machine with the caches of MACHINE, or USE_BY_WORKING_SET if absent. */
uint32_t use_find_machine(const struct signature *signature, const struct machine *machine);

struct use use_of_block(const struct signature *signature, uint32_t block, uint32_t machine,
                        const struct prices *prices);

#endif
