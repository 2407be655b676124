/*
 * ledger.h - ledgers in reports: sums of a process by a name or number, which are in no tree.
 *
 * What is MPI's: messages by peer, sizes of messages by routine, files of MPI-IO. A new one is a row
 * in the table of ledger.c.
 */
#ifndef GPTL_REPORT_LEDGER_H
#define GPTL_REPORT_LEDGER_H

#include <stdbool.h>

#include "report/out.h"
#include "report/report.h"

enum gptl_ledger_kind { GPTL_LEDGER_COUNT, GPTL_LEDGER_BYTES, GPTL_LEDGER_SECONDS };

/* Keys are those of JSON and XML; a NULL ends the columns. */
struct gptl_ledger_form {
    const char *key;     /* of all its rows … */
    const char *element; /* … and of one, in XML */
    const char *title;
    const char *name;   /* key of what rows are by; NULL: they have no name … */
    const char *number; /* … or no number */
    bool by_rank;       /* rows of ranks stay apart when ranks are merged */
    bool in_order;      /* of names and numbers; else the most bytes come first */
    struct {
        const char *key;
        enum gptl_ledger_kind kind;
    } column[GPTL_LEDGER_VALUES + 1];
};

extern const struct gptl_ledger_form gptl_ledger_forms[GPTL_NLEDGERS];

/* Peers are ranks of MPI_COMM_WORLD; this one is a process outside of it. */
#define GPTL_LEDGER_OUTSIDE ((int64_t)-1)

/* The accounts of LEDGER, which is a run of them; *N is their number. NULL if there are none. */
const struct gptl_account *gptl_ledger_accounts(enum gptl_ledger ledger,
                                                const struct gptl_account *accounts,
                                                size_t naccounts, size_t *n);

/* Sums of all bytes of a row. */
uint64_t gptl_ledger_bytes(const struct gptl_account *account);

/*
 * The members of JSON, and elements of XML, of those that have rows; the first with a comma before it.
 * MERGED: the accounts are of several ranks.
 */
void gptl_ledger_json(struct gptl_out *out, const struct gptl_account *accounts, size_t n,
                      bool merged);
void gptl_ledger_xml(struct gptl_out *out, const struct gptl_profile *profile);

/*
 * The section of text of LEDGER, nothing if it has no rows; of those that are sorted, the TOP largest
 * (0: all). Returns 0, or -1 when there is no memory.
 */
enum { GPTL_LEDGER_TOP = 20 };
int gptl_ledger_text(struct gptl_out *out, enum gptl_ledger ledger,
                     const struct gptl_account *accounts, size_t n, bool merged, size_t top);

#endif
