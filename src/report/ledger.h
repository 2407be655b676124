/*
 * ledger.h - keyed counters ("ledgers") in reports: sums of a process by name or number, outside
 * the tree.
 *
 * The existing ones belong to MPI: messages by peer, message sizes by routine, files of MPI-IO. A
 * row in the table of ledger.c defines a ledger.
 */
#ifndef GPTL_REPORT_LEDGER_H
#define GPTL_REPORT_LEDGER_H

#include <stdbool.h>

#include "report/out.h"
#include "report/report.h"

enum gptl_ledger_kind { GPTL_LEDGER_COUNT, GPTL_LEDGER_BYTES, GPTL_LEDGER_SECONDS };

/* Keys are used in JSON and XML; a NULL key ends the columns. */
struct gptl_ledger_form {
    const char *key;     /* of the array of rows */
    const char *element; /* of one row in XML */
    const char *title;
    const char *name;   /* key of the rows' name; NULL: rows are unnamed */
    const char *number; /* key of the rows' number; NULL: rows are unnumbered */
    bool by_rank;       /* rows of different ranks are not merged */
    bool in_order;      /* sort by name and number instead of descending bytes */
    struct {
        const char *key;
        enum gptl_ledger_kind kind;
    } column[GPTL_LEDGER_VALUES + 1];
};

extern const struct gptl_ledger_form gptl_ledger_forms[GPTL_NLEDGERS];

/* Peers are ranks of MPI_COMM_WORLD; this value means a process outside of it. */
#define GPTL_LEDGER_OUTSIDE ((int64_t)-1)

/*
 * Return the accounts of LEDGER, which are consecutive, and their number *N; NULL if it is empty.
 */
const struct gptl_account *gptl_ledger_accounts(enum gptl_ledger ledger,
                                                const struct gptl_account *accounts,
                                                size_t naccounts, size_t *n);

/* Return the sum of all byte values of a row. */
uint64_t gptl_ledger_bytes(const struct gptl_account *account);

/*
 * Print all nonempty ledgers as members of JSON, each preceded by a comma, or as elements of XML.
 * MERGED: the accounts belong to several ranks.
 */
void gptl_ledger_json(struct gptl_out *out, const struct gptl_account *accounts, size_t n,
                      bool merged);
void gptl_ledger_xml(struct gptl_out *out, const struct gptl_profile *profile);

/*
 * Print the text section of LEDGER, or nothing if it is empty. A sorted ledger shows only its TOP
 * largest rows (0: all). Return 0, or -1 when out of memory.
 */
enum { GPTL_LEDGER_TOP = 20 };
int gptl_ledger_text(struct gptl_out *out, enum gptl_ledger ledger,
                     const struct gptl_account *accounts, size_t n, bool merged, size_t top);

#endif
