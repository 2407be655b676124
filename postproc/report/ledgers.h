/* ledgers.h - ledgers (keyed counters) of several profiles: messages by peer and by size, files. */
#ifndef GPTL_POSTPROC_LEDGERS_H
#define GPTL_POSTPROC_LEDGERS_H

#include "postproc/report/outputs.h"

/*
 * Merge the ledgers of all PROFILES. Each row gets the rank, or the profile's index without a rank.
 * Names are borrowed. Returns 0, or -1 if out of memory; the caller frees OUT->account.
 */
int ledgers_merge(struct gptl_accounts *out, const struct gptl_profile *const *profiles, int n);

/* Return the ledger that an output shows, or GPTL_NLEDGERS. */
enum gptl_ledger ledgers_output(output_writer *write);
/* Return the option that makes a program record LEDGER. */
const char *ledgers_option(enum gptl_ledger ledger);

#endif
