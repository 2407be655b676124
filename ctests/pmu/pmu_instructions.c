/*
 * pmu_instructions.c - on a PMU that counts exactly: loops of known length, siblings, nesting,
 * recursion, and derived events.
 */
#include "report.h"

/* The maximum that reading the counters adds, including the first visit; PAPI_read alone is 245. */
enum { SLACK = 500, VISITS = 10 };

static void region(const char *name, uint64_t n)
{
    CHECK_OK(GPTLstart(name));
    if (n)
        report_work(n);
    CHECK_OK(GPTLstop(name));
}

static void recurse(int depth)
{
    CHECK_OK(GPTLstart("recursive"));
    report_work(100000);
    if (depth > 1)
        recurse(depth - 1);
    CHECK_OK(GPTLstop("recursive"));
}

static void measure(void)
{
    region("first visit", 1000000);
    for (int i = 0; i < VISITS; i++) {
        region("two million", 1000000);
        region("empty", 0);
    }
    region("eighty million", 40000000);
    CHECK_OK(GPTLstart("outer"));
    report_work(500000);
    region("inner", 250000);
    report_work(500000);
    region("inner 2", 1000);
    CHECK_OK(GPTLstop("outer"));
    recurse(5);
    CHECK_OK(GPTLstart("off"));
    CHECK_OK(GPTLdisable());
    report_work(1000000);
    CHECK_OK(GPTLenable());
    CHECK_OK(GPTLstop("off"));
}

int main(int argc, char **argv)
{
    (void)argc;
    setvbuf(stdout, NULL, _IOLBF, 0);
    report_options(argv, "counters=PAPI_TOT_INS,PAPI_TOT_CYC,GPTL_IPC;output=json");
    CHECK_OK(GPTLinitialize());
    measure();
    static struct report r;
    r = report_now();
    CHECK_INT(r.nrefused, 0);
#define INSTRUCTIONS(node) report_value(&r, 0, node, "PAPI_TOT_INS")
    printf("instructions of an empty region: %.1f, beside a loop of 2,000,000: %.1f, and at its "
           "first visit: %.0f\n",
           INSTRUCTIONS("empty") / VISITS, INSTRUCTIONS("two million") / VISITS - 2e6,
           INSTRUCTIONS("first visit") - 2e6);
    printf("with a loop of 2,000,000 while disabled: %.0f\n", INSTRUCTIONS("off"));
    CHECK_BETWEEN(INSTRUCTIONS("first visit"), 2e6, 2e6 + SLACK);
    CHECK_BETWEEN(INSTRUCTIONS("two million") / VISITS, 2e6, 2e6 + SLACK);
    CHECK_BETWEEN(INSTRUCTIONS("empty") / VISITS, 1, SLACK);
    CHECK_BETWEEN(INSTRUCTIONS("eighty million"), 8e7, 8e7 + SLACK);
    CHECK_BETWEEN(INSTRUCTIONS("inner"), 5e5, 5e5 + SLACK);
    CHECK_BETWEEN(INSTRUCTIONS("inner 2"), 2000, 2000 + SLACK);
    /* Inclusive: its callees, and the instructions of measuring them, including first visits. */
    CHECK_BETWEEN(INSTRUCTIONS("outer") - INSTRUCTIONS("inner") - INSTRUCTIONS("inner 2"), 2e6,
                  2e6 + 20 * SLACK);
    CHECK_BETWEEN(INSTRUCTIONS("recursive"), 1e6, 1e6 + 20 * SLACK);
    for (int i = 0; i < r.nnodes; i++) {
        const char *name = r.node[i].name;
        if (r.node[i].calls == 0)
            continue;
        CHECK_REAL(report_value(&r, 0, name, "PAPI_TOT_CYC"), 2 * INSTRUCTIONS(name));
        CHECK(report_value(&r, 0, name, "GPTL_IPC") == 0.5);
    }
    CHECK_BETWEEN(INSTRUCTIONS("off"), 0, 20 * SLACK);
    CHECK_OK(GPTLfinalize());
    return 0;
}
