/* ledger.c - the table of ledgers, and their rows as JSON and XML. */
#include "config.h"

#include "report/ledger.h"

#include "report/json.h"
#include "report/name.h"
#include "report/number.h"
#include "report/xml.h"

#define MESSAGES                                                                                   \
    {                                                                                              \
        {"sent", GPTL_LEDGER_COUNT}, {"sent_bytes", GPTL_LEDGER_BYTES},                            \
            {"received", GPTL_LEDGER_COUNT}, {"received_bytes", GPTL_LEDGER_BYTES},                \
    }

const struct gptl_ledger_form gptl_ledger_forms[GPTL_NLEDGERS] = {
    [GPTL_LEDGER_PEERS] = {.key = "mpi_peers",
                           .element = "mpi_peer",
                           .title = "MPI messages by peer (rank in MPI_COMM_WORLD)",
                           .number = "peer",
                           .by_rank = true,
                           .column = MESSAGES},
    [GPTL_LEDGER_SIZES] = {.key = "mpi_sizes",
                           .element = "mpi_size",
                           .title = "MPI calls by the bytes that they moved, from this many to "
                                    "less than twice as many",
                           .name = "routine",
                           .number = "from",
                           .in_order = true,
                           .column = MESSAGES},
    [GPTL_LEDGER_FILES] = {.key = "mpi_files",
                           .element = "mpi_file",
                           .title = "MPI-IO files",
                           .name = "file",
                           .column = {{"opens", GPTL_LEDGER_COUNT},
                                      {"reads", GPTL_LEDGER_COUNT},
                                      {"writes", GPTL_LEDGER_COUNT},
                                      {"read_bytes", GPTL_LEDGER_BYTES},
                                      {"written_bytes", GPTL_LEDGER_BYTES},
                                      {"seconds", GPTL_LEDGER_SECONDS}}},
};

const struct gptl_account *gptl_ledger_accounts(enum gptl_ledger ledger,
                                                const struct gptl_account *accounts,
                                                size_t naccounts, size_t *n)
{
    size_t begin = 0;
    while (begin < naccounts && accounts[begin].ledger < ledger)
        begin++;
    *n = 0;
    while (begin + *n < naccounts && accounts[begin + *n].ledger == ledger)
        ++*n;
    return *n > 0 ? accounts + begin : NULL;
}

uint64_t gptl_ledger_bytes(const struct gptl_account *account)
{
    const struct gptl_ledger_form *form = &gptl_ledger_forms[account->ledger];
    uint64_t bytes = 0;
    for (int i = 0; form->column[i].key; i++)
        if (form->column[i].kind == GPTL_LEDGER_BYTES)
            bytes = gptl_number_total(bytes, (uint64_t)account->values[i]);
    return bytes;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void json_value(struct gptl_out *out, const char *key, bool *any)
{
    gptl_out_text(out, *any ? ",\"" : "{\"");
    gptl_out_text(out, key);
    gptl_out_literal(out, "\":");
    *any = true;
}

static void json_row(struct gptl_out *out, const struct gptl_ledger_form *form,
                     const struct gptl_account *account, bool merged)
{
    bool any = false;
    if (merged && form->by_rank) {
        json_value(out, "rank", &any);
        gptl_out_format(out, "%d", account->rank);
    }
    if (form->name) {
        json_value(out, form->name, &any);
        gptl_name_json(out, account->name);
    }
    if (form->number) {
        json_value(out, form->number, &any);
        if (account->number == GPTL_LEDGER_REST)
            gptl_out_literal(out, "null");
        else
            gptl_out_format(out, "%lld", (long long)account->number);
    }
    if (merged && !form->by_rank) {
        json_value(out, "ranks", &any);
        gptl_out_uint(out, account->nranks);
    }
    for (int i = 0; form->column[i].key; i++) {
        json_value(out, form->column[i].key, &any);
        if (form->column[i].kind == GPTL_LEDGER_SECONDS)
            gptl_out_seconds(out, (uint64_t)account->values[i]);
        else
            gptl_out_uint(out, (uint64_t)account->values[i]);
    }
    gptl_out_char(out, '}');
}

void gptl_ledger_json(struct gptl_out *out, const struct gptl_account *accounts, size_t n,
                      bool merged)
{
    for (enum gptl_ledger ledger = 0; ledger < GPTL_NLEDGERS; ledger++) {
        const struct gptl_ledger_form *form = &gptl_ledger_forms[ledger];
        size_t nrows;
        const struct gptl_account *rows = gptl_ledger_accounts(ledger, accounts, n, &nrows);
        bool any = false;
        if (nrows == 0)
            continue;
        gptl_out_literal(out, ",\n\"");
        gptl_out_text(out, form->key);
        gptl_out_literal(out, "\":[");
        for (size_t i = 0; i < nrows; i++) {
            gptl_json_next_line(out, &any);
            json_row(out, form, &rows[i], merged);
        }
        gptl_out_char(out, ']');
    }
}

/* ---- XML ----------------------------------------------------------------------------------- */

static void xml_key(struct gptl_out *out, const char *key)
{
    gptl_out_char(out, ' ');
    gptl_out_text(out, key);
    gptl_out_literal(out, "=\"");
}

static void xml_row(struct gptl_out *out, const struct gptl_ledger_form *form,
                    const struct gptl_account *account)
{
    gptl_out_char(out, '<');
    gptl_out_text(out, form->element);
    if (form->name) {
        xml_key(out, form->name);
        gptl_name_xml(out, account->name);
        gptl_out_char(out, '"');
    }
    if (form->number && account->number != GPTL_LEDGER_REST) {
        xml_key(out, form->number);
        gptl_out_format(out, "%lld\"", (long long)account->number);
    }
    for (int i = 0; form->column[i].key; i++) {
        xml_key(out, form->column[i].key);
        if (form->column[i].kind == GPTL_LEDGER_SECONDS)
            gptl_out_seconds(out, (uint64_t)account->values[i]);
        else
            gptl_out_uint(out, (uint64_t)account->values[i]);
        gptl_out_char(out, '"');
    }
    gptl_out_literal(out, "/>\n");
}

void gptl_ledger_xml(struct gptl_out *out, const struct gptl_profile *profile)
{
    for (enum gptl_ledger ledger = 0; ledger < GPTL_NLEDGERS; ledger++) {
        const struct gptl_ledger_form *form = &gptl_ledger_forms[ledger];
        size_t nrows;
        const struct gptl_account *rows =
            gptl_ledger_accounts(ledger, profile->accounts, profile->naccounts, &nrows);
        if (nrows == 0)
            continue;
        gptl_out_format(out, "<%s>\n", form->key);
        for (size_t i = 0; i < nrows; i++)
            xml_row(out, form, &rows[i]);
        gptl_out_format(out, "</%s>\n", form->key);
    }
}
