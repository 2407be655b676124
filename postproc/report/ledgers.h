/* ledgers.h - rows of ledgers of several profiles: messages by peer and by size, files. */
#ifndef GPTL_POSTPROC_LEDGERS_H
#define GPTL_POSTPROC_LEDGERS_H

#include "postproc/report/outputs.h"

/*
 * Those of all PROFILES, each with its rank, or its place where it has none. Names are the profiles'.
 * Returns 0, or -1 when there is no memory; free OUT->account.
 */
int ledgers_merge(struct gptl_accounts *out, const struct gptl_profile *const *profiles, int n);

/* The ledger that an output is about; GPTL_NLEDGERS: none. */
enum gptl_ledger ledgers_output(output_writer *write);
/* The option with which a program keeps it. */
const char *ledgers_option(enum gptl_ledger ledger);

#endif
