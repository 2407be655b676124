/* accounts.c - keyed counters in trees of ranks: merges two sorted sequences. */
#include "config.h"

#include <string.h>

#include "ranks/tree.h"

struct gptl_account gptl_ranks_account(const struct gptl_ranks_tree *tree, uint32_t i)
{
    const struct gptl_ranks_account *from = &tree->accounts[i];
    struct gptl_account account = {.ledger = (enum gptl_ledger)from->ledger,
                                   .rank = from->rank,
                                   .nranks = from->nranks,
                                   .name = tree->text + from->name,
                                   .number = from->number};
    memcpy(account.values, from->values, sizeof account.values);
    return account;
}

struct walk {
    const struct gptl_ranks_tree *const *from;
    uint32_t at[2];
};

/* Advance to the next account of the merged tree; false at the end. */
static bool next(struct walk *walk, struct gptl_account *account)
{
    bool there[2];
    struct gptl_account one[2];
    for (int k = 0; k < 2; k++) {
        there[k] = walk->at[k] < walk->from[k]->head->naccounts;
        if (there[k])
            one[k] = gptl_ranks_account(walk->from[k], walk->at[k]);
    }
    if (!there[0] && !there[1])
        return false;
    int order = !there[0] ? 1 : !there[1] ? -1 : gptl_account_compare(&one[0], &one[1]);
    *account = order <= 0 ? one[0] : one[1];
    if (order == 0) {
        gptl_account_join(account, &one[1]);
        account->nranks += one[1].nranks;
    }
    walk->at[0] += order <= 0;
    walk->at[1] += order >= 0;
    return true;
}

static uint64_t text_size(const char *name)
{
    return *name ? strlen(name) + 1 : 0;
}

void gptl_ranks_count_accounts(const struct gptl_ranks_tree *const from[2],
                               struct gptl_ranks_head *head)
{
    struct walk walk = {.from = from};
    struct gptl_account account;
    for (head->naccounts = 0; next(&walk, &account); head->naccounts++)
        head->ntext += text_size(account.name);
}

void gptl_ranks_merge_accounts(struct gptl_ranks_tree *to,
                               const struct gptl_ranks_tree *const from[2], uint64_t *text)
{
    struct walk walk = {.from = from};
    struct gptl_account account;
    for (uint32_t i = 0; next(&walk, &account); i++) {
        uint64_t size = text_size(account.name);
        struct gptl_ranks_account *at = &to->accounts[i];
        *at = (struct gptl_ranks_account){.ledger = account.ledger,
                                          .rank = account.rank,
                                          .nranks = account.nranks,
                                          .name = size ? *text : 0,
                                          .number = account.number};
        memcpy(at->values, account.values, sizeof at->values);
        memcpy(to->text + *text, account.name, size);
        *text += size;
    }
}
