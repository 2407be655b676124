/*
 * html_peers.c - messages between ranks, as data of a page: the pairs with the most bytes if there
 * are many.
 */
#include "config.h"

#include <stdlib.h>

#include "postproc/html/html_data.h"
#include "report/ledger.h"

enum { MOST_PAIRS = 50000 };

struct pair {
    uint64_t bytes;
    const struct gptl_account *account;
};

static int compare(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    return (a->account > b->account) - (a->account < b->account);
}

int html_put_peers(struct html_data *data)
{
    size_t n;
    bool any = false;
    const struct gptl_account *rows = gptl_ledger_accounts(
        GPTL_LEDGER_PEERS, data->options->accounts.account, data->options->accounts.n, &n);
    if (n == 0)
        return 0;
    struct pair *pairs = malloc(n * sizeof *pairs);
    if (!pairs)
        return -1;
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct pair){gptl_ledger_bytes(&rows[i]), &rows[i]};
    qsort(pairs, n, sizeof *pairs, compare);
    html_put_key(data->out, "peers");
    for (size_t i = 0; i < n && i < MOST_PAIRS; i++) {
        const struct gptl_account *account = pairs[i].account;
        html_put_between(data->out, &any);
        html_put_signed(data->out, account->rank);
        gptl_out_char(data->out, ',');
        html_put_signed(data->out, account->number == GPTL_LEDGER_REST ? GPTL_LEDGER_OUTSIDE
                                                                       : account->number);
        for (int k = 0; k < 4; k++) {
            gptl_out_char(data->out, ',');
            html_put_signed(data->out, account->values[k]);
        }
    }
    html_put_end(data->out, any);
    free(pairs);
    return 0;
}
