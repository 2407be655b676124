/*
 * ledgers.c - merges the ledgers (keyed counters) of several profiles, and writes them as CSV with
 * quoted names.
 */
#include "config.h"

#include "postproc/report/ledgers.h"

#include <stdlib.h>

#include "postproc/report/escape.h"
#include "report/ledger.h"

static int compare(const void *a, const void *b)
{
    return gptl_account_compare(a, b);
}

static void join_equal(struct gptl_accounts *accounts)
{
    size_t n = 0;
    for (size_t i = 0; i < accounts->n; i++) {
        struct gptl_account *account = &accounts->account[i];
        if (n > 0 && gptl_account_compare(&accounts->account[n - 1], account) == 0) {
            gptl_account_join(&accounts->account[n - 1], account);
            accounts->account[n - 1].nranks += account->nranks;
        } else {
            accounts->account[n++] = *account;
        }
    }
    accounts->n = n;
}

int ledgers_merge(struct gptl_accounts *out, const struct gptl_profile *const *profiles, int n)
{
    size_t all = 0;
    for (int p = 0; p < n; p++)
        all += profiles[p]->naccounts;
    *out = (struct gptl_accounts){malloc((all + 1) * sizeof *out->account), 0};
    if (!out->account)
        return -1;
    for (int p = 0; p < n; p++)
        for (size_t i = 0; i < profiles[p]->naccounts; i++) {
            struct gptl_account *to = &out->account[out->n++];
            *to = profiles[p]->accounts[i];
            if (gptl_ledger_forms[to->ledger].by_rank)
                to->rank = profiles[p]->process.rank >= 0 ? profiles[p]->process.rank : p;
        }
    if (all > 1)
        qsort(out->account, all, sizeof *out->account, compare);
    join_equal(out);
    return 0;
}

/* ---- CSV ----------------------------------------------------------------------------------- */

static const struct escape field = {.instead = {['"'] = "\"\""}, .backslash = "\\"};

static void put_heads(struct gptl_out *out, const struct gptl_ledger_form *form)
{
    if (form->by_rank)
        gptl_out_literal(out, "rank,");
    if (form->name)
        gptl_out_format(out, "%s,", form->name);
    if (form->number)
        gptl_out_format(out, "%s,", form->number);
    if (!form->by_rank)
        gptl_out_literal(out, "ranks,");
    for (int i = 0; form->column[i].key; i++)
        gptl_out_format(out, "%s%s", i > 0 ? "," : "", form->column[i].key);
    gptl_out_char(out, '\n');
}

static void put_row(struct gptl_out *out, const struct gptl_ledger_form *form,
                    const struct gptl_account *account)
{
    if (form->by_rank)
        gptl_out_format(out, "%d,", account->rank);
    if (form->name) {
        gptl_out_char(out, '"');
        escape_put(out, &field, account->name);
        gptl_out_literal(out, "\",");
    }
    if (form->number) {
        if (account->number != GPTL_LEDGER_REST)
            gptl_out_format(out, "%lld", (long long)account->number);
        gptl_out_char(out, ',');
    }
    if (!form->by_rank)
        gptl_out_format(out, "%lu,", (unsigned long)account->nranks);
    for (int i = 0; form->column[i].key; i++) {
        if (i > 0)
            gptl_out_char(out, ',');
        if (form->column[i].kind == GPTL_LEDGER_SECONDS)
            gptl_out_seconds(out, (uint64_t)account->values[i]);
        else
            gptl_out_uint(out, (uint64_t)account->values[i]);
    }
    gptl_out_char(out, '\n');
}

static int put_csv(struct gptl_out *out, const struct output_options *options,
                   enum gptl_ledger ledger)
{
    size_t n;
    const struct gptl_account *rows =
        gptl_ledger_accounts(ledger, options->accounts.account, options->accounts.n, &n);
    put_heads(out, &gptl_ledger_forms[ledger]);
    for (size_t i = 0; i < n; i++)
        put_row(out, &gptl_ledger_forms[ledger], &rows[i]);
    return 0;
}

int csv_peers_write(struct gptl_out *out, const struct paths *paths,
                    const struct output_options *options)
{
    (void)paths;
    return put_csv(out, options, GPTL_LEDGER_PEERS);
}

int csv_sizes_write(struct gptl_out *out, const struct paths *paths,
                    const struct output_options *options)
{
    (void)paths;
    return put_csv(out, options, GPTL_LEDGER_SIZES);
}

int csv_files_write(struct gptl_out *out, const struct paths *paths,
                    const struct output_options *options)
{
    (void)paths;
    return put_csv(out, options, GPTL_LEDGER_FILES);
}

enum gptl_ledger ledgers_output(output_writer *write)
{
    return write == csv_peers_write   ? GPTL_LEDGER_PEERS
           : write == csv_sizes_write ? GPTL_LEDGER_SIZES
           : write == csv_files_write ? GPTL_LEDGER_FILES
                                      : GPTL_NLEDGERS;
}

const char *ledgers_option(enum gptl_ledger ledger)
{
    return ledger == GPTL_LEDGER_PEERS   ? "mpi_matrix=on"
           : ledger == GPTL_LEDGER_SIZES ? "mpi_sizes=on"
                                         : "mpi_files=1024";
}
