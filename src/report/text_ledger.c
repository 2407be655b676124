/* text_ledger.c - rows of ledgers as tables: messages by peer, message sizes, files of MPI-IO. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/ledger.h"
#include "report/name.h"
#include "report/number.h"
#include "report/table.h"
#include "report/text.h"

struct sheet {
    struct gptl_out *out;
    const struct gptl_ledger_form *form;
    struct gptl_table table;
    bool merged;
};

/* ---- Order ----------------------------------------------------------------------------------- */

struct item {
    uint64_t bytes;
    const struct gptl_account *account;
};

static int compare(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    return (a->account > b->account) - (a->account < b->account);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

enum { LABEL_SIZE = 64 };

/* Format the label left of the sums, after the name if there is one. */
static void format_number(const struct sheet *sheet, const struct gptl_account *account,
                          char *label)
{
    size_t used = 0;
    label[0] = '\0';
    if (sheet->merged && sheet->form->by_rank)
        used += (size_t)snprintf(label, LABEL_SIZE, "%4d  ", account->rank);
    if (!sheet->form->number)
        return;
    if (account->number == GPTL_LEDGER_REST)
        snprintf(label + used, LABEL_SIZE - used, "%4s", sheet->form->name ? "" : "(other)");
    else if (account->number == GPTL_LEDGER_OUTSIDE)
        snprintf(label + used, LABEL_SIZE - used, "outside");
    else
        snprintf(label + used, LABEL_SIZE - used, "%s%4lld", sheet->form->name ? " " : "",
                 (long long)account->number);
}

static void put_row(struct sheet *sheet, const struct gptl_account *account, bool put)
{
    const struct gptl_ledger_form *form = sheet->form;
    uint64_t cells[GPTL_LEDGER_VALUES + 1], *cell = cells;
    char label[LABEL_SIZE];
    format_number(sheet, account, label);
    size_t width = 2 + (form->name ? gptl_name_width(account->name, false) : 0) + strlen(label);
    if (sheet->merged && !form->by_rank)
        *cell++ = account->nranks;
    for (int i = 0; form->column[i].key; i++)
        *cell++ = form->column[i].kind == GPTL_LEDGER_SECONDS
                      ? gptl_table_seconds((uint64_t)account->values[i])
                      : gptl_table_count((uint64_t)account->values[i]);
    if (!put) {
        gptl_table_fit(&sheet->table, width, cells);
        return;
    }
    gptl_out_literal(sheet->out, "  ");
    if (form->name)
        gptl_name_text(sheet->out, account->name, false);
    gptl_out_text(sheet->out, label);
    gptl_table_cells(&sheet->table, sheet->out, width, cells);
}

static const char *heads_left(const struct sheet *sheet)
{
    if (sheet->merged && sheet->form->by_rank)
        return "  rank  peer";
    return sheet->form->name ? "" : "  peer";
}

static void make_columns(struct sheet *sheet, const struct item *items, size_t n)
{
    uint64_t least = UINT64_MAX, most = 0;
    if (sheet->merged && !sheet->form->by_rank)
        gptl_table_column(&sheet->table, "ranks", GPTL_CELL_COUNT);
    for (int i = 0; sheet->form->column[i].key; i++) {
        bool seconds = sheet->form->column[i].kind == GPTL_LEDGER_SECONDS;
        gptl_table_column(&sheet->table, sheet->form->column[i].key,
                          seconds ? GPTL_CELL_SECONDS : GPTL_CELL_COUNT);
        for (size_t k = 0; seconds && k < n; k++) {
            uint64_t ns = (uint64_t)items[k].account->values[i];
            least = ns > 0 && ns < least ? ns : least;
            most = ns > most ? ns : most;
        }
    }
    sheet->table.decimals = gptl_number_decimals(least, most);
}

static void put_table(struct sheet *sheet, const struct item *items, size_t n, size_t shown)
{
    make_columns(sheet, items, shown);
    sheet->table.name_width = strlen(heads_left(sheet));
    for (size_t i = 0; i < shown; i++)
        put_row(sheet, items[i].account, false);
    gptl_out_format(sheet->out, "\n%s", sheet->form->title);
    if (shown < n)
        gptl_out_format(sheet->out, ": the %llu of most bytes of %llu", (unsigned long long)shown,
                        (unsigned long long)n);
    gptl_out_literal(sheet->out, "\n");
    gptl_table_heads(&sheet->table, sheet->out, heads_left(sheet));
    for (size_t i = 0; i < shown; i++)
        put_row(sheet, items[i].account, true);
}

int gptl_ledger_text(struct gptl_out *out, enum gptl_ledger ledger,
                     const struct gptl_account *accounts, size_t naccounts, bool merged, size_t top)
{
    size_t n;
    struct sheet sheet = {.out = out, .form = &gptl_ledger_forms[ledger], .merged = merged};
    const struct gptl_account *rows = gptl_ledger_accounts(ledger, accounts, naccounts, &n);
    if (n == 0)
        return 0;
    struct item *items = malloc(n * sizeof *items);
    if (!items)
        return -1;
    for (size_t i = 0; i < n; i++)
        items[i] = (struct item){gptl_ledger_bytes(&rows[i]), &rows[i]};
    if (!sheet.form->in_order)
        qsort(items, n, sizeof *items, compare);
    put_table(&sheet, items, n, top && top < n && !sheet.form->in_order ? top : n);
    free(items);
    return 0;
}

int gptl_text_ledgers(struct gptl_text *text)
{
    const struct gptl_profile *profile = text->profile;
    for (enum gptl_ledger ledger = 0; ledger < GPTL_NLEDGERS; ledger++)
        if (gptl_ledger_text(text->out, ledger, profile->accounts, profile->naccounts, false,
                             GPTL_LEDGER_TOP))
            return -1;
    return 0;
}
