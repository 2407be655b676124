/* unit_ledger.c - rows of ledgers: summed over threads, reset, ended, and beyond the budget. */
#include "config.h"

#include "fake.h"
#include "worker.h"

static void add(enum gptl_ledger ledger, const char *name, int64_t number, int64_t value)
{
    const int64_t values[GPTL_LEDGER_VALUES] = {value, 10 * value, [GPTL_LEDGER_VALUES - 1] = 1};
    gptl_core_account(ledger, name, number, values);
}

static struct gptl_accounts copies(void)
{
    struct gptl_accounts accounts;
    CHECK_OK(gptl_core_copy_accounts(&accounts));
    return accounts;
}

static void check_row(const struct gptl_account *row, enum gptl_ledger ledger, const char *name,
                      int64_t number, int64_t value)
{
    CHECK_INT(row->ledger, ledger);
    CHECK_STRING(row->name, name);
    CHECK_INT(row->number, number);
    CHECK_INT(row->values[0], value);
    CHECK_INT(row->values[1], 10 * value);
}

static int add_more(const char *name)
{
    CHECK_OK(GPTLstart("x"));
    add(GPTL_LEDGER_FILES, name, 0, 5);
    add(GPTL_LEDGER_PEERS, NULL, 3, 7);
    return GPTLstop("x");
}

/* Names are compared by their content, regardless of their addresses. */
static void test_threads(void **state)
{
    (void)state;
    char name[] = "file", same[] = "file";
    struct worker *w = worker_begin();
    CHECK_OK(add_more(name));
    CHECK_OK(worker_call(w, add_more, same));
    add(GPTL_LEDGER_FILES, "another", 0, 1);
    add(GPTL_LEDGER_PEERS, NULL, -1, 2);
    add(GPTL_LEDGER_PEERS, NULL, 4, 0); /* its last value is not 0 */
    strcpy(name, "FILE");               /* a copy was taken */
    struct gptl_accounts accounts = copies();
    CHECK_INT(accounts.n, 5);
    check_row(&accounts.account[0], GPTL_LEDGER_PEERS, "", -1, 2);
    check_row(&accounts.account[1], GPTL_LEDGER_PEERS, "", 3, 14);
    check_row(&accounts.account[2], GPTL_LEDGER_PEERS, "", 4, 0);
    check_row(&accounts.account[3], GPTL_LEDGER_FILES, "another", 0, 1);
    check_row(&accounts.account[4], GPTL_LEDGER_FILES, "file", 0, 10);
    gptl_core_accounts_free(&accounts);
    worker_end(w);
}

static void test_reset(void **state)
{
    (void)state;
    CHECK_OK(add_more("file"));
    CHECK_OK(GPTLreset());
    struct gptl_accounts accounts = copies();
    CHECK_INT(accounts.n, 0);
    gptl_core_accounts_free(&accounts);
    add(GPTL_LEDGER_PEERS, NULL, 3, 1);
    accounts = copies();
    CHECK_INT(accounts.n, 1);
    check_row(&accounts.account[0], GPTL_LEDGER_PEERS, "", 3, 1);
    gptl_core_accounts_free(&accounts);
    CHECK_OK(GPTLfinalize());
    add(GPTL_LEDGER_PEERS, NULL, 3, 1); /* nothing is measured any more */
    CHECK_OK(GPTLinitialize());
    CHECK_OK(GPTLstart("x"));
    CHECK_OK(GPTLstop("x"));
    accounts = copies();
    CHECK_INT(accounts.n, 0);
    gptl_core_accounts_free(&accounts);
}

/* Rows without memory are combined in one row, and all is counted somewhere. */
static void test_budget(void **state)
{
    (void)state;
    enum { FLOOD = 100000 };
    char option[64];
    snprintf(option, sizeof option, "memory=%zu", gptl_mem_used() + (4 << 20));
    CHECK_OK(GPTLfinalize());
    CHECK_OK(gptl_core_set_options(option, "test"));
    CHECK_OK(GPTLinitialize());
    CHECK_OK(GPTLstart("x"));
    CHECK_OK(GPTLstop("x"));
    for (int64_t i = 0; i < FLOOD; i++)
        add(GPTL_LEDGER_PEERS, NULL, i, 1);
    struct gptl_accounts accounts = copies();
    CHECK(accounts.n > 1000 && accounts.n < FLOOD);
    CHECK_INT(accounts.account[accounts.n - 1].number, GPTL_LEDGER_REST);
    int64_t sum = 0;
    for (size_t i = 0; i < accounts.n; i++)
        sum += accounts.account[i].values[0];
    CHECK_INT(sum, FLOOD);
    gptl_core_accounts_free(&accounts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAKE_TEST(test_threads),
        FAKE_TEST(test_reset),
        FAKE_TEST(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
