/* read_ledgers.c - reads ledgers (keyed counters): messages by peer and by size, files. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "postproc/read/profile_reader.h"

#include "report/ledger.h"

/* Read the member KEY if FORM has it. Returns false otherwise. */
static bool read_member(struct reader *reader, const struct gptl_ledger_form *form, const char *key,
                        struct gptl_account *account)
{
    struct json *json = reader->json;
    if (form->name && strcmp(key, form->name) == 0) {
        account->name = reader_text(reader);
        return true;
    }
    if (form->number && strcmp(key, form->number) == 0) {
        account->number = json_null(json) ? GPTL_LEDGER_REST : json_int(json);
        return true;
    }
    for (int i = 0; form->column[i].key; i++)
        if (strcmp(key, form->column[i].key) == 0) {
            account->values[i] = form->column[i].kind == GPTL_LEDGER_SECONDS
                                     ? (int64_t)json_nanoseconds(json)
                                     : (int64_t)json_uint(json, UINT64_MAX - 1);
            return true;
        }
    return false;
}

static void read_row(struct reader *reader, enum gptl_ledger ledger)
{
    struct gptl_profile *profile = reader->profile;
    struct gptl_account account = {.ledger = ledger, .rank = -1, .nranks = 1, .name = ""};
    const char *key;
    json_object(reader->json);
    while ((key = json_key(reader->json)))
        if (!read_member(reader, &gptl_ledger_forms[ledger], key, &account))
            json_skip(reader->json);
    profile->accounts = reader_one_more(reader, profile->accounts, (uint32_t)profile->naccounts,
                                        sizeof *profile->accounts);
    if (profile->accounts)
        profile->accounts[profile->naccounts++] = account;
}

bool reader_ledger(struct reader *reader, const char *key)
{
    for (enum gptl_ledger ledger = 0; ledger < GPTL_NLEDGERS; ledger++) {
        if (strcmp(key, gptl_ledger_forms[ledger].key) != 0)
            continue;
        json_array(reader->json);
        while (json_element(reader->json))
            read_row(reader, ledger);
        return true;
    }
    return false;
}

static int compare(const void *a, const void *b)
{
    return gptl_account_compare(a, b);
}

void reader_ledgers_end(struct reader *reader)
{
    const struct gptl_profile *profile = reader->profile;
    if (profile->naccounts > 1)
        qsort(profile->accounts, profile->naccounts, sizeof *profile->accounts, compare);
}
