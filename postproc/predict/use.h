/* use.h - what the blocks of a signature ask of a machine: counts as the model takes them. */
#ifndef GPTL_POSTPROC_PREDICT_USE_H
#define GPTL_POSTPROC_PREDICT_USE_H

#include "postproc/predict/convolve.h"
#include "postproc/signature/signature.h"

/* Instead of the number of a simulated machine: levels are guessed by working sets. */
#define USE_BY_WORKING_SET UINT32_MAX

/* The machine of the signature that has the caches of MACHINE; USE_BY_WORKING_SET if none has. */
uint32_t use_find_machine(const struct signature *signature, const struct machine *machine);

struct use use_of_block(const struct signature *signature, uint32_t block, uint32_t machine,
                        const struct prices *prices);

#endif
